import { didYouMean } from "../../../diagnostics/suggestion.js";
import { walkStatements } from "../../walk.js";
import type { Rule } from "./rule.js";
import { quoteText } from "../../../diagnostics/diagnostic.js";

const RESTART = "start_new_flow_instance";

/** Only one label has a meaning. */
export const labels: Rule = ({ flow, report }) => {
  walkStatements(flow.body, (statement) => {
    if (statement.kind !== "Label" || statement.name.text === RESTART) return;
    const { text, span } = statement.name;
    const hint = didYouMean(text, [RESTART]) ?? `only \`${RESTART}:\` has a meaning`;
    report("C2-307", `the label ${quoteText(text)} has no effect`, span, hint);
  });
};
