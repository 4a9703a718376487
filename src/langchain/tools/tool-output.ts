import type { BaseMessage } from "@langchain/core/messages";
import { type RailDecision, type Block, summarizeDecisions } from "../../turn/decision.js";
import type { GuardedCall } from "../call.js";
import type { ProposedCall } from "./call-copies.js";
import { messageFingerprint, readToolCalls } from "./tool-calls.js";
import {
  cloneMessage,
  isMessage,
  isObject,
  isMessageLike,
  roleOf,
  toMessage,
  copyOf,
} from "../values/message-kinds.js";
import { joinLines, splitLines, splitOff } from "../../turn/extra-text.js";
import { type MessageTexts, readTexts, replaceExtraTexts, splitTexts } from "../values/message-extras.js";
import { allReasoning, extractText, replaceText, withoutReasoning } from "../values/content.js";
import { jsonText, shapeError } from "../shape-error.js";
import { everyTextIn, isPlainName, textsIn } from "../../turn/redact-data.js";
import {
  type CallSettings,
  type Decided,
  type OutputReview,
  readingEscapes,
  reviewResult,
  type ReviewText,
} from "./tool-review.js";
import { registeredVerdict, withoutForeignVerdict, withoutForeignVerdicts, withVerdict } from "../verdict.js";
import { mapParts, type Visit, visitParts, WALK_LIMITS } from "../../engine/walk.js";
import { plainData, plainMessage } from "../values/plain-message.js";
import { isBubble, reviewBubble } from "../review/bubbles.js";
import { reviewFailure } from "./tool-failure.js";

/**
 * Runs a tool and reviews its output in any form: a text, data, a message, or a LangGraph command with messages. The
 * model reads the text of an error, so it is reviewed too.
 *
 * @throws the tool's own error if its text passed
 */
export async function reviewToolOutput(
  call: ProposedCall,
  guarded: GuardedCall,
  run: () => Promise<unknown>,
  about: CallSettings & { readonly review?: ReviewText | undefined } = {},
): Promise<OutputReview> {
  const isChecked = guarded.conversation.guardsTool("tool_input", call.name);
  const given: ReviewText | undefined =
    about.review ?? (isChecked ? (result) => reviewResult({ call, ...result }, guarded, about) : undefined);
  if (given === undefined) return { output: withoutForeignVerdicts(await run()), decisions: [] };
  const review = readingEscapes(given);
  const ran = await run().then(
    (output) => ({ output }),
    (error: unknown) => ({ error }),
  );
  if ("output" in ran) return reviewOutput(ran.output, review, call.name);
  if (!isBubble(ran.error)) return reviewFailure(ran.error, review, guarded);
  const decided = await reviewBubble(ran.error, (value) => reviewThrown(value, review));
  if (decided.block === undefined) throw ran.error;
  return { ...decided, output: undefined };
}

/** Reviews what LangGraph throws: no schema of a result describes it. */
export function reviewThrown(value: unknown, review: ReviewText): Promise<OutputReview> {
  return reviewOutput(value, (given) => review({ ...given, failed: true }));
}

/** Reviews output that a tool has already returned. */
export async function reviewOutput(output: unknown, review: ReviewText, toolName?: string): Promise<OutputReview> {
  if (isMessage(output)) return reviewMessage(output, review, toolName);
  if (isCommand(output)) return reviewCommand(output, review, { toolName });
  // The model receives data as JSON.
  const data = output ?? "";
  const text = typeof data === "string" ? data : jsonText(data, "the data of this tool");
  // The application may receive the value itself, of which JSON shows only part.
  const extra = hiddenTexts(data, text).join("\n");
  const { text: after, ...reviewed } = await review({ text, extra });
  return { ...reviewed, output: after === joinLines(text, extra) ? output : splitOff(text, extra, after).main };
}

/** Texts of a value that its JSON lacks: entries of maps and sets, bytes, non-enumerable and inherited properties. */
function hiddenTexts(data: unknown, json: string): readonly string[] {
  if (typeof data !== "object" || data === null || plainData(data) === data) return [];
  const shown = new Set(closedTexts([JSON.parse(json === "" ? "null" : json)]));
  return closedTexts(data).filter((text) => !shown.has(text));
}

/** INVARIANT: artifacts and metadata are reviewed with the text of a result, since all of them are released. */
async function reviewMessage(
  given: BaseMessage,
  review: ReviewText,
  toolName?: string,
): Promise<OutputReview & { output: BaseMessage }> {
  const message = plainMessage(withoutForeignVerdict(given));
  const before = readTexts(message, toolName);
  const called = readToolCalls(message).flatMap(({ args }) => textsIn(args));
  const reasoning = reasoningOfResponse(message);
  const extra = joinLines(...before.extra, ...called, ...reasoning);
  const failed = (message as { readonly status?: unknown }).status === "error";
  const { text: after, ...own } = await review({ text: before.main, extra, failed });
  if (own.block !== undefined) return { output: message, ...own };
  const isSame = after === joinLines(before.main, extra);
  const changed = isSame ? message : replaceTexts(message, after, before, { called, reasoning, toolName });
  if (own.decisions.length === 0) return { output: changed, decisions: own.decisions };
  const earlier = registeredVerdict(message)?.decisions ?? [];
  const verdict = summarizeDecisions([...earlier, ...own.decisions], false);
  const fingerprint = messageFingerprint(changed);
  return { output: withVerdict(changed, { ...verdict, fingerprint }), decisions: own.decisions };
}

