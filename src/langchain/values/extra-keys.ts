import { attempt, isPlain, visitParts } from "../../engine/walk.js";
import { splitLines } from "../../turn/extra-text.js";
import { textsIn, isPlainName } from "../../turn/redact-data.js";
import { type HiddenText, QUOTE_LENGTH } from "../../turn/redactor.js";
import { type Atoms, readValue, type ValueText } from "../structured/structured-text.js";
import { jsonText } from "../shape-error.js";
import type { PlainObject } from "./message-kinds.js";
import { pathOf, type UnseenPart } from "./unseen.js";

/** The entries of an object besides its main text, as texts for rails. */
export interface ExtraKeys {
  /** A line `path.of.keys: text` for each value; empty if there are none. */
  readonly text: string;
  /** The keys that were read. */
  readonly keys: readonly string[];
  /** Keys that cannot be read, and hold texts or may hold some. */
  readonly unreadKeys: readonly string[];
  readonly unseen: readonly UnseenPart[];
  /** New values of the keys whose lines a rail changed; undefined for a key whose lines do not fit it any more. */
  rewrite(text: string): PlainObject;
  /** Texts that a rail took out of these lines, each with its replacement, if it has one. */
  hidden(text: string): readonly HiddenText[];
  /** Short texts that the lines show; a part of a longer one is a quote of the lines themselves. */
  quoted(): readonly string[];
}

/**
 * Reads the entries of an object that hold texts, keys included. Messages have readers of their own, and an entry of
 * numbers and switches under plain names says nothing.
 *
 * @param isKnown - keys that are read elsewhere
 * @param atoms - values inside that are read as one text
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
        after === undefined ? textsIn(value[key]).map((each) => ({ text: each })) : (after.changes ?? []),
      ),
    quoted: () =>
      keys
        .flatMap((key) => [...(isPlainName(key) ? [] : [key]), ...textsIn(value[key])])
        .filter(({ length }) => length < QUOTE_LENGTH)
        .slice(0, MAX_QUOTED),
  };
}

/** INVARIANT: data whose texts cannot even be found is a shape that no reader knows. */
function unreadableKind(value: unknown): string | undefined {
  let isPlain = true;
  const isWhole = visitParts(value, (part) => void (isPlain &&= isPlainValue(part)));
  // Plain data is unreadable only because of its size.
  if (!isWhole || isPlain || attempt(() => jsonText(value, "the values of this key")) === undefined) {
    return "unreadable key";
  }
  return textsIn(value).length > 0 || hidesData(value) ? "key" : undefined;
}

/** Returns true for functions, and for objects of classes that show none of their data: promises, headers, responses. */
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

/** Numbers and switches under plain names say nothing; long numbers may be accounts or telephones. */
export function isMeaningful(path: readonly string[], text: string): boolean {
  return path.some((key) => !isPlainName(key)) || !/^(?:|true|false|null|undefined|-?[\d.e+-]{1,5})$/.test(text);
}
