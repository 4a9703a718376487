import type { BaseMessage } from "@langchain/core/messages";
import type { PendingText } from "../../runtime/review.js";
import type { ToolTurnMessage, TurnMessage } from "../../turn/options.js";
import { withoutBlockedTurns, withoutForeignVerdict } from "../verdict.js";
import { joinExtraText, mainText, readTexts, rewriteWhole, unseenInMessage, wholeText } from "./message-extras.js";
import { NO_EXTRAS, withExtras, splitOff } from "../../turn/extra-text.js";
import {
  editEach,
  type EditMessage,
  asksForTools,
  isMessage,
  isObject,
  isPromptValue,
  roleOf,
  toMessage,
  copyOf,
} from "./message-kinds.js";
import { readInputObject, TEXT_KEYS, type UserInput, type UserInputOptions } from "./input-object.js";
import { plainData, plainMessage } from "./plain-message.js";
import type { ProposedCall } from "../tools/call-copies.js";
import { readToolCalls } from "../tools/tool-calls.js";
import { shapeError } from "../shape-error.js";
import { isMessageList, refuseSteering } from "./side.js";
import type { UnseenPart } from "./unseen.js";

const HINT =
  "pass a string, a message, a list of messages that ends with the user's, a prompt value, or an object with one of " +
  "the keys `input`, `question`, `query`, `messages` (or name yours with `inputKey`)";

/** Reads the user's side of a value; here a string is the user's text. */
export function readUserInput(value: unknown, options: UserInputOptions = {}): UserInput {
  if (typeof value === "string") return build(value, [toMessage(value)], (messages) => textOf(messages[0]));
  if (Array.isArray(value)) return readMessageList(value);
  if (isPromptValue(value)) {
    return build(value, value.toChatMessages(), (messages) => {
      const changes = "messages" in value ? { messages: [...messages] } : { value: textOf(messages[0]) };
      return copyOf(value, { ...changes, lc_kwargs: changes });
    });
  }
  if (isMessage(value)) return build(value, [value], (messages) => messages[0]);
  if (isObject(value)) {
    const key = options.inputKey ?? inputKeyOf(value);
    if (key !== undefined && Object.hasOwn(value, key)) {
      const inner = readUserInput(value[key]);
      return readInputObject(value, { ...options, key, texts: pendingTexts(inner) }, inner);
    }
  }
  throw shapeError("expected the user's input", value, HINT);
}

function readMessageList(value: readonly unknown[]): UserInput {
  refuseSteering(value);
  if (!isMessageList(value)) throw shapeError("expected the user's input", value, HINT);
  const read: unknown[] = [];
  const messages: BaseMessage[] = [];
  let isSame = true;
  for (const item of value) {
    const isRead = isMessage(item);
    const plain = isRead ? item : plainData(item);
    isSame &&= plain === item;
    read.push(plain);
    messages.push(isRead ? item : toMessage(plain));
  }
  const items = isSame ? value : read;
  return build(items, messages, (changed) =>
    changed.map((message, index) => (message === messages[index] ? items[index] : likeOriginal(items[index], message))),
  );
}

/** INVARIANT: if two keys could hold the user's text, guessing would leave one of them unchecked. */
function inputKeyOf(value: Readonly<Record<string, unknown>>): string | undefined {
  const keys = TEXT_KEYS.filter((candidate) => {
    const given = value[candidate];
    return typeof given === "string" || isMessage(given) || isPromptValue(given) || isMessageList(given);
  });
  const [key, other] = keys;
  if (other !== undefined && keys.some((candidate) => value[candidate] !== value[other])) {
    throw shapeError(
      `expected one user text, found both \`${key}\` and \`${other}\``,
      value,
      "say which with `inputKey`",
    );
  }
  const { messages } = value;
  if (!isMessageList(messages)) return key;
  if (key === undefined) return "messages";
  if (roleOf(toMessage(messages.at(-1))) === "assistant") return key;
  throw shapeError(
    `expected one user text, found both \`${key}\` and \`messages\``,
    value,
    "say which with `inputKey`",
  );
}

/** Texts of the pending messages, in order; one per message. */
export function pendingTexts(input: UserInput): readonly string[] {
  return input.pending.map((index) => textAt(input.messages, index));
}

