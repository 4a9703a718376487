import { writeOwn } from "../../engine/plain-data.js";
import type { BaseMessage } from "@langchain/core/messages";
import { joinLines, splitOff } from "../../turn/extra-text.js";
import { shapeError } from "../shape-error.js";
import {
  type BotResponse,
  type ReadOptions,
  ownTextOf,
  refuseMessage,
  releaseMessage,
  rewriteMessage,
  extraTextOf,
  plainResponse,
  type ResponseOptions,
  stripMessage,
  textOfResponse,
  QUESTION_KEYS,
  questionIn,
  questionKeyIn,
} from "./response.js";
import { releasedOf, withoutEscapes } from "./escaped-text.js";
import { readMessages, withoutGone } from "./message-list.js";
import { unseenInMessage, rewriteWhole, wholeText } from "./message-extras.js";
import { isMessage, isReadableMessage, isObject, roleOf, toMessage, type PlainObject } from "./message-kinds.js";
import { allReasoning, reasoningText, rewriteReasoning } from "./content.js";
import { RESPONSE_HINT, responseKeyOf, isMessageList } from "./side.js";
import { copyWith } from "../../engine/walk.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { redactData, textsIn } from "../../turn/redact-data.js";
import { createRedactor, type HiddenText } from "../../turn/redactor.js";
import { readGetters } from "./plain-object.js";
import { evidenceSources, evidenceTexts, redactEvidence } from "./evidence.js";
import { INTERRUPT_KEY, readExtraKeys } from "./extra-keys.js";
import { registerVerdict, withoutForeignKey, registeredVerdict } from "../verdict.js";
import { pathOf, type UnseenPart } from "./unseen.js";
import { type Atoms, readValue } from "../structured/structured-text.js";
import { readToolCalls } from "../tools/tool-calls.js";
import { plainData } from "./plain-message.js";

const MAX_NESTING = 8;

/**
 * Reads the bot's side of a value.
 *
 * @throws InputShapeError if the text cannot be located: unreadable content must not pass unreviewed
 */
export function readResponse(value: unknown, options: ReadOptions = {}): BotResponse {
  return read(value, options, 0);
}

/** The released value of a response, with the text that the rails left and their verdict. */
export function releaseResponse(
  response: BotResponse,
  text: string,
  verdict: GuardrailsMetadata,
  options: ReadOptions = {},
): unknown {
  const rewritten = response.rewrite(text);
  return (rewritten === response.value ? response : readResponse(rewritten, options)).mark(verdict);
}

function read(value: unknown, options: ReadOptions, depth: number): BotResponse {
  if (typeof value === "string") return readTexts(value);
  if (isMessage(value)) return readMessage(value);
  if (isMessageList(value) && value.every(isMessage)) return readMessages(value, options);
  if (options.mayBeEmpty === true) {
    if (Array.isArray(value) && value.length === 0) return readMessages([], options);
    if (value === undefined || value === null) return readTexts(value);
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isReadableMessage)) {
    const items = value.map((item) => (isMessage(item) ? plainResponse(item) : plainData(item))) as readonly unknown[];
    const messages = items.map(toMessage).map(plainResponse);
    return responseInData(items, messages, readMessages(messages, options));
  }
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string"))
    return readTexts(value);
  if (isObject(value) && depth < MAX_NESTING) {
    // A graph that waits at an interrupt may not have responded yet.
    const waits = Array.isArray(value[INTERRUPT_KEY]);
    const namedKey = responseKeyOf(value, options) ?? (Array.isArray(value["messages"]) ? "messages" : undefined);
    const key = namedKey ?? (waits ? (options.outputKey ?? "answer") : undefined);
    if (key !== undefined) {
      const inner = { ...options, outputKey: undefined, mayBeEmpty: waits || options.mayBeEmpty };
      return readObject(value, key, options, (held) => read(held, inner, depth + 1));
    }
  }
  throw shapeError("expected a response", value, RESPONSE_HINT);
}

