// cspell:ignore imei bestellung auftrag rechnung sendung commande pedido factura ordine fattura nummer ktp
import { isLuhn } from "../identity/check-digits.js";

import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import {
  beginsCell,
  type DigitGroup,
  type DigitGroupReader,
  isAlphanumeric,
  isDigit,
  isWordAt,
} from "../digit-groups.js";
import { FAINT } from "../certainty.js";
import { CARD_WORDS } from "../context-words.js";

/** Numbers of the large networks by first digits and lengths; others pass the check as often, but are rarer than chance. */
const NETWORKS: readonly (readonly [prefix: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:30[0-5]|3095|36|3[89])/, [14]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^35(?:2[89]|[3-8])/, [16]],
  [/^(?:2131|1800)/, [15]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [16]],
];
/** Names, right before digits, of numbers that are those of neither cards nor phones: of a hundred such numbers three pass the check. */
export const OTHER_NUMBER =
  /(?:^|[^\p{L}]|[\u0e01-\u0e4e\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af])(?:order|invoice|tracking|shipment|parcel|ticket|case|booking|reservation|reference|ref|serial|batch|lot|part|sku|isbn|issn|imei|nik|ktp|meter|policy|customer|user|member|device|transaction|trace|message|session|request|build|commit|timestamp|bestellung|auftrag|rechnung|sendung|commande|facture|pedido|factura|ordine|fattura)s?[ _-]?(?:number|no|nr|num|id|code|nummer)?\.?(?: is| was)?[\s:=#("']{0,4}$/iu;
export const NAME_BEFORE = 40;
/** Ways in which cards are printed and typed: fours, with a rest, and those of American Express and Diners Club. */
const SHAPES: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 4, 4, 4, 3],
  [4, 6, 5],
  [4, 6, 4],
  [4, 4, 4, 1],
  [4, 4, 4, 3],
  [4, 4, 4],
  [8, 8],
  [6, 10],
  [6, 13],
];
const SINGLE_DIGITS = /\d(?:[ -]\d){11,18}(?![ -]?\d)/y;
const KNOWN = 0.9;
/** Cards with 13 digits are rarely in use, unlike national numbers of that length. */
const OLD = 0.6;
const UNKNOWN = FAINT;

/** Payment cards: 12 to 19 digits that pass the Luhn check. Numbers of no large network need a context word. */
export function cardRule(reader: DigitGroupReader): TriggerRule {
  return {
    name: "card",
    type: "CREDIT_CARD",
    score: UNKNOWN,
    context: CARD_WORDS,
    reach: 48,
    before: 0,
    within: "digits",
    digits: 1,
    find: (view, start, end) => (canBegin(end - start) ? findCard(view, start, reader) : undefined),
  };
}

/** Returns true if the first group of a card may have some digits: one of those below, a digit alone, or all of them. */
function canBegin(length: number): boolean {
  return length >= 12 || length === 4 || length === 1 || length === 8 || length === 6;
}

function findCard({ text }: TextView, start: number, reader: DigitGroupReader): RuleMatch | undefined {
  if (isWordAt(text, start - 1) || continuesNumber(text, start)) return undefined;
  const match = readCard(text, start, reader);
  return match !== undefined && text.charAt(start - 1) === "," && !beginsCell(text, start, match.end)
    ? undefined
    : match;
}

function readCard(text: string, start: number, reader: DigitGroupReader): RuleMatch | undefined {
  const groups = reader.read(text, start);
  const [first] = groups;
  if (first === undefined) return undefined;
  const length = first.end - first.start;
  if (length >= 12) return length <= 19 ? toCard(text, first.start, first.end) : undefined;
  if (length === 1) return findSingleDigits(text, start);
  let longest: RuleMatch | undefined;
  for (const shape of SHAPES) {
    const last = groups[shape.length - 1];
    const isShape =
      last !== undefined &&
      (longest?.end ?? 0) < last.end &&
      shape.every((size, index) => groups[index] !== undefined && groups[index].end - groups[index].start === size) &&
      groups.slice(2, shape.length).every(({ separator }) => separator === groups[1]?.separator) &&
      // Four fours may stand in a list of cards; pieces of a longer number are not cards.
      (shape === SHAPES[0] || !isPiece(text, start, groups[shape.length], groups[1]?.separator));
    if (isShape) longest = toCard(text, start, last.end) ?? longest;
  }
  return longest;
}

/** Returns true if the same separator and more digits stand before or after some groups. */
function isPiece(text: string, start: number, next: DigitGroup | undefined, separator: string | undefined): boolean {
  return next?.separator === separator || (text.charAt(start - 1) === separator && isDigit(text.charCodeAt(start - 2)));
}

/** Digits that are spelled out one by one: `4 1 1 1 …`. */
function findSingleDigits(text: string, start: number): RuleMatch | undefined {
  if (!isDigit(text.charCodeAt(start + 2)) || isDigit(text.charCodeAt(start - 2))) return undefined;
  SINGLE_DIGITS.lastIndex = start;
  const found = SINGLE_DIGITS.exec(text)?.[0];
  return found === undefined ? undefined : toCard(text, start, start + found.length);
}

/** Returns true if the digits belong to what stands before them, such as a UUID or a decimal fraction. */
function continuesNumber(text: string, start: number): boolean {
  const before = text.charAt(start - 1);
  return (before === "-" || before === ".") && isAlphanumeric(text.charCodeAt(start - 2));
}

function toCard(text: string, start: number, end: number): RuleMatch | undefined {
  const digits = text.slice(start, end).replace(/\D/g, "");
  if (isWordAt(text, end) || digits.length < 12 || digits.length > 19) return undefined;
  if (/^(\d)\1*$/.test(digits) || !isLuhn(digits)) return undefined;
  const isKnown = NETWORKS.some(([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits));
  const isNamed =
    digits.length === end - start && OTHER_NUMBER.test(text.slice(Math.max(0, start - NAME_BEFORE), start));
  if (!isKnown || isNamed) return { start, end, score: UNKNOWN };
  return { start, end, score: digits.length === 13 ? OLD : KNOWN };
}
