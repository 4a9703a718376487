import { didYouMean } from "../../../diagnostics/suggestion.js";
import type { Rule } from "./rule.js";

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
