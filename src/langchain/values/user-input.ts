import type { BaseMessage } from "@langchain/core/messages";
import type { PendingText } from "../../runtime/guarded-conversation.js";
import type { ToolTurnMessage, TurnMessage } from "../../turn/options.js";
import { withoutBlockedTurns } from "../blocked-turns.js";
import { readTexts, rewriteWhole, unseenInMessage, wholeText } from "./beside-message.js";
import { contextVariables } from "../context-variables.js";
import {
  asksForTools,
  isMessage,
  isObject,
  isPromptValue,
  type PlainObject,
  roleOf,
  toMessage,
} from "./message-kinds.js";
import { type ProposedCall, readToolCalls } from "../tool-calls.js";
import { evidenceTexts } from "./evidence.js";
import { shapeError } from "../shape-error.js";
import { isMessageList, refuseSteering } from "./side.js";
import { pathOf, type UnseenPart } from "./unseen.js";

/** What a user said, read from a value of any shape. */
export interface UserInput {
  readonly value: unknown;
  readonly messages: readonly BaseMessage[];
  /** Indexes of the messages that nobody answered yet: the user's and the tools'. */
  readonly pending: readonly number[];
  /** Keys of the value, besides the user's text, that hold texts. */
  readonly others?: readonly UnseenPart[];
  /** Lists of messages beside the user's text, such as a `chat_history`. */
  readonly histories: readonly (readonly BaseMessage[])[];
  /** Variables that flows may read: the other keys of the value as `$input`, and evidence as `$relevant_chunks`. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The same input with earlier messages edited; pending ones are left to their rails. */
  edited(edit: EditMessage): UserInput;
  /** The value again, of the same type, with the texts of the pending messages replaced. */
  rewrite(texts: readonly string[]): unknown;
}

export interface UserInputOptions {
  readonly inputKey?: string | undefined;
  /** The key of evidence in an input object; without it, evidence is data like any other. */
  readonly contextKey?: string | undefined;
}

/** Replaces an earlier message, or returns it as it is. */
export type EditMessage = (message: BaseMessage) => BaseMessage;

const TEXT_KEYS = ["input", "question", "query"] as const;
const REMEDY =
  "pass a string, a message, a list of messages that ends with the user's, a prompt value, or an object with one of " +
  "the keys `input`, `question`, `query`, `messages` (or name yours with `inputKey`)";

/** Reads the user's side of a value; a bare string is the user's text here. */
export function readUserInput(value: unknown, options: UserInputOptions = {}): UserInput {
  if (typeof value === "string") return build(value, [toMessage(value)], (messages) => textOf(messages[0]));
  if (isPromptValue(value)) {
    return build(value, value.toChatMessages(), (messages) => rebuildPrompt(value, messages));
  }
  if (isMessage(value)) return build(value, [value], (messages) => messages[0]);
  if (Array.isArray(value)) refuseSteering(value);
  if (isMessageList(value)) {
    const messages = value.map(toMessage);
    return build(value, messages, (changed) =>
      changed.map((message, index) =>
        message === messages[index] ? value[index] : likeOriginal(value[index], message),
      ),
    );
  }
  if (isObject(value)) {
    const key = options.inputKey ?? inputKeyOf(value);
    if (key !== undefined && Object.hasOwn(value, key)) {
      return buildObject(value, { ...options, key }, readUserInput(value[key]));
    }
  }
  throw shapeError("cannot find the user's text", value, REMEDY);
}

