import type { BaseMessage } from "@langchain/core/messages";
import { copyWith, isPlain } from "../../engine/walk.js";
import { type ExtraText, type ExtraTexts, splitOff } from "../../turn/extra-text.js";
import { withoutBlockedTurns } from "../verdict.js";
import { contextVariables, readGetters } from "./plain-object.js";
import { editEach, type EditMessage, isMessage, isObject, type PlainObject, roleOf } from "./message-kinds.js";
import { evidenceTexts, type EvidenceReader } from "./evidence.js";
import { messageAtoms } from "./read-response.js";
import { type ExtraKeys, readExtraKeys } from "./extra-keys.js";
import type { OptionTable } from "../../diagnostics/options.js";
import { pathOf, UNSEEN_OPTIONS, type UnseenOptions, type UnseenPart } from "./unseen.js";

/** The user's side of a value of any shape. */
export interface UserInput {
  readonly value: unknown;
  readonly messages: readonly BaseMessage[];
  /** Indexes of the unanswered messages of user and tools. */
  readonly pending: readonly number[];
  /** Keys of the value, besides the user's text, whose texts no rail reads. */
  readonly others?: readonly UnseenPart[];
  /** Extra lines that rails read with a pending text, by its index among those. */
  readonly extras?: ExtraTexts;
  /** Other lists of messages, such as a `chat_history`. */
  readonly histories: readonly (readonly BaseMessage[])[];
  /** Variables for flows: the other keys of the value as `$input`, and evidence as `$relevant_chunks`. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Returns the input with earlier messages edited; pending ones are left to their rails. */
  edited(edit: EditMessage): UserInput;
  /** Returns a value of the same type with the texts of the pending messages and their extra lines replaced. */
  rewrite(texts: readonly string[]): unknown;
  /** Returns the same with only these texts, without extra text that rails read. */
  refuse(texts: readonly string[]): unknown;
}

/** Options of surfaces that read a user's input. */
export interface InputOptions extends UnseenOptions {
  /** Key of the user's text in an input object. */
  readonly inputKey?: string | undefined;
  /** Keys of an input object that the application fills itself. Rails do not read them. */
  readonly trustedKeys?: readonly string[] | undefined;
}

export const INPUT_OPTIONS: OptionTable<InputOptions> = { ...UNSEEN_OPTIONS, inputKey: "text", trustedKeys: "names" };

export interface UserInputOptions extends Pick<InputOptions, "inputKey" | "trustedKeys"> {
  /** Key of evidence in an input object; without it, evidence is treated as other data. */
  readonly contextKey?: string | undefined;
  /** Rails that review the evidence, if there are any. */
  readonly evidence?: EvidenceReader | undefined;
  /** False for a graph's state, whose other channels belong to the application. Default: true. */
  readonly readsKeys?: boolean | undefined;
}

/** Common keys of the user's text in an object. */
export const TEXT_KEYS = ["input", "question", "query"] as const;

type Histories = readonly (readonly [string, readonly BaseMessage[]])[];

interface ObjectOptions extends UserInputOptions {
  readonly key: string;
  /** Texts of the pending messages. */
  readonly texts: readonly string[];
}

/**
 * The user's side of an object: a text or messages under one key, and other keys that rails read with the last text.
 */
export function readInputObject(original: PlainObject, options: ObjectOptions, inner: UserInput): UserInput {
  return build(readGetters(original), options, inner);
}

