/** A text whose interesting part stood between « and ». */
export interface MarkedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly marked: string;
}

/**
 * Takes the marks out of a text and returns their places, so that a test can name the text that must be underlined.
 *
 * @example
 * ```ts
 * unmark("flows: [«self chek input»]"); // { text: "flows: [self chek input]", start: 8, end: 23, marked: "self chek input" }
 * ```
 */
export function unmark(source: string): MarkedText {
  const start = source.indexOf("«");
  const closing = source.indexOf("»");
  if (start < 0 || closing < start || source.includes("«", start + 1) || source.includes("»", closing + 1)) {
    throw new Error("mark exactly one part of the text with « and »");
  }
  const marked = source.slice(start + 1, closing);
  return {
    text: source.slice(0, start) + marked + source.slice(closing + 1),
    start,
    end: start + marked.length,
    marked,
  };
}
