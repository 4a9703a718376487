import type { BaseMessage } from "@langchain/core/messages";
import { mapParts, type Visit, visitParts } from "../../engine/walk.js";
import { shapeError } from "../shape-error.js";
import { isSentence } from "../values/content-blocks.js";
import { extractText } from "../values/content.js";
import { isMessage, isMessageLike, isObject, toMessage } from "../values/message-kinds.js";
import { splitLines } from "../../turn/lines.js";

/** Visitor of the parts of a command. */
export interface CommandVisitor {
  /** Every message that the command brings, whatever form it has; the same object where nothing changes. */
  message(message: BaseMessage): Promise<BaseMessage>;
  /** All its other texts, one a line; if absent, they are not reviewed. */
  texts?(text: string): Promise<string>;
}

/** The parts of a command through which something gets into a state. */
export interface CommandParts {
  readonly update?: unknown;
  readonly goto?: unknown;
}

/**
 * The parts of a command as a visitor leaves them. Updates are objects or lists of pairs, messages are lists or stand
 * alone, and other nodes are sent arguments of their own: INVARIANT: none of these forms gets past the visitor.
 *
 * @returns only the parts that changed
 */
export async function visitCommand({ update, goto }: CommandParts, visitor: CommandVisitor): Promise<CommandParts> {
  const changes: Changes = { messages: new Map(), texts: new Map() };
  const pairs: unknown = Array.isArray(update) ? Object.fromEntries(update.filter(isPair)) : update;
  await visitMessages([pairs, goto], changes, visitor);
  if (visitor.texts !== undefined) await visitTexts([update, goto], changes, visitor.texts.bind(visitor));
  const [after, next] = [changedIn(update, changes), changedIn(goto, changes)];
  return { ...(after === update ? {} : { update: after }), ...(next === goto ? {} : { goto: next }) };
}

interface Changes {
  readonly messages: Map<unknown, unknown>;
  readonly texts: Map<string, string>;
}

async function visitMessages(parts: readonly unknown[], changes: Changes, visitor: CommandVisitor): Promise<void> {
  const lists: unknown[] = [];
  const found = new Set<BaseMessage>();
  visitAll(parts, (part, key) => {
    if (key === "messages") lists.push(part);
    if (isMessage(part)) found.add(part);
    return !isMessage(part);
  });
  for (const message of found) changes.messages.set(message, await visitor.message(message));
  for (const list of lists) await visitList(list, changes, visitor);
}

/** INVARIANT: parts of a command that cannot be visited would get past the rails, so they are an error. */
function visitAll(parts: readonly unknown[], visit: Visit): void {
  if (!visitParts(parts, visit)) {
    throw shapeError("this command cannot be read, so it cannot be checked", parts, "send plain data and messages");
  }
}

/** Messages may also be data, pairs and bare strings, and a single one may come without a list. */
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
  visitAll(parts, (part) => {
    if (typeof part === "string" && isSentence(part) && !changes.texts.has(part)) found.add(part);
    return !changes.messages.has(part);
  });
  if (found.size === 0) return;
  const before = [...found];
  const whole = before.join("\n");
  const after = await read(whole);
  if (after === whole) return;
  const lines = splitLines(before, after);
  // What cannot be put back in its place is left out.
  for (const [index, text] of before.entries()) changes.texts.set(text, lines?.[index] ?? "");
}

function changedIn(value: unknown, { messages, texts }: Changes): unknown {
  const isChanged = texts.size > 0 || [...messages].some(([before, after]) => before !== after);
  if (!isChanged) return value;
  return mapParts(value, {
    leaf: (leaf) => (typeof leaf === "string" ? (texts.get(leaf) ?? leaf) : leaf),
    whole: (part, parts) => (messages.has(part) ? messages.get(part) : parts()),
    beyond: () => undefined,
  });
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
