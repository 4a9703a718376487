import type { Rule } from "./rule.js";

/** CO-201: two flows of one id at one level of precedence. Between levels the higher one replaces the lower. */
export const uniqueFlows: Rule = ({ merged }, report) => ({
  program: () => {
    for (const { name, first, again } of merged.duplicateFlows) {
      report("CO-201", `duplicate flow \`${name}\``, {
        span: again.name?.span ?? again.headerSpan,
        labels: [{ span: first.name?.span ?? first.headerSpan, text: "first defined here" }],
        hint: "rename one of them, or remove it",
      });
    }
  },
});
