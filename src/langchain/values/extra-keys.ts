import { attempt, isPlain, visitParts } from "../../engine/walk.js";
import { splitLines } from "../../turn/extra-text.js";
import { textsIn, isPlainName } from "../../turn/redact-data.js";
import { type HiddenText, QUOTE_LENGTH } from "../../turn/redactor.js";
import { type Atoms, readValue, type ValueText } from "../structured/structured-text.js";
import { jsonText } from "../shape-error.js";
import type { PlainObject } from "./message-kinds.js";
import { pathOf, type UnseenPart } from "./unseen.js";

/** Entries of an object besides its main text, as texts for rails. */
export interface ExtraKeys {
  /** A line `path.of.keys: text` for each value; empty if there are none. */
  readonly text: string;
  /** Keys that were read. */
  readonly keys: readonly string[];
  /** Keys that cannot be read and may hold text. */
  readonly unreadKeys: readonly string[];
  readonly unseen: readonly UnseenPart[];
  /** New values of the keys whose lines a rail changed; undefined for a key whose lines no longer match it. */
  rewrite(text: string): PlainObject;
  /** Texts that a rail removed from these lines, each with its replacement, if any. */
  hidden(text: string): readonly HiddenText[];
  /** Short texts in the lines; as part of a longer text they are quotes of the lines. */
  quoted(): readonly string[];
}

/**
 * Reads the entries of an object that hold text, including keys. Messages have their own readers; entries of numbers
 * and booleans under plain names have no text.
 *
 * @param isKnown - selects keys that are read elsewhere
 * @param atoms - nested values that are read as one text
 */
export function readExtraKeys(value: PlainObject, isKnown: (key: string) => boolean, atoms?: Atoms): ExtraKeys {
  const parts = new Map<string, string>();
  const unreadKeys: string[] = [];
  const unseen: UnseenPart[] = [];
  for (const key of Object.keys(value)) {
    if (isKnown(key)) continue;
    const text = attempt(() => readValue({ [key]: value[key] }, isMeaningful, atoms).text);
    if (text === undefined) {
      const kind = unreadableKind(value[key]);
      if (kind === undefined) continue;
      unreadKeys.push(key);
      unseen.push({ path: pathOf([key]), kind });
    } else if (text !== "") parts.set(key, text);
  }
  const keys = [...parts.keys()];
  const changed = (text: string): readonly [string, ReturnType<ValueText["rewrite"]>][] => {
    const after = splitLines([...parts.values()], text);
    return keys.flatMap((key, index) => {
      const part = after?.[index];
      if (part === parts.get(key)) return [];
      if (part === undefined) return [[key, undefined]];
      return [[key, readValue({ [key]: value[key] }, isMeaningful, atoms).rewrite(part)]];
    });
  };
  return {
    text: [...parts.values()].join("\n"),
    keys,
    unreadKeys,
    unseen,
    rewrite: (text) =>
      Object.fromEntries(changed(text).map(([key, after]) => [key, (after?.value as PlainObject | undefined)?.[key]])),
    hidden: (text) =>
      changed(text).flatMap(([key, after]): readonly HiddenText[] =>
        after === undefined ? textsIn(value[key]).map((quoted) => ({ text: quoted })) : (after.changes ?? []),
      ),
    quoted: () =>
      keys
        .flatMap((key) => [...(isPlainName(key) ? [] : [key]), ...textsIn(value[key])])
        .filter(({ length }) => length < QUOTE_LENGTH)
        .slice(0, MAX_QUOTED),
  };
}

/** INVARIANT: data whose texts cannot be located has an unknown shape. */
function unreadableKind(value: unknown): string | undefined {
  let isPlain = true;
  const isWhole = visitParts(value, (part) => void (isPlain &&= isPlainValue(part)));
  // Plain data is unreadable only if it is too large.
  if (!isWhole || isPlain || attempt(() => jsonText(value, "the values of this key")) === undefined) {
    return "unreadable key";
  }
  return textsIn(value).length > 0 || hidesData(value) ? "key" : undefined;
}

/** Returns true for functions, and for objects whose class hides their data: promises, headers, responses. */
function hidesData(value: unknown): boolean {
  let isHidden = false;
  visitParts(value, (part) => {
    const isObject = typeof part === "object" && part !== null && !isPlain(part) && !ArrayBuffer.isView(part);
    isHidden ||= typeof part === "function" || (isObject && Object.keys(part).length === 0);
  });
  return isHidden;
}

function isPlainValue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return isPlain(value);
  return typeof value !== "function" && typeof value !== "symbol";
}

const MAX_QUOTED = 200;

/** The key of a graph's result for the interrupts at which it waits. */
export const INTERRUPT_KEY = "__interrupt__";

const INTERRUPT_ID = /^[\da-f-]{32,36}$/;

/**
 * Numbers and booleans under plain names carry no text; long numbers may be account or phone numbers. INVARIANT: rails do not
 * rewrite the id of an interrupt, by which the caller resumes it.
 */
export function isMeaningful(path: readonly string[], text: string): boolean {
  const [key, part] = path;
  if (key === INTERRUPT_KEY && part === "id" && path.length === 2 && INTERRUPT_ID.test(text)) return false;
  return path.some((key) => !isPlainName(key)) || !/^(?:|true|false|null|undefined|-?[\d.e+-]{1,5})$/.test(text);
}
