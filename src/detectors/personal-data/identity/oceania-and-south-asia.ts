// cspell:ignoreRegExp /pattern:\s+\/.+/g
import {
  complement,
  isMonthDay,
  isUniform,
  isVerhoeff,
  multiple,
  numberAt,
  startsWithDate,
  valueOf,
  weightedSum,
} from "./check-digits.js";
import { FAINT, MEDIUM, STRONG, WEAK } from "../certainty.js";
import { type IdentityFormat, PASSPORT_WORDS } from "./identity-format.js";

/** Official numbers of Australia and New Zealand. */
export const OCEANIA: readonly IdentityFormat[] = [
  {
    type: "AU_ABN",
    runs: [2, 11],
    pattern: /\d\d([ -]?)\d{3}\1\d{3}\1\d{3}/y,
    check: (digits) => (weightedSum(digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0,
    score: WEAK,
    grouped: STRONG,
    context: ["abn", "australian business"],
  },
  {
    type: "AU_ACN",
    runs: [3, 9],
    pattern: /\d{3}([ -]?)\d{3}\1\d{3}/y,
    check: (digits) => complement([8, 7, 6, 5, 4, 3, 2, 1], 10)(digits) && !isUniform(digits),
    score: WEAK,
    context: ["acn", "australian company", "company number"],
  },
  {
    type: "AU_TFN",
    runs: [3, 8, 9],
    pattern: /\d{8,9}|\d{3}([ -])\d{3}\1\d{3}/y,
    check: (digits) =>
      multiple(digits.length === 9 ? [1, 4, 3, 7, 5, 8, 6, 9, 10] : [10, 7, 8, 4, 6, 3, 5, 1], 11)(digits) &&
      !isUniform(digits),
    score: WEAK,
    context: ["tfn", "tax file"],
    national: true,
  },
  {
    type: "AU_MEDICARE",
    runs: [4, 10, 11],
    pattern: /[2-6]\d{3}([ -]?)\d{5}\1\d(?:[ /-]?\d)?/y,
    check: (digits) => weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === valueOf(digits, 8),
    score: WEAK,
    grouped: MEDIUM,
    context: ["medicare"],
  },
  {
    type: "NZ_IRD",
    runs: [2, 3, 8, 9],
    pattern: /\d{2,3}([- ]?)\d{3}\1\d{3}/y,
    check: (digits) => isIrd(digits.padStart(9, "0")),
    score: WEAK,
    context: ["ird ", "inland revenue"],
    national: true,
  },
];

const PAN_WORDS = ["permanent account", "pan ", "income tax"];

/** Official numbers of south and south-eastern Asia. */
export const SOUTH_ASIA: readonly IdentityFormat[] = [
  {
    type: "IN_AADHAAR",
    runs: [4, 12],
    pattern: /[2-9]\d{3}([ :-]?)\d{4}\1\d{4}/y,
    check: isVerhoeff,
    score: WEAK,
    grouped: MEDIUM,
    context: ["aadhaar", "aadhar", "uidai", "uid", "आधार"],
    national: true,
  },
  {
    type: "IN_PAN",
    letters: [5],
    runs: [4],
    pattern: /[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]/y,
    score: MEDIUM,
    context: PAN_WORDS,
    national: true,
  },
  {
    type: "IN_PAN",
    letters: [5],
    runs: [4],
    pattern: /[a-z]{3}[abcfghjlpt][a-z]\d{4}[a-z]/y,
    score: FAINT,
    context: PAN_WORDS,
    national: true,
  },
  {
    type: "IN_PASSPORT",
    letters: [1],
    runs: [2, 7],
    pattern: /[A-PR-WY][1-9]\d ?\d{4}[1-9]/iy,
    score: FAINT,
    context: PASSPORT_WORDS,
    country: ["india", "पासपोर्ट"],
  },
  {
    type: "IN_VOTER",
    letters: [3],
    runs: [7],
    pattern: /[A-Z]{3}\d{7}/iy,
    score: FAINT,
    context: ["voter", "epic", "election", "elector", "मतदाता"],
  },
  {
    type: "IN_VEHICLE_REGISTRATION",
    letters: [2],
    runs: [1, 2],
    pattern:
      /(?:A[NPRS]|B[HR]|C[GH]|D[DLN]|G[AJ]|H[PR]|J[HK]|K[AL]|L[AD]|M[HLNPZ]|NL|O[DR]|P[BY]|RJ|SK|T[GNRS]|U[AKP]|WB)([- ]?)\d{1,2}\1[A-Z]{1,3}\1\d{4}/iy,
    score: WEAK,
    context: ["vehicle", "registration", "number plate", "rto", "car "],
  },
  {
    type: "IN_GSTIN",
    runs: [2],
    pattern: /[0-3]\d[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[\dA-Z]/iy,
    check: isGstin,
    score: STRONG,
    context: ["gst", "gstin"],
  },
  {
    type: "SG_NRIC_FIN",
    letters: [1],
    runs: [7],
    pattern: /[STFGM]\d{7}[A-Z]/iy,
    check: isNric,
    score: STRONG,
    context: ["nric", "fin "],
    national: true,
  },
  {
    // Birth date, place of birth, serial number.
    type: "MY_NRIC",
    runs: [6, 12],
    pattern: /\d{6}(-?)(?:0[1-9]|[1-5]\d|6[0-8]|7[1-9]|8[2-9]|9[0-389])\1\d{4}/y,
    check: (digits) => startsWithDate(digits),
    score: FAINT,
    grouped: MEDIUM,
    context: ["mykad", "nric", "kad pengenalan", "ic no"],
    national: true,
  },
  {
    type: "TH_TNIN",
    runs: [1, 13],
    pattern: /[1-8]([- ]?)\d{4}\1\d{5}\1\d\d\1\d/y,
    check: (digits) =>
      (11 - (weightedSum(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === valueOf(digits, 12),
    score: WEAK,
    grouped: STRONG,
    context: ["เลขประจำตัว", "บัตรประชาชน", "tnin", "thai"],
    national: true,
  },
  {
    // District, birth date (women have 40 more in the day), serial number.
    type: "ID_NIK",
    runs: [16],
    pattern: /[1-9]\d{15}/y,
    check: (digits) => isMonthDay(numberAt(digits, 8, 10), numberAt(digits, 6, 8) % 40),
    score: FAINT,
    context: ["nik", "ktp", "kependudukan"],
    national: true,
  },
  {
    type: "PK_CNIC",
    runs: [5, 13],
    pattern: /[1-7]\d{4}(-?)\d{7}\1\d/y,
    score: FAINT,
    grouped: MEDIUM,
    context: ["cnic", "nadra"],
    national: true,
  },
];

function isIrd(digits: string): boolean {
  const number = Number(digits);
  if (number < 10_000_000 || number > 150_000_000) return false;
  const first = (11 - (weightedSum(digits, [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  const check = first === 10 ? (11 - (weightedSum(digits, [7, 4, 3, 2, 5, 2, 7, 6]) % 11)) % 11 : first;
  return check === valueOf(digits, 8);
}

const GST_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

function isGstin(compact: string): boolean {
  let sum = 0;
  for (let at = 0; at < 14; at++) {
    const product = valueOf(compact, at) * (at % 2 === 0 ? 1 : 2);
    sum += Math.floor(product / 36) + (product % 36);
  }
  return GST_ALPHABET.charAt((36 - (sum % 36)) % 36) === compact.charAt(14);
}

function isNric(compact: string): boolean {
  const series = compact.charAt(0);
  const offset = series === "T" || series === "G" ? 4 : series === "M" ? 3 : 0;
  const rest = (weightedSum(compact.slice(1), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11;
  const letters = series === "S" || series === "T" ? "JZIHGFEDCBA" : series === "M" ? "KLJNPQRTUWX" : "XWUTRQPNMLK";
  const expected = series === "M" ? letters.charAt(10 - rest) : letters.charAt(rest);
  return expected === compact.charAt(8);
}
