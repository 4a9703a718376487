/**
 * Likelihood of letter pairs in English: for each letter after `a` to `z` and after a blank (the first row and column), ten
 * plus the binary logarithm of its share, from 0 to 9.
 */
const PAIRS: readonly string[] = (
  "075554544623454550467435040 604550330403657040667341041 472108000620710620520610060 570506006506500700626500020 " +
  "850057010600211600540410020 851564221201556232665033420 750006500700400800604500040 850007045500403500642500020 " +
  "670018000600012700304300030 642644440003557650566040563 481007000500200700340700010 842017012700406400052300020 " +
  "761167110602620620053510050 774008000600240660030400060 850566370503203510056310040 722542540303457440745735000 " +
  "660036004500720650736510020 530000210200200000100900000 760357130604344610354420040 840506105503220540057402040 " +
  "850107007600210600553303040 644455140401746150776000210 460009000700000500100100010 770016007700204600430000000 " +
  "760606102600100280007200100 931204010400332740062001001 671028001701511600000200044"
).split(" ");

/** Returns the likelihood of one ASCII letter after another, from 0 to 9; other characters count as blanks. */
function pairLikelihood(first: number, second: number): number {
  return (PAIRS[letterIndex(first)]?.charCodeAt(letterIndex(second)) ?? 48) - 48;
}

/** Mean likelihood of the letter pairs of a text, from 0 to 9: about 6 for English, 3 for random letters. */
export function plausibility(text: string): number {
  let sum = 0;
  for (let at = 0; at <= text.length; at++) sum += pairLikelihood(text.charCodeAt(at - 1), text.charCodeAt(at));
  return sum / (text.length + 1);
}

function letterIndex(code: number): number {
  const letter = code | 0x20;
  return letter >= 97 && letter <= 122 ? letter - 96 : 0;
}

/** Likelihood of a text from which on it is one, the same without blanks, and blanks of a text that may be disguised once more. */
const LIKELY = 4.3;
const LIKELY_JOINED = 5.2;
const LEAST_BLANKS = 2;
/** Characters of a word with signs between its letters, and the part of letters of a text. */
const LONGEST_WORD = 40;
const LETTERS = 0.45;
/** Characters beyond ASCII that no list of numbers has by chance, since they are several bytes each. */
const LEAST_WIDE = 3;

/** Returns true for what numbers hardly stand for by chance: likely text, or words apart, which may be disguised once more. */
export function readsAsText(text: string): boolean {
  if (/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\s]/u.test(text)) return false;
  if ((text.match(/[^\0-\x7f]/g)?.length ?? 0) >= LEAST_WIDE) return true;
  if (/[a-z][A-Z]/.test(text)) return false;
  const words = text.split(/[ _/]/);
  if (/^[a-z\s.,;:!?'"()[\]+_/-]+$/i.test(text) && plausibility(text) >= (words.length > 1 ? LIKELY : LIKELY_JOINED))
    return true;
  const letters = text.match(/[\w@$]/g)?.length ?? 0;
  return (
    words.length > LEAST_BLANKS &&
    words.every(({ length }) => length <= LONGEST_WORD) &&
    letters >= text.length * LETTERS
  );
}