function build(value: PlainObject, options: ObjectOptions, inner: UserInput, edit?: EditMessage): UserInput {
  const { key } = options;
  const main = value[key];
  const histories = historiesOf(value, key);
  const twins = TEXT_KEYS.filter((name) => name !== key && typeof main === "string" && value[name] === main);
  const claimedKeys = new Set<string>([key, ...twins, ...histories.map(([name]) => name)]);
  const evidence = evidenceOf(value, options);
  const others = readExtraKeys(
    value,
    (name) => claimedKeys.has(name) || name === evidence?.key || options.trustedKeys?.includes(name) === true,
    messageAtoms(),
  );
  const at = inner.pending.findLastIndex((index) => roleOf(inner.messages[index] as BaseMessage) === "user");
  const isRead = options.readsKeys !== false && at >= 0 && others.text !== "";
  const variables = (changes: PlainObject): PlainObject =>
    variablesOf({ ...value, ...changes }, claimedKeys, options.contextKey);
  const lines: ExtraText | undefined = isRead
    ? {
        text: others.text,
        quoted: () => others.quoted(),
        take: (left) => {
          const { input = {} } = variables(others.rewrite(left));
          return { variables: { input }, hidden: others.hidden(left) };
        },
      }
    : undefined;
  const rebuild = (changed: unknown, changes: PlainObject, gone: readonly string[]): unknown => {
    const cleaned = { ...cleanHistories(histories, edit), ...changes };
    if (changed === main && Object.keys(cleaned).length === 0 && gone.length === 0) return value;
    const whole = { ...value, ...cleaned, ...Object.fromEntries([key, ...twins].map((name) => [name, changed])) };
    const kept = Object.entries(whole).filter(
      ([name, item]) => !gone.includes(name) && (item !== undefined || value[name] === undefined),
    );
    return copyWith(value, kept);
  };
  return {
    ...inner,
    value,
    histories: histories.map(([, list]) => list),
    others: [...unreadOf(value, others, isRead), ...(evidence?.unseen ?? [])],
    ...(lines === undefined ? {} : { extras: new Map([[at, lines]]) }),
    variables: variables({}),
    edited: (next) => {
      const both: EditMessage = edit === undefined ? next : (message) => next(edit(message));
      return build(value, options, inner.edited(next), both);
    },
    rewrite: (texts) => {
      const text = texts[at];
      if (lines === undefined || text === undefined) return rebuild(inner.rewrite(texts), {}, []);
      const after = splitOff(options.texts[at] ?? "", lines.text, text);
      const mains = texts.map((pendingText, index) => (index === at ? after.main : pendingText));
      return rebuild(inner.rewrite(mains), others.rewrite(after.others), []);
    },
    refuse: (texts) => rebuild(inner.refuse(texts), {}, isRead ? [...others.keys, ...others.unreadKeys] : []),
  };
}

/** Objects of the application's classes are passed on purpose; unreadable plain data is not. */
function unreadOf(value: PlainObject, { unseen, keys, unreadKeys }: ExtraKeys, isRead: boolean): readonly UnseenPart[] {
  const unread = unseen.map((part, index) => {
    const unreadValue = value[unreadKeys[index] ?? ""];
    return isObject(unreadValue) && !isPlain(unreadValue) ? { ...part, kind: "key" } : part;
  });
  return isRead ? unread : [...keys.map((key) => ({ path: pathOf([key]), kind: "key" })), ...unread];
}

/**
 * Key of evidence, which has its own rails: the named key, otherwise `context` if it holds documents. Reported as
 * unseen if no rail reviews it.
 */
function evidenceOf(value: PlainObject, { contextKey, evidence, readsKeys }: ObjectOptions) {
  const key = contextKey ?? "context";
  const held = value[key];
  const mayBeEvidence = contextKey !== undefined || (Array.isArray(held) && held.some(isObject));
  if (!mayBeEvidence || evidenceTexts(held) === undefined) return undefined;
  const isReviewed = readsKeys === false || (contextKey !== undefined && evidence === "reviewed");
  const unseen: readonly UnseenPart[] = isReviewed ? [] : [{ path: pathOf([key]), kind: "key" }];
  return { key, unseen };
}

/**
 * INVARIANT: no key of an input becomes an engine variable. Flows read them as fields of `$input`, without the user's
 * text, which they read as `$user_message` after its rails.
 */
function variablesOf(
  value: PlainObject,
  claimedKeys: ReadonlySet<string>,
  contextKey: string | undefined,
): PlainObject {
  const others = Object.entries(value).filter(([name]) => !claimedKeys.has(name));
  const input = contextVariables(Object.fromEntries(others));
  const evidence = contextKey === undefined ? undefined : evidenceTexts(value[contextKey]);
  return {
    ...(Object.keys(input).length === 0 ? {} : { input }),
    ...(evidence === undefined ? {} : { relevant_chunks: evidence.join("\n"), relevant_chunks_sep: [...evidence] }),
  };
}

function historiesOf(value: PlainObject, textKey: string): Histories {
  return Object.entries(value).flatMap(([key, list]) =>
    key !== textKey && Array.isArray(list) && list.length > 0 && list.every(isMessage) ? [[key, list] as const] : [],
  );
}

/** Histories without blocked content; only those that change. */
function cleanHistories(histories: Histories, edit: EditMessage | undefined): PlainObject {
  const entries = histories.flatMap(([key, list]) => {
    const cleaned = editEach(withoutBlockedTurns(list), list.length, edit);
    return cleaned === list ? [] : [[key, cleaned] as const];
  });
  return Object.fromEntries(entries);
}
