import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../runtime/decision.js";
import { extractText, replaceText } from "./content.js";
import { cloneMessage } from "./clone-message.js";
import { evidenceTexts } from "./evidence.js";
import { isMessage, isObject, type PlainObject, roleOf } from "./message-kinds.js";
import { carriesText, scrubText } from "./scrub.js";
import { shapeError } from "./shape-error.js";
import { answerKeyOf, isMessageList } from "./side.js";
import { withVerdict } from "./verdict.js";

/** An answer of any shape, with its text found and ways to give back the same shape with another text. */
export interface Answer {
  readonly value: unknown;
  readonly text: string;
  /** The question it answers, where the value tells. */
  readonly userText?: string | undefined;
  /** Evidence beside the answer. */
  readonly relevantChunks?: readonly string[] | undefined;
  /** The last message of the bot, when the answer is made of messages. */
  readonly message?: BaseMessage | undefined;
  /** The same shape with a rewritten text. */
  rewrite(text: string): unknown;
  /** The same shape with a refusal: nothing of the blocked answer stays. */
  refuse(refusal: string, verdict: GuardrailsMetadata): unknown;
  /** The same shape with the verdict on its message, where it has one. */
  mark(verdict: GuardrailsMetadata): unknown;
}

export interface AnswerOptions {
  readonly outputKey?: string | undefined;
  /** Key of the evidence; `context` unless told. */
  readonly contextKey?: string | undefined;
  /** Leave the evidence in a blocked object. Off by default. */
  readonly keepContext?: boolean | undefined;
  /** Add the verdict to objects under this key. */
  readonly verdictKey?: string | undefined;
}

const QUESTION_KEYS = ["question", "input", "query"] as const;
const MAX_NESTING = 8;
const REMEDY =
  "return a string, a message, a list of messages, or an object with an answer key (`answer`, `output`, `result`, `text`, " +
  "`messages`, or name yours with `outputKey`)";

/**
 * Reads the bot's side of a value.
 *
 * @throws InputShapeError for a shape whose text cannot be found: what cannot be read must not pass unreviewed
 */
export function readAnswer(value: unknown, options: AnswerOptions = {}): Answer {
  return read(value, options, 0);
}

function read(value: unknown, options: AnswerOptions, depth: number): Answer {
  if (typeof value === "string") return readString(value);
  if (isMessage(value)) return readMessage(value);
  if (isMessageList(value) && value.every(isMessage)) return readMessages(value);
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string")) {
    return readStrings(value);
  }
  if (isObject(value) && depth < MAX_NESTING) {
    const key = answerKeyOf(value, options) ?? (Array.isArray(value["messages"]) ? "messages" : undefined);
    if (key !== undefined) return readObject(value, key, options, depth);
  }
  throw shapeError("the answer cannot be read, so it cannot be checked", value, REMEDY);
}

function readString(value: string): Answer {
  return { value, text: value, rewrite: (text) => text, refuse: (refusal) => refusal, mark: () => value };
}

function readStrings(value: readonly string[]): Answer {
  return {
    value,
    text: value.join("\n"),
    rewrite: (text) => (text === value.join("\n") ? value : text.split("\n")),
    refuse: (refusal) => [refusal],
    mark: () => value,
  };
}

function readMessage(value: BaseMessage): Answer {
  if (roleOf(value) !== "assistant") throw shapeError("this message is no answer of the bot", value, REMEDY);
  const text = extractText(value);
  return {
    value,
    text,
    message: value,
    rewrite: (rewritten) => rewriteMessage(value, text, rewritten),
    refuse: (refusal, verdict) => refuseMessage(value, refusal, verdict),
    mark: (verdict) => withVerdict(value, verdict),
  };
}

function readMessages(value: readonly BaseMessage[]): Answer {
  const lastUser = value.findLastIndex((message) => roleOf(message) === "user");
  const answers = value.filter((message, index) => index > lastUser && roleOf(message) === "assistant");
  const last = answers.at(-1);
  if (last === undefined) throw shapeError("this list holds no answer of the bot", value, REMEDY);
  const spoken = answers.filter((message) => extractText(message) !== "");
  const text = spoken.map((message) => extractText(message)).join("\n");
  const question = value[lastUser];
  return {
    value,
    text,
    message: last,
    userText: question === undefined ? undefined : extractText(question),
    rewrite: (rewritten) =>
      rewritten === text ? value : rewriteAnswers(value, spoken.length > 0 ? spoken : [last], rewritten),
    // INVARIANT: what the bot and its tools said since the user's message goes as a whole.
    refuse: (refusal, verdict) => [...value.slice(0, lastUser + 1), refuseMessage(last, refusal, verdict)],
    mark: (verdict) => value.map((message) => (message === last ? withVerdict(message, verdict) : message)),
  };
}

