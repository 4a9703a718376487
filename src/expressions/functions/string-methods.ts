import type { Runtime } from "../evaluate/runtime.js";
import { keysOf } from "../values/compare.js";
import { charactersOf, findAllText, isSpace, stripText } from "../values/text.js";
import { describeType, isList, isMap, isTruthy, toValue, type Value } from "../values/value.js";
import { defineMethod, type FunctionDefinition } from "./function-definition.js";
import { deferPattern } from "../../diagnostics/defer-pattern.js";
import { textArgument } from "./string-arguments.js";
import { STRING_SEARCH_METHODS } from "./string-search-methods.js";
import { STRING_SHAPE_METHODS } from "./string-shape-methods.js";

/* The methods of texts. They are pure. */

export const LOWER = defineMethod<string>("lower", "", (runtime, text) =>
  changeCase(runtime, text, () => text.toLowerCase()),
);

export const UPPER = defineMethod<string>("upper", "", (runtime, text) =>
  changeCase(runtime, text, () => text.toUpperCase()),
);

export const CAPITALIZE = defineMethod<string>("capitalize", "", (runtime, text) =>
  changeCase(runtime, text, () => upperFirst(text) + text.slice(firstLength(text)).toLowerCase()),
);

function firstLength(text: string): number {
  return (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
}

/** Returns the first character as a capital; one with a capital of several letters becomes `Ss`, not `SS`. */
function upperFirst(text: string): string {
  const capital = text.slice(0, firstLength(text)).toUpperCase();
  return capital.slice(0, firstLength(capital)) + capital.slice(firstLength(capital)).toLowerCase();
}

/** Transforms a text in which a character becomes at most three. */
function changeCase(runtime: Runtime, text: string, change: () => string): string {
  runtime.chargeCharacters(text.length);
  const changed = change();
  runtime.checkText(changed.length);
  return changed;
}

export const STRIP = stripMethod("strip", { left: true, right: true });

function stripMethod(name: string, sides: { left: boolean; right: boolean }): FunctionDefinition {
  return defineMethod<string>(name, "characters?", (runtime, text, [characters = null]) => {
    if (characters === null) return stripText(runtime, text, sides, isSpace);
    const given = textArgument(runtime, name, characters);
    runtime.chargeEntries(given.length);
    const removed = new Set(given);
    return stripText(runtime, text, sides, (character) => removed.has(character));
  });
}

export const REPLACE = defineMethod<string>("replace", "old, new, count?", (runtime, text, [old, by, count]) => {
  const wanted = textArgument(runtime, "replace", old);
  const replacement = textArgument(runtime, "replace", by);
  const maximum = countArgument(runtime, "replace", count);
  if (wanted === "") return insertEverywhere(runtime, text, replacement, maximum);
  const found = findAllText(runtime, text, wanted, maximum);
  if (found.length === 0) return text;
  runtime.checkText(text.length + found.length * (replacement.length - wanted.length));
  return cutAt(text, found, wanted.length).join(replacement);
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

/** Returns the pieces between separators of this length at these places. */
function cutAt(text: string, places: readonly number[], length: number): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const at of places) {
    pieces.push(text.slice(from, at));
    from = at + length;
  }
  return [...pieces, text.slice(from)];
}

/** Counts separators from the start, or from the end. */
function splitMethod(name: string, isFromEnd: boolean): FunctionDefinition {
  return defineMethod<string>(name, "sep?, maxsplit?", (runtime, text, [separator = null, count]) => {
    const maximum = countArgument(runtime, name, count);
    if (separator === null) {
      return isFromEnd ? splitBlanksFromEnd(runtime, text, maximum) : splitAtBlanks(runtime, text, maximum);
    }
    const wanted = textArgument(runtime, name, separator);
    if (wanted === "") return runtime.fail(`\`${name}\` needs a separator that is not empty`);
    const most = runtime.limits.listLength + 1;
    const found = findAllText(runtime, text, wanted, isFromEnd ? most : Math.min(maximum, most));
    runtime.checkList(found.length + 1);
    return cutAt(text, isFromEnd ? found.slice(Math.max(0, found.length - maximum)) : found, wanted.length);
  });
}

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

function splitBlanksFromEnd(runtime: Runtime, text: string, maximum: number): readonly string[] {
  runtime.chargeCharacters(text.length);
  const parts: string[] = [];
  let at = text.length;
  for (;;) {
    while (at > 0 && isSpace(text.charAt(at - 1))) at -= 1;
    if (at === 0) break;
    runtime.checkSize(parts.length + 1);
    if (parts.length >= maximum) {
      let start = 0;
      while (isSpace(text.charAt(start))) start += 1;
      parts.push(text.slice(start, at));
      break;
    }
    const end = at;
    while (at > 0 && !isSpace(text.charAt(at - 1))) at -= 1;
    parts.push(text.slice(at, end));
  }
  runtime.checkList(parts.length);
  return parts.reverse();
}

const letters = deferPattern(String.raw`\p{L}+`, "gu");
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const BEHIND_LINE_END = /(?<=\r\n|\r(?!\n)|[\n\v\f\x1c-\x1e\x85\u2028\u2029])/;

function swapCase(character: string): string {
  const lower = character.toLowerCase();
  return lower === character ? character.toUpperCase() : lower;
}

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

/** Returns the maximum count; omitted or negative means unlimited. */
function countArgument(runtime: Runtime, name: string, value: Value = null): number {
  if (value === null) return Number.POSITIVE_INFINITY;
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
  REPLACE,
  splitMethod("split", false),
  defineMethod<string>("join", "items", (runtime, separator, [given = null]) => {
    const items =
      typeof given === "string" ? charactersOf(runtime, given) : isMap(given) ? keysOf(runtime, given) : given;
    return isList(items)
      ? joinTexts(runtime, items, separator)
      : runtime.fail(`\`join\` needs a list, not ${describeType(items)}`);
  }),
  /** Every letter that does not follow a letter is a capital, all others are small. */
  defineMethod<string>("title", "", (runtime, text) =>
    changeCase(runtime, text, () => {
      runtime.chargeEntries(text.length);
      return text.toLowerCase().replace(letters(), (word) => upperFirst(word) + word.slice(firstLength(word)));
    }),
  ),
  CAPITALIZE,
  defineMethod<string>("swapcase", "", (runtime, text) => {
    runtime.chargeEntries(text.length);
    return changeCase(runtime, text, () => Array.from(text, swapCase).join(""));
  }),
  /** Lower case for comparisons that ignore case. */
  defineMethod<string>("casefold", "", (runtime, text) =>
    changeCase(runtime, text, () => text.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ")),
  ),
  defineMethod<string>("splitlines", "keepends?", (runtime, text, [keepsEnds = false]) => {
    runtime.chargeEntries(text.length);
    const lines = text.split(isTruthy(keepsEnds) ? BEHIND_LINE_END : LINE_END, runtime.limits.listLength + 1);
    runtime.checkList(lines.length);
    return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  }),
  splitMethod("rsplit", true),
  ...STRING_SEARCH_METHODS,
  ...STRING_SHAPE_METHODS,
];
