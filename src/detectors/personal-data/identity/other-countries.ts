// cspell:disable
import { complement, isLuhn, isUniform } from "./check-digits.js";
import { FAINT, WEAK } from "../certainty.js";
import { type IdentityFormat, LICENCE_WORDS, PASSPORT_WORDS } from "./identity-format.js";

const NATIONAL =
  "national id|الرقم القومي|رقم الهوية|رقم البطاقة|cccd|cmnd|căn cước|ghana card|nic |nid |dni|cédula|cedula|nit |kenya|philippine|philsys|philhealth|umid|sss |carte nationale|citizenship|emšo".split(
    "|",
  );
/** Check of the number of a bank account. */
const CLABE = complement([3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7], 10);
/** Check of the number of an employee. */
const PIS = complement([3, 2, 9, 8, 7, 6, 5, 4, 3, 2], 11);

/** Numbers of further countries, of devices and vehicles, and passports; found near a word only. */
export const OTHER_COUNTRIES: readonly IdentityFormat[] = [
  {
    type: "NATIONAL_ID",
    runs: [1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17],
    pattern: /\d{9}[VX]|\d{7,17}|\d{1,4}(?:\.\d{3}){2,3}(?:-\d)?|\d{2,4}(?:-\d{3,7}){1,3}-\d{1,3}|\d{9}-\d/iy,
    check: (compact) => !isUniform(compact),
    score: FAINT,
    context: NATIONAL,
  },
  { type: "NATIONAL_ID", letters: [3], runs: [9], pattern: /GHA-\d{9}-\d/iy, score: WEAK, context: NATIONAL },
  {
    type: "MX_CLABE",
    runs: [18],
    pattern: /\d{18}/y,
    check: CLABE,
    score: WEAK,
    context: ["clabe", "cuenta", "interbancaria"],
  },
  {
    type: "BR_PIS",
    runs: [3, 11],
    pattern: /\d{3}\.?\d{5}\.?\d\d-?\d/y,
    check: (digits) => !isUniform(digits) && PIS(digits),
    score: WEAK,
    context: ["pis ", "pis/", "pis:", "pasep", "nis ", "fgts"],
  },
  {
    type: "IMEI",
    runs: [2, 15],
    pattern: /\d{15}|\d\d-\d{6}-\d{6}-\d/y,
    check: isLuhn,
    score: WEAK,
    context: ["imei"],
  },
  {
    type: "VIN",
    letters: [0, 1, 2, 3, 4],
    runs: [1, 2, 3, 4, 5],
    pattern: /[A-HJ-NPR-Z\d]{13}\d{4}/iy,
    score: FAINT,
    context: ["vin ", "vin:", "chassis", "fahrgestell", "telaio", "bastidor"],
  },
  {
    type: "UK_SORT_CODE",
    runs: [2, 6],
    pattern: /\d\d-\d\d-\d\d|\d{6}/y,
    score: FAINT,
    context: ["sort code", "sortcode"],
  },
  {
    type: "DRIVER_LICENSE",
    letters: [0, 1, 2],
    runs: [1, 2, 3, 5, 6, 9, 10, 11, 12],
    pattern: /[A-Z]\d{2,3}[A-Z\d]{7,8}|\d{9,12}|[A-Z]{2}\d{7}[A-Z]|\d{2}[ /]\d\d[ /]\d{4,6}|\d{5}\/\d\d\/\d{4}/iy,
    score: FAINT,
    context: LICENCE_WORDS,
  },
  { type: "PASSPORT", letters: [3], runs: [6], pattern: /[A-Z]{3}\d{6}/iy, score: FAINT, context: PASSPORT_WORDS },
];
