import { didYouMean } from "../../../diagnostics/suggestion.js";
import type { Rule } from "./rule.js";
import { patternsOf } from "../../walk.js";

/**
 * A message without texts: the model writes it in a dialog (CO-315), and a rail speaks the default refusal for it (CO-319).
 * Reported once per message and use, at the first statement that says it.
 */
export const undefinedMessages: Rule = ({ merged: { botMessages }, inRails }, report) => {
  const reported = new Set<string>();
  return {
    statement: (statement, flow) => {
      if (statement.kind !== "Say" || !statement.intent) return;
      const { text, span } = statement.intent;
      const isRail = inRails.has(flow.id);
      const key = `${String(isRail)} ${text}`;
      if (botMessages.has(text) || reported.has(key)) return;
      reported.add(key);
      const hint = didYouMean(text, botMessages.keys());
      if (isRail) {
        const message = `message \`${text}\` is not defined, so rail \`${flow.id}\` speaks the default refusal`;
        report("CO-319", message, { span, hint: hint ?? `define it with \`define bot ${text}\`` });
      } else report("CO-315", `message \`${text}\` is not defined, so the model writes it`, { span, hint });
    },
  };
};

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
