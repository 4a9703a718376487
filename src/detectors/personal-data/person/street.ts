import type { RuleMatch, TriggerRule } from "../../detector.js";
import { FAINT, MEDIUM } from "../certainty.js";
import { isWordAt } from "../digit-groups.js";

const ADDRESS_WORDS: readonly string[] =
  "address|live at|lives at|living at|lived in|located at|ship to|sent to|send to|deliver|mail to|residence|home at|adresse|anschrift|wohn|dirección|domicilio|indirizzo|endereço|morada|adres|adress|osoite|адрес".split(
    "|",
  );
const WORD = "[\\p{L}\\d][\\p{L}\\d'’.-]{0,24}";
const UNIT = "(?:,? ?\\n? ?(?:apt|apartment|suite|ste|unit|flat|floor|room|rm|#)\\.? ?#?[a-z\\d]{1,6})?";
/** House number, at most five words and a word for a street: `221B Baker Street`. */
const ENGLISH = new RegExp(
  `\\d{1,5}[a-z]?(?:-\\d{1,4})?(?:,? (?!\\d+ )${WORD}){1,5}? (?:street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|` +
    "square|sq|place|pl|terrace|circle|parkway|pkwy|highway|hwy|crescent|close|gardens|grove|mews|trail|alley|way|walk|row|crossing|plaza|" +
    `hill|park|quay)(?![\\p{L}\\d])\\.?${UNIT}`,
  "iuy",
);
const ROMANCE =
  "calle|c/|avenida|av\\.|plaza|paseo|camino|carretera|via|viale|piazza|corso|strada|vicolo|rua|travessa|largo|praça|estrada|alameda|rodovia|" +
  "rue|avenue|boulevard|chemin|impasse|allée|quai|route|place|cours|ul\\.|ulica|aleja|al\\.|plac|ул\\.|улица|проспект|пр-т|просп\\.|" +
  "переулок|пер\\.|бульвар|площадь|шоссе|вул\\.|вулиця";
/** House number before a word for a street: `12 rue de la Paix`. */
const NUMBER_FIRST = new RegExp(`\\d{1,4}(?: ?(?:bis|ter))?,? (?:${ROMANCE})(?: ${WORD}){1,5}`, "iuy");
/** Word for a street before the house number: `Calle Mayor 5`, `Via Roma, 12`, `ul. Zamkowa 33`. */
const NUMBER_LAST = new RegExp(
  `(?<![\\p{L}\\d])(?:${ROMANCE})(?: ${WORD}){1,5}?,? (?:n[.ºo°]{1,2} ?|(?:д|дом|буд)\\.? )?$`,
  "iu",
);
/** Name that ends in a word for a street, before the house number: `Hauptstraße 5`, `Berliner Straße 5`. */
const STREET_ENDING =
  "(?:straße|strasse|str\\.|weg|platz|gasse|allee|damm|ufer|straat|laan|plein|gracht|kade|dijk|vägen|gatan|gata|vej|vejen|" +
  "(?<!bri)gade|katu|ntie|veien|gaten| (?:caddesi|cad\\.|sokak|sokağı|sok\\.|bulvarı|utca|tér|körút|ulice|třída|náměstí)),? (?:no[:.]? ?)?$";
const COMPOUND = new RegExp(`(?<![\\p{L}\\d])\\p{Lu}[\\p{L}'’.-]{0,30}(?: (?=\\p{Lu}))?${STREET_ENDING}`, "iu");
/** The end alone, which few texts before a number have. */
const COMPOUND_END = new RegExp(STREET_ENDING, "iu");
const LONGEST_ENDING = 20;
const NUMBER = /\d{1,4}(?:[-/]\d{1,4})?(?: ?[a-h](?![\p{L}\d]))?(?![\p{L}\d])/iuy;
const BEFORE = 80;
/** Code and name of the city after the number, as most of Europe writes them. */
const CITY =
  /^(?:[ /]\d{0,3}[a-z]?)?,? ?\n?(?:[A-Z]{1,2}-)?(?:\d{5}|\d{3} \d\d|(?!19|20)\d{4}(?: [A-Z]{2})?|\d\d-\d{3}) \p{Lu}\p{L}{2,24}/u;
