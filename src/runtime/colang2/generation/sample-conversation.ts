import { readHistory } from "../../../llm/prompts/history-text.js";

/**
 * A sample conversation as prompts of Colang 2.x show it. One that is written as Colang 1.0 writes conversations, as the
 * one of a configuration that states none is, is told in the other way; any other stays as it is.
 *
 * @example
 * ```ts
 * toInteraction('user "hi"\n  greet\nbot greet\n  "Hello"');
 * // user action: user said "hi"\nuser intent: user greet\n\nbot intent: bot greet\nbot action: bot say "Hello"
 * ```
 */
export function toInteraction(sample: string): string {
  const text = sample.trim();
  if (!/^(?:user "|bot )/.test(text) || /^(?:user|bot) (?:action|intent):/m.test(text)) return text;
  const lines: string[] = [];
  let isUser: boolean | undefined;
  for (const { kind, value } of readHistory(text)) {
    if (kind === "blank" || kind === "other") continue;
    const isOfUser = kind.startsWith("user");
    if (lines.length > 0 && (isOfUser !== isUser || kind === "user-text")) lines.push("");
    isUser = isOfUser;
    if (kind === "user-text") lines.push(`user action: user said "${value}"`);
    else if (kind === "user-intent") lines.push(`user intent: user ${value}`);
    else if (kind === "bot-intent") lines.push(`bot intent: bot ${value}`);
    else lines.push(`bot action: bot say "${value.replaceAll("\n", "\\n")}"`);
  }
  return lines.join("\n");
}
