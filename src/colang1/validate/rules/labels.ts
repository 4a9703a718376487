import { didYouMean } from "../../../diagnostics/suggestion.js";
import type { Name } from "../../ast.js";
import type { Rule } from "./rule.js";

/** CO-202: labels are unique in a flow, and every `goto` has one. */
export const labels: Rule = (_facts, report) => ({
  flow: ({ statements }) => {
    const placed = new Map<string, Name>();
    const jumps: Name[] = [];
    for (const statement of statements) {
      if (statement.kind === "Goto") jumps.push(statement.name);
      if (statement.kind !== "Label") continue;
      const first = placed.get(statement.name.text);
      if (!first) placed.set(statement.name.text, statement.name);
      else {
        report("CO-202", `duplicate label \`${first.text}\``, {
          span: statement.name.span,
          labels: [{ span: first.span, text: "first placed here" }],
        });
      }
    }
    for (const { text, span } of jumps) {
      if (placed.has(text)) continue;
      const hint = didYouMean(text, placed.keys()) ?? "labels are known only in their own flow";
      report("CO-202", `unknown label \`${text}\``, { span, hint });
    }
  },
});
