/** Sentence, heading or list item of a text. */
export interface Sentence {
  start: number;
  end: number;
  readonly isQuestion: boolean;
}

/** Longest sentence; what is longer is read as several. */
const LONGEST = 600;
const ENDS =
  /[.!?؟](?=["'”’)\]]{0,2}(?:$|\s{1,8}(?!\p{Ll})))|[。！？]|\n\s*\n|\n(?=\s*(?:[\p{Lu}\p{Lo}\d>#*•\-–"“'([]))|(?<!<)\|(?!>)|•|"\s{0,4}[:,}\]]|\\n/gu;
const LEADING = /^[\s\d>#*•\-–—"“”'‘’`()[\]{}.:;,|/!?<=]{1,80}/u;

/** Returns the sentences of a text: parts that end with a stop, a blank line, or a line before a new beginning. */
export function splitSentences(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  const add = (end: number, isQuestion: boolean): void => {
    for (let at = start; at < end; at += LONGEST) {
      const stop = Math.min(end, at + LONGEST);
      const skipped = LEADING.exec(text.slice(at, Math.min(stop, at + 80)))?.[0].length ?? 0;
      if (stop - at - skipped > 2) sentences.push({ start: at + skipped, end: stop, isQuestion });
    }
    start = end;
  };
  for (const { 0: mark, index } of text.matchAll(ENDS)) {
    if (index + mark.length > start) add(index + mark.length, /[?？؟]/.test(mark));
  }
  add(text.length, false);
  return sentences;
}
