/** Common English words in ROT13, one of which a disguised sentence holds. */
const ROTATED = (
  "the and you your all this that with for are not from have will must ignore previous instructions system prompt reveal " +
  "forget password secret now about please above disregard rules"
)
  .split(" ")
  .map(rotate);
/** The same words backwards, without those that are words in this direction too. */
const REVERSED = (
  "the and you your all this that with from have will must ignore previous instructions system prompt reveal forget " +
  "password secret about please above disregard rules"
)
  .split(" ")
  .map(reverse);
const ROTATED_WORD = anyOf(ROTATED);
const REVERSED_WORD = anyOf(REVERSED);

/** Words that a text in ROT13 or backwards has. */
export const CIPHER_WORDS: readonly string[] = [...ROTATED, ...REVERSED];

/** Returns true if a text in lower case may hold ROT13. */
export function mayBeRotated(folded: string): boolean {
  return ROTATED_WORD.test(folded);
}

/** Returns true if a text in lower case may hold text backwards. */
export function mayBeReversed(folded: string): boolean {
  return REVERSED_WORD.test(folded);
}

/** Rotates the ASCII letters of a text by thirteen places. */
export function rotate(text: string): string {
  return text.replaceAll(/[a-z]+/gi, (word) => {
    let rotated = "";
    for (let at = 0; at < word.length; at++) {
      const code = word.charCodeAt(at);
      rotated += String.fromCharCode((code & 0x1f) <= 13 ? code + 13 : code - 13);
    }
    return rotated;
  });
}

/** Reverses a text by code points. */
export function reverse(text: string): string {
  return [...text].reverse().join("");
}

function anyOf(words: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${words.join("|")})\\b`);
}