function buildObject(
  value: PlainObject,
  options: UserInputOptions & { readonly key: string },
  inner: UserInput,
  edit?: EditMessage,
): UserInput {
  const { key } = options;
  const spoken = value[key];
  const histories = historiesOf(value, key);
  const twins = TEXT_KEYS.filter((name) => name !== key && typeof spoken === "string" && value[name] === spoken);
  const own = new Set<string>([key, ...twins, ...histories.map(([name]) => name)]);
  return {
    ...inner,
    value,
    histories: histories.map(([, list]) => list),
    others: otherKeys(value, [...own, options.contextKey ?? "context"]),
    variables: variablesOf(value, own, options.contextKey),
    edited: (next) => {
      const both: EditMessage = edit === undefined ? next : (message) => next(edit(message));
      return buildObject(value, options, inner.edited(next), both);
    },
    rewrite: (texts) => {
      const changed = inner.rewrite(texts);
      const cleaned = cleanHistories(histories, edit);
      if (changed === spoken && !hasGetters(value) && Object.keys(cleaned).length === 0) return value;
      return { ...value, ...cleaned, ...Object.fromEntries([key, ...twins].map((name) => [name, changed])) };
    },
  };
}

/**
 * INVARIANT: no key of an input becomes a variable of the engine. Flows read them as fields of `$input`, without the text
 * of the user, which they read as `$user_message` after its rails.
 */
function variablesOf(
  value: PlainObject,
  own: ReadonlySet<string>,
  contextKey: string | undefined,
): Readonly<Record<string, unknown>> {
  const others = Object.entries(value).filter(([name]) => !own.has(name));
  const input = contextVariables(Object.fromEntries(others));
  const evidence = contextKey === undefined ? undefined : evidenceTexts(value[contextKey]);
  return {
    ...(Object.keys(input).length === 0 ? {} : { input }),
    ...(evidence === undefined ? {} : { relevant_chunks: evidence.join("\n"), relevant_chunks_sep: [...evidence] }),
  };
}

function historiesOf(value: PlainObject, spokenKey: string): readonly (readonly [string, readonly BaseMessage[]])[] {
  return Object.entries(value).flatMap(([key, list]) =>
    key !== spokenKey && Array.isArray(list) && list.length > 0 && list.every(isMessage) ? [[key, list] as const] : [],
  );
}

/** Histories without what was blocked in them; only those that change. */
function cleanHistories(
  histories: readonly (readonly [string, readonly BaseMessage[]])[],
  edit: EditMessage | undefined,
): PlainObject {
  const entries = histories.flatMap(([key, list]) => {
    const cleaned = editEach(withoutBlockedTurns(list), list.length, edit);
    return cleaned === list ? [] : [[key, cleaned] as const];
  });
  return Object.fromEntries(entries);
}

/** Edits the messages before an index; returns the list itself if nothing changes. */
function editEach(
  messages: readonly BaseMessage[],
  before: number,
  edit: EditMessage | undefined,
): readonly BaseMessage[] {
  if (edit === undefined) return messages;
  const changed = messages.map((message, index) => (index < before ? edit(message) : message));
  return changed.every((message, index) => message === messages[index]) ? messages : changed;
}

/** A getter could say something else the next time, so what was read replaces it. */
function hasGetters(value: PlainObject): boolean {
  return Object.values(Object.getOwnPropertyDescriptors(value)).some(({ get }) => get !== undefined);
}

/** INVARIANT: where two keys could hold what the user said, guessing would leave one of them unchecked. */
function inputKeyOf(value: PlainObject): string | undefined {
  const keys = TEXT_KEYS.filter((candidate) => isSpoken(value[candidate]));
  const [key, other] = keys;
  if (other !== undefined && keys.some((candidate) => value[candidate] !== value[other])) {
    throw shapeError(`both \`${key}\` and \`${other}\` could be the user's text`, value, "say which with `inputKey`");
  }
  const { messages } = value;
  if (!isMessageList(messages)) return key;
  if (key === undefined) return "messages";
  if (roleOf(toMessage(messages.at(-1))) === "assistant") return key;
  throw shapeError(`both \`${key}\` and \`messages\` could be the user's text`, value, "say which with `inputKey`");
}

function isSpoken(value: unknown): boolean {
  return typeof value === "string" || isMessage(value) || isPromptValue(value) || isMessageList(value);
}

/** The texts of the pending messages, in order; one text per message. */
export function pendingTexts(input: UserInput): readonly string[] {
  return input.pending.map((index) => textAt(input.messages, index));
}

