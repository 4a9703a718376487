import { type CountryCode, Metadata, parsePhoneNumberFromString } from "libphonenumber-js/min";

import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { scoreInContext } from "../../scan/context-words.js";
import { FAINT } from "../certainty.js";
import { PHONE_NAMES, PHONE_WORDS } from "../context-words.js";
import { NAME_BEFORE, OTHER_NUMBER } from "../money/card.js";
import {
  beginsCell,
  type DigitGroup,
  type DigitGroupReader,
  digitsOf,
  isAlphanumeric,
  isDigit,
  isWordAt,
  shapeOf,
} from "../digit-groups.js";

const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
const INTERNATIONAL = 0.85;
const NATIONAL = 0.65;
const LOCAL = FAINT;
/** Countries whose national numbers are looked for without an option, by number of speakers of the languages we know words of. */
const PHONE_REGIONS: readonly CountryCode[] = [
  "US",
  "GB",
  "DE",
  "FR",
  "IT",
  "ES",
  "AU",
  "NL",
  "BR",
  "IN",
  "CH",
  "AT",
  "BE",
  "SE",
];
/** North American numbers in the ways they are written: `(415) 555-0132`, `415.555.0132`. */
const NANP_SHAPE = /^(?:1-)?3-3-4$/;
/** Ways to write numbers of a subscriber or a country without a leading zero. */
const LOCAL_SHAPES = new Set(
  (
    "3-4 4-4 2-2-2-2 3-2-3 3-3-3 2-3-2-2 3-3-4 2-3-3 3-2-2 2-3-4 2-4-4 3-2-2-2 2-2-2-2-2 4-3-3 4-6 4-7 3-6 3-7 2-6 2-7 3-8 " +
    "4-5 3-3-2-2 2-3-3-2 2-2-3-2 3-4-4 5-5 5-6 1-2-2-2-2 4-3 1-4-4 4-2-2-2 4-3-2-2 2-3-3-4 4-3-4 3-4-3 2-3-5 3-5 " +
    "7 8 9 10 11 2-8 1-3-3-4 3-3-2 2-4-3 4-2-2 2-5 1-3-4 2-5-4 1-3-3-2-2 1-4-2-2-2 1-5-2-3 1-7 2-2-4 3-4-5 1-2-6 2-3-3-3 2-2-3-3 " +
    "2-1-3-4 4-8 5-4 1-3-3-3 1-3-5 2-2-3 2-2-2-3 2-2-2-4 2-2-2-5"
  ).split(" "),
);
const DATE = /^(?:(?:19|20)\d\d([-./ ])\d\d?\1\d\d?(?!\d)|\d\d?([-./])\d\d?\2(?:19|20)\d\d(?!\d))/;
const EXTENSION = /,? ?(?:x|ext\.?|extension|#|poste|durchwahl|int\.?) ?:? ?\d{1,6}(?!\d)/iy;
/** Parses of the library take microseconds; a text with more candidates is decided by their shape. */
const MAX_PARSES = 4000;

/** Telephone numbers in international and national forms, checked by the numbering plans of `libphonenumber`. */
export function phoneRules(reader: DigitGroupReader, regions: readonly CountryCode[] = PHONE_REGIONS): TriggerRule[] {
  const finder = new PhoneFinder(reader, regions);
  const base = { type: "PHONE_NUMBER", score: LOCAL, views: "decoded", reach: 64, before: 3, digits: 1 } as const;
  return [
    { ...base, name: "phone", context: PHONE_WORDS, find: (view, start) => finder.findGrouped(view, start) },
    {
      ...base,
      name: "phone-digits",
      digits: MIN_DIGITS,
      context: PHONE_NAMES,
      find: (view, start) => finder.findPlain(view, start),
    },
  ];
}

/** Piece of a text that may be a telephone number: groups of digits, with what stands before them. */
interface Candidate {
  readonly view: TextView;
  readonly start: number;
  readonly prefix: "+" | "(" | "";
  readonly groups: readonly DigitGroup[];
}

class PhoneFinder {
  readonly #reader: DigitGroupReader;
  /** Countries with the lengths of their numbers, without the leading zero. */
  readonly #regions: readonly (readonly [CountryCode, ReadonlySet<number>])[];
  #text = "";
  #parses = 0;

  constructor(reader: DigitGroupReader, regions: readonly CountryCode[]) {
    this.#reader = reader;
    this.#regions = regions.map((region) => [region, lengthsOf(region)]);
  }

  /** Finds numbers that are written in groups or with a country code. */
  findGrouped(view: TextView, start: number): RuleMatch | undefined {
    const { text } = view;
    const candidate = this.#candidateAt(view, start);
    if (candidate === undefined) return undefined;
    if (candidate.prefix === "" && OTHER_NUMBER.test(text.slice(Math.max(0, start - NAME_BEFORE), start)))
      return undefined;
    const { groups } = candidate;
    // Another number may follow after a space: "555-123-4567 2 items".
    const space = groups.findIndex(({ separator }, index) => index > 1 && separator === " ");
    for (const count of space === -1 ? [groups.length] : [groups.length, space]) {
      const taken = groups.slice(0, count);
      const end = taken.at(-1)?.end ?? start;
      if (!endsNumber(text, end, taken, groups[count])) continue;
      if (text.charAt(candidate.start - 1) === "," && !beginsCell(text, candidate.start, end)) continue;
      const score = this.#score({ ...candidate, groups: taken }, end);
      if (score !== undefined)
        return { start: withoutBracket(text, candidate.start, end), end: endOfExtension(text, end), score };
    }
    return undefined;
  }

  /** Finds numbers that are written as digits only: without a name such as "phone" they are any number. */
  findPlain({ text }: TextView, start: number): RuleMatch | undefined {
    const [group, next] = this.#reader.read(text, start);
    const length = (group?.end ?? 0) - start;
    if (group === undefined || length < MIN_DIGITS || length > 12 || !startsNumber(text, start)) return undefined;
    const isFraction = text.charAt(start - 1) === "," && !beginsCell(text, start, group.end);
    return next === undefined && !isFraction && !isWordAt(text, group.end)
      ? { start, end: endOfExtension(text, group.end), score: LOCAL }
      : undefined;
  }

  #candidateAt(view: TextView, start: number): Candidate | undefined {
    const { text } = view;
    const last = text.charCodeAt(start - 1);
    const hasPrefix = last === 0x20 || last === 0x28 || last === 0x2b;
    const before = hasPrefix ? (/(?:\+ ?\(?|\(\+?)$/.exec(text.slice(Math.max(0, start - 3), start))?.[0] ?? "") : "";
    const from = start - before.length;
    const prefix = before.includes("+") ? "+" : before === "(" ? "(" : "";
    if (prefix === "" ? !startsNumber(text, from) : isWordAt(text, from - 1)) return undefined;
    const groups = this.#reader.read(text, start);
    if (groups.length === 8 || (isSingle(groups[0]) && isSingle(groups[1]))) return undefined;
    if (groups.length === 1 && prefix !== "+" && !text.startsWith("00", start)) return undefined;
    return { view, start: from, prefix, groups };
  }

  #score({ view, prefix, groups }: Candidate, end: number): number | undefined {
    const { text } = view;
    const start = groups[0]?.start ?? end;
    const written = text.slice(start, end).replace("(0)", "");
    const digits = digitsOf(written);
    if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS + 3 || /^(\d)\1*$/.test(digits)) return undefined;
    if (DATE.test(written)) return undefined;
    const isDialled = /^(?:00|011)/.test(written);
    const international = prefix === "+" ? digits : isDialled ? /^(?:00|011)([1-9]\d+)/.exec(digits)?.[1] : undefined;
    if (international !== undefined) return this.#scoreInternational(text, international, groups.length);
    if (digits.length > 12) return undefined;
    const shape = shapeOf(groups);
    // With a word near them, numbers need not be in a plan, which costs more to find out.
    const isUsual = LOCAL_SHAPES.has(shape) || NANP_SHAPE.test(shape) || digits.startsWith("0");
    if (isUsual && scoreInContext(view, { start, end }, LOCAL, PHONE_WORDS) > LOCAL) return LOCAL;
    if (NANP_SHAPE.test(shape)) return this.#scoreNorthAmerican(text, digits, groups, prefix);
    const isArea = prefix === "(" && groups[1]?.separator.startsWith(")") === true;
    if (isArea && digits.length >= 9) return NATIONAL;
    const isFraction = groups.length === 2 && groups[1]?.separator === ".";
    if (isFraction || !digits.startsWith("0") || digits.length < 10) return undefined;
    return this.#isNational(text, digits) ? NATIONAL : undefined;
  }

  #scoreInternational(text: string, digits: string, groups: number): number | undefined {
    if (digits.length > MAX_DIGITS) return undefined;
    const number = this.#parse(text, `+${digits}`);
    if (number === undefined) return undefined;
    if (number === "unchecked" || number.isValid()) return INTERNATIONAL;
    return groups > 1 && number.isPossible() ? NATIONAL : LOCAL;
  }

  #scoreNorthAmerican(text: string, digits: string, groups: readonly DigitGroup[], prefix: string): number {
    if (!/^1?[2-9]\d\d[2-9]\d{6}$/.test(digits)) return LOCAL;
    const isUsual = prefix === "(" || groups.at(-1)?.separator === "-";
    return isUsual || this.#isValid(text, digits, "US") ? NATIONAL : LOCAL;
  }

  #isNational(text: string, digits: string): boolean {
    return this.#regions.some(
      ([region, lengths]) => lengths.has(digits.length - 1) && this.#isValid(text, digits, region),
    );
  }

  #isValid(text: string, digits: string, region: CountryCode): boolean {
    const number = this.#parse(text, digits, region);
    return number === "unchecked" || number?.isValid() === true;
  }

  #parse(text: string, digits: string, region?: CountryCode) {
    if (text !== this.#text) {
      this.#text = text;
      this.#parses = 0;
    }
    if (++this.#parses > MAX_PARSES) return "unchecked";
    return parsePhoneNumberFromString(
      digits,
      region === undefined ? { extract: false } : { defaultCountry: region, extract: false },
    );
  }
}

