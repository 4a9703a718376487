// cspell:ignoreRegExp /pattern:\s+\/.+/g
import { complement, isLuhn, isUniform, multiple, startsWithDate, valueOf, weightedSum } from "./check-digits.js";
import { FAINT, MEDIUM, STRONG, WEAK } from "../certainty.js";
import { type IdentityFormat, LICENCE_WORDS, PASSPORT_WORDS } from "./identity-format.js";

/** Numbers that the Social Security Administration published or advertised with. */
const UNUSED_SSN = new Set(["078051120", "219099999", "457555462"]);

/** More certain than a telephone number in the same groups: none has them. */
const GROUPED = 0.7;

/** Official numbers of the United States. */
export const UNITED_STATES: readonly IdentityFormat[] = [
  {
    // Areas 000, 666 and 900 to 999, group 00 and serial 0000 were never given.
    type: "US_SSN",
    runs: [3, 9],
    pattern: /(?!000|666|9)\d{3}([-‐‑– .]?)(?!00)\d\d\1(?!0000)\d{4}/y,
    check: (digits) => !isUniform(digits) && !UNUSED_SSN.has(digits),
    score: FAINT,
    grouped: GROUPED,
    context: ["social", "security", "ssn", "ss#", "ss #", "ssid", "taxpayer", "tax id", "seguro social"],
  },
  {
    type: "US_ITIN",
    runs: [3, 9],
    pattern: /9\d\d([-‐‑– .]?)(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\1\d{4}/y,
    score: FAINT,
    grouped: GROUPED,
    context: ["individual", "taxpayer", "itin", "tax"],
  },
  {
    type: "US_PASSPORT",
    letters: [0, 1],
    runs: [8, 9],
    pattern: /\d{9}|[A-Z]\d{8}/iy,
    score: FAINT,
    context: PASSPORT_WORDS,
    country: ["u.s.", "us ", "usa ", "american", "united states"],
  },
  {
    type: "US_DRIVER_LICENSE",
    runs: [3, 7, 8, 9],
    pattern: /\d{7,9}|\d{3} \d{3} \d{3}/y,
    score: FAINT,
    context: LICENCE_WORDS,
  },
  {
    type: "US_DRIVER_LICENSE",
    letters: [1],
    runs: [3, 5, 6, 7, 8, 9, 12, 13, 14],
    pattern: /[A-Z]\d{3}(?:-\d{4}-\d{4}|-\d{3}-\d\d-\d{3}-\d)|[A-Z](?:\d{12,14}|\d{5,9})/iy,
    score: FAINT,
    context: LICENCE_WORDS,
  },
  {
    type: "US_DRIVER_LICENSE",
    letters: [2, 3],
    runs: [5, 6, 7],
    pattern: /[A-Z]{2}\d{5,7}|[A-Z]{3}\d{6}/iy,
    score: FAINT,
    context: LICENCE_WORDS,
  },
  {
    type: "US_BANK_NUMBER",
    runs: [8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
    pattern: /\d{8,17}/y,
    check: (digits) => !isUniform(digits),
    score: FAINT,
    context:
      "bank|account|acct|checking|savings|deposit|cuenta|a/c|konto|blz|bankleitzahl|compte|rekening|счет|счёт|hesap|口座|账号|계좌".split(
        "|",
      ),
  },
  {
    type: "ABA_ROUTING_NUMBER",
    runs: [4, 9],
    pattern: /[0-3678]\d{3}([- ]?)\d{4}\1\d/y,
    check: (digits) => !isUniform(digits) && multiple([3, 7, 1, 3, 7, 1, 3, 7, 1], 10)(digits),
    score: WEAK,
    context: ["routing", "aba", "rtn", "transit", "wire", "ach "],
  },
  {
    type: "US_MBI",
    runs: [1],
    pattern:
      /[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d(-?)[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d\1[AC-HJKMNP-RT-Y]{2}\d\d/iy,
    score: MEDIUM,
    context: ["medicare", "mbi", "beneficiary"],
  },
  {
    type: "US_NPI",
    runs: [10],
    pattern: /[12]\d{9}/y,
    check: (digits) => isLuhn(`80840${digits}`),
    score: WEAK,
    context: ["npi", "provider"],
  },
  {
    type: "MEDICAL_LICENSE",
    letters: [2],
    runs: [7],
    pattern: /[ABCDEFGHJKLMPRSTUX][A-Z]\d{7}/iy,
    check: (compact) => complement([0, 0, 9, 8, 9, 8, 9, 8], 10)(compact),
    score: WEAK,
    context: ["dea", "medical", "prescri", "certificate"],
  },
];

const CHILE = ["rut ", "run ", "rol único"];

/** Official numbers of Canada and Latin America. */
export const LATIN_AMERICA_AND_CANADA: readonly IdentityFormat[] = [
  {
    type: "CA_SIN",
    runs: [3, 9],
    pattern: /[1-79]\d\d([- ]?)\d{3}\1\d{3}/y,
    check: (digits) => isLuhn(digits) && !isUniform(digits),
    score: WEAK,
    context: ["sin ", "social insurance", "assurance sociale", "nas "],
    national: true,
  },
  {
    type: "BR_CPF",
    runs: [3, 11],
    pattern: /\d{3}(\.?)\d{3}\1\d{3}[-.]?\d\d/y,
    check: (digits) =>
      !isUniform(digits) &&
      complement([10, 9, 8, 7, 6, 5, 4, 3, 2], 11)(digits) &&
      complement([11, 10, 9, 8, 7, 6, 5, 4, 3, 2], 11)(digits),
    score: WEAK,
    grouped: STRONG,
    context: ["cpf", "cadastro", "contribuinte"],
    national: true,
  },
  {
    type: "BR_CNPJ",
    runs: [2, 14],
    pattern: /\d\d(\.?)\d{3}\1\d{3}\/?\d{4}-?\d\d/y,
    check: (digits) =>
      !isUniform(digits) &&
      complement([5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], 11)(digits) &&
      complement([6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], 11)(digits),
    score: WEAK,
    grouped: STRONG,
    context: ["cnpj", "cadastro", "empresa"],
    national: true,
  },
  {
    type: "MX_CURP",
    letters: [4],
    runs: [6],
    pattern: /[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{2}[B-DF-HJ-NP-TV-Z]{3}[A-Z\d]\d/iy,
    check: (compact) => startsWithDate(compact, 4) && isCurp(compact),
    score: STRONG,
    context: ["curp", "clave", "población"],
    national: true,
  },
  {
    type: "MX_RFC",
    letters: [3, 4],
    runs: [6],
    pattern: /[A-ZÑ&]{3,4}[- ]?\d{6}[- ]?[A-Z\d]{2}[\dA]/iy,
    check: (compact) => startsWithDate(compact, compact.length - 9),
    score: WEAK,
    context: ["rfc", "registro federal", "contribuyente", "sat "],
    national: true,
  },
  {
    type: "AR_CUIT",
    runs: [2, 11],
    pattern: /(?:2[03-7]|3[034])(-?)\d{8}\1\d/y,
    check: (digits) => complement([5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11, 9)(digits),
    score: MEDIUM,
    grouped: STRONG,
    context: ["cuit", "cuil", "afip"],
    national: true,
  },
  {
    type: "CL_RUT",
    runs: [1, 2],
    pattern: /\d{1,2}\.\d{3}\.\d{3}-[\dK]/iy,
    check: isRut,
    score: MEDIUM,
    context: CHILE,
    national: true,
  },
  {
    type: "CL_RUT",
    runs: [7, 8, 9],
    pattern: /\d{7,8}-?[\dK]/iy,
    check: isRut,
    score: WEAK,
    context: CHILE,
    national: true,
  },
  {
    type: "EC_CEDULA",
    runs: [10],
    pattern: /(?:[01]\d|2[0-4]|30)[0-6]\d{7}/y,
    check: isLuhn,
    score: WEAK,
    context: ["cédula", "cedula", "ecuador"],
    national: true,
  },
  {
    type: "DO_CEDULA",
    runs: [3, 11],
    pattern: /\d{3}(-?)\d{7}\1\d/y,
    check: (digits) => isLuhn(digits) && !isUniform(digits),
    score: WEAK,
    grouped: MEDIUM,
    context: ["cédula", "cedula", "dominican"],
    national: true,
  },
  {
    type: "UY_CI",
    runs: [1, 7, 8],
    pattern: /\d(\.?)\d{3}\1\d{3}-?\d/y,
    check: (digits) => complement([2, 9, 8, 7, 6, 3, 4], 10)(digits.padStart(8, "0")),
    score: WEAK,
    grouped: MEDIUM,
    context: ["cédula", "cedula", "ci ", "uruguay"],
    national: true,
  },
];

const CURP_ALPHABET = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ";

function isCurp(compact: string): boolean {
  let sum = 0;
  for (let at = 0; at < 17; at++) sum += (18 - at) * CURP_ALPHABET.indexOf(compact.charAt(at));
  return (10 - (sum % 10)) % 10 === valueOf(compact, 17);
}

function isRut(compact: string): boolean {
  const digits = compact.slice(0, -1).padStart(8, "0");
  const rest = 11 - (weightedSum(digits, [3, 2, 7, 6, 5, 4, 3, 2]) % 11);
  const expected = rest === 11 ? "0" : rest === 10 ? "K" : String(rest);
  return !isUniform(digits) && expected === compact.at(-1);
}
