import { isEqual, keysOf, toKey } from "../values/compare.js";
import { toPythonText } from "../values/format.js";
import { defineFunction, type FunctionArguments, type FunctionDefinition } from "./function-definition.js";
import type { Runtime } from "../evaluate/runtime.js";
import { charactersOf, findAllText, findText, isSpace, stripText, textLength } from "../values/text.js";
import { describeType, isList, isMap, readOwn, toValue, type Value, type ValueMap } from "../values/value.js";

/*
 * The pure methods of values. The first argument of each is the value itself; the evaluator has checked its type.
 */

export const LOWER = defineFunction("lower", "", (runtime, [self]) =>
  changeCase(runtime, self, (text) => text.toLowerCase()),
);

export const UPPER = defineFunction("upper", "", (runtime, [self]) =>
  changeCase(runtime, self, (text) => text.toUpperCase()),
);

export const STRIP = stripMethod("strip", { left: true, right: true });

/** Every letter that does not follow a letter is a capital, all others are small. */
const TITLE = defineFunction("title", "", (runtime, [self]) =>
  changeCase(runtime, self, (text) => {
    runtime.chargeEntries(text.length);
    return text.toLowerCase().replace(/\p{L}+/gu, (word) => {
      const first = String.fromCodePoint(word.codePointAt(0) ?? 0);
      return first.toUpperCase() + word.slice(first.length);
    });
  }),
);

/** A change by which a character becomes three at most. */
function changeCase(runtime: Runtime, self: FunctionArguments[number], change: (text: string) => string): string {
  const text = textOf(self);
  runtime.chargeCharacters(text.length);
  const changed = change(text);
  runtime.checkText(changed.length);
  return changed;
}

function stripMethod(name: string, sides: { left: boolean; right: boolean }): FunctionDefinition {
  return defineFunction(name, "characters?", (runtime, [self, characters]) => {
    const text = textOf(self);
    if (characters === undefined || characters === null) return stripText(runtime, text, sides, isSpace);
    const given = textArgument(runtime, name, characters);
    runtime.chargeEntries(given.length);
    const removed = new Set(given);
    return stripText(runtime, text, sides, (character) => removed.has(character));
  });
}

const STARTS_WITH = affixMethod("startswith", (text, affix) => text.startsWith(affix));

const ENDS_WITH = affixMethod("endswith", (text, affix) => text.endsWith(affix));

/** The affix may be a list, of which any may fit. */
function affixMethod(name: string, hasAffix: (text: string, affix: string) => boolean): FunctionDefinition {
  return defineFunction(name, "affix", (runtime, [self, affix]) => {
    const affixes = affix !== undefined && isList(affix) ? affix : [affix ?? null];
    runtime.chargeItems(affixes.length);
    return affixes.some((one) => {
      const text = textArgument(runtime, name, toValue(one));
      runtime.chargeCharacters(text.length);
      return hasAffix(textOf(self), text);
    });
  });
}

export const REPLACE = defineFunction("replace", "old, new, count?", (runtime, [self, old, by, count]) => {
  const text = textOf(self);
  const wanted = textArgument(runtime, "replace", old);
  const replacement = textArgument(runtime, "replace", by);
  const maximum = countArgument(runtime, "replace", count);
  if (wanted === "") return insertEverywhere(runtime, text, replacement, maximum);
  const found = findAllText(runtime, text, wanted, maximum);
  if (found.length === 0) return text;
  runtime.checkText(text.length + found.length * (replacement.length - wanted.length));
  const pieces: string[] = [];
  let from = 0;
  for (const at of found) {
    pieces.push(text.slice(from, at));
    from = at + wanted.length;
  }
  pieces.push(text.slice(from));
  return pieces.join(replacement);
});

/** Replacing the empty text puts the new one before every character and at the end. */
function insertEverywhere(runtime: Runtime, text: string, inserted: string, maximum: number): string {
  const characters = charactersOf(runtime, text);
  const insertions = Math.min(characters.length + 1, maximum);
  runtime.checkText(text.length + insertions * inserted.length);
  const pieces = characters.map((character, at) => (at < insertions ? inserted + character : character));
  if (insertions > characters.length) pieces.push(inserted);
  return pieces.join("");
}

const SPLIT = defineFunction("split", "sep?, maxsplit?", (runtime, [self, separator, count]) => {
  const text = textOf(self);
  const maximum = countArgument(runtime, "split", count);
  if (separator === undefined || separator === null) return splitAtBlanks(runtime, text, maximum);
  const wanted = textArgument(runtime, "split", separator);
  if (wanted === "") return runtime.fail("`split` needs a separator that is not empty");
  const found = findAllText(runtime, text, wanted, Math.min(maximum, runtime.limits.listLength + 1));
  runtime.checkList(found.length + 1);
  const parts: string[] = [];
  let from = 0;
  for (const at of found) {
    parts.push(text.slice(from, at));
    from = at + wanted.length;
  }
  parts.push(text.slice(from));
  return parts;
});

function splitAtBlanks(runtime: Runtime, text: string, maximum: number): readonly string[] {
  runtime.chargeCharacters(text.length);
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isSpace(text.charAt(at))) at += 1;
    if (at >= text.length) break;
    if (parts.length > runtime.limits.listLength) runtime.checkList(parts.length);
    if (parts.length >= maximum) {
      parts.push(text.slice(at));
      break;
    }
    const start = at;
    while (at < text.length && !isSpace(text.charAt(at))) at += 1;
    parts.push(text.slice(start, at));
  }
  runtime.checkList(parts.length);
  return parts;
}