/** Returns the texts of the pending messages with their extra lines. */
export function wholeTexts(input: UserInput): readonly string[] {
  return withExtras(pendingTexts(input), input.extras ?? NO_EXTRAS);
}

/** Extracts the texts of the messages from reviewed texts with extra lines. */
export function mainTexts(input: UserInput, texts: readonly string[]): readonly string[] {
  const { extras } = input;
  if (extras === undefined) return texts;
  const before = pendingTexts(input);
  return texts.map((text, index) => splitOff(before[index] ?? "", extras.get(index)?.text ?? "", text).main);
}

/** The conversation for the runtime: one entry per message. */
export function toTurnMessages({ messages, pending, extras }: UserInput): readonly TurnMessage[] {
  return messages.map((message, index) => {
    const role = roleOf(message);
    if (role !== "user" && role !== "tool") return toTurnMessage(message, textOf(message));
    const { main, extra } = readTexts(message, role === "tool" ? nameOfCall(messages, index) : undefined);
    if (role === "user") {
      // A message with only a file has the file's name as its text.
      const [text, lines] = main === "" ? [extra.join("\n"), []] : [main, extra];
      const others = extras?.get(pending.indexOf(index));
      const whole = joinExtraText(lines, others);
      return { role, content: text, ...(whole === undefined ? {} : { extra: whole }) };
    }
    const turn = toTurnMessage(message, main) as ToolTurnMessage;
    return { ...turn, ...linesOf(extra), call: callOfResult(messages, index) };
  });
}

/**
 * The pending messages as texts for the rails.
 *
 * @param seen - indexes of messages that rails have already checked
 */
export function toPendingTexts(input: UserInput, seen?: ReadonlySet<number>): readonly PendingText[] {
  return input.pending.map((index, at): PendingText => {
    const message = input.messages[index];
    const text = textAt(input.messages, index);
    if (seen?.has(index) === true) return { text, reviewed: true };
    const lines = input.extras?.get(at);
    if (message === undefined || roleOf(message) !== "tool") {
      return lines === undefined ? { text } : { text, extra: lines };
    }
    const failed = (message as { readonly status?: unknown }).status === "error";
    const { main, extra } = readTexts(message, nameOfCall(input.messages, index));
    const result = { result: main, ...linesOf(extra), failed };
    const subject = { ...callOfResult(input.messages, index), ...result, userMessage: userTextOf(input) };
    return { text, tool: subject };
  });
}

function linesOf(extra: readonly string[]): { readonly extra?: string } {
  return extra.length === 0 ? {} : { extra: extra.join("\n") };
}

/** The user's last text, for rails that judge a call by the user's request. */
export function userTextOf({ messages }: Pick<UserInput, "messages">): string {
  const last = messages.findLast((message) => roleOf(message) === "user");
  return last === undefined ? "" : mainText(last);
}

/** Finds the call of a result by its id. */
function callOfResult(messages: readonly BaseMessage[], index: number) {
  const { tool_call_id: id, name } = messages[index] as { readonly tool_call_id?: string; readonly name?: string };
  const call = findCall(messages, index);
  return { tool: call?.name ?? name ?? "", args: call?.args ?? {}, callId: call === undefined ? id : call.id };
}

function findCall(messages: readonly BaseMessage[], index: number): ProposedCall | undefined {
  const { tool_call_id: id } = messages[index] as { readonly tool_call_id?: string };
  if (id === undefined) return undefined;
  const calls = messages.slice(0, index).flatMap(readToolCalls);
  return calls.findLast((call) => call.id === id);
}

/** Name of the called tool; a result's name that repeats it is not a separate text. */
export function nameOfCall(messages: readonly BaseMessage[], index: number): string | undefined {
  const message = messages[index];
  return message === undefined || roleOf(message) !== "tool" ? undefined : findCall(messages, index)?.name;
}

/** Everything that rails read in a message, except for the name of its tool. */
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

/** Replaces the texts of the pending messages; unchanged messages keep their identity. */
export function rewriteMessages(input: UserInput, texts: readonly string[]): readonly BaseMessage[] {
  const mains = mainTexts(input, texts);
  const replacements = new Map(input.pending.map((index, position) => [index, mains[position]]));
  return input.messages.map((message, index) => {
    const text = replacements.get(index);
    if (text === undefined || text === textAt(input.messages, index)) return message;
    return rewriteWhole(message, text, nameOfCall(input.messages, index));
  });
}

