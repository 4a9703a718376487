import type { TextLayer } from "../../finding.js";
import { plausibility, readsAsText } from "../plausible.js";
import { isWordy, readBase32, readBase64 } from "./base64.js";
import { readText } from "./bytes.js";
import { isEncodedOnceMore, readHex } from "./hex.js";

/** Numbers that a list has at least, those of eight hexadecimal digits, and bits of a text in binary digits without separators. */
const LEAST_NUMBERS = 6;
const LEAST_LONG = 3;
const LEAST_BITS = 48;
/** Letters that a text has at least whose letters are numbered from 1 to 26, and their likelihood. */
const LEAST_NUMBERED = 10;
const LIKELY_NUMBERED = 4.5;
const NUMBER = /(?<![0-9a-z])(0[xbo]|u\+)?([0-9a-f]{1,8})(?![0-9a-z])/iy;
const BITS = /(?<![0-9a-z])[01]{48,}(?![0-9a-z])/iy;
const SEPARATOR = /[ \t\r\n,;:|/_-]{1,3}/y;

/** Text that a list of numbers stands for; it is undefined for numbers that are no text. */
export interface NumberList {
  readonly end: number;
  readonly text: string | undefined;
  readonly layer: TextLayer;
}

interface Items {
  readonly numbers: readonly string[];
  /** Separators before each number but the first. */
  readonly gaps: readonly string[];
  readonly end: number;
}

interface Notation {
  readonly prefix: RegExp;
  readonly digits: RegExp;
  /** All numbers but a shorter last one have the same length. */
  readonly isFixed?: boolean;
  readonly layer: TextLayer;
  readonly read: (items: Items) => string | undefined;
}

const NOTATIONS: readonly Notation[] = [
  { prefix: /^(?:0b)?$/i, digits: /^[01]{7,8}$/, layer: "numbers", read: ({ numbers }) => readBits(numbers) },
  {
    prefix: /^(?:0x)?$/i,
    digits: /^(?:..){1,4}$/,
    isFixed: true,
    layer: "hex",
    read: ({ numbers }) => readHex(numbers.join("")),
  },
  { prefix: /^u\+$/i, digits: /^.{2,6}$/, layer: "escapes", read: ({ numbers }) => readNumbers(numbers, 16, isLatin) },
  {
    prefix: /^0o$/i,
    digits: /^[0-7]{2,3}$/,
    layer: "numbers",
    read: ({ numbers }) => readNumbers(numbers, 8, isWordy),
  },
  {
    prefix: /^$/,
    digits: /^0?(?:9|1[03]|[3-9]\d|[12]\d\d)$/,
    layer: "numbers",
    read: ({ numbers }) => readNumbers(numbers, 10),
  },
  { prefix: /^$/, digits: /^[0-3]?[0-7]{2}$/, layer: "numbers", read: ({ numbers }) => readNumbers(numbers, 8) },
  { prefix: /^$/, digits: /^(?:0?[1-9]|1\d|2[0-6])$/, layer: "numbers", read: readNumberedLetters },
];

/**
 * Reads the list of numbers at an offset that may stand for characters: `01101001 01100111`, `69 67 6e`, `0x69, 0x67`,
 * `U+0069 U+0067`, `105 103`, `151 147`, or letters numbered from 1 to 26. Returns undefined if there is no list.
 *
 * INVARIANT: what is read is skipped, so that the work is linear.
 */
export function readNumberList(text: string, start: number): NumberList | undefined {
  BITS.lastIndex = start;
  const bits = BITS.exec(text)?.[0];
  if (bits !== undefined) {
    const width = [8, 7].find((size) => bits.length % size === 0);
    const numbers = width === undefined ? [] : (bits.match(new RegExp(`.{${width}}`, "g")) ?? []);
    return { end: start + bits.length, text: readBits(numbers), layer: "numbers" };
  }
  NUMBER.lastIndex = start;
  const first = NUMBER.exec(text);
  if (first === null) return undefined;
  const [, prefix = "", digits = ""] = first;
  let longest: NumberList | undefined;
  for (const notation of NOTATIONS) {
    if (!notation.prefix.test(prefix) || !notation.digits.test(digits)) continue;
    const items = readItems(text, start, notation);
    // Groups of hexadecimal digits are several bytes each.
    if (items.numbers.length < (digits.length === 8 ? LEAST_LONG : LEAST_NUMBERS)) continue;
    const decoded = notation.read(items);
    const list = { end: items.end, text: decoded, layer: notation.layer };
    if (decoded !== undefined) return list;
    if (list.end > (longest?.end ?? start)) longest = list;
  }
  return longest;
}