const JOIN = defineFunction("join", "items", (runtime, [self, items]) => {
  const separator = textOf(self);
  const given = items ?? null;
  if (typeof given === "string") return joinTexts(runtime, charactersOf(runtime, given), separator);
  if (isMap(given)) return joinTexts(runtime, keysOf(runtime, given), separator);
  if (!isList(given)) return runtime.fail(`\`join\` needs a list, not ${describeType(given)}`);
  return joinTexts(runtime, given, separator);
});

function joinTexts(runtime: Runtime, items: readonly Value[], separator: string): string {
  runtime.chargeEntries(items.length);
  let length = Math.max(0, items.length - 1) * separator.length;
  const texts = items.map((raw) => {
    const item = toValue(raw);
    if (typeof item !== "string") return runtime.fail(`\`join\` needs strings, not ${describeType(item)}`);
    length += item.length;
    return item;
  });
  runtime.checkText(length);
  return texts.join(separator);
}

const FIND = defineFunction("find", "text", (runtime, [self, wanted]) => {
  const text = textOf(self);
  const at = findText(runtime, text, textArgument(runtime, "find", wanted));
  return at <= 0 ? at : textLength(runtime, text.slice(0, at));
});

const COUNT_TEXT = defineFunction("count", "text", (runtime, [self, wanted]) => {
  const text = textOf(self);
  const counted = textArgument(runtime, "count", wanted);
  return counted === "" ? textLength(runtime, text) + 1 : findAllText(runtime, text, counted).length;
});

const DIGITS = /^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]+$/u;

const IS_DIGIT = defineFunction("isdigit", "", (runtime, [self]) => {
  runtime.chargeCharacters(textOf(self).length);
  return DIGITS.test(textOf(self));
});

const GET = defineFunction("get", "key, default?", (runtime, [self, key, otherwise]) => {
  const name = toKey(key ?? null);
  if (name === undefined) return runtime.fail(`${describeType(key ?? null)} cannot be a key`);
  const value = readOwn(mapOf(self), name);
  return value === undefined ? (otherwise ?? null) : value;
});

const KEYS = defineFunction("keys", "", (runtime, [self]) => entriesOf(runtime, self).map(([key]) => key));

const VALUES = defineFunction("values", "", (runtime, [self]) =>
  entriesOf(runtime, self).map(([, value]) => toValue(value)),
);

const ITEMS = defineFunction("items", "", (runtime, [self]) =>
  entriesOf(runtime, self).map(([key, value]) => [key, toValue(value)]),
);

function entriesOf(runtime: Runtime, self: Value | undefined): readonly (readonly [string, Value])[] {
  const keys = keysOf(runtime, mapOf(self));
  runtime.checkList(keys.length);
  return keys.map((key) => [key, readOwn(mapOf(self), key) ?? null]);
}

const INDEX = defineFunction("index", "item", (runtime, [self, item]) => {
  const at = findItems(runtime, self, item)[0];
  return at ?? runtime.fail(`\`${toPythonText(item ?? null, runtime).slice(0, 40)}\` is not in the list`);
});

const COUNT_ITEMS = defineFunction("count", "item", (runtime, [self, item]) => findItems(runtime, self, item).length);

function findItems(runtime: Runtime, self: Value | undefined, item: Value | undefined): readonly number[] {
  const list = self as readonly Value[];
  runtime.chargeItems(list.length);
  const found: number[] = [];
  for (let at = 0; at < list.length; at += 1) {
    if (isEqual(runtime, toValue(list[at]), item ?? null)) found.push(at);
  }
  return found;
}

// INVARIANT: the evaluator calls a method only on a value of the type whose table it was found in.
function textOf(self: FunctionArguments[number]): string {
  return self as string;
}

function mapOf(self: FunctionArguments[number]): ValueMap {
  return self as ValueMap;
}

function textArgument(runtime: Runtime, name: string, value: Value | undefined): string {
  return typeof value === "string"
    ? value
    : runtime.fail(`\`${name}\` needs a string, not ${describeType(value ?? null)}`);
}

/** How often at most; left out or negative means always. */
function countArgument(runtime: Runtime, name: string, value: Value | undefined): number {
  if (value === undefined || value === null) return Number.POSITIVE_INFINITY;
  if (typeof value !== "number" || !Number.isInteger(value))
    return runtime.fail(`\`${name}\` needs a whole number as count`);
  return value < 0 ? Number.POSITIVE_INFINITY : value;
}

export const STRING_METHODS: readonly FunctionDefinition[] = [
  LOWER,
  UPPER,
  STRIP,
  stripMethod("lstrip", { left: true, right: false }),
  stripMethod("rstrip", { left: false, right: true }),
  STARTS_WITH,
  ENDS_WITH,
  REPLACE,
  SPLIT,
  JOIN,
  FIND,
  COUNT_TEXT,
  TITLE,
  IS_DIGIT,
];

export const MAP_METHODS: readonly FunctionDefinition[] = [GET, KEYS, VALUES, ITEMS];

export const LIST_METHODS: readonly FunctionDefinition[] = [INDEX, COUNT_ITEMS];
