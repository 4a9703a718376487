import type { Rule } from "./rule.js";

/** CO-301: one message in several files of one level; the first is kept. Within a file the texts add up. */
export const uniqueMessages: Rule = ({ merged }, report) => ({
  program: () => {
    for (const { name, first, again } of merged.duplicateMessages) {
      report("CO-301", `message \`${name}\` is already defined in \`${first.source.name}\`, this one is ignored`, {
        span: again,
        labels: [{ span: first, text: "this one is used" }],
        hint: "keep all texts of a message in one file",
      });
    }
  },
});