/** The conversation for the runtime: one entry per message. */
export function toTurnMessages({ messages }: Pick<UserInput, "messages">): readonly TurnMessage[] {
  return messages.map((message, index) => {
    if (roleOf(message) !== "tool") return toTurnMessage(message, textAt(messages, index));
    const { main, beside } = readTexts(message, nameOfCall(messages, index));
    const turn = toTurnMessage(message, main) as ToolTurnMessage;
    return { ...turn, ...linesOf(beside), call: callOfResult(messages, index) };
  });
}

/**
 * The pending messages as texts for the rails.
 *
 * @param seen - indexes of messages that rails have checked already
 */
export function toPendingTexts(input: UserInput, seen?: ReadonlySet<number>): readonly PendingText[] {
  return input.pending.map((index): PendingText => {
    const message = input.messages[index];
    const text = textAt(input.messages, index);
    if (seen?.has(index) === true) return { text, reviewed: true };
    if (message === undefined || roleOf(message) !== "tool") return { text };
    const failed = (message as { readonly status?: unknown }).status === "error";
    const { main, beside } = readTexts(message, nameOfCall(input.messages, index));
    const result = { result: main, ...linesOf(beside), failed };
    const subject = { ...callOfResult(input.messages, index), ...result, userMessage: userTextOf(input) };
    return { text, tool: subject };
  });
}

function linesOf(beside: readonly string[]): { readonly beside?: string } {
  return beside.length === 0 ? {} : { beside: beside.join("\n") };
}

/** The user's last text, for rails that judge a call by what the user asked for. */
export function userTextOf({ messages }: Pick<UserInput, "messages">): string {
  return textOf(messages.findLast((message) => roleOf(message) === "user"));
}

/** The call that a result answers, found by its id. */
function callOfResult(
  messages: readonly BaseMessage[],
  index: number,
): { readonly tool: string; readonly args: unknown; readonly callId: string | undefined } {
  const { tool_call_id: id, name } = messages[index] as { readonly tool_call_id?: string; readonly name?: string };
  const call = findCall(messages, index);
  return { tool: call?.name ?? name ?? "", args: call?.args ?? {}, callId: call === undefined ? id : call.id };
}

function findCall(messages: readonly BaseMessage[], index: number): ProposedCall | undefined {
  const { tool_call_id: id } = messages[index] as { readonly tool_call_id?: string };
  if (id === undefined) return undefined;
  return messages
    .slice(0, index)
    .flatMap(readToolCalls)
    .findLast((call) => call.id === id);
}

/** The name of the tool that was called; the name of a result that repeats it is not a text of its own. */
function nameOfCall(messages: readonly BaseMessage[], index: number): string | undefined {
  const message = messages[index];
  return message === undefined || roleOf(message) !== "tool" ? undefined : findCall(messages, index)?.name;
}

/** Everything that rails read of a message, except for the name of the tool that it comes from. */
function textAt(messages: readonly BaseMessage[], index: number): string {
  const message = messages[index];
  return message === undefined ? "" : wholeText(message, nameOfCall(messages, index));
}

/** Earlier messages as rails see them. */
export function toHistory(input: UserInput): readonly { role: "user" | "assistant"; content: string }[] {
  const first = input.pending[0] ?? input.messages.length;
  return input.messages.slice(0, first).flatMap((message) => {
    const role = roleOf(message);
    return role === "user" || role === "assistant" ? [{ role, content: textOf(message) }] : [];
  });
}

/** Replaces the texts of the pending messages; messages that stay the same keep their identity. */
export function rewriteMessages(input: UserInput, texts: readonly string[]): readonly BaseMessage[] {
  const replacements = new Map(input.pending.map((index, position) => [index, texts[position]]));
  return input.messages.map((message, index) => {
    const text = replacements.get(index);
    if (text === undefined || text === textAt(input.messages, index)) return message;
    return rewriteWhole(message, text, nameOfCall(input.messages, index));
  });
}