/** Reads a text, texts that are lines of one response, or no text. */
function readTexts(value: string | readonly string[] | null | undefined): BotResponse {
  const isList = typeof value === "object" && value !== null;
  const main = isList ? value.join("\n") : (value ?? "");
  const decoded = withoutEscapes(main);
  const text = decoded === undefined ? main : joinLines(main, decoded);
  const response: BotResponse = {
    value,
    text,
    ...(decoded === undefined ? {} : { mainText: main }),
    reasoning: () => "",
    replaceReasoning: () => response,
    rewrite: (changed) => {
      if (changed === text) return value;
      const released = decoded === undefined ? changed : releasedOf(main, decoded, changed);
      return isList ? released.split("\n") : released;
    },
    refuse: (refusal) => (isList ? [refusal] : refusal),
    mark: () => value,
  };
  return response;
}

function readMessage(original: BaseMessage): BotResponse {
  if (roleOf(original) !== "assistant") throw shapeError("expected a message of the bot", original, RESPONSE_HINT);
  const value = plainResponse(original);
  const mainText = ownTextOf(value);
  const text = joinLines(mainText, extraTextOf(value, mainText));
  return {
    value,
    text,
    ...(text === mainText ? {} : { mainText }),
    message: value,
    callers: [{ message: value }],
    unseen: () => unseenInMessage(value),
    reasoning: () => reasoningText(value),
    replaceReasoning: (reasoning) => readMessage(rewriteReasoning(value, reasoning)),
    rewrite: (rewritten) => rewriteMessage(value, text, rewritten),
    refuse: (refusal, verdict) => refuseMessage(value, refusal, verdict),
    mark: (verdict) => releaseMessage(value, verdict),
  };
}

/** Fields of a message as plain data; a refused one keeps only these. */
const FIELDS: readonly string[] = [
  ..."id name content additional_kwargs response_metadata tool_calls invalid_tool_calls usage_metadata".split(" "),
  ..."tool_call_id status artifact".split(" "),
];

/**
 * A response in plain-data messages, released as plain data. Unchanged messages stay the same values.
 *
 * @param value - the original messages
 * @param messages - the same as objects, in the same order
 * @param response - the response found in these objects
 */
function responseInData(
  value: readonly unknown[],
  messages: readonly BaseMessage[],
  response: BotResponse,
): BotResponse {
  // INVARIANT: messages that are no longer the objects that were read are rebuilt.
  const like: unknown = value[messages.findIndex((message) => message === response.message)];
  const back = (result: unknown): unknown =>
    (result as readonly BaseMessage[]).map((message, index, all) => {
      const at = messages.indexOf(message);
      if (at >= 0) return value[at];
      return toData(message, all.length === value.length ? value[index] : like);
    });
  const inData = (read: BotResponse, unchanged: unknown): BotResponse => ({
    ...read,
    value: unchanged,
    replaceReasoning: (reasoning) => {
      const replaced = read.replaceReasoning(reasoning);
      return reasoning === read.reasoning() ? inData(read, unchanged) : inData(replaced, back(replaced.value));
    },
    rewrite: (text) => (text === read.text ? unchanged : back(read.rewrite(text))),
    refuse: (refusal, verdict) => back(read.refuse(refusal, verdict)),
    mark: (verdict) => back(read.mark(verdict)),
  });
  return inData(response, value);
}

/** The message as data of its original kind: with a `role`, a `type` or both. */
function toData(message: BaseMessage, like: unknown): PlainObject {
  const original = isObject(like) ? like : {};
  const kind = Object.fromEntries(["role", "type"].flatMap((key) => (key in original ? [[key, original[key]]] : [])));
  const fields = FIELDS.flatMap((key) => {
    const field = (message as unknown as PlainObject)[key];
    const isEmpty = typeof field === "object" && field !== null && Object.keys(field).length === 0;
    return field === undefined || (isEmpty && !(key in original)) ? [] : [[key, field] as const];
  });
  return { ...(Object.keys(kind).length === 0 ? { role: "assistant" } : kind), ...Object.fromEntries(fields) };
}

/**
 * Reads an object with its response under a key; rails read its other keys with the response.
 *
 * @param read - reads the value under that key
 */
