import { didYouMean } from "../../../diagnostics/suggestion.js";
import type { Rule } from "./rule.js";

/**
 * A message without texts: the model writes it in a dialog (CO-315), and a rail speaks the default refusal for it (CO-319).
 * Reported once per message and use, at the first statement that says it.
 */
export const undefinedMessages: Rule = ({ merged: { botMessages }, inRails }, report) => {
  const reported = new Set<string>();
  return {
    Say: ({ intent }, flow) => {
      if (!intent) return;
      const { text, span } = intent;
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
    UserPattern: ({ intent }) => {
      if (!intent || reported.has(intent.text)) return;
      const { text, span } = intent;
      const known = userMessages.get(text);
      if (known && known.texts.length > 0) return;
      reported.add(text);
      const hint = known ? undefined : didYouMean(text, userMessages.keys());
      report("CO-316", `intent \`${text}\` has no examples`, { span, hint });
    },
  };
};

/** CO-203: `user "text"` stands for the intents with exactly that example, so there must be one. */
export const knownUserTexts: Rule = ({ intentsByText }, report) => ({
  UserPattern: ({ text }) => {
    if (!text || intentsByText.has(text.value)) return;
    const { value, span } = text;
    const hint = didYouMean(value, intentsByText.keys()) ?? "add it to a `define user` block, or name the intent";
    report("CO-203", `no intent has the example \`${value}\``, { span, hint });
  },
});
