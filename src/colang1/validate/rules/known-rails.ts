import { didYouMean } from "../../../diagnostics/suggestion.js";
import { describeUnavailableRail } from "../../../engine/unavailable-rails.js";
import type { Rule } from "./rule.js";

/** CO-209: a listed rail without a flow would leave messages unguarded. */
export const knownRails: Rule = ({ rails, flowsById }, report) => ({
  program: () => {
    for (const { id, span, path } of rails) {
      if (flowsById.has(id)) continue;
      const unavailable = describeUnavailableRail(id);
      const message = id === "" ? "a rail needs a name" : `rail \`${id}\` is listed but not defined`;
      report("CO-209", unavailable?.message ?? message, {
        span,
        path,
        hint:
          unavailable?.hint ?? didYouMean(id, flowsById.keys()) ?? `define it with \`define subflow ${id || "name"}\``,
      });
    }
  },
});
