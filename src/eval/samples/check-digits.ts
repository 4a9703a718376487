import isLuhnNumber from "validator/lib/isLuhnNumber.js";

/** True for 12 to 19 digits with the check digit of Luhn, whatever separates them. */
export function isCardNumber(text: string): boolean {
  const digits = text.replaceAll(/\D/g, "");
  return digits.length >= 12 && digits.length <= 19 && isLuhnNumber.default(digits);
}

/** Returns digits with a check digit of Luhn after them. */
export function withLuhn(digits: string): string {
  return [...Array(10).keys()].map((last) => `${digits}${last}`).find((text) => isLuhnNumber.default(text)) ?? digits;
}

/** Returns an account number with the check digits of ISO 13616. */
export function withIbanCheck(country: string, account: string): string {
  const digits = [...`${account}${country}00`].map((character) => Number.parseInt(character, 36)).join("");
  const rest = [...digits].reduce((sum, digit) => (sum * 10 + Number(digit)) % 97, 0);
  return `${country}${String(98 - rest).padStart(2, "0")}${account}`;
}