function readObject(
  original: PlainObject,
  key: string,
  options: ReadOptions,
  read: (value: unknown) => BotResponse,
): BotResponse {
  const copy = (kept: PlainObject): PlainObject => copyWith(original, Object.entries(kept));
  const value = listsWithoutGone(withoutForeignKey(readGetters(original), options.verdictKey, copy), options);
  const inner = read(value[key]);
  const contextKey = options.contextKey ?? "context";
  const evidence = evidenceTexts(value[contextKey]);
  const others = readOtherKeys(value, key, inner.text, options);
  const text = joinLines(inner.text, others.text);
  const unread: readonly UnseenPart[] =
    evidence !== undefined && options.evidence === "compared" ? [{ path: pathOf([contextKey]), kind: "key" }] : [];
  return {
    ...inner,
    value,
    text,
    ...(others.text === "" ? {} : { mainText: inner.mainText ?? inner.text }),
    unseen: () => [...(inner.unseen?.() ?? []), ...others.unseen, ...unread],
    userText: inner.userText ?? questionIn(value, key),
    relevantChunks: evidence ?? inner.relevantChunks,
    sources: evidenceSources(value[contextKey]) ?? inner.sources,
    replaceReasoning: (reasoning) =>
      reasoning === inner.reasoning()
        ? readObject(value, key, options, read)
        : readObject(copyObject(value, { [key]: inner.replaceReasoning(reasoning).value }), key, options, read),
    rewrite: (changed) => {
      if (changed === text) return value;
      const after = splitOff(inner.text, others.text, changed);
      const hidden = [
        { text: inner.text, replacement: after.main },
        { text: others.text, replacement: after.others },
      ];
      const cleaned = cleanObject(copyObject(value, others.rewrite(after.others)), key, hidden, options);
      return copyObject(cleaned, { [key]: inner.rewrite(after.main) }, [key, ...others.keys]);
    },
    refuse: (refusal, verdict) => {
      const quoted = others.keys.flatMap((name) => textsIn(value[name]));
      const hidden = [inner.text, ...quoted].map((quote) => ({ text: quote }));
      const cleaned = cleanObject(value, key, hidden, options);
      // INVARIANT: rails read these keys with the response, so a block may concern any of them.
      const gone = [...others.keys, ...others.unreadKeys, INTERRUPT_KEY].filter(
        (name) => name !== contextKey || evidence === undefined,
      );
      const changes = { [key]: inner.refuse(refusal, verdict), ...verdictEntry(options, verdict) };
      return copyObject(cleaned, { ...Object.fromEntries(gone.map((name) => [name, undefined])), ...changes }, gone);
    },
    mark: (verdict) => {
      const marked = inner.mark(verdict);
      if (marked === value[key] && options.verdictKey === undefined) return value;
      return copyObject(value, { [key]: marked, ...verdictEntry(options, verdict) }, [key]);
    },
  };
}

/** Reads the keys beside the response that rails read with it. */
function readOtherKeys(
  value: PlainObject,
  key: string,
  text: string,
  options: ReadOptions,
): ReturnType<typeof readExtraKeys> {
  const { contextKey = "context", evidence, input } = options;
  const apart = [key, questionKeyIn(value, key), options.verdictKey];
  if (evidence !== undefined && evidenceTexts(value[contextKey]) !== undefined) apart.push(contextKey);
  if (key !== "messages" && repeatsResponse(value, key, text, options)) apart.push("messages");
  const isGiven = (name: string): boolean => isObject(input) && input[name] === value[name];
  const isApart = (name: string): boolean => apart.includes(name) || value[name] === value[key] || isGiven(name);
  return readExtraKeys(value, isApart, messageAtoms(options));
}

/** The object with the messages of earlier turns as they left. */
function listsWithoutGone(value: PlainObject, options: ReadOptions): PlainObject {
  if (options.known === undefined) return value;
  const changes = Object.entries(value).flatMap(([key, list]) => {
    if (!Array.isArray(list) || !list.some(isMessage)) return [];
    const shown = withoutGone(list, options);
    return shown === list ? [] : [[key, shown] as const];
  });
  return changes.length === 0 ? value : copyObject(value, Object.fromEntries(changes));
}

/**
 * Returns true if the object's messages repeat the response. INVARIANT: if they differ and the caller has not named the
 * response's key, one of the two would be released unchecked.
 */
