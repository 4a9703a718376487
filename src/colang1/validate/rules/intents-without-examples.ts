import { didYouMean } from "../../../diagnostics/suggestion.js";
import { patternsOf } from "../../walk.js";
import type { Rule } from "./rule.js";

/** CO-316: the model is shown examples to name an intent; without any it must guess. Reported once per intent. */
export const intentsWithoutExamples: Rule = ({ merged: { userMessages } }, report) => {
  const reported = new Set<string>();
  return {
    statement: (statement) => {
      for (const pattern of patternsOf(statement)) {
        if (pattern.kind !== "UserPattern" || !pattern.intent) continue;
        const { text, span } = pattern.intent;
        if ((userMessages.get(text)?.texts.length ?? 0) > 0 || reported.has(text)) continue;
        reported.add(text);
        const near = userMessages.has(text) ? undefined : didYouMean(text, userMessages.keys());
        report("CO-316", `intent \`${text}\` has no examples`, { span, hint: near });
      }
    },
  };
};
