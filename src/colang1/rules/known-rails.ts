import { didYouMean } from "../../diagnostics/suggestion.js";
import type { Rule } from "./rule.js";

/** CO-209: a listed rail without a flow would leave messages unguarded. */
export const knownRails: Rule = ({ rails, flowsById }, report) => ({
  program: () => {
    for (const { id, span, path } of rails) {
      if (flowsById.has(id)) continue;
      report("CO-209", id === "" ? "a rail needs a name" : `rail \`${id}\` is listed but not defined`, {
        span,
        path,
        hint: didYouMean(id, flowsById.keys()) ?? `define it with \`define subflow ${id || "name"}\``,
      });
    }
  },
});