/** Numbers of one notation in a row. */
function readItems(text: string, start: number, { prefix, digits, isFixed = false }: Notation): Items {
  const numbers: string[] = [];
  const gaps: string[] = [];
  let end = start;
  for (let at = start; ;) {
    NUMBER.lastIndex = at;
    const match = NUMBER.exec(text);
    if (match === null || !prefix.test(match[1] ?? "") || !digits.test(match[2] ?? "")) break;
    const width = numbers[0]?.length ?? match[2]?.length ?? 0;
    const own = match[2]?.length ?? 0;
    if (isFixed && own > width) break;
    if (numbers.length > 0) gaps.push(text.slice(end, at));
    numbers.push(match[2] ?? "");
    end = at + match[0].length;
    if (isFixed && own < width) break;
    SEPARATOR.lastIndex = end;
    const separator = SEPARATOR.exec(text)?.[0].length ?? 0;
    if (separator === 0) break;
    at = end + separator;
  }
  return { numbers, gaps, end };
}

function readBits(numbers: readonly string[]): string | undefined {
  return numbers.length * 8 < LEAST_BITS ? undefined : readNumbers(numbers, 2, isCertain);
}

/** Returns true for text that bits hardly stand for by chance. */
function isCertain(text: string): boolean {
  return text.length >= CERTAIN_LENGTH || isWordy(text);
}

/** Numbers as bytes of UTF-8, or as code points. */
function readNumbers(
  numbers: readonly string[],
  radix: number,
  isText: (text: string) => boolean = readsAsText,
): string | undefined {
  const codes = numbers.map((number) => Number.parseInt(number, radix));
  if (codes.some((code) => code > 0x10ffff)) return undefined;
  const isBytes = codes.every((code) => code < 256);
  const text = isBytes ? readText(Uint8Array.from(codes)) : codes.map((code) => String.fromCodePoint(code)).join("");
  return text !== undefined && (isText(text) || isEncodedText(text)) ? text : undefined;
}

/** Characters for which printable text cannot be chance. */
const CERTAIN_LENGTH = 12;

/** Returns true for words of which most characters are ASCII. */
function isLatin(text: string): boolean {
  return isWordy(text) && (text.match(/[ -~]/g)?.length ?? 0) * 2 > text.length;
}

function isEncodedText(text: string): boolean {
  if (isEncodedOnceMore(text) || readHex(text) !== undefined) return true;
  const [run = ""] = text.replaceAll(/\s/g, "").split("=", 1);
  return readBase32(run) !== undefined || (/^[\w+/-]{12,}$/.test(run) && readBase64(run, 0, run.length) !== undefined);
}

/** Letters numbered from 1 to 26: the most frequent gap stands between letters, others between words. */
function readNumberedLetters({ numbers, gaps }: Items): string | undefined {
  if (numbers.length < LEAST_NUMBERED) return undefined;
  const counts = new Map<string, number>();
  for (const gap of gaps) counts.set(gap, (counts.get(gap) ?? 0) + 1);
  const [within] = [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most), ["", 0]);
  const letters = numbers.map((number, at) => {
    const gap = at > 0 && gaps[at - 1] !== within ? " " : "";
    return gap + String.fromCharCode(96 + Number(number));
  });
  const text = letters.join("");
  // Dates have no long words.
  return counts.size > 1 && /[a-z]{5}/.test(text) && plausibility(text) >= LIKELY_NUMBERED ? text : undefined;
}
