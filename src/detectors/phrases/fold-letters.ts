/** Mark that counts as no letter. */
export const NO_LETTER = 0;

/** Letters whose marks many people leave out: Greek, Arabic with hamza, Indic with a dot. Latin words without marks are other words. */
const MARKED: readonly (readonly [from: number, to: number])[] = [
  [0x386, 0x3ce],
  [0x622, 0x626],
  [0x958, 0x95f],
  [0x9dc, 0x9df],
  [0xa33, 0xa5e],
  [0xb5c, 0xb5d],
  [0x1f00, 0x1fff],
];
/** Marks of their own: points of Hebrew, vowels and the stretched line of Arabic, dots of Indic letters. */
const MARKS: readonly (readonly [from: number, to: number])[] = [
  [0x591, 0x5bd],
  [0x5bf, 0x5bf],
  [0x5c1, 0x5c2],
  [0x5c4, 0x5c5],
  [0x610, 0x61a],
  [0x640, 0x640],
  [0x64b, 0x65f],
  [0x670, 0x670],
  [0x93c, 0x93c],
  [0x9bc, 0x9bc],
  [0xa3c, 0xa3c],
  [0xabc, 0xabc],
  [0xb3c, 0xb3c],
];
/** Letters that stand for another: Turkish `ı` and `İ`, Romanian letters with a cedilla, final sigma, `ё`, and Persian and Urdu forms of Arabic letters. */
const ALIKE = "ıiİiţțşșςσёеیيىيکكہهھهےي";

/** Of each letter that stands for another the other one, or `NO_LETTER`; the letter itself for the rest. */
const folded = Uint16Array.from({ length: 0x10000 }, (_, code) => code);
/** Letters that stand for another one. */
export const VARIANTS: readonly number[] = foldAll();

function foldAll(): readonly number[] {
  for (const [from, to] of MARKED) {
    for (let code = from; code <= to; code++) {
      folded[code] = String.fromCharCode(code).normalize("NFD").toLowerCase().charCodeAt(0);
    }
  }
  for (const [from, to] of MARKS) folded.fill(NO_LETTER, from, to + 1);
  for (let at = 0; at < ALIKE.length; at += 2) folded[ALIKE.charCodeAt(at)] = ALIKE.charCodeAt(at + 1);
  return Array.from(folded.keys()).filter((code) => folded[code] !== code);
}

/** Returns the letter that a letter stands for in phrases, without its marks; `NO_LETTER` for a mark alone. */
export function foldLetter(code: number): number {
  return folded[code] ?? code;
}
