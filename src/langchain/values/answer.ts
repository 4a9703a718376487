import type { OptionTable } from "../../diagnostics/options.js";
import type { BaseMessage } from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { ChunkSource } from "../../turn/result.js";
import { redactData, textsIn } from "../../turn/redact-data.js";
import { createRedactor, type HiddenText } from "../../turn/redactor.js";
import { unseenInMessage, wholeText } from "./beside-message.js";
import { distributeText, extractText } from "./content.js";
import { answerInData } from "./answer-data.js";
import { type EvidenceReader, evidenceSources, evidenceTexts, redactEvidence } from "./evidence.js";
import { isMessage, isMessageData, isObject, type PlainObject, roleOf, toMessage } from "./message-kinds.js";
import { refuseMessage, releaseMessage, rewriteMessage, strayText, textBeside } from "./answer-message.js";
import { ownVerdict, ownVerdictOf, withoutForeignKey, withoutForeignVerdict } from "./own-verdict.js";
import { reasoningText, rewriteReasoning } from "./reasoning.js";
import { joinLines, splitOff } from "../../turn/lines.js";
import { shapeError } from "../shape-error.js";
import { readToolCalls } from "../tool-calls.js";
import { answerKeyOf, isMessageList } from "./side.js";
import { copyPlain } from "./copy-plain.js";
import { readOtherKeys } from "./other-keys.js";
import { settleGetters } from "./settle-getters.js";
import { pathOf, type UnseenPart } from "./unseen.js";

/** An answer of any shape, with its text found and ways to give back the same shape with another text. */
export interface Answer {
  readonly value: unknown;
  readonly text: string;
  /** The text without that of other keys beside it, if there are any. */
  readonly mainText?: string | undefined;
  /** The question it answers, where the value tells. */
  readonly userText?: string | undefined;
  /** Evidence beside the answer. */
  readonly relevantChunks?: readonly string[] | undefined;
  /** Where each of them comes from. */
  readonly sources?: readonly ChunkSource[] | undefined;
  /** The last message of the bot, when the answer is made of messages. */
  readonly message?: BaseMessage | undefined;
  /** The messages of it that ask for tools which have not run, with their places in a list of messages. */
  readonly callers?: readonly Caller[] | undefined;
  /** The parts that rails looked at, when they looked at it part by part. */
  readonly parts?: readonly string[] | undefined;
  /** The parts that no rail can read; absent for answers that are only text. */
  readonly unseen?: (() => readonly UnseenPart[]) | undefined;
  /** What the model thought, as far as anyone can read it; empty for most answers. */
  reasoning(): string;
  /** The same answer with other thoughts, or without any. */
  think(reasoning: string): Answer;
  /** The same shape with a rewritten text. */
  rewrite(text: string): unknown;
  /** The same shape with a refusal: nothing of the blocked answer stays. */
  refuse(refusal: string, verdict: GuardrailsMetadata): unknown;
  /** The same shape as it leaves: with the verdict on its message, and without what no rail has seen. */
  mark(verdict: GuardrailsMetadata): unknown;
}

/** A message that asks for tools; without a place it is the answer itself. */
export interface Caller {
  readonly message: BaseMessage;
  readonly index?: number | undefined;
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

export const ANSWER_OPTIONS: OptionTable<AnswerOptions> = {
  outputKey: "text",
  contextKey: "text",
  keepContext: "boolean",
  verdictKey: "text",
};

/** What the reader knows about the call besides. */
export interface ReadOptions extends AnswerOptions {
  /** Rails that have reviewed the evidence, or compare the answer with it; without any it is read with the answer. */
  readonly evidence?: EvidenceReader | undefined;
  /** The object that the call was given; its entries that come back unchanged are the user's own. */
  readonly input?: unknown;
  /** What the user said; where it stands in a list, the answer begins. Without it that is the last message of a user. */
  readonly asked?: readonly string[] | undefined;
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
export function readAnswer(value: unknown, options: ReadOptions = {}): Answer {
  return read(value, options, 0);
}

function read(value: unknown, options: ReadOptions, depth: number): Answer {
  if (typeof value === "string") return readString(value);
  if (isMessage(value)) return readMessage(value);
  if (isMessageList(value) && value.every(isMessage)) return readMessages(value, options.asked);
  if (isDataList(value)) {
    const messages = value.map(toMessage);
    return answerInData(value, messages, readMessages(messages, options.asked));
  }
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string")) {
    return readStrings(value);
  }
  if (isObject(value) && depth < MAX_NESTING) {
    const key = answerKeyOf(value, options) ?? (Array.isArray(value["messages"]) ? "messages" : undefined);
    if (key !== undefined) return readObject(value, key, options, depth);
  }
  throw shapeError("the answer cannot be read, so it cannot be checked", value, REMEDY);
}

function isReadable(value: unknown): boolean {
  return isMessage(value) || isMessageData(value);
}

function isDataList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isReadable);
}

