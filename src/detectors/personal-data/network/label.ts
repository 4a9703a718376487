import { isAlphanumeric, isDigit } from "../digit-groups.js";

const LONGEST_LABEL = 24;
const FIRST_OTHER = 0x80;
const OTHER_LETTER = /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}]/u;
/** Characters of names besides letters and digits. */
const JOINERS = new Set(["_", ".", "-"]);
/** Characters that close a name. */
const CLOSING = new Set(['"', "'", "]"]);

/**
 * Returns true if a colon ends the name of a value (`peer:fe80::1`, `"ip":`), and belongs to no address of hexadecimal digits:
 * a word with a letter that addresses do not have, or what closes a name. The `n` of `\n` does not count as a letter.
 */
export function endsLabel(text: string, colon: number): boolean {
  const first = Math.max(0, colon - LONGEST_LABEL);
  if (colon > first && CLOSING.has(text.charAt(colon - 1))) return true;
  for (let at = colon - 1; at >= first; at--) {
    const code = text.charCodeAt(at);
    const isLetter =
      code < FIRST_OTHER ? isAlphanumeric(code) && !isDigit(code) : OTHER_LETTER.test(String.fromCharCode(code));
    if (isLetter && !isHexadecimal(code) && text.charAt(at - 1) !== "\\") return true;
    if (!isLetter && !isDigit(code) && !JOINERS.has(text.charAt(at))) return false;
  }
  return false;
}

/** Returns true for a letter from A to F. */
function isHexadecimal(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66;
}
