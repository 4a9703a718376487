// cspell:ignoreRegExp /pattern:\s+\/.+/g
import { complement, isMonthDay, isUniform, numberAt, valueOf, weightedSum } from "./check-digits.js";
import { FAINT, MEDIUM, STRONG, WEAK } from "../certainty.js";
import { type IdentityFormat, LICENCE_WORDS, PASSPORT_WORDS, VAT_WORDS } from "./identity-format.js";

/** Official numbers of the United Kingdom and Ireland. */
export const BRITISH_ISLES: readonly IdentityFormat[] = [
  {
    type: "UK_NHS",
    runs: [3, 10],
    pattern: /\d{3}([- ]?)\d{3}\1\d{4}/y,
    check: (digits) => !isUniform(digits) && complement([10, 9, 8, 7, 6, 5, 4, 3, 2], 11, -1)(digits),
    score: WEAK,
    grouped: 0.5,
    context: ["nhs", "national health", "health service", "health authority", "patient"],
  },
  {
    type: "UK_NINO",
    letters: [2],
    runs: [2, 6],
    pattern: /(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d([- ]?)\d\d\1\d\d ?[A-D]/iy,
    score: MEDIUM,
    context: ["national insurance", "nino", "ni number", "ni no", "insurance number"],
  },
  {
    type: "UK_PASSPORT",
    letters: [0, 2],
    runs: [7, 9],
    pattern: /\d{9}|[A-Z]{2}\d{7}/iy,
    score: FAINT,
    context: PASSPORT_WORDS,
    country: ["uk ", "british", "britain", "united kingdom", "hmpo"],
  },
  {
    // Surname, decade, month (50 more for women), day, year, initials, check characters.
    type: "UK_DRIVING_LICENCE",
    letters: [1, 2, 3, 4, 5],
    runs: [6, 7, 8, 9, 10],
    pattern: /[A-Z]{1,5}9{0,4}\d[0156]\d[0-3]\d{2}[A-Z][A-Z9]\d[A-Z]{2}/iy,
    check: (compact) => compact.length === 16 && isMonthDay(numberAt(compact, 6, 8) % 50, numberAt(compact, 8, 10)),
    score: STRONG,
    context: LICENCE_WORDS,
  },
  {
    type: "IE_PPS",
    runs: [7],
    pattern: /\d{7}[A-W][A-IW]?/iy,
    check: (compact) => isPps(compact),
    score: WEAK,
    context: ["pps", "ppsn", "personal public"],
    national: true,
  },
];

/** Official numbers of Spain and Portugal. */
export const IBERIA: readonly IdentityFormat[] = [
  {
    type: "ES_NIF",
    runs: [2, 7, 8],
    pattern: /\d{7,8}[- ]?[A-HJ-NP-TV-Z]|\d\d\.\d{3}\.\d{3}[- ]?[A-HJ-NP-TV-Z]/iy,
    check: (compact) => isNif(compact.slice(0, -1), compact),
    score: MEDIUM,
    context: ["documento nacional", "dni", "nif", "identificación"],
    national: true,
  },
  {
    type: "ES_NIE",
    letters: [1],
    runs: [7],
    pattern: /[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]/iy,
    check: (compact) => isNif(`${"XYZ".indexOf(compact.charAt(0))}${compact.slice(1, -1)}`, compact),
    score: STRONG,
    context: ["extranjero", "nie ", "residen"],
    national: true,
  },
  {
    type: "ES_CIF",
    letters: [1],
    runs: [7, 8],
    pattern: /[ABCDEFGHJNPQRSUVW]-?\d{7}[\dA-J]/iy,
    check: isCif,
    score: WEAK,
    context: ["cif", "nif", "empresa", "sociedad", ...VAT_WORDS],
  },
  {
    type: "ES_PASSPORT",
    letters: [3],
    runs: [6],
    pattern: /[A-Z]{3}\d{6}/iy,
    score: FAINT,
    context: PASSPORT_WORDS,
    country: ["pasaporte", "spain", "spanish", "españ"],
  },
  {
    type: "PT_NIF",
    runs: [3, 9],
    pattern: /[1-9]\d\d([ .]?)\d{3}\1\d{3}/y,
    check: (digits) => complement([9, 8, 7, 6, 5, 4, 3, 2], 11)(digits) && !isUniform(digits),
    score: WEAK,
    context: ["nif", "contribuinte", "fiscal"],
    national: true,
  },
  {
    type: "PT_CC",
    runs: [8, 9],
    pattern: /\d{8} ?\d ?[A-Z\d]{2}\d/iy,
    check: isPortugueseCard,
    score: WEAK,
    grouped: MEDIUM,
    context: ["cartão de cidadão", "citizen card", "cartao de cidadao", "cidadão", "bilhete"],
    national: true,
  },
];

function isNif(number: string, compact: string): boolean {
  return "TRWAGMYFPDXBNJZSQVHLCKE".charAt(Number(number) % 23) === compact.at(-1);
}

function isCif(compact: string): boolean {
  let sum = 0;
  for (let at = 1; at <= 7; at++) {
    const doubled = valueOf(compact, at) * (at % 2 === 1 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  const check = (10 - (sum % 10)) % 10;
  return compact.endsWith(String(check)) || compact.endsWith("JABCDEFGHI".charAt(check));
}

function isPps(compact: string): boolean {
  const second = compact.charAt(8);
  const sum =
    weightedSum(compact, [8, 7, 6, 5, 4, 3, 2]) +
    (second === "" || second === "W" ? 0 : (second.charCodeAt(0) - 64) * 9);
  return "WABCDEFGHIJKLMNOPQRSTUV".charAt(sum % 23) === compact.charAt(7);
}

function isPortugueseCard(compact: string): boolean {
  let sum = 0;
  for (let at = 0; at < 12; at++) {
    const value = valueOf(compact, at);
    sum += at % 2 === 1 ? value : value > 4 ? value * 2 - 9 : value * 2;
  }
  return compact.length === 12 && sum % 10 === 0;
}
