import { codeAt } from "../../scan/code-at.js";
/** Writing system, as far as it distinguishes languages. */
export type Script =
  | "latin"
  | "cyrillic"
  | "arabic"
  | "greek"
  | "hebrew"
  | "devanagari"
  | "bengali"
  | "tamil"
  | "telugu"
  | "thai"
  | "hangul"
  | "kana"
  | "han"
  | "armenian"
  | "georgian";

const RANGES: readonly (readonly [from: number, to: number, script: Script])[] = [
  [0xc0, 0x24f, "latin"],
  [0x370, 0x3ff, "greek"],
  [0x400, 0x52f, "cyrillic"],
  [0x531, 0x587, "armenian"],
  [0x5d0, 0x5ea, "hebrew"],
  [0x620, 0x6ff, "arabic"],
  [0x900, 0x97f, "devanagari"],
  [0x980, 0x9ff, "bengali"],
  [0xb80, 0xbff, "tamil"],
  [0xc00, 0xc7f, "telugu"],
  [0xe00, 0xe7f, "thai"],
  [0x10a0, 0x10ff, "georgian"],
  [0x1e00, 0x1eff, "latin"],
  [0x3041, 0x30ff, "kana"],
  [0x3400, 0x9fff, "han"],
  [0xac00, 0xd7a3, "hangul"],
];

/** Languages of a script that only one of the languages known here uses. */
export const ONLY_LANGUAGES: Readonly<Partial<Record<Script, string>>> = {
  greek: "el",
  hebrew: "he",
  devanagari: "hi",
  bengali: "bn",
  tamil: "ta",
  telugu: "te",
  thai: "th",
  hangul: "ko",
  kana: "ja",
  han: "zh",
  armenian: "hy",
  georgian: "ka",
};

/** Letters that few languages have. */
const RARE_LETTERS: Readonly<Record<string, string>> = {
  de: "ßäöü",
  fr: "œèêëçùîàâô",
  es: "ñ¿¡áíóú",
  it: "ìòèùà",
  pt: "ãõçêâôá",
  sv: "åäö",
  da: "æøå",
  no: "æøå",
  fi: "äö",
  et: "õäöü",
  hu: "őűáéíóöü",
  pl: "łąęśćżźńó",
  cs: "řůěščžýáíé",
  sk: "ľŕĺôäščžýáíť",
  ro: "țșăîâţş",
  tr: "ğışçöü",
  vi: "ơưđạảấầẩậắằẵặẹẻẽếềểệỉịọỏốồổộớờởợụủứừửữựỳỵ",
  ca: "çèòà·",
  hr: "čćžšđ",
  ru: "ыэёъ",
  uk: "іїєґ",
  bg: "ъщ",
  sr: "јљњћђџ",
  ar: "ةىأإؤئ",
  fa: "پچژگکی",
  ur: "ٹڈڑےںہھ",
};

const languagesOfLetter = new Map<number, string[]>();
for (const [language, letters] of Object.entries(RARE_LETTERS)) {
  for (const letter of letters) {
    const code = letter.charCodeAt(0);
    languagesOfLetter.set(code, [...(languagesOfLetter.get(code) ?? []), language]);
  }
}

/** Letters of a text beyond ASCII that few languages have, with their number. */
export type LetterCounts = ReadonlyMap<number, number>;

const BEYOND_ASCII = /[^\0-\x7f]/;
const ENOUGH_LETTERS = 100;

function isAsciiLetter(folded: string, at: number): boolean {
  const code = codeAt(folded, at);
  return code >= 0x61 && code <= 0x7a;
}

/**
 * Returns how many characters of each script a text in lower case has, and its rare letters. Of a text in ASCII at most a
 * hundred letters are counted.
 */
export function countScripts(folded: string): { scripts: ReadonlyMap<Script, number>; letters: LetterCounts } {
  const scripts = new Map<Script, number>();
  const letters = new Map<number, number>();
  const { length } = folded;
  let ascii = 0;
  if (!BEYOND_ASCII.test(folded)) {
    // No other script competes: a few letters are as good as all.
    for (let at = 0; at < length && ascii < ENOUGH_LETTERS; at++) if (isAsciiLetter(folded, at)) ascii++;
    return { scripts: ascii > 0 ? scripts.set("latin", ascii) : scripts, letters };
  }
  for (let at = 0; at < length; at++) {
    const code = codeAt(folded, at);
    if (code < 0x80) {
      if (isAsciiLetter(folded, at)) ascii++;
      continue;
    }
    const script = RANGES.find(([from, to]) => code >= from && code <= to)?.[2];
    if (script !== undefined) scripts.set(script, (scripts.get(script) ?? 0) + 1);
    if (languagesOfLetter.has(code)) letters.set(code, (letters.get(code) ?? 0) + 1);
  }
  if (ascii > 0) scripts.set("latin", (scripts.get("latin") ?? 0) + ascii);
  return { scripts, letters };
}

/** Returns the languages that a rare letter indicates. */
export function languagesWith(letter: number): readonly string[] {
  return languagesOfLetter.get(letter) ?? [];
}
