const { charCodeAt } = String.prototype;

/**
 * Returns the code unit of a text at an offset, for loops over whole texts. `text.charCodeAt(offset)` looks the method up for each
 * character once such a loop has seen texts of more than four representations (slices, joined texts, names, texts with other
 * characters than Latin-1), as any program's are, and takes five times as long.
 *
 * INVARIANT: the offset is within the text: one that is not makes all later calls slow.
 */
export function codeAt(text: string, offset: number): number {
  return charCodeAt.call(text, offset);
}
