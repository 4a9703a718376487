import type { PromptMessage } from "../../../config/settings.js";
import type { TemplateFilter } from "../filter.js";
import { readHistory, type HistoryEntry } from "../../prompts/history-text.js";
import { formatTemplateValue } from "../template-value.js";
import { verboseLine } from "./verbose.js";

/** Filters from a conversation in Colang form to chat messages. */
export const MESSAGE_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  to_messages: (value) => collect(value, (entry) => (entry.kind === "user-text" ? "user" : "assistant")),
  to_messages_v2: (value) => toMessagesV2(formatTemplateValue(value)),
  to_intent_messages: (value) => oneByOne(value, INTENTS),
  to_intent_messages_2: (value) => oneByOne(value, TEXTS_AND_BOT_INTENTS),
};

type Roles = Readonly<Partial<Record<HistoryEntry["kind"], PromptMessage["type"]>>>;

const INTENTS: Roles = { "user-intent": "user", "bot-intent": "assistant" };
const TEXTS_AND_BOT_INTENTS: Roles = { "user-text": "user", "bot-intent": "assistant", "bot-text": "assistant" };

function oneByOne(value: unknown, roles: Roles): PromptMessage[] {
  return readHistory(formatTemplateValue(value)).flatMap((entry) => {
    const type = roles[entry.kind];
    return type
      ? [{ type, content: entry.kind === "user-text" ? withLineBreaks(entry.value) : verboseLine(entry) }]
      : [];
  });
}

/** User texts are messages of their own; what lies between two of them becomes one message of the assistant. */
function collect(value: unknown, roleOf: (entry: HistoryEntry) => "user" | "assistant"): PromptMessage[] {
  const messages: PromptMessage[] = [];
  let buffer: string[] = [];
  const flush = (): void => {
    if (buffer.length > 0) messages.push({ type: "assistant", content: buffer.join("\n") });
    buffer = [];
  };
  for (const entry of readHistory(formatTemplateValue(value))) {
    if (entry.kind === "blank") flush();
    else if (roleOf(entry) === "user") {
      flush();
      messages.push({ type: "user", content: withLineBreaks(entry.value) });
    } else buffer.push(verboseLine(entry));
  }
  flush();
  return messages;
}

function toMessagesV2(text: string): PromptMessage[] {
  const messages: PromptMessage[] = [];
  let type: "user" | "assistant" | undefined;
  let buffer: string[] = [];
  const flush = (): void => {
    if (type && buffer.length > 0) messages.push({ type, content: buffer.join("\n") });
    buffer = [];
  };
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const next = line.startsWith("user action:") ? "user" : /^(?:user intent:|bot)/.test(line) ? "assistant" : type;
    if (next !== type) {
      flush();
      type = next;
    }
    buffer.push(line);
  }
  flush();
  return messages;
}

/** Histories write a line break as `\n` so that nobody can forge a line; a message of its own has nothing to forge. */
function withLineBreaks(text: string): string {
  return text.replaceAll("\\n", "\n");
}