export function toTurnMessage(message: BaseMessage, content: string): TurnMessage {
  const role = roleOf(message);
  if (role !== "tool") return { role, content };
  const { tool_call_id: id, status } = message as { readonly tool_call_id?: unknown; readonly status?: unknown };
  const call = typeof id === "string" ? { toolCallId: id } : {};
  return { role, content, ...call, ...(status === "error" ? { failed: true } : {}) };
}

/** Reads the unanswered messages of a list; undefined if there are none. */
export function readPending(messages: readonly BaseMessage[]): UserInput | undefined {
  return findPending(messages).length === 0 ? undefined : readUserInput([...messages]);
}

/** Reads the messages of a model call. */
export function readMessageInput(messages: readonly BaseMessage[]): UserInput {
  return build(messages, messages, (changed) => changed);
}

function build(
  value: unknown,
  given: readonly BaseMessage[],
  wrap: (changed: readonly BaseMessage[]) => unknown,
  edit?: EditMessage,
): UserInput {
  const shown = withoutBlockedTurns(given);
  const pending = findPending(shown);
  if (pending.length === 0) throw shapeError("expected a message of the user", value, HINT);
  const visible = plainAt(shown, pending);
  const messages = edit === undefined ? visible : editEach(visible, pending[0] ?? 0, edit);
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
    refuse: (texts) => input.rewrite(texts),
  };
  return input;
}

/** The messages at these indexes as plain data; the same list if all are plain. */
function plainAt(messages: readonly BaseMessage[], indexes: readonly number[]): readonly BaseMessage[] {
  let plain = messages;
  for (const index of indexes) {
    const message = messages[index] as BaseMessage;
    // Rails read no verdict that a store brings back, and the model does not receive it.
    const left = plainMessage(withoutForeignVerdict(message));
    if (left !== message) plain = plain.with(index, left);
  }
  return plain;
}

/**
 * INVARIANT: a response with tool calls does not end the turn, and an empty message answers nothing, so earlier user
 * messages are still pending.
 */
function findPending(messages: readonly BaseMessage[]): readonly number[] {
  const pending: number[] = [];
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as BaseMessage;
    const role = roleOf(message);
    if (role === "user" || role === "tool") pending.unshift(index);
    else if (role === "assistant" && !asksForTools(message) && !isBlank(message)) break;
  }
  return pending;
}

function isBlank({ content }: BaseMessage): boolean {
  return typeof content === "string" ? content.trim() === "" : Array.isArray(content) && content.length === 0;
}

function textOf(message: BaseMessage | undefined): string {
  return message === undefined ? "" : wholeText(message);
}

/**
 * Returns the parts of the user's side that no rail can read.
 *
 * @param seen - indexes of pending messages that were already governed
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

/** An image in a user message: its block, and the unseen part that it would be if no rail checked it. */
export interface UserImage {
  readonly part: UnseenPart;
  readonly block: Readonly<Record<string, unknown>>;
}

const IMAGE_PATH = /^messages\[(\d{1,9})\]\.content\[(\d{1,9})\](?:\.[\w.]{1,200})?$/;

const MOST_IMAGES = 16;

/** Returns the images among unreadable parts: whole blocks of user messages, each once. */
export function imagesIn(
  { messages }: Pick<UserInput, "messages">,
  parts: readonly UnseenPart[],
): readonly UserImage[] {
  const images = parts.flatMap((part): readonly UserImage[] => {
    const [, message = "", block = ""] = IMAGE_PATH.exec(part.path) ?? [];
    const owner = part.kind === "image" && message !== "" ? messages[Number(message)] : undefined;
    if (owner === undefined || roleOf(owner) !== "user" || !Array.isArray(owner.content)) return [];
    const found: unknown = owner.content[Number(block)];
    return isObject(found) ? [{ part, block: found }] : [];
  });
  // Further images fall under the policy for parts that no rail can read.
  return images.slice(0, MOST_IMAGES);
}

function likeOriginal(original: unknown, message: BaseMessage): unknown {
  if (typeof original === "string") return textOf(message);
  if (Array.isArray(original)) return [original[0], message.content];
  return isMessage(original) ? message : { ...(original as object), content: message.content };
}
