import type { GuardrailsEvent } from "../engine/events.js";

/** Placeholder for a user text that must not enter a prompt again. */
const HIDDEN_TEXT = "(this message is hidden)";

/**
 * Prints a conversation for prompts: user texts and intents, bot intents and texts, actions and their results.
 * Bookkeeping actions and rolled-back turns are omitted. Every event prints separate lines, with line breaks in texts
 * written as `\n`, so a text cannot forge a line.
 *
 * @example
 * ```ts
 * printHistory([{ type: "UserMessage", text: "hi" }, { type: "UserIntent", intent: "greet" }]);
 * // user "hi"
 * //   greet
 * ```
 */
export function printHistory(events: readonly GuardrailsEvent[]): string {
  const kept = withoutHiddenTurns(events);
  const lastBotIntent = kept.findLastIndex(isBotIntent);
  const lines: string[] = [];
  /** Printed requests, whose results are printed too. */
  const shownActions = new Set<unknown>();
  /** Line of the current turn's user text, which may still be masked. */
  let userLine: number | undefined;
  for (const [index, event] of kept.entries()) {
    switch (event.type) {
      case "UtteranceUserActionFinished":
        userLine = undefined;
        break;
      case "UserMessage":
        userLine = lines.push(`user "${oneLine(event["text"])}"`) - 1;
        break;
      case "UserIntent":
        lines.push(`  ${oneLine(event["intent"])}`);
        break;
      case "BotIntent":
        if (!isBotIntent(event)) break;
        if (index === lastBotIntent) for (const line of instructionLines(event["instructions"])) lines.push(line);
        lines.push(`bot ${oneLine(event["intent"])}`);
        break;
      case "StartUtteranceBotAction":
        lines.push(`  "${oneLine(event["script"])}"`);
        break;
      case "StartInternalSystemAction":
        if (event["is_system_action"] === true) break;
        shownActions.add(actionOf(event));
        lines.push(`execute ${oneLine(event["action_name"])}`);
        break;
      case "InternalSystemActionFinished":
        if (!shownActions.delete(actionOf(event))) break;
        lines.push(`# The result was ${printValue(event["return_value"])}`);
        break;
      case "mask_prev_user_message":
        if (userLine !== undefined) lines[userLine] = `user "${HIDDEN_TEXT}"`;
        break;
    }
  }
  return lines.join("\n");
}

function actionOf(event: GuardrailsEvent): unknown {
  return event["action_uid"] ?? oneLine(event["action_name"]);
}

function instructionLines(instructions: unknown): readonly string[] {
  if (typeof instructions !== "string" || instructions === "") return [];
  return instructions.split("\n").map((line) => `# ${line.trim()}`);
}

/** Removes what `hide_prev_turn` rolled back: from the last user utterance on, but never beyond an earlier `Listen`. */
function withoutHiddenTurns(events: readonly GuardrailsEvent[]): GuardrailsEvent[] {
  const kept: GuardrailsEvent[] = [];
  for (const event of events) {
    if (event.type !== "hide_prev_turn") {
      kept.push(event);
      continue;
    }
    const callStart = kept.findLastIndex(({ type }) => type === "Listen") + 1;
    const utterance = kept.findLastIndex(({ type }) => type === "UtteranceUserActionFinished");
    kept.length = Math.max(callStart, utterance);
  }
  return kept;
}

/** The marker that ends a turn is not part of a conversation. */
function isBotIntent(event: GuardrailsEvent): boolean {
  return event.type === "BotIntent" && event["intent"] !== "stop";
}

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : printValue(value);
  return text.replace(/\r\n|[\n\r\u2028\u2029]/g, "\\n");
}

function printValue(value: unknown): string {
  if (value === undefined || value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "None");
  return text.replace(/[\r\n\u2028\u2029]+/g, " ");
}
