// cspell:ignore ABCEGHJ HJLNP NPRSTV NPRSTVXY
import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { FAINT, MEDIUM } from "../certainty.js";
import { isWordAt } from "../digit-groups.js";

const CODE_WORDS: readonly string[] =
  "zip|postal|post code|postcode|postleitzahl|plz|code postal|cap |cap:|código postal|codigo postal|cep|postnummer|kod pocztowy|address|adresse|anschrift|dirección|indirizzo|endereço|индекс|邮编|郵便番号|우편번호".split(
    "|",
  );
/** Areas of the Royal Mail. */
const UK_AREAS = new Set(
  (
    "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY G GL GU GY HA HD HG HP HR HS " +
    "HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO " +
    "SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE"
  ).split(" "),
);
const UK = /^([A-Z]{1,2})\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2}$/;
const CANADA = /^[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]?\d[ABCEGHJ-NPRSTV-Z]\d$/;
const STATES =
  "AL|AK|AZ|AR|CA|CO|CT|DE|DC|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|PR|GU|VI|AA|AE|AP";
const STATE_BEFORE = new RegExp(`(?<![A-Za-z])(?:${STATES}),? $`);
const WORDED = 0.5;

/** Postal codes of the United Kingdom and of Canada, which have a form of their own. */
export function letterCodeRule(types: { readonly uk: boolean; readonly canada: boolean }): TriggerRule {
  return {
    name: "postal-code-letters",
    type: types.uk ? "UK_POSTCODE" : "CA_POSTAL_CODE",
    score: WORDED,
    context: CODE_WORDS,
    views: "decoded",
    reach: 48,
    before: 2,
    digits: 1,
    find: ({ text }, digits) => {
      const letter = text.charCodeAt(digits - 1);
      if (!(letter >= 0x41 && letter <= 0x5a)) return undefined;
      const start = digits - (isWordAt(text, digits - 2) ? 2 : 1);
      if (start < 0 || isWordAt(text, start - 1)) return undefined;
      const match = /^[A-Z]{1,2}\d[A-Z\d]?[ -]?\d[A-Z][A-Z\d](?![A-Za-z\d])/.exec(text.slice(start, start + 9))?.[0];
      if (match === undefined) return undefined;
      const end = start + match.length;
      const score = match.includes(" ") ? WORDED : FAINT;
      if (types.uk && UK_AREAS.has(UK.exec(match)?.[1] ?? "")) return { start, end, score };
      return types.canada && CANADA.test(match) ? { start, end, score, type: "CA_POSTAL_CODE" } : undefined;
    },
  };
}

/** Postal codes in digits: after a state of the United States, with the country (`D-10115`), or near a word for them. */
export const digitCodeRule: TriggerRule = {
  name: "postal-code-digits",
  type: "ZIP_CODE",
  score: FAINT,
  context: CODE_WORDS.slice(0, CODE_WORDS.indexOf("address")),
  views: "decoded",
  reach: 48,
  before: 0,
  digits: 2,
  find: findDigits,
};

function findDigits({ text }: TextView, start: number, end: number): RuleMatch | undefined {
  const length = end - start;
  // Two digits are a code only with more of it after them.
  if (length > 9 || (length < 3 && !/[-A-Z ]/.test(text.charAt(end)))) return undefined;
  if (isWordAt(text, start - 1) || /[.,/$€£#]/.test(text.charAt(start - 1))) return undefined;
  const before = text.slice(Math.max(0, start - 5), start);
  if (length === 5 && STATE_BEFORE.test(before)) {
    const plus = /^-\d{4}(?!\d)/.exec(text.slice(end, end + 6))?.[0].length ?? 0;
    return { start, end: end + plus, score: MEDIUM };
  }
  const rest = /^(?:-\d{3,4}| ?[A-Z]{2}| \d{2,3})?(?![\p{L}\d])/u.exec(text.slice(end, end + 6));
  if (rest === null || /^[-.,/]\d/.test(text.slice(end + rest[0].length, end + rest[0].length + 2))) return undefined;
  if (
    before.endsWith("-") &&
    /(?<![A-Za-z])(?:D|A|CH|F|NL|B|I|E|PL|DK|S|L|FL)-$/.test(before) &&
    length >= 4 &&
    length <= 5
  ) {
    return { start, end, score: MEDIUM };
  }
  const isJoined = before.endsWith("-");
  const digits = length + rest[0].replace(/\D/g, "").length;
  return isJoined || digits < 4 || digits > 9 || (length < 3 && rest[0] === "")
    ? undefined
    : { start, end: end + rest[0].length };
}
