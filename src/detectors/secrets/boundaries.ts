/** Returns true if an ASCII letter or digit stands at an offset. */
export function isWordCharacter(text: string, at: number): boolean {
  return isAlphanumeric(text.charCodeAt(at));
}

/** Returns true for the code of an ASCII letter or digit; false for NaN, the code beyond the end. */
export function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/**
 * Returns true if a key can begin at an offset: no letter or digit stands before it, unless that ends an escape such as `\n` or
 * `%3D`, and no `-` or `_` that joins it to a word.
 *
 * INVARIANT: characters of keys are no boundaries, so that a text of many triggers in a row has one place to read from.
 */
export function isBoundaryBefore(text: string, at: number): boolean {
  if (at === 0 || !isKeyCharacter(text.charCodeAt(at))) return true;
  const code = text.charCodeAt(at - 1);
  if (code === 45 || code === 95) return at === 1 || !isKeyCharacter(text.charCodeAt(at - 2));
  if (!isAlphanumeric(code)) return true;
  const isLetterEscape = (code === 110 || code === 114 || code === 116) && text.charCodeAt(at - 2) === 92;
  return isLetterEscape || /%[0-9a-f]{2}$/i.test(text.slice(Math.max(0, at - 3), at));
}

function isKeyCharacter(code: number): boolean {
  return isAlphanumeric(code) || code === 45 || code === 95;
}
