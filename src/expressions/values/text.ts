import type { Runtime } from "../evaluate/runtime.js";

/*
 * Texts as the language counts them: by code points, as Python does, although strings here are UTF-16. Nearly all texts
 * have no surrogates; for them an index is an index.
 */

const SURROGATE = /[\ud800-\udfff]/;

/** The native search may take time in proportion to the product of both lengths; it is used up to this product. */
const NATIVE_SEARCH_PRODUCT = 500_000;
/** A search for a shorter text is fast with native methods, whatever the texts are. */
const NATIVE_SEARCH_LENGTH = 16;

export function textLength(runtime: Runtime, text: string): number {
  runtime.chargeText(text.length);
  if (!SURROGATE.test(text)) return text.length;
  runtime.chargeCharacters(text.length);
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Returns the characters to index: the text itself unless it has surrogates. */
export function indexableText(runtime: Runtime, text: string): ArrayLike<string> {
  runtime.chargeText(text.length);
  return SURROGATE.test(text) ? charactersOf(runtime, text) : text;
}

/** The code points of a text, counted as work. */
export function charactersOf(runtime: Runtime, text: string): readonly string[] {
  runtime.chargeEntries(text.length);
  return Array.from(text);
}

/** `indexOf` in linear time for any texts. */
export function findText(runtime: Runtime, text: string, wanted: string, from = 0): number {
  runtime.chargeText(text.length - from);
  if (isNative(text.length - from, wanted)) {
    if (wanted.length >= NATIVE_SEARCH_LENGTH) runtime.charge((wanted.length * (text.length - from)) >> 4);
    return text.indexOf(wanted, from);
  }
  runtime.chargeCharacters(text.length - from + wanted.length);
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === wanted.charCodeAt(matched)) matched += 1;
    if (matched === wanted.length) return at - matched + 1;
  }
  return -1;
}

function isNative(length: number, wanted: string): boolean {
  return wanted.length < NATIVE_SEARCH_LENGTH || wanted.length * length <= NATIVE_SEARCH_PRODUCT;
}

/** For every prefix of a text, the length of its longest border (a proper prefix that is also a suffix). */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}

/** The offsets of occurrences that do not overlap, at most `maximum` of them. */
export function findAllText(
  runtime: Runtime,
  text: string,
  wanted: string,
  maximum = Number.POSITIVE_INFINITY,
): readonly number[] {
  const found: number[] = [];
  // One search over the whole text is charged, however many occurrences there are.
  runtime.chargeText(text.length);
  const native = isNative(text.length, wanted);
  if (native && wanted.length >= NATIVE_SEARCH_LENGTH) runtime.charge((wanted.length * text.length) >> 4);
  let at = 0;
  while (found.length < maximum) {
    const next = native ? text.indexOf(wanted, at) : findText(runtime, text, wanted, at);
    if (next === -1) break;
    runtime.chargeEntries(1);
    found.push(next);
    at = next + wanted.length;
  }
  return found;
}

/** The blanks that `strip` and `split` know: Unicode white space and the four ASCII separators. */
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

export function isSpace(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code < 0x80) return code === 0x20 || (code >= 0x9 && code <= 0xd) || (code >= 0x1c && code <= 0x1f);
  return SPACE.test(character);
}

/** Removes characters from the ends while `isRemoved` is true. */
export function stripText(
  runtime: Runtime,
  text: string,
  sides: { readonly left: boolean; readonly right: boolean },
  isRemoved: (character: string) => boolean,
): string {
  const units = indexableText(runtime, text);
  let start = 0;
  let end = units.length;
  while (sides.left && start < end && isRemoved(units[start] ?? "")) start += 1;
  while (sides.right && end > start && isRemoved(units[end - 1] ?? "")) end -= 1;
  runtime.chargeEntries(units.length - end + start);
  if (start === 0 && end === units.length) return text;
  return typeof units === "string" ? units.slice(start, end) : (units as string[]).slice(start, end).join("");
}

/** Orders by code points; -1, 0 or 1. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const shorter = Math.min(left.length, right.length);
  for (let at = 0; at < shorter; at += 1) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a === b) continue;
    // Surrogates encode code points above all others, although their own values are lower than some.
    const isHighA = a >= 0xd800 && a <= 0xdfff;
    const isHighB = b >= 0xd800 && b <= 0xdfff;
    if (isHighA !== isHighB) return isHighA ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return left.length < right.length ? -1 : 1;
}
