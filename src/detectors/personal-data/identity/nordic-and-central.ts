// cspell:ignoreRegExp /pattern:\s+\/.+/g
import {
  complement,
  isLuhn,
  isMonthDay,
  isUniform,
  multiple,
  numberAt,
  remainder,
  startsWithDate,
  startsWithDay,
  valueOf,
  weightedSum,
} from "./check-digits.js";
import { MEDIUM, STRONG, WEAK } from "../certainty.js";
import type { IdentityFormat } from "./identity-format.js";

const SWEDISH = ["personnummer", "samordning", "svensk"];

/** Official numbers of the Nordic countries. */
export const NORDIC: readonly IdentityFormat[] = [
  {
    // Times in seconds have ten digits, too.
    type: "SE_PERSONNUMMER",
    runs: [6, 10],
    pattern: /\d{6}[-+]?\d{4}/y,
    check: isSwedishNumber,
    score: WEAK,
    grouped: STRONG,
    context: SWEDISH,
    national: true,
  },
  {
    type: "SE_PERSONNUMMER",
    runs: [8, 12],
    pattern: /(?:19|20)\d{6}[-+]?\d{4}/y,
    check: isSwedishNumber,
    score: MEDIUM,
    grouped: STRONG,
    context: SWEDISH,
    national: true,
  },
  {
    type: "NO_FNR",
    runs: [6, 11],
    pattern: /\d{6} ?\d{5}/y,
    check: (digits) =>
      isMonthDay(numberAt(digits, 2, 4) % 40, numberAt(digits, 0, 2) % 40) &&
      complement([3, 7, 6, 1, 8, 9, 4, 5, 2], 11, -1)(digits) &&
      complement([5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11, -1)(digits),
    score: STRONG,
    context: ["fødselsnummer", "fodselsnummer", "personnummer", "d-nummer"],
    national: true,
  },
  {
    type: "DK_CPR",
    runs: [6, 10],
    pattern: /\d{6}[- ]?\d{4}/y,
    check: isCpr,
    score: WEAK,
    grouped: MEDIUM,
    context: ["cpr", "personnummer"],
    national: true,
  },
  {
    type: "FI_PERSONAL_IDENTITY_CODE",
    runs: [6],
    pattern: /\d{6}[-+A-FU-Y]\d{3}[\dA-FHJ-NPR-Y]/iy,
    check: (compact) => startsWithDay(compact) && isHetu(compact),
    score: STRONG,
    context: ["hetu", "henkilötunnus", "identity code", "personbeteckning"],
    national: true,
  },
  {
    type: "IS_KENNITALA",
    runs: [6, 10],
    pattern: /\d{6}-?\d{3}[089]/y,
    check: (digits) => startsWithDay(digits) && complement([3, 2, 7, 6, 5, 4, 3, 2], 11, -1)(digits),
    score: WEAK,
    grouped: STRONG,
    context: ["kennitala"],
    national: true,
  },
];

/** Official numbers of Poland, Czechia, Slovakia, Hungary and the Baltic countries. */
export const CENTRAL_EUROPE: readonly IdentityFormat[] = [
  {
    // The month has 20 more from the year 2000, and 80 more before 1900.
    type: "PL_PESEL",
    runs: [11],
    pattern: /\d{11}/y,
    check: (digits) =>
      /^..[0-3]/.test(digits) &&
      isMonthDay(numberAt(digits, 2, 4) % 20, numberAt(digits, 4, 6)) &&
      complement([1, 3, 7, 9, 1, 3, 7, 9, 1, 3], 10)(digits),
    score: MEDIUM,
    context: ["pesel"],
    national: true,
  },
  {
    type: "PL_NIP",
    letters: [0, 2],
    runs: [3, 10],
    pattern: /(?:PL)?\d{3}(?:\d{7}|-\d{3}-\d\d-\d\d|-\d\d-\d\d-\d{3})/iy,
    check: (compact) => remainder([6, 5, 7, 2, 3, 4, 5, 6, 7], -1)(compact.slice(-10)) && !isUniform(compact),
    score: WEAK,
    grouped: MEDIUM,
    context: ["nip", "podatkow", "vat"],
    national: true,
  },
  {
    type: "PL_IDENTITY_CARD",
    letters: [3],
    runs: [6],
    pattern: /[A-Z]{3} ?\d{6}/iy,
    check: multiple([7, 3, 1, 9, 7, 3, 1, 7, 3], 10),
    score: WEAK,
    context: ["dowód", "dowod", "dowodu"],
    national: true,
  },
  {
    // Women have 50 more in the month, and years with many births 20 more.
    type: "CZ_BIRTH_NUMBER",
    runs: [6, 10],
    pattern: /\d{6}\/?\d{4}/y,
    check: (digits) => isMonthDay((numberAt(digits, 2, 4) % 50) % 20, numberAt(digits, 4, 6)) && isBirthNumber(digits),
    score: WEAK,
    grouped: STRONG,
    context: ["rodné číslo", "rodne cislo", "rodného", "rč", "birth number"],
    national: true,
  },
  {
    type: "HU_TAX_ID",
    runs: [10],
    pattern: /8\d{9}/y,
    check: (digits) => weightedSum(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11 === valueOf(digits, 9),
    score: WEAK,
    context: ["adóazonosító", "adoazonosito", "adószám"],
    national: true,
  },
  {
    type: "HU_TAJ",
    runs: [3, 9],
    pattern: /\d{3}([- ]?)\d{3}\1\d{3}/y,
    check: (digits) => weightedSum(digits, [3, 7, 3, 7, 3, 7, 3, 7]) % 10 === valueOf(digits, 8) && !isUniform(digits),
    score: WEAK,
    context: ["taj", "társadalombiztosítás", "tb szám"],
  },
  {
    type: "EE_ISIKUKOOD",
    runs: [11],
    pattern: /[1-8]\d{10}/y,
    check: isBalticCode,
    score: MEDIUM,
    context: ["isikukood", "eesti", "estonia"],
    national: true,
  },
  {
    type: "LT_ASMENS_KODAS",
    runs: [11],
    pattern: /[3-6]\d{10}/y,
    check: isBalticCode,
    score: MEDIUM - 0.01,
    context: ["asmens kod", "lietuv", "lithuania"],
    national: true,
  },
  {
    type: "LV_PERSONAS_KODS",
    runs: [6, 11],
    pattern: /\d{6}-?\d{5}/y,
    check: (digits) =>
      startsWithDay(digits) &&
      valueOf(digits, 6) <= 2 &&
      ((1101 - weightedSum(digits, [1, 6, 3, 7, 9, 10, 5, 8, 4, 2])) % 11) % 10 === valueOf(digits, 10),
    score: MEDIUM,
    grouped: STRONG,
    context: ["personas kod", "latvij"],
    national: true,
  },
];

/** Coordination numbers have 60 more in the day. */
function isSwedishNumber(digits: string): boolean {
  const short = digits.slice(-10);
  return isMonthDay(numberAt(short, 2, 4), numberAt(short, 4, 6) % 60) && isLuhn(short);
}

/**
 * Until 2007 each number passed the check with modulus 11. Later numbers need not, and neither do those of men that are recorded
 * as born on the first of January, of which there were not enough.
 */
function isCpr(digits: string): boolean {
  if (!startsWithDay(digits)) return false;
  if (multiple([4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11)(digits)) return true;
  const year = numberAt(digits, 4, 6);
  return valueOf(digits, 6) >= 4 && year >= 7 && year <= 36;
}

/** The last digit is the remainder of the others; until 1985 it was 0 for 10. */
function isBirthNumber(digits: string): boolean {
  return (numberAt(digits, 0, 9) % 11) % 10 === valueOf(digits, 9);
}

function isHetu(compact: string): boolean {
  const digits = `${compact.slice(0, 6)}${compact.slice(-4, -1)}`;
  return "0123456789ABCDEFHJKLMNPRSTUVWXY".charAt(Number(digits) % 31) === compact.at(-1);
}

function isBalticCode(digits: string): boolean {
  if (!startsWithDate(digits, 1)) return false;
  const first = weightedSum(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
  const second = first === 10 ? (weightedSum(digits, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11) % 10 : first;
  return second === valueOf(digits, 10);
}
