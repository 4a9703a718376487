import { countrySpecs, validateIBAN, ValidationErrorsIBAN } from "ibantools";

import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { isAlphanumeric, isWordAt } from "../digit-groups.js";

/**
 * Account numbers of the International Bank Account Number scheme: country, length, structure and check digits must be right,
 * with or without spaces. The national check digits inside are not asked for: many test and virtual accounts lack them.
 */
export const ibanRule: TriggerRule = {
  name: "iban",
  type: "IBAN_CODE",
  score: 1,
  reach: 48,
  before: 2,
  digits: 2,
  find: findIban,
};

function findIban({ text }: TextView, digits: number): RuleMatch | undefined {
  const start = digits - 2;
  if (start < 0 || isWordAt(text, start - 1)) return undefined;
  const length = countrySpecs[text.slice(start, digits).toUpperCase()]?.chars ?? 0;
  if (length === 0) return undefined;
  const end = endOfCharacters(text, start, length);
  if (end === undefined || isWordAt(text, end)) return undefined;
  const compact = text
    .slice(start, end)
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toUpperCase();
  const { errorCodes } = validateIBAN(compact);
  const isValid = errorCodes.every((code) => code === ValidationErrorsIBAN.WrongAccountBankBranchChecksum);
  return isValid ? { start, end } : undefined;
}

/** Offset after so many letters and digits, with at most one separator between two of them. */
function endOfCharacters(text: string, start: number, count: number): number | undefined {
  let at = start;
  for (let left = count; left > 0; at++) {
    if (isAlphanumeric(text.charCodeAt(at))) left--;
    else if (!/[ \u00a0\u202f.-]/.test(text.charAt(at)) || !isAlphanumeric(text.charCodeAt(at + 1))) return undefined;
  }
  return at;
}