function repeatsResponse(value: PlainObject, key: string, text: string, options: ReadOptions): boolean {
  const given = value["messages"];
  if (!Array.isArray(given) || given.length === 0 || !given.every(isReadableMessage)) return false;
  const messages = given.map(toMessage);
  if (roleOf(messages.at(-1) as BaseMessage) !== "assistant") return false;
  if (readMessages(messages, { asked: options.asked }).text === text) {
    // Other messages of the list that never left are read with the other keys, and so are reasoning and calls of tools.
    const { text: whole, callers = [], listed } = readMessages(messages, options);
    return (
      whole === text && callers.length === 0 && listed?.fresh.every((message) => allReasoning(message) === "") === true
    );
  }
  if (options.outputKey !== undefined) return false;
  throw shapeError(`expected one answer, found both \`${key}\` and \`messages\``, value, "say which with `outputKey`");
}

/**
 * INVARIANT: no other key of the result quotes a replaced text, except for the user's own question.
 *
 * @param hidden - texts of the response; those without replacements were blocked
 */
function cleanObject(
  value: PlainObject,
  responseKey: string,
  hidden: readonly HiddenText[],
  { contextKey = "context", keepContext }: ReadOptions,
): PlainObject {
  const changes: Record<string, unknown> = {};
  const redactor = createRedactor(hidden);
  for (const [key, inner] of Object.entries(value)) {
    if (key === responseKey) continue;
    if (key === contextKey) {
      if (keepContext === true) continue;
      const isBlocked = hidden.every(({ replacement }) => replacement === undefined);
      const empty = Array.isArray(inner) ? [] : typeof inner === "string" ? "" : undefined;
      writeOwn(changes, key, isBlocked ? empty : redactEvidence(inner, redactor));
    } else {
      const isQuestion = QUESTION_KEYS.includes(key) && typeof inner === "string";
      const own = isQuestion ? createRedactor(hidden, { parts: false }) : redactor;
      writeOwn(changes, key, redactData(inner, own));
    }
  }
  return copyObject(value, changes);
}

/** The verdict, under the key named in the options. */
export function verdictEntry({ verdictKey }: ResponseOptions, verdict: GuardrailsMetadata): PlainObject {
  return verdictKey === undefined ? {} : { [verdictKey]: registerVerdict(verdict) };
}

/**
 * Copies an object of any class with changes.
 *
 * @param removable - keys that are removed if they have no value
 */
export function copyObject(value: PlainObject, changes: PlainObject, removable: readonly string[] = []): PlainObject {
  const entries = Object.entries({ ...value, ...changes });
  return copyWith(
    value,
    entries.filter(([key, inner]) => inner !== undefined || !removable.includes(key)),
  );
}

/**
 * Messages inside data, each read as one text. Messages that the caller sent or rails have reviewed are read as empty, and
 * so are system messages without knowledge of the call.
 */
export function messageAtoms({ known }: Pick<ReadOptions, "known"> = {}): Atoms {
  const isKnown = (message: BaseMessage): boolean =>
    (known === undefined && roleOf(message) === "system") ||
    registeredVerdict(message) !== undefined ||
    known?.isSent(message) === true ||
    known?.hasLeft(message) === true;
  return {
    is: isMessage,
    text: (value) => (isKnown(value as BaseMessage) ? "" : readableText(value as BaseMessage)),
    rewrite: (value, text) => rewrite(value as BaseMessage, text),
  };
}

/** Everything that a reader of the message may get to see, reasoning and calls of tools included. */
export function readableText(message: BaseMessage): string {
  if (roleOf(message) !== "assistant") return wholeText(message);
  return joinLines(textOfResponse(message), othersOf(message));
}

function othersOf(message: BaseMessage): string {
  return joinLines(allReasoning(message), callsOf(message));
}

function callsOf(message: BaseMessage): string {
  const calls = readToolCalls(message).map(({ name, args }) => ({ [name]: args }));
  return calls.length === 0 ? "" : readValue(calls).text;
}

/** A message with reasoning or tool calls loses all of them: the rewritten text does not show which remain. */
function rewrite(message: BaseMessage, text: string): BaseMessage {
  if (roleOf(message) !== "assistant") return rewriteWhole(message, text);
  const own = textOfResponse(message);
  const others = othersOf(message);
  return others === "" ? rewriteMessage(message, own, text) : stripMessage(message, splitOff(own, others, text).main);
}
