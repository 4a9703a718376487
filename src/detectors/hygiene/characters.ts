import { lookalikes } from "./lookalikes.js";

/** Classes of characters that hygiene treats apart; all others stay as they are. */
export const ORDINARY = 0;
/** Invisible character: removed, unless the script around it needs it. */
export const INVISIBLE = 1;
/** Compatibility form of an ASCII character, for example a full-width one. */
export const COMPATIBILITY = 2;
/** Combining mark of the blocks that decorate Latin text. */
export const MARK = 3;
/** Letter that looks like a Latin one, or Latin letter that looks like an ASCII one. */
const LOOKALIKE = 4;
/** First half of a character beyond the basic plane, for which `classOfPair` decides. */
export const PAIR = 5;

/** Ranges of invisible characters: joiners, bidirectional controls, fillers, variation selectors. */
const INVISIBLE_RANGES = [
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
] as const;

/** Ranges in which compatibility forms of ASCII stand. */
const COMPATIBILITY_RANGES = [
  [0x00a0, 0x00a0],
  [0x017f, 0x017f],
  [0x02b0, 0x02b8],
  [0x02e0, 0x02e4],
  [0x1d2c, 0x1d6a],
  [0x1d78, 0x1d78],
  [0x1d9b, 0x1dbf],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x2071, 0x2071],
  [0x207f, 0x207f],
  [0x2090, 0x209c],
  [0x2100, 0x214f],
  [0x2160, 0x217f],
  [0x249c, 0x24e9],
  [0x2800, 0x28ff],
  [0x2c7c, 0x2c7d],
  [0x3000, 0x3000],
  [0xa7f2, 0xa7f4],
  [0xfb00, 0xfb06],
  [0xff01, 0xff5e],
] as const;

const MARK_RANGES = [
  [0x0300, 0x034e],
  [0x0350, 0x036f],
  [0x0483, 0x0489],
  // Vowels and last letters of Korean syllables, and sound marks of kana.
  [0x1161, 0x1175],
  [0x11a8, 0x11c2],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0x3099, 0x309a],
  [0xfe20, 0xfe2f],
] as const;

/** Letters and signs of the patterns of Braille from U+2800 on. */
const BRAILLE = " a,b'k;l cif msp e:h o!r djg ntq    -u?v     x    .  z    w  y";

let classes: Uint8Array | undefined;
const foldings = new Map<number, string>();

/** Table of the class of each UTF-16 code unit; made for the first text that is not ASCII. */
export function characterClasses(): Uint8Array {
  if (classes !== undefined) return classes;
  const table = new Uint8Array(0x10000);
  table.fill(PAIR, 0xd800, 0xdc00);
  for (const [from, to] of MARK_RANGES) table.fill(MARK, from, to + 1);
  for (const code of lookalikes().keys()) if (code < 0x10000) table[code] = LOOKALIKE;
  for (const [from, to] of COMPATIBILITY_RANGES) {
    for (let code = from; code <= to; code++) if (foldCompatibility(code) !== undefined) table[code] = COMPATIBILITY;
  }
  for (const [from, to] of INVISIBLE_RANGES) table.fill(INVISIBLE, from, to + 1);
  classes = table;
  return table;
}

/** Class of a character beyond the basic plane. */
export function classOfPair(code: number): number {
  if (code >= 0xe0000 && code <= 0xe0fff) return INVISIBLE;
  if (code >= 0x1d173 && code <= 0x1d17a) return INVISIBLE;
  if ((code >= 0x1d400 && code <= 0x1d7ff) || (code >= 0x1f110 && code <= 0x1f189)) return COMPATIBILITY;
  if (isRegional(code)) return COMPATIBILITY;
  return ORDINARY;
}

/**
 * Returns the ASCII characters, or the Greek letter, that a compatibility form stands for; undefined for other characters.
 * Signs that stand for several letters, such as `™` or `℃`, are not disguises and stay.
 */
export function foldCompatibility(code: number): string | undefined {
  const known = foldings.get(code);
  if (known !== undefined) return known === "" ? undefined : known;
  const folded = foldingOf(code);
  foldings.set(code, folded ?? "");
  return folded;
}

function foldingOf(code: number): string | undefined {
  // Negative circled and squared letters have no decomposition.
  if (code >= 0x1f150 && code <= 0x1f169) return String.fromCharCode(65 + code - 0x1f150);
  if (code >= 0x1f170 && code <= 0x1f189) return String.fromCharCode(65 + code - 0x1f170);
  if (isRegional(code)) return String.fromCharCode(97 + code - 0x1f1e6);
  if (isBraille(code)) return (code === 0x2800 ? " " : BRAILLE[code - 0x2800]?.trim()) || undefined;
  const folded = String.fromCodePoint(code).normalize("NFKC");
  const parenthesised = /^\(([a-z])\)$/i.exec(folded)?.[1];
  if (parenthesised !== undefined) return parenthesised;
  const isLigature = code >= 0xfb00 && code <= 0xfb06;
  if (isLigature || /^[\x20-\x7e\u0370-\u03ff\u0131\u0237]$/.test(folded)) return folded;
  return undefined;
}

/** Returns true for the letters that flags are made of. */
export function isRegional(code: number): boolean {
  return code >= 0x1f1e6 && code <= 0x1f1ff;
}

/** Returns true for a pattern of Braille. */
export function isBraille(code: number): boolean {
  return code >= 0x2800 && code <= 0x28ff;
}

/** Returns true for emoji and for the signs that joiners and variation selectors follow. */
export function isPictograph(code: number): boolean {
  return (
    (code >= 0x1f000 && code <= 0x1faff) || (code >= 0x2190 && code <= 0x2bff) || (code >= 0x3030 && code <= 0x303d)
  );
}

/** Returns true for letters of scripts that are written with joiners: Arabic, Syriac, those of India and South-East Asia. */
export function needsJoiners(code: number): boolean {
  return (code >= 0x0600 && code <= 0x0fff) || (code >= 0x1000 && code <= 0x109f) || (code >= 0x1780 && code <= 0x18af);
}

/** Returns true for letters that are written from right to left. */
export function isRightToLeft(code: number): boolean {
  return (
    (code >= 0x0590 && code <= 0x08ff && code !== 0x061c) ||
    (code >= 0xfb1d && code <= 0xfdff) ||
    (code >= 0xfe70 && code <= 0xfefc)
  );
}

/** Returns true for letters with an accent of Latin, Greek and Cyrillic alphabets, for kana, and for Korean syllables. */
export function isAccentedLetter(code: number): boolean {
  return (
    (code >= 0x00c0 && code <= 0x017f) ||
    (code >= 0x01a0 && code <= 0x01dc) ||
    (code >= 0x0218 && code <= 0x021b) ||
    (code >= 0x0370 && code <= 0x052f) ||
    (code >= 0x1ea0 && code <= 0x1fff) ||
    (code >= 0x3041 && code <= 0x30ff) ||
    (code >= 0xac00 && code <= 0xd7a3)
  );
}
