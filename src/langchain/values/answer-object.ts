import type { BaseMessage } from "@langchain/core/messages";
import { copyWith } from "../../engine/walk.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { joinLines, splitOff } from "../../turn/lines.js";
import { redactData, textsIn } from "../../turn/redact-data.js";
import { createRedactor, type HiddenText } from "../../turn/redactor.js";
import { shapeError } from "../shape-error.js";
import type { Answer, AnswerOptions, ReadOptions } from "./answer.js";
import { readMessages } from "./answer-messages.js";
import { readGetters } from "./plain-object.js";
import { evidenceSources, evidenceTexts, redactEvidence } from "./evidence.js";
import { isReadableMessage, isObject, type PlainObject, roleOf, toMessage } from "./message-kinds.js";
import { messageAtoms } from "./message-atoms.js";
import { readExtraKeys } from "./extra-keys.js";
import { registerVerdict, withoutForeignKey } from "./registered-verdict.js";
import { pathOf, type UnseenPart } from "./unseen.js";

const QUESTION_KEYS = ["question", "input", "query"] as const;

/** Reads the value under the key of an answer. */
export type ReadInner = (value: unknown) => Answer;

/** Reads an object whose answer stands under a key; rails read its other keys with the answer. */
export function readObject(given: PlainObject, key: string, options: ReadOptions, read: ReadInner): Answer {
  const value = withoutForeignKey(readGetters(given), options.verdictKey, (kept) =>
    copyWith(given, Object.entries(kept)),
  );
  const inner = read(value[key]);
  const isMirrored = key !== "messages" && repeatsAnswer(value, key, inner.text, options);
  const contextKey = options.contextKey ?? "context";
  const questionKey = QUESTION_KEYS.find((candidate) => candidate !== key && typeof value[candidate] === "string");
  const place = { key, contextKey, keep: options.keepContext ?? false };
  const withKey = (replacement: unknown, verdict?: GuardrailsMetadata): unknown => {
    const changes = { [key]: replacement, ...verdictEntry(options, verdict) };
    return replacement === value[key] && verdict === undefined ? value : copyObject(value, changes);
  };
  const hasEvidence = evidenceTexts(value[contextKey]) !== undefined;
  const isApart = hasEvidence && options.evidence !== undefined;
  const others = readExtraKeys(
    value,
    (name) =>
      [key, questionKey, options.verdictKey].includes(name) ||
      value[name] === value[key] ||
      (isObject(options.input) && options.input[name] === value[name]) ||
      (name === contextKey && isApart) ||
      (name === "messages" && isMirrored),
    messageAtoms(options),
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
  return copyWith(value, entries);
}

/**
 * Returns true if the object's messages repeat the answer. INVARIANT: if they differ, and the caller has not named the
 * key of the answer, one of the two would leave unchecked.
 */
function repeatsAnswer(value: PlainObject, key: string, text: string, options: ReadOptions): boolean {
  const given = value["messages"];
  if (!Array.isArray(given) || given.length === 0 || !given.every(isReadableMessage)) return false;
  const messages = given.map(toMessage);
  if (roleOf(messages.at(-1) as BaseMessage) !== "assistant") return false;
  if (readMessages(messages, options.asked).text === text) return true;
  if (options.outputKey !== undefined) return false;
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
  return options.verdictKey === undefined || verdict === undefined
    ? {}
    : { [options.verdictKey]: registerVerdict(verdict) };
}

function copyObject(value: PlainObject, changes: Readonly<Record<string, unknown>>): PlainObject {
  return copyWith(value, Object.entries({ ...value, ...changes }));
}
