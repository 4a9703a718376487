import type { PromptMessage } from "../../../config/settings.js";
import type { FunctionDefinition } from "../../../expressions/functions/function-definition.js";
import { defineFilter, printed } from "../filter.js";
import { readHistory, type HistoryEntry } from "../../prompts/history-text.js";
import { verboseLine } from "./verbose.js";

/** Filters from a conversation in Colang form to chat messages. */
export const MESSAGE_FILTERS: readonly FunctionDefinition[] = [
  conversationFilter("to_messages", toMessages),
  conversationFilter("to_messages_v2", toMessagesV2),
  conversationFilter("to_intent_messages", (text) => oneByOne(text, INTENTS)),
  conversationFilter("to_intent_messages_2", (text) => oneByOne(text, TEXTS_AND_BOT_INTENTS)),
];

function conversationFilter(name: string, toMessagesOf: (conversation: string) => PromptMessage[]): FunctionDefinition {
  return defineFilter(name, "", (value, _, runtime) => toMessagesOf(printed(value, runtime)));
}

type Roles = Readonly<Partial<Record<HistoryEntry["kind"], PromptMessage["type"]>>>;

const INTENTS: Roles = { "user-intent": "user", "bot-intent": "assistant" };
const TEXTS_AND_BOT_INTENTS: Roles = { "user-text": "user", "bot-intent": "assistant", "bot-text": "assistant" };

function oneByOne(conversation: string, roles: Roles): PromptMessage[] {
  return readHistory(conversation).flatMap((entry) => {
    const type = roles[entry.kind];
    return type
      ? [{ type, content: entry.kind === "user-text" ? withLineBreaks(entry.value) : verboseLine(entry) }]
      : [];
  });
}

/** User texts become messages of their own; the text between two of them becomes one message of the assistant. */
function toMessages(conversation: string): PromptMessage[] {
  const messages: PromptMessage[] = [];
  let buffer: string[] = [];
  const flush = (): void => {
    if (buffer.length > 0) messages.push({ type: "assistant", content: buffer.join("\n") });
    buffer = [];
  };
  for (const entry of readHistory(conversation)) {
    if (entry.kind === "blank") flush();
    else if (entry.kind === "user-text") {
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

/** Histories write a line break as `\n` so that no text can forge a line; separate messages need no such protection. */
function withLineBreaks(text: string): string {
  return text.replaceAll("\\n", "\n");
}
