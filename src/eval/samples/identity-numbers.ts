import isIdentityCard from "validator/lib/isIdentityCard.js";
import isTaxID from "validator/lib/isTaxID.js";
import type { Random } from "../../retrieval/matcher/random.js";
import { below } from "./random-choice.js";

/** Official numbers of one kind, which are drawn by a pattern until the check accepts one. */
export interface IdentityNumbers {
  /** Type of the findings. */
  readonly type: string;
  /** Word that stands before the number. */
  readonly word: string;
  /**
   * `9` stands for a digit, `A` for a letter, `M` for a month, `D` for a day and `{…}` for one of the characters.
   */
  readonly pattern: string;
  /** A check that is not that of the detector. */
  readonly isValid: (text: string) => boolean;
}

const card =
  (locale: Parameters<typeof isIdentityCard.default>[1]) =>
  (text: string): boolean =>
    isIdentityCard.default(text, locale);
const tax =
  (locale: string) =>
  (text: string): boolean =>
    isTaxID.default(text, locale);

export const IDENTITY_NUMBERS: readonly IdentityNumbers[] = [
  { type: "ES_NIF", word: "dni", pattern: "99999999A", isValid: card("ES") },
  { type: "ES_NIE", word: "nie", pattern: "{XYZ}9999999A", isValid: card("ES") },
  { type: "PL_PESEL", word: "pesel", pattern: "99MD99999", isValid: card("PL") },
  {
    type: "FI_PERSONAL_IDENTITY_CODE",
    word: "hetu",
    pattern: "DM99-999{0123456789ABCDEFHJKLMNPRSTUVWXY}",
    isValid: card("FI"),
  },
  { type: "IN_AADHAAR", word: "aadhaar", pattern: "{23456789}99999999999", isValid: card("IN") },
  { type: "NO_FNR", word: "fødselsnummer", pattern: "DM9999999", isValid: card("NO") },
  { type: "TH_TNIN", word: "thai", pattern: "{12345678}999999999999", isValid: card("TH") },
  { type: "IL_ID", word: "israel", pattern: "999999999", isValid: card("he-IL") },
  { type: "TW_ID", word: "taiwan", pattern: "A{12}99999999", isValid: card("zh-TW") },
  {
    type: "CN_RESIDENT_ID",
    word: "居民",
    pattern: "110101{1}{9}{5678}{0123456789}MD999{0123456789X}",
    isValid: card("zh-CN"),
  },
  { type: "DE_TAX_ID", word: "steuer", pattern: "{1}{2}{3}{4}{5}{6}{7}{8}{89}{0123456789}9", isValid: tax("de-DE") },
  { type: "EE_ISIKUKOOD", word: "isikukood", pattern: "{34}99MD9999", isValid: tax("et-EE") },
  { type: "BE_NRN", word: "rijksregister", pattern: "99MD99999", isValid: tax("fr-BE") },
  { type: "HR_OIB", word: "oib", pattern: "99999999999", isValid: tax("hr-HR") },
  { type: "NL_BSN", word: "bsn", pattern: "999999999", isValid: tax("nl-NL") },
  { type: "BR_CPF", word: "cpf", pattern: "99999999999", isValid: tax("pt-BR") },
  { type: "PT_NIF", word: "contribuinte", pattern: "{123}99999999", isValid: tax("pt-PT") },
  { type: "RO_CNP", word: "cnp", pattern: "{12}99MD019999", isValid: tax("ro-RO") },
  { type: "SE_PERSONNUMMER", word: "personnummer", pattern: "{56789}9MD-9999", isValid: tax("sv-SE") },
  { type: "CA_SIN", word: "social insurance", pattern: "{12345679}99999999", isValid: tax("en-CA") },
  {
    type: "IT_FISCAL_CODE",
    word: "codice fiscale",
    pattern: "{BCD}{FGL}{MNP}{RST}{VBC}{DFG}99{ABCDEHLMPRST}D{ABCDEFGHIL}999A",
    isValid: tax("it-IT"),
  },
];

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";

/** Returns a text of a pattern of `IdentityNumbers`. */
export function fillPattern(random: Random, pattern: string): string {
  const draw = (characters: string): string => characters.charAt(below(random, characters.length));
  return pattern.replaceAll(/\{([^}]+)\}|[9MDA]/g, (token, choice?: string) => {
    if (choice !== undefined) return draw(choice);
    if (token === "A") return draw(LETTERS);
    if (token === "9") return draw(DIGITS);
    return String(below(random, token === "M" ? 12 : 28) + 1).padStart(2, "0");
  });
}

/** Returns a valid number. */
export function validNumber(random: Random, { pattern, isValid }: IdentityNumbers): string {
  for (;;) {
    const text = fillPattern(random, pattern);
    if (isValid(text)) return text;
  }
}

/** Returns a text with another digit in place of one of its digits; it must have some. */
export function changeDigit(random: Random, text: string): string {
  for (;;) {
    const at = below(random, text.length);
    const digit = text.charAt(at);
    if (digit >= "0" && digit <= "9") {
      return `${text.slice(0, at)}${(Number(digit) + 1 + below(random, 9)) % 10}${text.slice(at + 1)}`;
    }
  }
}
