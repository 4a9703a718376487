import { isDigit } from "./chars.js";

const DOT = 0x2e;
const UNDERSCORE = 0x5f;

const RADIX = /0(?:x_?[0-9a-f]+(?:_[0-9a-f]+)*|o_?[0-7]+(?:_[0-7]+)*|b_?[01]+(?:_[01]+)*)/iy;

/**
 * Reads a number: `1`, `1_000`, `1.5`, `.5`, `1.`, `1e3`, `0x10`, `0o17`, `0b1`. Its value is undefined where the digits
 * are no number: leading zeros, or more than a double can hold.
 */
export function scanNumber(text: string, start: number, end: number): { end: number; value: number | undefined } {
  RADIX.lastIndex = start;
  const radix = RADIX.exec(text);
  if (radix && start + radix[0].length <= end) {
    return { end: start + radix[0].length, value: finite(Number(radix[0].replaceAll("_", ""))) };
  }
  let at = digitsEnd(text, start, end);
  const integerEnd = at;
  if (at < end && text.charCodeAt(at) === DOT && isFraction(text, at, end)) at = digitsEnd(text, at + 1, end);
  at = exponentEnd(text, at, end);
  const written = text.slice(start, at).replaceAll("_", "");
  const hasLeadingZero = at === integerEnd && /^0+[1-9]/.test(written);
  return { end: at, value: hasLeadingZero ? undefined : finite(Number(written)) };
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

function digitsEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const code = text.charCodeAt(at);
    const isSeparator =
      code === UNDERSCORE && at > from && isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1));
    if (!isDigit(code) && !isSeparator) break;
    at += 1;
  }
  return at;
}

/** A dot belongs to the number unless it begins `...`, a range of dots, or a name as in `1.lower`. */
function isFraction(text: string, dot: number, end: number): boolean {
  if (dot + 1 >= end) return true;
  const next = text.charCodeAt(dot + 1);
  if (next === DOT) return false;
  return isDigit(next) || !/[\p{L}_]/u.test(text.charAt(dot + 1)) || exponentEnd(text, dot + 1, end) > dot + 1;
}

function exponentEnd(text: string, at: number, end: number): number {
  if (at >= end || (text.charCodeAt(at) | 0x20) !== 0x65) return at;
  const sign = text[at + 1] === "+" || text[at + 1] === "-" ? 1 : 0;
  const from = at + 1 + sign;
  const to = digitsEnd(text, from, end);
  return to > from ? to : at;
}
