import isLuhnNumber from "validator/lib/isLuhnNumber.js";

/** Returns true for digits that pass the check of Luhn, as those of payment cards do. */
export function isLuhn(digits: string): boolean {
  return isLuhnNumber.default(digits);
}

/** Sum of characters times weights; letters count from 10 for `A`. Characters beyond the weights do not count. */
export function weightedSum(characters: string, weights: readonly number[]): number {
  let sum = 0;
  for (const [index, weight] of weights.entries()) sum += weight * valueOf(characters, index);
  return sum;
}

/** Value of a digit, or of a letter from 10 for `A`. */
export function valueOf(characters: string, index: number): number {
  const code = characters.charCodeAt(index);
  return code < 58 ? code - 48 : code - 55;
}

/** Value of some digits as a number. */
export function numberAt(characters: string, start: number, end: number): number {
  return Number(characters.slice(start, end));
}

/**
 * Returns a check: the weighted sum of the first digits, taken from the modulus, is the digit that follows them. A value of 10
 * stands for `ten`, which is 0 unless given; a negative one makes such numbers wrong.
 */
export function complement(weights: readonly number[], modulus: number, ten = 0): (characters: string) => boolean {
  return (characters) => {
    const rest = (modulus - (weightedSum(characters, weights) % modulus)) % modulus;
    return (rest === 10 ? ten : rest) === valueOf(characters, weights.length);
  };
}

/** Returns a check: the weighted sum of the first digits modulo 11 is the digit that follows them, with `ten` for 10. */
export function remainder(weights: readonly number[], ten = 0): (characters: string) => boolean {
  return (characters) => {
    const rest = weightedSum(characters, weights) % 11;
    return (rest === 10 ? ten : rest) === valueOf(characters, weights.length);
  };
}

/** Returns a check: the weighted sum of all digits is a multiple of the modulus. */
export function multiple(weights: readonly number[], modulus: number): (characters: string) => boolean {
  return (characters) => weightedSum(characters, weights) % modulus === 0;
}

/** Remainder of a decimal number of any length divided by 97. */
export function modulo97(digits: string): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest;
}

/** Returns true for digits that pass the check MOD 11,10 of ISO 7064. */
export function isMod11And10(digits: string): boolean {
  let product = 10;
  for (let at = 0; at < digits.length - 1; at++) {
    const sum = (valueOf(digits, at) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === valueOf(digits, digits.length - 1);
}

const VERHOEFF_PRODUCT =
  "0123456789|1234067895|2340178956|3401289567|4012395678|5987604321|6598710432|7659821043|8765932104|9876543210".split(
    "|",
  );
const VERHOEFF_PLACE = [
  "0123456789",
  "1576283094",
  "5803796142",
  "8916043527",
  "9453126870",
  "4286573901",
  "2793806415",
  "7046913258",
];

/** Returns true for digits that pass the check of Verhoeff. */
export function isVerhoeff(digits: string): boolean {
  let check = 0;
  for (let at = 0; at < digits.length; at++) {
    const place = VERHOEFF_PLACE[at % 8]?.charAt(valueOf(digits, digits.length - 1 - at)) ?? "0";
    check = Number(VERHOEFF_PRODUCT[check]?.charAt(Number(place)) ?? 0);
  }
  return check === 0;
}

/** Returns true for a month and a day that exist together in some year. */
export function isMonthDay(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31);
}

/** Returns true if six digits are year, month and day. */
export function startsWithDate(digits: string, start = 0): boolean {
  return isMonthDay(numberAt(digits, start + 2, start + 4), numberAt(digits, start + 4, start + 6));
}

/** Returns true if four digits are day and month. */
export function startsWithDay(digits: string, start = 0): boolean {
  return isMonthDay(numberAt(digits, start + 2, start + 4), numberAt(digits, start, start + 2));
}

/** Returns true if all digits are the same, which most checks let pass and no authority issues. */
export function isUniform(digits: string): boolean {
  return /^(.)\1*$/.test(digits);
}
