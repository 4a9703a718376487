import { createSpan } from "../../../diagnostics/span.js";
import { didYouMeanOrTakes } from "../../../diagnostics/suggestion.js";
import { resolveActionName } from "../../action-names.js";
import type { Rule } from "./rule.js";

/** CO-211: an argument under a name that the action does not take would be lost, and the action would judge nothing. */
export const knownParameters: Rule = ({ input: { actions } }, report) => ({
  statement: (statement) => {
    if (statement.kind !== "Run" || !actions) return;
    const action = resolveActionName(statement.action.text, actions);
    const accepted = action && actions.acceptedBy?.(action.name);
    if (!action || !accepted) return;
    for (const { name, start } of statement.arguments) {
      if (name === undefined || accepted.includes(name)) continue;
      const span = createSpan(statement.span.source, start, start + name.length);
      const hint = didYouMeanOrTakes(name, accepted);
      report("CO-211", `action \`${action.name}\` has no parameter \`${name}\``, { span, hint });
    }
  },
});
