// cspell:ignoreRegExp /pattern:\s+\/.+/g
import {
  complement,
  isLuhn,
  isMod11And10,
  isMonthDay,
  isUniform,
  numberAt,
  remainder,
  startsWithDate,
  startsWithDay,
  valueOf,
  weightedSum,
} from "./check-digits.js";
import { MEDIUM, STRONG, WEAK } from "../certainty.js";
import type { IdentityFormat } from "./identity-format.js";

/** Official numbers of south-eastern and eastern Europe. */
export const EASTERN_EUROPE: readonly IdentityFormat[] = [
  {
    type: "RO_CNP",
    runs: [13],
    pattern: /[1-9]\d{12}/y,
    check: (digits) => startsWithDate(digits, 1) && remainder([2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9], 1)(digits),
    score: STRONG,
    context: ["cnp", "cod numeric"],
    national: true,
  },
  {
    type: "BG_EGN",
    runs: [10],
    pattern: /\d{10}/y,
    check: (digits) =>
      /^..[0-5]/.test(digits) &&
      isMonthDay(numberAt(digits, 2, 4) % 20, numberAt(digits, 4, 6)) &&
      remainder([2, 4, 8, 5, 10, 9, 7, 3, 6])(digits),
    score: WEAK,
    context: ["егн", "egn", "единен"],
    national: true,
  },
  {
    type: "HR_OIB",
    runs: [11],
    pattern: /\d{11}/y,
    check: (digits) => isMod11And10(digits) && !isUniform(digits),
    score: WEAK,
    context: ["oib", "osobni"],
    national: true,
  },
  {
    // Numbers of Yugoslavia, in use in its successors: day, month, three digits of the year, region.
    type: "RS_JMBG",
    runs: [13],
    pattern: /\d{4}[09]\d{8}/y,
    check: (digits) => startsWithDay(digits) && complement([7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11)(digits),
    score: STRONG,
    context: ["jmbg", "emšo", "emso", "matični broj", "jmb"],
    national: true,
  },
  {
    type: "GR_AMKA",
    runs: [11],
    pattern: /\d{11}/y,
    check: (digits) => startsWithDay(digits) && isLuhn(digits),
    score: MEDIUM,
    context: ["αμκα", "amka"],
    national: true,
  },
  {
    type: "GR_AFM",
    runs: [9],
    pattern: /\d{9}/y,
    check: (digits) =>
      !isUniform(digits) && (weightedSum(digits, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === valueOf(digits, 8),
    score: WEAK,
    context: ["αφμ", "afm"],
    national: true,
  },
  {
    type: "RU_SNILS",
    runs: [3, 11],
    pattern: /\d{3}(-?)\d{3}\1\d{3}[- ]?\d\d/y,
    check: (digits) =>
      !isUniform(digits) && (weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === numberAt(digits, 9, 11),
    score: WEAK,
    grouped: STRONG,
    context: ["снилс", "snils", "страхов"],
    national: true,
  },
  {
    type: "RU_INN",
    runs: [10, 12],
    pattern: /\d{12}|\d{10}/y,
    check: isInn,
    score: WEAK,
    context: ["инн", "inn ", "налог"],
    national: true,
  },
  {
    type: "UA_RNOKPP",
    runs: [10],
    pattern: /\d{10}/y,
    check: (digits) =>
      !isUniform(digits) &&
      (((weightedSum(digits, [-1, 5, 7, 9, 4, 6, 10, 5, 7]) % 11) + 11) % 11) % 10 === valueOf(digits, 9),
    score: WEAK,
    context: ["рнокпп", "іпн", "ипн", "rnokpp"],
    national: true,
  },
  {
    type: "TR_NATIONAL_ID",
    runs: [11],
    pattern: /[1-9]\d{9}[02468]/y,
    check: isTurkishId,
    score: MEDIUM,
    context: ["kimlik", "türk", "turkish", "tckn", "t.c.", "tc no"],
    national: true,
  },
];

function isInn(digits: string): boolean {
  const isCheck = (weights: readonly number[]) =>
    (weightedSum(digits, weights) % 11) % 10 === valueOf(digits, weights.length);
  if (isUniform(digits)) return false;
  return digits.length === 10
    ? isCheck([2, 4, 10, 3, 5, 9, 4, 6, 8])
    : isCheck([7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) && isCheck([3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]);
}

function isTurkishId(digits: string): boolean {
  const sum = weightedSum(digits, [7, -1, 7, -1, 7, -1, 7, -1, 7]);
  const all = weightedSum(digits, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  return ((sum % 10) + 10) % 10 === valueOf(digits, 9) && all % 10 === valueOf(digits, 10);
}