/** Lengths of national numbers; Italian ones keep their leading zero. */
function lengthsOf(region: CountryCode): ReadonlySet<number> {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(region);
  const lengths = metadata.numberingPlan?.possibleLengths() ?? [];
  return new Set(region === "IT" ? lengths.map((length) => length - 1) : lengths);
}

function isSingle(group: DigitGroup | undefined): boolean {
  return group !== undefined && group.end - group.start === 1;
}

/** Returns true if a number may begin at an offset: not within a word, a number, a decimal fraction or a code. */
function startsNumber(text: string, start: number): boolean {
  if (isWordAt(text, start - 1)) return false;
  const before = text.charAt(start - 1);
  const isJoined = /[-./#$€£]/.test(before) && isAlphanumeric(text.charCodeAt(start - 2));
  const isTime = before === ":" && isDigit(text.charCodeAt(start - 2));
  const isMoney = /[$€£%]/.test(before) || (before === " " && isDigit(text.charCodeAt(start - 2)));
  return !isJoined && !isTime && !isMoney;
}

/** Returns true if a number may end at an offset: what follows is neither a word nor more of the number. */
function endsNumber(text: string, end: number, taken: readonly DigitGroup[], next: DigitGroup | undefined): boolean {
  if (next !== undefined)
    return next.separator === " " && taken.length > 1 && taken.slice(1).every(({ separator }) => separator !== " ");
  if (endOfExtension(text, end) > end) return true;
  if (isWordAt(text, end)) return false;
  const after = text.slice(end, end + 2);
  // The next value of a line, unless the number may be an amount: "12 345 678,90".
  if (/^,\d/.test(after)) return text.charAt((taken[0]?.start ?? 0) - 1) === "+" || !isAmount(text, taken);
  return !/^[.:/%]\d/.test(after);
}

/** Returns true for groups of three digits after the first, without hyphens. */
function isAmount(text: string, [first, ...others]: readonly DigitGroup[]): boolean {
  const isGrouped = others.every(
    ({ start, end, separator }) => end - start === 3 && /^[ .\u00a0\u202f]$/.test(separator),
  );
  return isGrouped && first !== undefined && text.charAt(first.start) !== "0";
}

/** Offset after an opening bracket that is closed only after the number, if at all: `(+33 6 12 34 56 78)`. */
function withoutBracket(text: string, start: number, end: number): number {
  return text.charAt(start) === "(" && !text.slice(start, end).includes(")") ? start + 1 : start;
}

function endOfExtension(text: string, end: number): number {
  EXTENSION.lastIndex = end;
  return end + (EXTENSION.exec(text)?.[0].length ?? 0);
}
