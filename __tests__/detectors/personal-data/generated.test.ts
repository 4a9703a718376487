import { expect, it } from "@jest/globals";
import isIdentityCard from "validator/lib/isIdentityCard.js";
import isTaxID from "validator/lib/isTaxID.js";
import { personalData } from "../../../src/detectors/personal-data/personal-data.js";
import { Scanner } from "../../../src/detectors/scan/scanner.js";
import { Random } from "../../../scripts/fuzz/random.js";
import { propertyRuns } from "../../support/property-runs.js";

const COUNT = propertyRuns(30);
const scanner = new Scanner([personalData()]);
const types = (text: string): string[] => scanner.scan(text).map(({ type }) => type);

/**
 * Numbers by pattern: `9` stands for a digit, `M` for a month, `D` for a day, `A` for a letter and `{…}` for one of the
 * characters. The last part is a check that is not ours.
 */
const GENERATORS: readonly (readonly [
  type: string,
  word: string,
  pattern: string,
  isValid: (text: string) => boolean,
])[] = [
  ["ES_NIF", "dni", "99999999A", (text) => isIdentityCard.default(text, "ES")],
  ["ES_NIE", "nie", "{XYZ}9999999A", (text) => isIdentityCard.default(text, "ES")],
  ["PL_PESEL", "pesel", "99MD99999", (text) => isIdentityCard.default(text, "PL")],
  [
    "FI_PERSONAL_IDENTITY_CODE",
    "hetu",
    "DM99-999{0123456789ABCDEFHJKLMNPRSTUVWXY}",
    (text) => isIdentityCard.default(text, "FI"),
  ],
  ["IN_AADHAAR", "aadhaar", "{23456789}99999999999", (text) => isIdentityCard.default(text, "IN")],
  ["NO_FNR", "fødselsnummer", "DM9999999", (text) => isIdentityCard.default(text, "NO")],
  ["TH_TNIN", "thai", "{12345678}999999999999", (text) => isIdentityCard.default(text, "TH")],
  ["IL_ID", "israel", "999999999", (text) => isIdentityCard.default(text, "he-IL")],
  ["TW_ID", "taiwan", "A{12}99999999", (text) => isIdentityCard.default(text, "zh-TW")],
  [
    "CN_RESIDENT_ID",
    "居民",
    "110101{1}{9}{5678}{0123456789}MD999{0123456789X}",
    (text) => isIdentityCard.default(text, "zh-CN"),
  ],
  ["DE_TAX_ID", "steuer", "{1}{2}{3}{4}{5}{6}{7}{8}{89}{0123456789}9", (text) => isTaxID.default(text, "de-DE")],
  ["EE_ISIKUKOOD", "isikukood", "{34}99MD9999", (text) => isTaxID.default(text, "et-EE")],
  ["BE_NRN", "rijksregister", "99MD99999", (text) => isTaxID.default(text, "fr-BE")],
  ["HR_OIB", "oib", "99999999999", (text) => isTaxID.default(text, "hr-HR")],
  ["NL_BSN", "bsn", "999999999", (text) => isTaxID.default(text, "nl-NL")],
  ["BR_CPF", "cpf", "99999999999", (text) => isTaxID.default(text, "pt-BR")],
  ["PT_NIF", "contribuinte", "{123}99999999", (text) => isTaxID.default(text, "pt-PT")],
  ["RO_CNP", "cnp", "{12}99MD019999", (text) => isTaxID.default(text, "ro-RO")],
  ["SE_PERSONNUMMER", "personnummer", "{56789}9MD-9999", (text) => isTaxID.default(text, "sv-SE")],
  ["CA_SIN", "social insurance", "{12345679}99999999", (text) => isTaxID.default(text, "en-CA")],
  [
    "IT_FISCAL_CODE",
    "codice fiscale",
    "{BCD}{FGL}{MNP}{RST}{VBC}{DFG}99{ABCDEHLMPRST}D{ABCDEFGHIL}999A",
    (text) => isTaxID.default(text, "it-IT"),
  ],
];

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";

function generate(random: Random, pattern: string): string {
  const pick = (characters: string): string => characters.charAt(random.below(characters.length));
  return pattern.replaceAll(/\{([^}]+)\}|[9MDA]/g, (token, choice?: string) => {
    if (choice !== undefined) return pick(choice);
    if (token === "A") return pick(LETTERS);
    if (token === "9") return pick(DIGITS);
    return String(random.below(token === "M" ? 12 : 28) + 1).padStart(2, "0");
  });
}

function changeDigit(random: Random, text: string): string {
  const at = random.below(text.length);
  if (!/\d/.test(text.charAt(at))) return changeDigit(random, text);
  return `${text.slice(0, at)}${(Number(text.charAt(at)) + 1 + random.below(9)) % 10}${text.slice(at + 1)}`;
}

it.each(GENERATORS)("finds valid %s and no near ones", (type, word, pattern, isValid) => {
  const random = new Random(7);
  const isOf = (text: string): boolean => types(`${word}: ${text}.`).includes(type);
  const missed: string[] = [];
  const wrong: string[] = [];
  for (let count = 0; count < COUNT;) {
    const text = generate(random, pattern);
    if (!isValid(text)) continue;
    count += 1;
    if (!isOf(text)) missed.push(text);
    const near = changeDigit(random, text);
    if (!isValid(near) && isOf(near)) wrong.push(near);
  }
  expect({
    missed: missed.length <= COUNT * 0.01 ? [] : missed,
    wrong: wrong.length <= COUNT * 0.01 ? [] : wrong,
  }).toEqual({
    missed: [],
    wrong: [],
  });
});

it("finds little in random numbers", () => {
  const random = new Random(11);
  const found = new Map<string, number>();
  for (let count = 0; count < 20 * COUNT; count += 1) {
    const length = 5 + (count % 14);
    const text = `the value ${generate(random, "9".repeat(length))} here`;
    for (const type of types(text)) found.set(type, (found.get(type) ?? 0) + 1);
  }
  expect([...found].filter(([, times]) => times > 0.2 * COUNT)).toEqual([]);
});
