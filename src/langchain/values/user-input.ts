import type { BaseMessage } from "@langchain/core/messages";
import type { TurnMessage } from "../../turn/options.js";
import { withoutBlockedTurns } from "../blocked-turns.js";
import { extractText, replaceText } from "./content.js";
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
import { shapeError } from "../shape-error.js";
import { isMessageList } from "./side.js";

/** What a user said, read from a value of any shape. */
export interface UserInput {
  readonly value: unknown;
  readonly messages: readonly BaseMessage[];
  /** Indexes of the messages that nobody answered yet: the user's and the tools'. */
  readonly pending: readonly number[];
  /** Indexes of messages that nobody answered yet and that their own rails have reviewed already. */
  readonly settled?: ReadonlySet<number>;
  /** Set when flows wait for some of the results of tools among the pending messages. */
  readonly hasAwaited?: boolean;
  /** Other data of the value, as context variables. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The value again, of the same type, with the texts of the pending messages replaced. */
  rewrite(texts: readonly string[]): unknown;
}

export interface UserInputOptions {
  readonly inputKey?: string | undefined;
}

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
      const spoken = value[key];
      const inner = readUserInput(spoken);
      const given = value["context"];
      const extra = isObject(given) && !isMessage(given) ? contextVariables(given) : {};
      return {
        ...inner,
        value,
        context: { ...contextVariables(value), ...extra },
        rewrite: (texts) => {
          const changed = inner.rewrite(texts);
          const histories = cleanHistories(value, key);
          if (changed === spoken && !hasGetters(value) && Object.keys(histories).length === 0) return value;
          const twins = TEXT_KEYS.filter(
            (name) => name !== key && typeof spoken === "string" && value[name] === spoken,
          );
          return { ...value, ...histories, ...Object.fromEntries([key, ...twins].map((name) => [name, changed])) };
        },
      };
    }
  }
  throw shapeError("cannot find the user's text", value, REMEDY);
}

/** Earlier messages beside the user's text, without what was blocked in them; only those that change. */
function cleanHistories(value: PlainObject, spokenKey: string): PlainObject {
  const entries = Object.entries(value).flatMap(([key, list]) => {
    if (key === spokenKey || !Array.isArray(list) || !list.every(isMessage)) return [];
    const cleaned = withoutBlockedTurns(list);
    return cleaned === list ? [] : [[key, cleaned] as const];
  });
  return Object.fromEntries(entries);
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
  return input.pending.map((index) => textOf(input.messages[index]));
}

/** Whether the value ends with a tool's result: then it is content to check but no utterance to answer. */
export function endsWithToolResult(input: UserInput): boolean {
  const last = input.messages.findLast((message) => roleOf(message) !== "system");
  return last !== undefined && roleOf(last) === "tool";
}

/** The whole conversation for the runtime: finished exchanges, then what is pending. */
export function toTurnMessages(input: UserInput): readonly TurnMessage[] {
  const pending = new Set(input.pending);
  const first = input.pending[0] ?? input.messages.length;
  const turns: TurnMessage[] =
    Object.keys(input.context).length > 0 ? [{ role: "context", content: input.context }] : [];
  for (const [index, message] of input.messages.entries()) {
    const content = textOf(message);
    if (input.settled?.has(index) === true) {
      // What rails on tools have reviewed nobody has to look at again, but a flow may wait for it.
      if (roleOf(message) === "tool" && input.hasAwaited === true) turns.push(reviewedResult(message, content));
    } else if (pending.has(index)) turns.push(input.hasAwaited ? toTurnMessage(message, content) : asUser(content));
    else if (index > first && roleOf(message) === "assistant") continue;
    else if (content !== "") turns.push(toTurnMessage(message, content));
  }
  return turns;
}

function asUser(content: string): TurnMessage {
  return { role: "user", content };
}

function reviewedResult(message: BaseMessage, content: string): TurnMessage {
  return { ...toTurnMessage(message, content), reviewed: true } as TurnMessage;
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
    return text === undefined || text === textOf(message) ? message : replaceText(message, text);
  });
}

/** The input with some pending messages settled: their texts are as given here, and no input rail looks at them again. */
export function settleMessages(input: UserInput, texts: ReadonlyMap<number, string>): UserInput {
  const all = input.pending;
  const pending = all.filter((index) => !texts.has(index));
  const spread = (left: readonly string[]): readonly string[] => {
    const rest = new Map(pending.map((index, position) => [index, left[position] ?? ""]));
    return all.map((index) => texts.get(index) ?? rest.get(index) ?? "");
  };
  return {
    ...input,
    pending,
    settled: new Set([...(input.settled ?? []), ...texts.keys()]),
    messages: rewriteMessages(input, spread(pending.map((index) => textOf(input.messages[index])))),
    rewrite: (left) => input.rewrite(spread(left)),
  };
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

function build(value: unknown, given: readonly BaseMessage[], wrap: (changed: readonly BaseMessage[]) => unknown) {
  const messages = withoutBlockedTurns(given);
  const pending = findPending(messages);
  if (pending.length === 0) throw shapeError("there is no message of the user to check", value, REMEDY);
  const input: UserInput = {
    value,
    messages,
    pending,
    context: {},
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
  return message === undefined ? "" : extractText(message);
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
