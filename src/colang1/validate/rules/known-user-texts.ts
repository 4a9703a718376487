import { didYouMean } from "../../../diagnostics/suggestion.js";
import { patternsOf } from "../../walk.js";
import type { Rule } from "./rule.js";

/** CO-203: `user "text"` stands for the intents with exactly that example, so there must be one. */
export const knownUserTexts: Rule = ({ intentsByText }, report) => ({
  statement: (statement) => {
    for (const pattern of patternsOf(statement)) {
      if (pattern.kind !== "UserPattern" || !pattern.text || intentsByText.has(pattern.text.value)) continue;
      const { value, span } = pattern.text;
      report("CO-203", `no intent has the example \`${value}\``, {
        span,
        hint: didYouMean(value, intentsByText.keys()) ?? "add it to a `define user` block, or name the intent",
      });
    }
  },
});
