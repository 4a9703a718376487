// cspell:ignoreRegExp /pattern:\s+\/.+/g
import {
  isLuhn,
  isUniform,
  isVerhoeff,
  modulo97,
  numberAt,
  startsWithDate,
  valueOf,
  weightedSum,
} from "./check-digits.js";
import { FAINT, MEDIUM, STRONG, WEAK } from "../certainty.js";
import { type IdentityFormat, LICENCE_WORDS, PASSPORT_WORDS, VAT_WORDS } from "./identity-format.js";

/** Official numbers of Italy. */
export const ITALY: readonly IdentityFormat[] = [
  {
    type: "IT_FISCAL_CODE",
    letters: [6],
    runs: [1, 2],
    pattern: /[A-Z]{6} ?[\dLMNPQRSTUV]{2}[ABCDEHLMPRST][\dLMNPQRSTUV]{2} ?[A-Z][\dLMNPQRSTUV]{3} ?[A-Z]/iy,
    check: isFiscalCode,
    score: STRONG,
    context: ["codice fiscale", "fiscale", "cf "],
    national: true,
  },
  {
    type: "IT_VAT_CODE",
    letters: [0, 2],
    runs: [11],
    pattern: /(?:IT)?\d{11}/iy,
    check: (compact) => isLuhn(compact.slice(-11)) && !isUniform(compact),
    score: WEAK,
    context: ["piva", "p.iva", "p. iva", "partita iva", "p.i.", ...VAT_WORDS],
  },
  {
    type: "IT_PASSPORT",
    letters: [2],
    runs: [7],
    pattern: /[A-Z]{2} ?\d{7}/iy,
    score: FAINT,
    context: PASSPORT_WORDS,
    country: ["passaporto", "ital"],
  },
  {
    type: "IT_IDENTITY_CARD",
    letters: [0, 2],
    runs: [5, 7],
    pattern: /[A-Z]{2} ?\d{7}|\d{7} ?[A-Z]{2}|C[A-Z] ?\d{5} ?[A-Z]{2}/iy,
    score: FAINT,
    context:
      "carta d'identità|carta d'identita|carta identità|carta di identità|carta|identità|identity card|elettronica|cie |documento".split(
        "|",
      ),
  },
  {
    type: "IT_DRIVER_LICENSE",
    letters: [2],
    runs: [1, 7],
    pattern: /[A-Z]{2}\d{7}[A-Z]|U1[BCDFGHLJKMNPRSTUWYXZ\d]{7}[A-Z]/iy,
    score: FAINT,
    context: LICENCE_WORDS,
  },
];

/** Official numbers of France and the countries of the Benelux. */
export const FRANCE_AND_BENELUX: readonly IdentityFormat[] = [
  {
    // Sex, year, month, department (with Corsica), municipality, order, key.
    type: "FR_NIR",
    runs: [1, 6, 13, 15],
    pattern: /[1-478] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d/iy,
    check: (compact) => {
      const digits = compact.replace("2A", "19").replace("2B", "18");
      return 97 - modulo97(digits.slice(0, 13)) === Number(digits.slice(13));
    },
    score: STRONG,
    context: ["sécurité sociale", "securite sociale", "insee", "nir ", "assuré"],
    national: true,
  },
  {
    type: "NL_BSN",
    runs: [3, 4, 8, 9],
    pattern: /\d{8,9}|\d{3}([. ])\d{3}\1\d{3}|\d{4}([. ])\d\d\2\d{3}/y,
    check: (digits) => isBsn(digits.padStart(9, "0")),
    score: WEAK,
    context: ["bsn", "burgerservice", "sofi"],
    national: true,
  },
  {
    type: "BE_NRN",
    runs: [2, 11],
    pattern: /\d\d(\.?)\d\d\1\d\d[- ]?\d{3}\.?\d\d/y,
    check: (digits) =>
      numberAt(digits, 2, 4) % 20 <= 12 &&
      numberAt(digits, 4, 6) <= 31 &&
      [digits.slice(0, 9), `2${digits.slice(0, 9)}`].some(
        (number) => 97 - modulo97(number) === Number(digits.slice(9)),
      ),
    score: MEDIUM,
    grouped: STRONG,
    context: ["rijksregister", "registre national", "national register", "insz", "niss"],
    national: true,
  },
  {
    type: "LU_MATRICULE",
    runs: [13],
    pattern: /(?:19|20)\d{11}/y,
    check: (digits) =>
      startsWithDate(digits, 2) &&
      isLuhn(digits.slice(0, 12)) &&
      isVerhoeff(`${digits.slice(0, 11)}${digits.slice(12)}`),
    score: STRONG,
    context: ["matricule"],
    national: true,
  },
];

const ODD_PLACES = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isFiscalCode(compact: string): boolean {
  let sum = 0;
  for (let at = 0; at < 15; at++) {
    const value = valueOf(compact, at);
    const letter = value > 9 ? value - 10 : value;
    sum += at % 2 === 0 ? (ODD_PLACES[letter] ?? 0) : letter;
  }
  return compact.charCodeAt(15) - 65 === sum % 26;
}

function isBsn(digits: string): boolean {
  const rest = weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2]) - valueOf(digits, 8);
  return rest % 11 === 0 && !isUniform(digits);
}
