/** A text in the form in which quotes are compared, with the place of each of its characters in the original. */
export interface FoldedText {
  readonly text: string;
  /** The original range of the characters from `start` up to `end`. */
  range(start: number, end: number): readonly [number, number];
}

/** Characters with the range of the original that each of them stands for. */
interface Marked {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const PLAIN = /^[\u0020-\u005b\u005d-\u007e]*$/;
/** Bytes as URLs and forms write them. */
const PERCENT = /%[\da-f]{2}/i;
const PERCENT_RUN = /(?:%[\da-f]{2})+/iy;
const ESCAPE = /\\+(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})|([abfnrtv0])|(["'`/]))/giy;
const DROPPED = /[\p{M}\p{Cf}]/u;
const BLANK = /[\s\p{Cc}]/u;

/**
 * Folds a text so that its copies compare equal: without letter case, accents, invisible characters, the escapes of
 * JSON (however deep the JSON is nested in strings) and the percent signs of URLs, and with one space for each run of blanks.
 */
export function foldText(text: string): FoldedText {
  const isEncoded = text.includes("%") && PERCENT.test(text);
  if (PLAIN.test(text) && !text.includes("  ") && !isEncoded) {
    return { text: text.toLowerCase(), range: (start, end) => [start, end] };
  }
  const {
    text: folded,
    starts,
    ends,
  } = foldCharacters(isEncoded || text.includes("\\") ? unescape(text) : undefined, text);
  return { text: folded, range: (start, end) => [starts[start] ?? 0, ends[end - 1] ?? text.length] };
}

/** The folded text without blanks at its ends. */
export function foldWhole(text: string): string {
  return foldText(text).text.trim();
}

/**
 * INVARIANT: a run of backslashes before an escape is one escape, and any other run is nothing, so that each level of nested
 * JSON reads alike.
 */
function unescape(text: string): Marked {
  let out = "";
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < text.length;) {
    const encoded = text[at] === "%" ? readPercent(text, at) : [];
    for (const { character, length } of encoded) {
      for (let unit = 0; unit < character.length; unit += 1) {
        starts.push(at);
        ends.push(at + length);
      }
      out += character;
      at += length;
    }
    if (encoded.length > 0) continue;
    const [read, length] = text[at] === "\\" ? readEscape(text, at) : [text[at] ?? "", 1];
    for (let unit = 0; unit < read.length; unit += 1) {
      starts.push(at);
      ends.push(at + length);
    }
    out += read;
    at += length;
  }
  return { text: out, starts, ends };
}

/** The characters of a run of encoded bytes, each with its length in the text; none if the bytes are no UTF-8. */
function readPercent(text: string, at: number): readonly { readonly character: string; readonly length: number }[] {
  PERCENT_RUN.lastIndex = at;
  const [run = ""] = PERCENT_RUN.exec(text) ?? [];
  try {
    return Array.from(decodeURIComponent(run), (character) => ({
      character,
      length: 3 * new TextEncoder().encode(character).length,
    }));
  } catch {
    return [];
  }
}

function readEscape(text: string, at: number): readonly [string, number] {
  ESCAPE.lastIndex = at;
  const found = ESCAPE.exec(text);
  if (found === null) {
    let end = at;
    while (text[end] === "\\") end += 1;
    return ["", end - at];
  }
  const [whole, unit, point, byte, letter, quote] = found;
  const code = unit ?? point ?? byte;
  if (code !== undefined) {
    const value = Number.parseInt(code, 16);
    return [value > 0x10_ff_ff ? "\uFFFD" : String.fromCodePoint(value), whole.length];
  }
  return [letter === undefined ? (quote ?? "") : " ", whole.length];
}

function foldCharacters(given: Marked | undefined, original: string): Marked {
  const source = given?.text ?? original;
  let out = "";
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of source) {
    const from = given?.starts[at] ?? at;
    at += character.length;
    const to = given?.ends[at - 1] ?? at;
    const isBlank = BLANK.test(character);
    if (isBlank && out.endsWith(" ")) {
      ends[ends.length - 1] = to;
      continue;
    }
    for (const part of isBlank ? " " : character.normalize("NFKD").toLowerCase()) {
      if (DROPPED.test(part)) continue;
      out += part;
      for (let unit = 0; unit < part.length; unit += 1) {
        starts.push(from);
        ends.push(to);
      }
    }
  }
  return { text: out, starts, ends };
}
