// cspell:ignoreRegExp /pattern:\s+\/.+/g
import { complement, isMod11And10, isMonthDay, numberAt, startsWithDay, valueOf, weightedSum } from "./check-digits.js";
import { FAINT, MEDIUM, STRONG, WEAK } from "../certainty.js";
import { type IdentityFormat, PASSPORT_WORDS, VAT_WORDS } from "./identity-format.js";

/** Official numbers of Germany, Austria and Switzerland. */
export const GERMAN_SPEAKING: readonly IdentityFormat[] = [
  {
    type: "DE_TAX_ID",
    runs: [2, 11],
    pattern: /[1-9]\d ?\d{3} ?\d{3} ?\d{3}/y,
    check: isGermanTaxId,
    score: STRONG,
    context: ["steuer", "idnr", "identifikationsnummer"],
    national: true,
  },
  {
    type: "DE_ID_CARD",
    letters: [1, 2, 3, 4, 5, 6, 7, 8],
    runs: [1, 2, 3, 4, 5, 6, 7, 8, 9],
    pattern: /[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ\d]{8}\d?D?/iy,
    check: (compact) => compact.length === 9 || isDocumentNumber(compact),
    score: FAINT,
    context: ["ausweis", "personalausweis", "identity card", "id card", "id-karte", "perso"],
  },
  {
    type: "DE_PASSPORT",
    letters: [1, 2, 3, 4, 5, 6, 7, 8],
    runs: [1, 2, 3, 4, 5, 6, 7, 8, 9],
    pattern: /[CFGHJK][CFGHJKLMNPRTVWXYZ\d]{8}\d?D?/iy,
    check: (compact) => compact.length === 9 || isDocumentNumber(compact),
    score: FAINT,
    context: PASSPORT_WORDS,
    country: ["reisepass", "german", "deutsch"],
  },
  {
    type: "DE_SOCIAL_SECURITY",
    runs: [2, 8],
    pattern: /\d\d ?\d{6} ?[A-Z] ?\d\d ?\d/iy,
    check: isPensionNumber,
    score: STRONG,
    context: ["rentenversicherung", "sozialversicherung", "versicherungsnummer", "rvnr"],
    national: true,
  },
  {
    type: "DE_HEALTH_INSURANCE",
    letters: [1],
    runs: [9],
    pattern: /[A-Z]\d{9}/iy,
    check: (compact) => isLuhnLeft(`${String(compact.charCodeAt(0) - 64).padStart(2, "0")}${compact.slice(1)}`),
    score: WEAK,
    context: ["krankenversicher", "krankenkasse", "versichertennummer", "kvnr", "gesundheitskarte", "health insurance"],
  },
  {
    type: "DE_VAT_ID",
    letters: [2],
    runs: [9],
    pattern: /DE ?\d{9}/iy,
    check: (compact) => isMod11And10(compact.slice(2)),
    score: MEDIUM,
    context: VAT_WORDS,
  },
  {
    type: "AT_SSN",
    runs: [4, 10],
    pattern: /[1-9]\d{3} ?\d{6}/y,
    check: (digits) =>
      startsWithDay(digits, 4) && weightedSum(digits, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === valueOf(digits, 3),
    score: WEAK,
    grouped: MEDIUM,
    context: ["sozialversicherung", "austria", "österreich", "ssn", "svnr", "sv-nummer", "versicherungsnummer"],
    national: true,
  },
  {
    type: "CH_AHV",
    runs: [3, 13],
    pattern: /756(\.?)\d{4}\1\d{4}\1\d\d/y,
    check: complement([1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3], 10),
    score: STRONG,
    context: ["ahv", "avs", "sozialversicherung"],
    national: true,
  },
];

/** Of the first ten digits, one stands twice or three times, and the others at most once. */
function isGermanTaxId(digits: string): boolean {
  const first = Array.from(digits.slice(0, 10));
  const counts = first.map((digit) => first.filter((other) => other === digit).length);
  const repeated = counts.filter((count) => count > 1);
  const isSpread = (repeated.length === 2 || repeated.length === 3) && new Set(repeated).size === 1;
  return isSpread && repeated[0] === repeated.length && isMod11And10(digits);
}

/** Check of the International Civil Aviation Organization: weights 7, 3 and 1, letters from 10. */
function isDocumentNumber(compact: string): boolean {
  return weightedSum(compact, [7, 3, 1, 7, 3, 1, 7, 3, 1]) % 10 === valueOf(compact, 9);
}

function isPensionNumber(compact: string): boolean {
  const letter = String(compact.charCodeAt(8) - 64).padStart(2, "0");
  const digits = `${compact.slice(0, 8)}${letter}${compact.slice(9, 11)}`;
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
  let sum = 0;
  for (const [index, weight] of weights.entries()) {
    const product = weight * valueOf(digits, index);
    sum += Math.floor(product / 10) + (product % 10);
  }
  return isMonthDay(numberAt(compact, 4, 6), numberAt(compact, 2, 4) % 50 || 1) && sum % 10 === valueOf(compact, 11);
}

/** Check of Luhn that begins with a weight of 1 on the left. */
function isLuhnLeft(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length - 1; at++) {
    const doubled = valueOf(digits, at) * (at % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === valueOf(digits, digits.length - 1);
}
