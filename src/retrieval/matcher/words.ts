// INVARIANT: `scripts/matcher/background-table.mjs` builds the table of the matcher with this file, which must not read the table.

/** Longer texts are read up to here; no utterance needs more. */
export const MAX_TEXT = 8000;
const MAX_WORD = 64;
const WORD = /[\p{L}\p{N}\p{M}]+(?:'\p{L}+)*|\p{Extended_Pictographic}/gu;

/** The words of a text in lower case, pictures among them; names such as `ask_price` fall into their parts. */
export function splitWords(text: string): string[] {
  const plain = text.slice(0, MAX_TEXT).normalize("NFKC").slice(0, MAX_TEXT).toLowerCase().replaceAll("’", "'");
  return (plain.match(WORD) ?? []).map((word) => word.slice(0, MAX_WORD));
}

/**
 * A word without the endings of plurals, verbs and possession, so that `cards`, `paying` and `stopped` meet `card`, `pay`
 * and `stop`. It need not be a word; it only has to be the same for forms of one word.
 */
export function stemWord(word: string): string {
  if (word.length < 4) return word;
  let stem = word.endsWith("'s") ? word.slice(0, -2) : word;
  stem = withoutVerbEnding(withoutPlural(stem));
  if (stem.length > 3 && /([bdfgkmnprt])\1$/.test(stem)) stem = stem.slice(0, -1);
  return stem.length > 3 && stem.endsWith("e") ? stem.slice(0, -1) : stem;
}

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^siu]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  if (word.endsWith("ing") && word.length > 5) return word.slice(0, -3);
  if (word.endsWith("ied")) return `${word.slice(0, -3)}y`;
  return word.endsWith("ed") && word.length > 4 ? word.slice(0, -2) : word;
}

/**
 * FNV-1a over the UTF-16 units, with a finish that spreads the last characters over all bits. Signed, because engines
 * keep signed 32-bit numbers without allocating.
 */
export function hashText(text: string, seed: number): number {
  let code = seed | 0;
  for (let at = 0; at < text.length; at += 1) code = Math.imul(code ^ text.charCodeAt(at), 0x01000193);
  code = Math.imul(code ^ (code >>> 16), 0x85ebca6b);
  code = Math.imul(code ^ (code >>> 13), 0xc2b2ae35);
  return code ^ (code >>> 16);
}