/** Reasoning of an assistant message, as a list of at most one text; that of users is part of their text. */
function reasoningOfResponse(message: BaseMessage): readonly string[] {
  const reasoning = roleOf(message) === "assistant" ? allReasoning(message) : "";
  return reasoning === "" ? [] : [reasoning];
}

interface PartsOfMessage {
  /** Texts in arguments of calls. */
  readonly called: readonly string[];
  readonly reasoning: readonly string[];
  readonly toolName: string | undefined;
}

/** INVARIANT: arguments of calls and reasoning cannot be replaced separately, so they are removed if a line changed. */
function replaceTexts(
  message: BaseMessage,
  text: string,
  before: MessageTexts,
  { called, reasoning, toolName }: PartsOfMessage,
): BaseMessage {
  const own = before.extra.length;
  const { main, extra } = splitTexts({ main: before.main, extra: [...before.extra, ...called, ...reasoning] }, text);
  const texts = { main, extra: extra?.slice(0, own) };
  const changed = replaceText(replaceExtraTexts(message, before, texts, toolName), main, { labels: false });
  const isSame = (lines: readonly string[], at: number): boolean =>
    lines.every((line, index) => extra?.[at + index] === line);
  const reasoned = isSame(reasoning, own + called.length) ? changed : withoutReasoning(changed);
  return isSame(called, own) ? reasoned : cloneMessage(reasoned, { tool_calls: [], invalid_tool_calls: [] });
}

/** Returns true for state operations such as removing a message, which carry no text anywhere; a result may be empty. */
function isControlMessage(message: BaseMessage, toolName: string | undefined): boolean {
  if (roleOf(message) === "tool" || readToolCalls(message).length > 0) return false;
  const plain = plainMessage(message);
  const { main, extra } = readTexts(plain, toolName);
  return main === "" && extra.length === 0 && reasoningOfResponse(plain).length === 0;
}

interface CommandSettings {
  readonly toolName?: string | undefined;
  /** Returns true for a message that needs no review, because the state already holds it. */
  readonly isKnown?: (message: BaseMessage) => boolean;
}

/** INVARIANT: everything a command writes to a state is reviewed, whether message or text in another channel. */
export async function reviewCommand<Value extends CommandLike>(
  command: Value,
  review: ReviewText,
  { toolName, isKnown = () => false }: CommandSettings = {},
): Promise<OutputReview & { readonly output: Value }> {
  const decisions: RailDecision[] = [];
  let block: Block | undefined;
  const note = <Review extends Decided>(review: Review): Review => {
    decisions.push(...review.decisions);
    block = review.block;
    return review;
  };
  const parts = await visitCommand(
    command,
    async (message) => {
      if (block !== undefined || isControlMessage(message, toolName) || isKnown(message)) return message;
      return note(await reviewMessage(message, review, toolName)).output;
    },
    async (text) => (block === undefined ? note(await review({ text, failed: true })).text : text),
  );
  const output = block === undefined ? assignParts(copyOf(command, {}), parts) : command;
  return { output, decisions, ...(block && { block }) };
}

/** Reviews a message in a command, in any form; returns the same object if nothing changes. */
type ReviewMessage = (message: BaseMessage) => Promise<BaseMessage>;

/**
 * Visits the parts of a command. Updates are objects or lists of pairs, messages are lists or single, and other nodes
 * receive their own arguments. INVARIANT: none of these forms bypasses the visitor.
 *
 * @param visitText - receives all other texts, one per line; if absent, they are not reviewed
 * @returns only the parts that changed
 */
export async function visitCommand(
  command: CommandLike,
  visitMessage: ReviewMessage,
  visitText?: (text: string) => Promise<string>,
): Promise<object> {
  const { update, goto, graph, resume } = command;
  const changes: Changes = { messages: new Map(), texts: new Map() };
  const isPair = (entry: unknown): entry is readonly [string, unknown] =>
    Array.isArray(entry) && entry.length === 2 && typeof entry[0] === "string";
  const pairs: unknown = Array.isArray(update) ? Object.fromEntries(update.filter(isPair)) : update;
  const lists: unknown[] = [];
  const messages = new Set<BaseMessage>();
  visitAll([pairs, goto], (part, key) => {
    if (key === "messages") lists.push(part);
    if (isMessage(part)) messages.add(part);
    return !isMessage(part);
  });
  for (const message of messages) changes.messages.set(message, await visitMessage(message));
  for (const list of lists) await visitList(list, changes, visitMessage);
  if (visitText !== undefined) await visitTexts(command, changes, visitText);
  const parts = Object.entries({ update, goto, graph, resume });
  return Object.fromEntries(
    parts.flatMap(([key, part]) => {
      const after = changedIn(part, changes);
      return after === part ? [] : [[key, after]];
    }),
  );
}