const NAME_BEFORE = /(?<![\p{L}\d.])\p{Lu}[\p{L}'’.-]{2,24}(?: \p{L}[\p{L}'’.-]{0,24}){0,2},? $/u;
/** Addresses of Japan and China: a city or district before numbers. */
const DISTRICT =
  /(?:\p{sc=Han}{2,4}[都道府県省])?\p{sc=Han}{1,6}[市区町村郡县][\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{1,12}$/u;
const LOT = /\d{1,4}(?:[-‐－]\d{1,4}){1,2}|\d{1,4} ?(?:号|丁目|番)/y;

/** Streets with house numbers, in the ways of a dozen countries. */
export const streetRule: TriggerRule = {
  name: "street",
  type: "STREET_ADDRESS",
  score: MEDIUM,
  context: ADDRESS_WORDS,
  views: "decoded",
  reach: 180,
  before: BEFORE,
  digits: 1,
  find: ({ text }, start, end) =>
    (mayGoOn(text, end) ? findNumberFirst(text, start) : undefined) ?? findNumberLast(text, start),
};

/** Returns true for a letter, a blank, a comma or a hyphen, one of which stands between a number and a street. */
function mayGoOn(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x2c || code === 0x2d || code >= 0x41;
}

function findNumberFirst(text: string, start: number): RuleMatch | undefined {
  if (isWordAt(text, start - 1) || /[.,$€£/-]/.test(text.charAt(start - 1))) return undefined;
  ENGLISH.lastIndex = start;
  if (ENGLISH.test(text)) {
    const end = ENGLISH.lastIndex;
    // In a sentence, words after a number are written small: "3 ways to cross the street".
    const isName = !/[ ,]\p{Ll}/u.test(
      text.slice(start, end).replace(/\b(?:of|the|de|la|du|des|von|and|le|apt|suite|unit)\b/g, "X"),
    );
    return { start, end, score: isName ? MEDIUM : FAINT };
  }
  NUMBER_FIRST.lastIndex = start;
  const found = NUMBER_FIRST.exec(text)?.[0].replace(/(?: \p{Ll}[\p{L}'’.-]*)+$/u, "");
  return found !== undefined && / \p{Lu}/u.test(found) ? { start, end: start + found.length } : undefined;
}

function findNumberLast(text: string, start: number): RuleMatch | undefined {
  if (text.charCodeAt(start - 1) >= 0x3041) return findLot(text, start);
  if (text.charAt(start - 1) !== " " || !/[\p{L},.º°:]/u.test(text.charAt(start - 2))) return undefined;
  NUMBER.lastIndex = start;
  if (!NUMBER.test(text)) return undefined;
  const number = NUMBER.lastIndex;
  const city = CITY.exec(text.slice(number, number + 48))?.[0].length ?? 0;
  const end = number + city;
  const before = text.slice(Math.max(0, start - BEFORE), start);
  const compound = COMPOUND_END.test(before.slice(-LONGEST_ENDING)) ? COMPOUND.exec(before)?.[0] : undefined;
  if (compound !== undefined && /^\p{Lu}/u.test(compound)) return { start: start - compound.length, end };
  const leading = NUMBER_LAST.exec(before)?.[0];
  const isName = leading !== undefined && / (?:d[aeiou]s? |del? |la |l')*\p{Lu}/u.test(leading);
  if (isName) return { start: start - leading.length, end };
  const name = city === 0 ? undefined : NAME_BEFORE.exec(before)?.[0];
  return name === undefined ? undefined : { start: start - name.length, end };
}

function findLot(text: string, start: number): RuleMatch | undefined {
  LOT.lastIndex = start;
  const district = LOT.test(text) ? DISTRICT.exec(text.slice(Math.max(0, start - 24), start))?.[0] : undefined;
  return district === undefined ? undefined : { start: start - district.length, end: LOT.lastIndex };
}

/** Boxes at post offices, and the units of armed forces. */
export const postBoxRule: TriggerRule = {
  name: "post-box",
  type: "STREET_ADDRESS",
  score: MEDIUM,
  views: "decoded",
  reach: 48,
  before: 0,
  triggers: ["p.o.", "p. o.", "po box", "post office box", "postfach", "postbus", "psc ", "unit "],
  find: ({ text }, start) => {
    if (isWordAt(text, start - 1)) return undefined;
    const rest = text.slice(start, start + 40);
    const military = /^(?:psc|unit) \d{3,5},? box \d{3,5}(?:\n[AFD]PO A[AEP] \d{5})?/i.exec(rest)?.[0];
    const box =
      military ?? /^(?:p\.? ?o\.?|post office) box ?#?\d{1,6}|^post(?:fach|bus) ?\d[\d ]{1,7}\d/i.exec(rest)?.[0];
    return box === undefined ? undefined : { start, end: start + box.length };
  },
};