function rewriteAnswers(value: readonly BaseMessage[], spoken: readonly BaseMessage[], text: string): BaseMessage[] {
  const originals = spoken.map((message) => extractText(message));
  const counts = originals.map((original) => original.split("\n").length);
  const lines = text.split("\n");
  const aligned = counts.reduce((sum, count) => sum + count, 0) === lines.length;
  const texts = new Map<BaseMessage, string>();
  let start = 0;
  for (const [index, message] of spoken.entries()) {
    const count = counts[index] ?? 0;
    texts.set(
      message,
      aligned ? lines.slice(start, start + count).join("\n") : index === spoken.length - 1 ? text : "",
    );
    start += count;
  }
  return value.map((message) => {
    const own = texts.get(message);
    return own === undefined ? message : rewriteMessage(message, extractText(message), own);
  });
}

function readObject(value: PlainObject, key: string, options: AnswerOptions, depth: number): Answer {
  const inner = read(value[key], { ...options, outputKey: undefined }, depth + 1);
  const contextKey = options.contextKey ?? "context";
  const questionKey = QUESTION_KEYS.find((candidate) => candidate !== key && typeof value[candidate] === "string");
  const withKey = (replacement: unknown, verdict?: GuardrailsMetadata): unknown => {
    const changes = { [key]: replacement, ...verdictEntry(options, verdict) };
    return replacement === value[key] && verdict === undefined ? value : copyObject(value, changes);
  };
  return {
    ...inner,
    value,
    userText: inner.userText ?? (questionKey === undefined ? undefined : (value[questionKey] as string)),
    relevantChunks: evidenceTexts(value[contextKey]) ?? inner.relevantChunks,
    rewrite: (text) =>
      text === inner.text
        ? value
        : cleanObject(value, { key, contextKey, text: inner.text, keep: true }, inner.rewrite(text)),
    refuse: (refusal, verdict) => {
      const where = { key, contextKey, text: inner.text, keep: options.keepContext ?? false };
      return copyObject(cleanObject(value, where, inner.refuse(refusal, verdict)), verdictEntry(options, verdict));
    },
    mark: (verdict) => withKey(inner.mark(verdict), options.verdictKey === undefined ? undefined : verdict),
  };
}

interface Place {
  readonly key: string;
  readonly contextKey: string;
  readonly text: string;
  /** Whether the evidence may stay. */
  readonly keep: boolean;
}

/** INVARIANT: besides the question, no key of the result carries the text that was replaced. */
function cleanObject(value: PlainObject, place: Place, replacement: unknown): PlainObject {
  const changes: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === place.key) changes[key] = replacement;
    else if (key === place.contextKey) changes[key] = place.keep ? inner : emptied(inner);
    else if ((QUESTION_KEYS as readonly string[]).includes(key) && typeof inner === "string") changes[key] = inner;
    else if (carriesText(inner, [place.text])) changes[key] = scrubText(inner, [place.text]);
  }
  return copyObject(value, changes);
}

function emptied(evidence: unknown): unknown {
  if (Array.isArray(evidence)) return [];
  return typeof evidence === "string" ? "" : undefined;
}

function verdictEntry(options: AnswerOptions, verdict: GuardrailsMetadata | undefined): Record<string, unknown> {
  return options.verdictKey === undefined || verdict === undefined ? {} : { [options.verdictKey]: verdict };
}

function copyObject(value: PlainObject, changes: Readonly<Record<string, unknown>>): PlainObject {
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as Record<string, unknown>;
  for (const [key, inner] of [...Object.entries(value), ...Object.entries(changes)]) {
    Object.defineProperty(copy, key, { value: inner, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

/** A message with another text. Copies of the old text that providers leave in the metadata are removed. */
export function rewriteMessage<M extends BaseMessage>(message: M, before: string, text: string): M {
  if (before === text) return message;
  const changed = replaceText(message, text);
  const texts = [before];
  return cloneMessage(changed, {
    additional_kwargs: scrubText(changed.additional_kwargs, texts) as BaseMessage["additional_kwargs"],
    response_metadata: scrubText(changed.response_metadata, texts) as BaseMessage["response_metadata"],
  });
}

/** The refusal in the class of the blocked message: its id and its cost stay, its content, tool calls and metadata go. */
export function refuseMessage<M extends BaseMessage>(message: M, refusal: string, verdict: GuardrailsMetadata): M {
  const empty = {
    content: refusal,
    additional_kwargs: {},
    response_metadata: { guardrails: verdict },
    usage_metadata: (message as { usage_metadata?: UsageMetadata }).usage_metadata,
    tool_calls: [],
    invalid_tool_calls: [],
    ...("tool_call_chunks" in message ? { tool_call_chunks: [] } : {}),
  };
  const copy = cloneMessage(message, empty);
  return Object.assign(copy, { lc_kwargs: { ...empty, ...(message.id === undefined ? {} : { id: message.id }) } });
}