function readString(value: string): Answer {
  const answer: Answer = {
    value,
    text: value,
    reasoning: () => "",
    think: () => answer,
    rewrite: (text) => text,
    refuse: (refusal) => refusal,
    mark: () => value,
  };
  return answer;
}

function readStrings(value: readonly string[]): Answer {
  const answer: Answer = {
    value,
    text: value.join("\n"),
    reasoning: () => "",
    think: () => answer,
    rewrite: (text) => (text === value.join("\n") ? value : text.split("\n")),
    refuse: (refusal) => [refusal],
    mark: () => value,
  };
  return answer;
}

function readMessage(value: BaseMessage): Answer {
  if (roleOf(value) !== "assistant") throw shapeError("this message is no answer of the bot", value, REMEDY);
  const mainText = ownTextOf(value);
  const text = joinLines(mainText, textBeside(value, mainText));
  return {
    value,
    text,
    ...(text === mainText ? {} : { mainText }),
    message: value,
    callers: [{ message: value }],
    unseen: () => unseenInMessage(value),
    reasoning: () => reasoningText(value),
    think: (reasoning) => readMessage(rewriteReasoning(value, reasoning)),
    rewrite: (rewritten) => rewriteMessage(value, text, rewritten),
    refuse: (refusal, verdict) => refuseMessage(value, refusal, verdict),
    mark: (verdict) => releaseMessage(value, verdict),
  };
}

/** All that a reader of the message may get to see, wherever the provider put it. */
export function textOfAnswer(message: BaseMessage): string {
  const own = ownTextOf(message);
  return joinLines(own, textBeside(message, own));
}

/** The same without quotations and what providers tell beside the answer. */
export function ownTextOf(message: BaseMessage): string {
  const text = extractText(message);
  return joinLines(text, strayText(message, text));
}

function readMessages(value: readonly BaseMessage[], asked?: readonly string[]): Answer {
  // INVARIANT: a message of a user that the caller never sent does not end the answer before it.
  const lastUser = value.findLastIndex(
    (message) => roleOf(message) === "user" && (asked === undefined || asked.includes(wholeText(message))),
  );
  const answers = value.filter((message, index) => index > lastUser && roleOf(message) === "assistant");
  const last = answers.at(-1);
  if (last === undefined) throw shapeError("this list holds no answer of the bot", value, REMEDY);
  const spoken = value.filter(
    (message, index) =>
      index > lastUser && (answers.includes(message) || isUnreviewedResult(message)) && textOfAnswer(message) !== "",
  );
  const text = spoken.map((message) => textOfAnswer(message)).join("\n");
  const question = value[lastUser];
  return {
    value,
    text,
    message: last,
    callers: value.flatMap((message, index) =>
      answers.includes(message) && awaits(message, value) ? [{ message, index }] : [],
    ),
    userText: question === undefined ? undefined : extractText(question),
    unseen: () =>
      value.flatMap((message, index) => (index > lastUser ? unseenInMessage(message, `messages[${index}]`) : [])),
    reasoning: () => answers.map((message) => reasoningText(message)).join(""),
    think: (reasoning) => readMessages(rethinkAnswers(value, answers, reasoning), asked),
    rewrite: (rewritten) =>
      rewritten === text ? value : rewriteAnswers(value, spoken.length > 0 ? spoken : [last], rewritten),
    // INVARIANT: what the bot and its tools said since the user's message goes as a whole.
    refuse: (refusal, verdict) => [...value.slice(0, lastUser + 1), refuseMessage(last, refusal, verdict)],
    mark: (verdict) =>
      value.map((message, index) => {
        if (message === last) return releaseMessage(message, verdict);
        if (answers.includes(message)) return releaseMessage(message, verdict, false);
        return index > lastUser ? withoutForeignVerdict(message) : message;
      }),
  };
}

