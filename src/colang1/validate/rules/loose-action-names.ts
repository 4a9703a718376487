import { didYouMean } from "../../../diagnostics/suggestion.js";
import { resolveActionName } from "../../action-names.js";
import type { Rule } from "./rule.js";

/** CO-312: an action found by a name that is not quite its own, or not at all when all actions are known. */
export const looseActionNames: Rule = ({ input: { actions } }, report) => ({
  statement: (statement) => {
    if (statement.kind !== "Run" || !actions) return;
    const { text, span } = statement.action;
    const action = resolveActionName(text, actions);
    if (action?.loose) {
      const hint = `write \`${action.name}\``;
      report("CO-312", `action \`${text}\` is taken for \`${action.name}\``, { span, hint });
    } else if (!action && actions.complete) {
      const hint = didYouMean(text, actions.names ?? []) ?? "register it before it is used";
      report("CO-312", `no action is called \`${text}\``, { span, hint });
    }
  },
});
