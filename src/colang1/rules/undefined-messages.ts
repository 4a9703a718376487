import { didYouMean } from "../../diagnostics/suggestion.js";
import type { Rule } from "./rule.js";

/** CO-315: a message without texts is written by the model. Told once per message, where it is first said. */
export const undefinedMessages: Rule = ({ merged: { botMessages } }, report) => {
  const told = new Set<string>();
  return {
    statement: (statement) => {
      if (statement.kind !== "Say" || !statement.intent) return;
      const { text, span } = statement.intent;
      if (botMessages.has(text) || told.has(text)) return;
      told.add(text);
      report("CO-315", `message \`${text}\` is not defined, so the model writes it`, {
        span,
        hint: didYouMean(text, botMessages.keys()),
      });
    },
  };
};
