import type { PromptMessage } from "../../../config/settings.js";
import type { FunctionDefinition } from "../../../expressions/functions/function-definition.js";
import { defineFilter, printed, integerArgument } from "../template-dialect.js";

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

/** User texts become separate messages; the text between two of them becomes one assistant message. */
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

/** Histories write line breaks as `\n` so that no text can forge a line; separate messages need no such protection. */
function withLineBreaks(text: string): string {
  return text.replaceAll("\\n", "\n");
}

/** One entry of a conversation in Colang form. `raw` is its source, several lines for longer texts. */
export interface HistoryEntry {
  readonly kind: "user-text" | "user-intent" | "bot-intent" | "bot-text" | "blank" | "other";
  /** The text without its quotes, or the canonical form. */
  readonly value: string;
  readonly raw: string;
}

const MARKER = /^(?:user|bot) /;

/**
 * Reads a conversation in Colang form: `user "text"`, its canonical form indented below it, `bot form`, and the text
 * quoted and indented below that. A quoted text may span lines and ends with a line that ends in a quote; an unclosed
 * text counts as one line.
 */
export function readHistory(text: string): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  const lines = text.split("\n");
  let previous: HistoryEntry["kind"] | undefined;
  for (let at = 0; at < lines.length;) {
    const line = lines[at] as string;
    const opening = /^(?:user |\s+)"/.exec(line);
    if (opening) {
      const count = quotedLines(lines, at, opening[0].length);
      const raw = lines.slice(at, at + count).join("\n");
      const isUser = line.startsWith("user ");
      entries.push({ kind: isUser ? "user-text" : "bot-text", value: unquote(raw.slice(opening[0].length - 1)), raw });
      at += count;
    } else {
      entries.push(readLine(line, previous));
      at += 1;
    }
    previous = entries.at(-1)?.kind;
  }
  return entries;
}

function readLine(line: string, previous: HistoryEntry["kind"] | undefined): HistoryEntry {
  const value = line.trim();
  if (value === "") return { kind: "blank", value, raw: line };
  if (line.startsWith("user ")) return { kind: "user-intent", value: line.slice(5).trim(), raw: line };
  if (line.startsWith("bot ")) return { kind: "bot-intent", value: line.slice(4).trim(), raw: line };
  if (previous === "user-text" && /^\s/.test(line)) return { kind: "user-intent", value, raw: line };
  return { kind: "other", value, raw: line };
}

/** Counts the lines of a quoted text, at least one. */
function quotedLines(lines: readonly string[], from: number, contentStart: number): number {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] as string;
    if (at > from && MARKER.test(line)) return 1;
    const end = line.trimEnd();
    if (end.endsWith('"') && (at > from || end.length > contentStart)) return at - from + 1;
  }
  return 1;
}

function unquote(text: string): string {
  const trimmed = text.trim();
  const end = trimmed.length > 1 && trimmed.endsWith('"') ? trimmed.length - 1 : trimmed.length;
  return trimmed.slice(trimmed.startsWith('"') ? 1 : 0, end);
}

/** Filters that rewrite a conversation in Colang form as other text. */
export const VERBOSE_FILTERS: readonly FunctionDefinition[] = [
  defineFilter("verbose_v1", "", (value, _, runtime) => {
    return readHistory(printed(value, runtime)).map(verboseLine).join("\n");
  }),
  defineFilter("remove_text_messages", "", (value, _, runtime) => {
    return removeTexts(readHistory(printed(value, runtime))).join("\n");
  }),
];

/** Formats an entry in the wording for models without Colang training; also used inside chat messages. */
function verboseLine(entry: HistoryEntry): string {
  switch (entry.kind) {
    case "user-text":
      return `User message: ${entry.raw.slice("user ".length)}`;
    case "user-intent":
      return `User intent: ${entry.value}`;
    case "bot-intent":
      return `Bot intent: ${entry.value}`;
    case "bot-text":
      return `Bot message: ${entry.raw.trimStart()}`;
    default:
      return entry.raw;
  }
}

/** Keeps canonical forms only, and the last user text if it has no form yet. */
function removeTexts(entries: readonly HistoryEntry[]): string[] {
  const [first, second] = entries;
  const isLoneIntent = first?.kind === "user-intent" && second?.kind === "blank";
  const lines: string[] = [];
  for (const [index, entry] of (isLoneIntent ? entries.slice(2) : entries).entries()) {
    const offset = isLoneIntent ? index + 2 : index;
    if (entry.kind === "bot-text" && entries[offset - 1]?.kind === "bot-intent") continue;
    if (entry.kind === "user-text" && entries[offset + 1]?.kind === "user-intent") continue;
    lines.push(entry.kind === "user-intent" ? `user ${entry.value}` : entry.raw);
  }
  return lines;
}

const DEFAULT_INDENT = 4;

const MAX_INDENT = 200;

/** Filters that select or shift lines of a conversation. */
export const LINE_FILTERS: readonly FunctionDefinition[] = [
  defineFilter("first_turns", "n?", (value, [n], runtime) => {
    return firstTurns(printed(value, runtime), Math.max(0, integerArgument(n, 1)));
  }),
  defineFilter("last_turns", "n?", (value, [n], runtime) => {
    const { lines, turns } = findTurns(printed(value, runtime));
    const count = Math.max(1, integerArgument(n, 1));
    return lines.slice(turns[Math.max(0, turns.length - count)] ?? 0).join("\n");
  }),
  defineFilter("indent", "n?", (value, [n], runtime) => {
    const count = Math.max(0, Math.min(MAX_INDENT, integerArgument(n, DEFAULT_INDENT)));
    const text = printed(value, runtime);
    let { length } = text;
    return text.replace(/^(?=.*\S)/gm, () => {
      runtime.checkText((length += count), count);
      return " ".repeat(count);
    });
  }),
];

/** Returns the lines of the first turns of a conversation. */
export function firstTurns(conversation: string, count: number): string {
  const { lines, turns } = findTurns(conversation);
  return lines.slice(0, turns[count]).join("\n");
}

function findTurns(conversation: string): { readonly lines: readonly string[]; readonly turns: readonly number[] } {
  const lines = conversation.split("\n");
  const turns: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('user "') || line.startsWith("user action: ")) turns.push(index);
  }
  return { lines, turns };
}