/** INVARIANT: a result of a tool that no rail of ours has reviewed leaves with the list, so output rails read it. */
function isUnreviewedResult(message: BaseMessage): boolean {
  return roleOf(message) === "tool" && ownVerdictOf(message) === undefined;
}

/** Whether a message asks for a tool whose result is not in the list. */
function awaits(message: BaseMessage, value: readonly BaseMessage[]): boolean {
  const done = new Set(value.map((each) => (each as { tool_call_id?: unknown }).tool_call_id));
  return readToolCalls(message).some(({ id }) => id === undefined || !done.has(id));
}

/** Each message keeps its own thoughts where these can be told apart; otherwise the first one gets all of them. */
function rethinkAnswers(
  value: readonly BaseMessage[],
  answers: readonly BaseMessage[],
  reasoning: string,
): BaseMessage[] {
  const before = answers.map((message) => reasoningText(message));
  const after = distributeText(before, "", reasoning);
  return value.map((message) => {
    const index = answers.indexOf(message);
    return index < 0 ? message : rewriteReasoning(message, after[index] ?? "");
  });
}

function rewriteAnswers(value: readonly BaseMessage[], spoken: readonly BaseMessage[], text: string): BaseMessage[] {
  const originals = spoken.map((message) => textOfAnswer(message));
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
    return own === undefined ? message : rewriteMessage(message, textOfAnswer(message), own);
  });
}

function readObject(given: PlainObject, key: string, options: ReadOptions, depth: number): Answer {
  const value = withoutForeignKey(settleGetters(given), options.verdictKey, (kept) => copyPlain(given, kept));
  const inner = read(value[key], { ...options, outputKey: undefined }, depth + 1);
  if (key !== "messages" && options.outputKey === undefined) requireOneAnswer(value, key, inner.text, options);
  const contextKey = options.contextKey ?? "context";
  const questionKey = QUESTION_KEYS.find((candidate) => candidate !== key && typeof value[candidate] === "string");
  const place = { key, contextKey, keep: options.keepContext ?? false };
  const withKey = (replacement: unknown, verdict?: GuardrailsMetadata): unknown => {
    const changes = { [key]: replacement, ...verdictEntry(options, verdict) };
    return replacement === value[key] && verdict === undefined ? value : copyObject(value, changes);
  };
  const hasEvidence = evidenceTexts(value[contextKey]) !== undefined;
  const isApart = hasEvidence && options.evidence !== undefined;
  const others = readOtherKeys(
    value,
    (name) =>
      [key, questionKey, options.verdictKey].includes(name) ||
      value[name] === value[key] ||
      (isObject(options.input) && options.input[name] === value[name]) ||
      (name === contextKey && isApart) ||
      (Array.isArray(value[name]) && value[name].every(isReadable)),
  );
  const text = joinLines(inner.text, others.text);
  const unread: readonly UnseenPart[] =
    hasEvidence && options.evidence === "compared" ? [{ path: pathOf("", [contextKey]), kind: "key" }] : [];
  return {
    ...inner,
    value,
    text,
    ...(others.text === "" ? {} : { mainText: inner.mainText ?? inner.text }),
    unseen: () => [...(inner.unseen?.() ?? []), ...others.unseen, ...unread],
    userText: inner.userText ?? (questionKey === undefined ? undefined : (value[questionKey] as string)),
    relevantChunks: evidenceTexts(value[contextKey]) ?? inner.relevantChunks,
    sources: evidenceSources(value[contextKey]) ?? inner.sources,
    think: (reasoning) =>
      reasoning === inner.reasoning()
        ? readObject(value, key, options, depth)
        : readObject(copyObject(value, { [key]: inner.think(reasoning).value }), key, options, depth),
    rewrite: (changed) => {
      if (changed === text) return value;
      const after = splitOff(inner.text, others.text, changed);
      const hidden = [
        { text: inner.text, replacement: after.main },
        { text: others.text, replacement: after.others },
      ];
      const rewritten = copyObject(value, others.rewrite(after.others));
      return withoutUndefined(cleanObject(rewritten, { ...place, hidden }, inner.rewrite(after.main)), others.keys);
    },
    refuse: (refusal, verdict) => {
      const hidden = [{ text: inner.text }, ...others.keys.flatMap((name) => textsIn(value[name])).map(hide)];
      const refused = cleanObject(value, { ...place, hidden }, inner.refuse(refusal, verdict));
      // INVARIANT: rails read these keys with the answer, so a block may be about any of them.
      const gone = [...others.keys, ...others.unreadKeys].filter((name) => name !== contextKey || !hasEvidence);
      const kept = withoutUndefined(
        copyObject(refused, Object.fromEntries(gone.map((name) => [name, undefined]))),
        gone,
      );
      return copyObject(kept, verdictEntry(options, verdict));
    },
    mark: (verdict) => withKey(inner.mark(verdict), options.verdictKey === undefined ? undefined : verdict),
  };
}

