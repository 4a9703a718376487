import { didYouMean } from "../../diagnostics/suggestion.js";
import type { Rule } from "./rule.js";

/** CO-204: `do name` needs a flow of that name. */
export const knownSubflows: Rule = ({ flowsById }, report) => ({
  statement: (statement) => {
    if (statement.kind !== "Call" || !statement.flow || flowsById.has(statement.flow.text)) return;
    const { text, span } = statement.flow;
    report("CO-204", `unknown subflow \`${text}\``, { span, hint: didYouMean(text, flowsById.keys()) });
  },
});
