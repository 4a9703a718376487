import type { BaseMessage } from "@langchain/core/messages";
import { isSentence } from "../values/content-blocks.js";
import { extractText } from "../values/content.js";
import { isMessage, isMessageLike, isObject, type PlainObject, toMessage } from "../values/message-kinds.js";
import { splitLines } from "../../turn/lines.js";

/** What becomes of the parts of a command. */
export interface CommandVisitor {
  /** Every message that the command brings, whatever form it has; the same object where nothing changes. */
  message(message: BaseMessage): Promise<BaseMessage>;
  /** All texts that it brings besides, one below the other; left out, nobody looks at them. */
  texts?(text: string): Promise<string>;
}

/** The parts of a command through which something gets into a state. */
export interface CommandParts {
  readonly update?: unknown;
  readonly goto?: unknown;
}

const MAX_DEPTH = 32;

/**
 * The parts of a command as a visitor leaves them. Updates are objects or lists of pairs, messages are lists or stand
 * alone, and other nodes are sent arguments of their own: INVARIANT: none of these forms gets past the visitor.
 *
 * @returns only the parts that changed
 */
export async function visitCommand({ update, goto }: CommandParts, visitor: CommandVisitor): Promise<CommandParts> {
  const changes: Changes = { messages: new Map(), texts: new Map(), copies: new Map() };
  const pairs: unknown = Array.isArray(update) ? Object.fromEntries(update.filter(isPair)) : update;
  await visitMessages([pairs, goto], changes, visitor);
  if (visitor.texts !== undefined) await visitTexts([update, goto], changes, visitor.texts.bind(visitor));
  const [after, next] = [changedIn(update, changes, 0), changedIn(goto, changes, 0)];
  return { ...(after === update ? {} : { update: after }), ...(next === goto ? {} : { goto: next }) };
}

interface Changes {
  readonly messages: Map<unknown, unknown>;
  readonly texts: Map<string, string>;
  /** Objects that were looked through. */
  readonly copies: Map<unknown, unknown>;
}

async function visitMessages(parts: readonly unknown[], changes: Changes, visitor: CommandVisitor): Promise<void> {
  const seen = new Set<unknown>();
  const visit = async (value: unknown, depth: number): Promise<void> => {
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH || seen.has(value)) return;
    seen.add(value);
    if (changes.messages.has(value)) return;
    if (isMessage(value)) changes.messages.set(value, await visitor.message(value));
    else if (Array.isArray(value)) for (const item of value as readonly unknown[]) await visit(item, depth + 1);
    else {
      for (const [key, inner] of Object.entries(value)) {
        if (key === "messages") await visitList(inner, changes, visitor);
        await visit(inner, depth + 1);
      }
    }
  };
  for (const part of parts) await visit(part, 0);
}

/** Messages may also be told as data, as pairs and as bare strings, and one of them without a list. */
async function visitList(value: unknown, { messages, texts }: Changes, visitor: CommandVisitor): Promise<void> {
  const items = Array.isArray(value) && !isRolePair(value) ? (value as readonly unknown[]) : [value];
  for (const item of items) {
    if (isMessage(item) || messages.has(item) || !isMessageLike(item)) continue;
    const message = toMessage(item);
    const after = await visitor.message(message);
    if (typeof item !== "string") messages.set(item, after === message ? item : after);
    else if (after !== message) texts.set(item, extractText(after));
  }
}

async function visitTexts(parts: readonly unknown[], changes: Changes, read: (text: string) => Promise<string>) {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const collect = (value: unknown, depth: number): void => {
    if (typeof value === "string" && isSentence(value) && !changes.texts.has(value)) found.add(value);
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
    if (changes.messages.has(value) || seen.has(value)) return;
    seen.add(value);
    for (const inner of Object.values(value)) collect(inner, depth + 1);
  };
  for (const part of parts) collect(part, 0);
  if (found.size === 0) return;
  const before = [...found];
  const whole = before.join("\n");
  const after = await read(whole);
  if (after === whole) return;
  const lines = splitLines(before, after);
  // What cannot be put back in its place is left out.
  for (const [index, text] of before.entries()) changes.texts.set(text, lines?.[index] ?? "");
}

function changedIn(value: unknown, changes: Changes, depth: number): unknown {
  const { messages, texts, copies } = changes;
  if (typeof value === "string") return texts.get(value) ?? value;
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (messages.has(value)) return messages.get(value);
  if (copies.has(value)) return copies.get(value);
  copies.set(value, value);
  const after = Array.isArray(value)
    ? changedList(value, changes, depth)
    : changedObject(value as PlainObject, changes, depth);
  copies.set(value, after);
  return after;
}

function changedList(value: readonly unknown[], changes: Changes, depth: number): readonly unknown[] {
  const items = value.map((item) => changedIn(item, changes, depth + 1));
  return items.every((item, index) => item === value[index]) ? value : items;
}

function changedObject(value: PlainObject, changes: Changes, depth: number): PlainObject {
  const entries = Object.entries(value).map(([key, inner]) => [key, changedIn(inner, changes, depth + 1)] as const);
  if (entries.every(([key, inner]) => inner === value[key])) return value;
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as PlainObject;
  for (const [key, inner] of entries) {
    Object.defineProperty(copy, key, { value: inner, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

function isPair(entry: unknown): entry is readonly [string, unknown] {
  return Array.isArray(entry) && entry.length === 2 && typeof entry[0] === "string";
}

/** `["human", "hi"]` is one message and no list of two. */
function isRolePair(value: readonly unknown[]): boolean {
  return value.length === 2 && value.every((part) => typeof part === "string");
}

interface CommandLike extends CommandParts {
  readonly lg_name: "Command";
}

export function isCommand(value: unknown): value is CommandLike {
  return isObject(value) && value["lg_name"] === "Command";
}
