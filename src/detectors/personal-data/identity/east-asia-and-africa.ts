// cspell:ignoreRegExp /pattern:\s+\/.+/g
import { isLuhn, isUniform, numberAt, startsWithDate, valueOf, weightedSum } from "./check-digits.js";
import { FAINT, MEDIUM, STRONG, WEAK } from "../certainty.js";
import type { IdentityFormat } from "./identity-format.js";

/** Official numbers of eastern and central Asia. */
export const EAST_ASIA: readonly IdentityFormat[] = [
  {
    type: "CN_RESIDENT_ID",
    runs: [17, 18],
    pattern: /[1-9]\d{5}(?:19|20)\d{9}[\dX]/iy,
    check: (compact) =>
      startsWithDate(compact, 8) &&
      "10X98765432".charAt(weightedSum(compact, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11) ===
        compact.at(-1),
    score: STRONG,
    context: ["身份证", "身分證", "居民"],
    national: true,
  },
  {
    type: "HK_ID",
    letters: [1, 2],
    runs: [6, 7],
    pattern: /[A-Z]{1,2}\d{6} ?(?:\([\dA]\)|[\dA])/iy,
    check: isHongKongId,
    score: WEAK,
    grouped: STRONG,
    context: ["hkid", "hong kong", "香港", "身份證"],
    national: true,
  },
  {
    type: "TW_ID",
    letters: [1],
    runs: [9],
    pattern: /[A-Z][1289]\d{8}/iy,
    check: isTaiwaneseId,
    score: MEDIUM,
    context: ["身分證", "身份證", "taiwan"],
    national: true,
  },
  {
    type: "KR_RRN",
    runs: [6, 13],
    pattern: /\d{6}-?[0-9]\d{6}/y,
    check: isKoreanId,
    score: MEDIUM,
    grouped: STRONG,
    context: ["주민등록", "주민", "rrn", "resident registration"],
    national: true,
  },
  {
    type: "KR_BRN",
    runs: [3, 10],
    pattern: /\d{3}(-?)\d\d\1\d{5}/y,
    check: (digits) => isBusinessNumber(digits),
    score: WEAK,
    grouped: MEDIUM,
    context: ["사업자", "business registration", "brn"],
  },
  {
    type: "JP_MY_NUMBER",
    runs: [4, 12],
    pattern: /\d{4}([- ]?)\d{4}\1\d{4}/y,
    check: isMyNumber,
    score: WEAK,
    context: ["マイナンバー", "個人番号", "my number", "individual number"],
    national: true,
  },
  {
    type: "KZ_IIN",
    runs: [12],
    pattern: /\d{6}[0-6]\d{5}/y,
    check: (digits) => startsWithDate(digits) && isIin(digits),
    score: MEDIUM,
    context: ["иин", "жсн", "iin"],
    national: true,
  },
];

/** Official numbers of Africa and western Asia. */
export const AFRICA_AND_MIDDLE_EAST: readonly IdentityFormat[] = [
  {
    type: "ZA_ID_NUMBER",
    runs: [6, 13],
    pattern: /\d{6} ?\d{4} ?[012]\d ?\d/y,
    check: (digits) => startsWithDate(digits) && isLuhn(digits),
    score: STRONG,
    context: ["south africa", "rsa id", "sa id"],
    national: true,
  },
  {
    type: "NG_NIN",
    runs: [11],
    pattern: /\d{11}/y,
    score: FAINT,
    context: ["nin ", "nimc", "national identification number"],
  },
  {
    type: "IL_ID",
    runs: [8, 9],
    pattern: /\d{8}-?\d/y,
    check: (digits) => isLuhn(digits) && !isUniform(digits),
    score: WEAK,
    context: ["teudat", "תעודת", "ת.ז", "israel"],
    national: true,
  },
  {
    type: "AE_EMIRATES_ID",
    runs: [3, 15],
    pattern: /784(-?)(?:19|20)\d\d\1\d{7}\1\d/y,
    check: isLuhn,
    score: STRONG,
    context: ["emirates", "هوية"],
    national: true,
  },
  {
    type: "SA_NATIONAL_ID",
    runs: [10],
    pattern: /[12]\d{9}/y,
    check: isLuhn,
    score: WEAK,
    context: ["iqama", "saudi", "هوية", "إقامة"],
    national: true,
  },
  {
    type: "IR_NATIONAL_ID",
    runs: [3, 10],
    pattern: /\d{3}(-?)\d{6}\1\d/y,
    check: isIranianId,
    score: WEAK,
    context: ["کد ملی", "کدملی", "شماره ملی", "melli", "national code", "iran"],
    national: true,
  },
];

function isHongKongId(compact: string): boolean {
  const padded = compact.padStart(9, " ");
  let sum = 0;
  for (let at = 0; at < 8; at++) {
    const value = padded.charAt(at) === " " ? 36 : valueOf(padded, at);
    sum += value * (9 - at);
  }
  return (sum + (padded.endsWith("A") ? 10 : Number(padded.at(-1)))) % 11 === 0;
}

const TAIWANESE_REGIONS = "ABCDEFGHJKLMNPQRSTUVXYWZIO";

function isTaiwaneseId(compact: string): boolean {
  const region = TAIWANESE_REGIONS.indexOf(compact.charAt(0)) + 10;
  const sum = Math.floor(region / 10) + (region % 10) * 9 + weightedSum(compact.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1]);
  return sum % 10 === 0;
}

/** Numbers that were given from October 2020 on end in random digits. */
function isKoreanId(digits: string): boolean {
  if (!startsWithDate(digits)) return false;
  const century = valueOf(digits, 6);
  const isRandom = [3, 4, 7, 8].includes(century) && numberAt(digits, 0, 4) >= 2010 && numberAt(digits, 0, 2) < 50;
  return (
    isRandom || (11 - (weightedSum(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 === valueOf(digits, 12)
  );
}

function isBusinessNumber(digits: string): boolean {
  const last = valueOf(digits, 8) * 5;
  const sum = weightedSum(digits, [1, 3, 7, 1, 3, 7, 1, 3]) + Math.floor(last / 10) + (last % 10);
  return (10 - (sum % 10)) % 10 === valueOf(digits, 9);
}

function isMyNumber(digits: string): boolean {
  const rest = weightedSum(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return !isUniform(digits) && (rest <= 1 ? 0 : 11 - rest) === valueOf(digits, 11);
}

function isIin(digits: string): boolean {
  const first = weightedSum(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) % 11;
  const check = first === 10 ? weightedSum(digits, [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]) % 11 : first;
  return check === valueOf(digits, 11);
}

function isIranianId(digits: string): boolean {
  const rest = weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  return !isUniform(digits) && (rest < 2 ? rest : 11 - rest) === valueOf(digits, 9);
}