function hide(text: string): HiddenText {
  return { text };
}

/** The object without those of these keys that have no value. */
function withoutUndefined(value: PlainObject, keys: readonly string[]): PlainObject {
  const entries = Object.entries(value).filter(([key, inner]) => inner !== undefined || !keys.includes(key));
  return copyPlain(value, Object.fromEntries(entries));
}

/** INVARIANT: where messages say something else than the answer key, one of the two would leave unchecked. */
function requireOneAnswer(value: PlainObject, key: string, text: string, options: ReadOptions): void {
  const given = value["messages"];
  if (!Array.isArray(given) || given.length === 0 || !given.every(isReadable)) return;
  const messages = given.map(toMessage);
  if (roleOf(messages.at(-1) as BaseMessage) !== "assistant") return;
  if (readMessages(messages, options.asked).text === text) return;
  throw shapeError(`\`${key}\` and \`messages\` could both be the answer`, value, "say which with `outputKey`");
}

interface Place {
  readonly key: string;
  readonly contextKey: string;
  /** Leave the evidence as it is. */
  readonly keep: boolean;
  /** The texts of the answer; without replacements, they were blocked. */
  readonly hidden: readonly HiddenText[];
}

/** INVARIANT: no key of the result quotes a text that was replaced, unless it is the user's own question. */
function cleanObject(value: PlainObject, place: Place, replacement: unknown): PlainObject {
  const { hidden } = place;
  const changes: Record<string, unknown> = {};
  const redactor = createRedactor(hidden);
  for (const [key, inner] of Object.entries(value)) {
    if (key === place.key) changes[key] = replacement;
    else if (key === place.contextKey) {
      if (place.keep) continue;
      changes[key] = hidden.every(({ replacement: left }) => left === undefined)
        ? emptied(inner)
        : redactEvidence(inner, redactor);
    } else {
      const isQuestion = (QUESTION_KEYS as readonly string[]).includes(key) && typeof inner === "string";
      const own = isQuestion ? createRedactor(hidden, { parts: false }) : redactor;
      changes[key] = redactData(inner, own);
    }
  }
  return copyObject(value, changes);
}

function emptied(evidence: unknown): unknown {
  if (Array.isArray(evidence)) return [];
  return typeof evidence === "string" ? "" : undefined;
}

function verdictEntry(options: AnswerOptions, verdict: GuardrailsMetadata | undefined): Record<string, unknown> {
  return options.verdictKey === undefined || verdict === undefined ? {} : { [options.verdictKey]: ownVerdict(verdict) };
}

function copyObject(value: PlainObject, changes: Readonly<Record<string, unknown>>): PlainObject {
  return copyPlain(value, { ...value, ...changes });
}