interface Changes {
  readonly messages: Map<unknown, unknown>;
  readonly texts: Map<string, string>;
}

/** INVARIANT: parts of a command that cannot be visited would bypass the rails, so they are an error. */
function visitAll(parts: readonly unknown[], visit: Visit): void {
  if (!visitParts(parts, visit)) {
    throw shapeError("expected a command of plain data and messages", parts, "send plain data and messages");
  }
}

/** Messages may also be data, pairs or strings, and a single one may come without a list. */
async function visitList(value: unknown, { messages, texts }: Changes, visit: ReviewMessage): Promise<void> {
  // `["human", "hi"]` is one message rather than a list of two.
  const isOne = !Array.isArray(value) || (value.length === 2 && value.every((part) => typeof part === "string"));
  const items = isOne ? [value] : (value as readonly unknown[]);
  for (const item of items) {
    if (isMessage(item) || messages.has(item) || !isMessageLike(item)) continue;
    const message = toMessage(item);
    const after = await visit(message);
    if (typeof item !== "string") messages.set(item, after === message ? item : after);
    else if (after !== message) texts.set(item, extractText(after));
  }
}

/**
 * Reviews all texts of a command together. INVARIANT: a single word counts as a text, since a rail may look for just
 * that word; destinations are texts unless they are plain names.
 */
async function visitTexts(
  { update, goto, graph, resume }: CommandLike,
  changes: Changes,
  read: (text: string) => Promise<string>,
): Promise<void> {
  const ids = new Set<string>();
  const visit = (part: unknown, key: string | undefined): boolean => {
    if (key !== undefined && !isPlainName(key)) ids.add(key);
    for (const text of textsOfPart(part)) ids.add(text);
    return !changes.messages.has(part);
  };
  visitAll([update, resume], visit);
  visitAll([goto, graph], (part, key) => (isDestination(part, key) ? true : visit(part, key)));
  for (const text of changes.texts.keys()) ids.delete(text);
  if (ids.size === 0) return;
  const before = [...ids];
  const whole = before.join("\n");
  const after = await read(whole);
  if (after === whole) return;
  const lines = splitLines(before, after);
  // A text that cannot be put back is removed.
  for (const [index, text] of before.entries()) changes.texts.set(text, lines?.[index] ?? "");
}

/** Texts of a leaf, and of objects that expose them only through methods. */
function textsOfPart(part: unknown): readonly string[] {
  if (typeof part === "string" || typeof part === "number" || typeof part === "bigint") return textsIn(part);
  return isClosed(part) ? closedTexts(part) : [];
}

function isDestination(part: unknown, key: string | undefined): boolean {
  return typeof part === "string" && isPlainName(part) && (key === undefined || key === "node");
}

/** Returns true for an object whose contents are not in its properties. */
function isClosed(value: unknown): value is object {
  return value instanceof Map || value instanceof Set || ArrayBuffer.isView(value);
}

/** @throws InputShapeError if it cannot be read */
function closedTexts(value: object): readonly string[] {
  const texts = everyTextIn(value, WALK_LIMITS.values);
  if (texts === undefined) throw shapeError("expected a tool result of plain data", value, PLAIN_HINT);
  return texts;
}

const PLAIN_HINT = "return plain data and messages";

function changedIn(value: unknown, { messages, texts }: Changes): unknown {
  const isChanged = texts.size > 0 || [...messages].some(([before, after]) => before !== after);
  if (!isChanged) return value;
  const changed = (text: string): string => texts.get(text) ?? text;
  return mapParts(value, {
    leaf: (leaf) => {
      const text = typeof leaf === "number" || typeof leaf === "bigint" ? String(leaf) : leaf;
      return typeof text === "string" && texts.has(text) ? changed(text) : leaf;
    },
    whole: (part, parts) => {
      if (messages.has(part)) return messages.get(part);
      if (!isClosed(part)) return parts();
      return closedTexts(part).every((text) => changed(text) === text) ? part : undefined;
    },
    key: (key) => (changed(key) === key ? key : undefined),
    beyond: () => undefined,
  });
}

/** The fields of LangGraph's `Command` that a node may set. */
export interface CommandLike {
  readonly lg_name: "Command";
  readonly update?: unknown;
  readonly goto?: unknown;
  readonly graph?: unknown;
  readonly resume?: unknown;
}

/**
 * Writes changed parts into a command. INVARIANT: LangGraph also keeps a command's arguments under a symbol, which
 * holds a second copy of its texts.
 */
export function assignParts<Value extends CommandLike>(command: Value, parts: object): Value {
  for (const key of Object.getOwnPropertySymbols(command)) {
    const made: unknown = Reflect.get(command, key);
    if (isObject(made)) Reflect.set(command, key, { ...made, ...parts });
  }
  return Object.assign(command, parts);
}

export function isCommand(value: unknown): value is CommandLike {
  return isObject(value) && value["lg_name"] === "Command";
}