export function toTurnMessage(message: BaseMessage, content: string): TurnMessage {
  const role = roleOf(message);
  if (role !== "tool") return { role, content };
  const id = toolCallIdOf(message);
  const failed = (message as { status?: unknown }).status === "error";
  return { role, content, ...(id === undefined ? {} : { toolCallId: id }), ...(failed ? { failed } : {}) };
}

/** The call that a tool's message answers. */
export function toolCallIdOf(message: BaseMessage): string | undefined {
  const id = (message as { tool_call_id?: unknown }).tool_call_id;
  return typeof id === "string" ? id : undefined;
}

/** What nobody answered yet in a list of messages; undefined when there is nothing. */
export function readPending(messages: readonly BaseMessage[]): UserInput | undefined {
  return findPending(messages).length === 0 ? undefined : readUserInput([...messages]);
}

function build(
  value: unknown,
  given: readonly BaseMessage[],
  wrap: (changed: readonly BaseMessage[]) => unknown,
  edit?: EditMessage,
): UserInput {
  const visible = withoutBlockedTurns(given);
  const pending = findPending(visible);
  if (pending.length === 0) throw shapeError("there is no message of the user to check", value, REMEDY);
  const messages = editEach(visible, pending[0] ?? 0, edit);
  const input: UserInput = {
    value,
    messages,
    pending,
    histories: [],
    variables: {},
    edited: (next) => build(value, given, wrap, edit === undefined ? next : (message) => next(edit(message))),
    rewrite: (texts) => {
      const changed = rewriteMessages(input, texts);
      return changed.every((message, index) => message === given[index]) ? value : wrap(changed);
    },
  };
  return input;
}

/** INVARIANT: an answer that asks for tools does not end the turn, so what the user said before it is still pending. */
function findPending(messages: readonly BaseMessage[]): readonly number[] {
  const answered = messages.findLastIndex((message) => roleOf(message) === "assistant" && !asksForTools(message));
  return messages.flatMap((message, index) => {
    const role = roleOf(message);
    return index > answered && (role === "user" || role === "tool") ? [index] : [];
  });
}

function textOf(message: BaseMessage | undefined): string {
  return message === undefined ? "" : wholeText(message);
}

/**
 * The parts of what a user said that no rail can read.
 *
 * @param seen - indexes of pending messages that were governed already
 */
export function unseenInInput(
  { messages, pending, others = [] }: UserInput,
  seen?: ReadonlySet<number>,
): readonly UnseenPart[] {
  return [
    ...pending.flatMap((index) => {
      const message = messages[index];
      return message === undefined || seen?.has(index) === true ? [] : unseenInMessage(message, `messages[${index}]`);
    }),
    ...others,
  ];
}

/** Keys of an input object besides the user's text that hold texts; messages and evidence have readers of their own. */
function otherKeys(value: PlainObject, known: readonly string[]): readonly UnseenPart[] {
  return Object.keys(value).flatMap((key) => {
    const inner = value[key];
    if (known.includes(key) || isReadElsewhere(inner)) return [];
    return holdsText(inner, 0) ? [{ path: pathOf("", [key]), kind: "key" }] : [];
  });
}

function isReadElsewhere(value: unknown): boolean {
  return isMessage(value) || isPromptValue(value) || (Array.isArray(value) && value.every(isMessage));
}

const MAX_DEPTH = 8;

function holdsText(value: unknown, depth: number): boolean {
  if (typeof value === "string") return value !== "";
  if (typeof value !== "object" || value === null) return false;
  return depth > MAX_DEPTH || Object.values(value).some((inner) => holdsText(inner, depth + 1));
}

function rebuildPrompt(value: object, messages: readonly BaseMessage[]): unknown {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(value) as object) as object, value);
  const changes = "messages" in value ? { messages: [...messages] } : { value: textOf(messages[0]) };
  return Object.assign(copy, changes, { lc_kwargs: changes });
}

function likeOriginal(original: unknown, message: BaseMessage): unknown {
  if (typeof original === "string") return textOf(message);
  if (Array.isArray(original)) return [original[0], message.content];
  return isMessage(original) ? message : { ...(original as object), content: message.content };
}
