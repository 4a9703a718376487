import { didYouMean } from "../../../diagnostics/suggestion.js";
import { describeUnavailableRail } from "../../../engine/unavailable-rails.js";
import type { Rule } from "./rule.js";

/** CO-204: `do name` needs a flow of that name. */
export const knownSubflows: Rule = ({ flowsById }, report) => ({
  statement: (statement) => {
    if (statement.kind !== "Call" || !statement.flow || flowsById.has(statement.flow.text)) return;
    const { text, span } = statement.flow;
    const { message, hint } = describeUnavailableRail(text) ?? {
      message: `unknown subflow \`${text}\``,
      hint: didYouMean(text, flowsById.keys()),
    };
    report("CO-204", message, { span, hint });
  },
});
