import { attempt } from "../engine/walk.js";
import { removedParts } from "./removed-parts.js";
import { deferPattern } from "../diagnostics/defer-pattern.js";

/** A text that must not be released; with a replacement, a rail rewrote it, and only the removed part is hidden. */
export interface HiddenText {
  readonly text: string;
  readonly replacement?: string | undefined;
}

export interface RedactorOptions {
  /** Texts that are released anyway. Parts of a hidden text that also occur in one of them are not hidden. */
  readonly shown?: readonly string[];
  /** Count parts of a hidden text as quotes. Default: true. Otherwise, only complete copies count. */
  readonly parts?: boolean;
}

/** Finds quotes of hidden texts. */
export interface Redactor {
  quotes(text: string): boolean;
  /** Replaces quotes in a text: a complete copy of a rewritten text by the rewritten form, others by `…`. */
  redact(text: string): string;
}

/**
 * Number of consecutive characters of a hidden text that make a string a quote of it. A shorter hidden text is quoted
 * by a string that contains all of it, except as part of a longer word. Both sides are compared after `foldText`. This
 * is the only such threshold of the package.
 */
export const QUOTE_LENGTH = 12;

/** Distance of blocks: any part as long as a quote contains one of them. */
const BLOCK_LENGTH = QUOTE_LENGTH / 2;
const BLOCK_STEP = QUOTE_LENGTH - BLOCK_LENGTH + 1;

/** Put in place of a quote. */
const REDACTION_MARK = "…";

/** Above this product of lengths, parts are looked up in an index of the hidden text. */
const MAX_SCAN = 2_000_000;

/** Returns a redactor of these texts; undefined if there is nothing to hide. */
export function createRedactor(
  hidden: readonly (string | HiddenText)[],
  options: RedactorOptions = {},
): Redactor | undefined {
  const shown = (options.shown ?? []).map(foldWhole);
  const texts = new Map<string, Needle>();
  const add = (text: string, kept: readonly string[], replacement?: string): void => {
    const folded = foldWhole(text);
    if (folded === "" || texts.has(folded) || isPunctuation(folded)) return;
    texts.set(folded, new Needle(folded, kept, options.parts !== false, replacement ?? REDACTION_MARK));
  };
  for (const hiddenText of hidden) {
    const { text, replacement }: HiddenText = typeof hiddenText === "string" ? { text: hiddenText } : hiddenText;
    if (replacement === undefined) {
      add(text, shown);
      continue;
    }
    const after = foldWhole(replacement);
    const before = foldWhole(text);
    // A rail that only adds to a text hides nothing.
    if (before === "" || findWhole(after, before).length > 0) continue;
    add(text, [...shown, after], replacement);
    if (options.parts === false) continue;
    for (const part of removedParts(text, replacement)) {
      if (findWhole(after, foldWhole(part)).length === 0) add(part, [...shown, after]);
    }
  }
  return texts.size === 0 ? undefined : new QuoteRedactor([...texts.values()]);
}

/** Longest text of punctuation that hides nothing: a comma or a stop is in most texts. */
const MAX_PUNCTUATION = 2;
const punctuation = deferPattern(String.raw`^\p{P}+$`, "u");

/** Returns true for one or two punctuation marks, such as the last part of a stream. */
function isPunctuation(folded: string): boolean {
  return folded.length <= MAX_PUNCTUATION && punctuation().test(folded);
}

interface Quote {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

class QuoteRedactor implements Redactor {
  readonly #needles: readonly Needle[];

  constructor(needles: readonly Needle[]) {
    this.#needles = needles;
  }

  quotes(text: string): boolean {
    const hay = foldText(text).text;
    return this.#needles.some((needle) => needle.find(hay, true).length > 0);
  }

  redact(text: string): string {
    const hay = foldText(text);
    const quotes = this.#needles.flatMap((needle) => needle.find(hay.text, false));
    if (quotes.length === 0) return text;
    let out = "";
    let done = 0;
    for (const { start, end, replacement } of mergeQuotes(quotes)) {
      const first = hay.text[start] === " " ? start + 1 : start;
      const [from, to] = hay.range(first, hay.text[end - 1] === " " ? end - 1 : end);
      out += text.slice(done, Math.max(done, from)) + replacement;
      done = Math.max(done, to);
    }
    return out + text.slice(done);
  }
}

/** One hidden text, folded. */
class Needle {
  readonly #text: string;
  readonly #replacement: string;
  /** Parts of it that count as quotes; undefined if only a complete copy does. */
  readonly #parts: Parts | undefined;
  readonly #kept: Parts;

  constructor(text: string, kept: readonly string[], parts: boolean, replacement: string) {
    this.#text = text;
    this.#replacement = replacement;
    this.#parts = parts && text.length >= QUOTE_LENGTH ? new Parts([text]) : undefined;
    this.#kept = new Parts(kept);
  }

  find(hay: string, onlyOne: boolean): readonly Quote[] {
    const replacement = this.#replacement;
    const whole = findWhole(hay, this.#text).map((start) => ({ start, end: start + this.#text.length, replacement }));
    if (this.#parts === undefined || (onlyOne && whole.length > 0) || !this.#parts.mayShare(hay)) return whole;
    const parts: Quote[] = [];
    for (let start = 0; start + QUOTE_LENGTH <= hay.length; start += 1) {
      const part = hay.slice(start, start + QUOTE_LENGTH);
      if (!this.#parts.has(part, hay.length) || this.#kept.has(part, hay.length)) continue;
      parts.push({ start, end: start + QUOTE_LENGTH, replacement: REDACTION_MARK });
      if (onlyOne) break;
    }
    return [...whole, ...parts];
  }
}

/** All parts of texts with the length of a quote. */
class Parts {
  readonly #texts: readonly string[];
  readonly #size: number;
  #index: Set<string> | undefined;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#size = texts.reduce((sum, text) => sum + text.length, 0);
  }

  /**
   * Returns false if no part can occur in the searched text: every such part contains a whole block of it, and most
   * texts share no block.
   */
  mayShare(searched: string): boolean {
    if (searched.length * this.#size >= MAX_SCAN) return true;
    for (let at = 0; at + BLOCK_LENGTH <= searched.length; at += BLOCK_STEP) {
      const block = searched.slice(at, at + BLOCK_LENGTH);
      if (this.#texts.some((text) => text.includes(block))) return true;
    }
    return false;
  }

  /** @param searched - length of the text whose parts are looked up one by one */
  has(part: string, searched: number): boolean {
    if (this.#index === undefined) {
      // Long texts get an index: a search per part would take quadratic time.
      if (searched * this.#size < MAX_SCAN) return this.#texts.some((text) => text.includes(part));
      this.#index = new Set();
      for (const text of this.#texts) {
        for (let at = 0; at + QUOTE_LENGTH <= text.length; at += 1) this.#index.add(text.slice(at, at + QUOTE_LENGTH));
      }
    }
    return this.#index.has(part);
  }
}

/** Offsets of complete copies; a short text counts only outside of longer words. */
function findWhole(hay: string, text: string): readonly number[] {
  const places: number[] = [];
  // A text of invisible characters folds to an empty string, which would match everywhere.
  if (text === "") return places;
  for (let at = hay.indexOf(text); at !== -1; at = hay.indexOf(text, at + text.length)) {
    const end = at + text.length;
    if (text.length >= QUOTE_LENGTH || (!joins(hay, at) && !joins(hay, end))) places.push(at);
  }
  return places;
}

/** Returns true if the characters around the offset belong to one word. */
function joins(hay: string, at: number): boolean {
  // Two code units contain any character.
  const before = Array.from(hay.slice(Math.max(0, at - 2), at)).at(-1) ?? "";
  const [after = ""] = hay.slice(at, at + 2);
  return [before, after].every((character) => wordCharacter().test(character) && !unspaced().test(character));
}

const wordCharacter = deferPattern(String.raw`[\p{L}\p{N}_]`, "u");
/** Scripts written without spaces between words. */
const unspaced = deferPattern(
  `[${["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"].map((name) => `\\p{Script=${name}}`).join("")}]`,
  "u",
);

/** Merges overlapping quotes; of several texts at one place, the longest is replaced. */
function mergeQuotes(quotes: readonly Quote[]): readonly Quote[] {
  const sorted = [...quotes].sort((left, right) => left.start - right.start || right.end - left.end);
  const merged: Quote[] = [];
  for (const quote of sorted) {
    const last = merged.at(-1);
    if (last === undefined || quote.start >= last.end) merged.push(quote);
    else if (quote.end > last.end) {
      merged[merged.length - 1] = { start: last.start, end: quote.end, replacement: REDACTION_MARK };
    }
  }
  return merged;
}

/** A text folded for comparison, with the original position of each character. */
interface FoldedText {
  readonly text: string;
  /** Returns the original range of the characters from `start` up to `end`. */
  range(start: number, end: number): readonly [number, number];
}

/** Characters with the original range of each. */
class MarkedText {
  text = "";
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  add(part: string, start: number, end: number): void {
    this.text += part;
    for (let unit = 0; unit < part.length; unit += 1) {
      this.starts.push(start);
      this.ends.push(end);
    }
  }
}

const PLAIN = /^[\u0020-\u005b\u005d-\u007e]*$/;

/** Percent-encoded bytes, as in URLs and forms. */
const PERCENT = /%[\da-f]{2}/i;

const PERCENT_RUN = /(?:%[\da-f]{2})+/iy;

const ESCAPE = /\\+(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})|([abfnrtv0])|(["'`/]))/giy;

/**
 * Folds a text so that its copies compare equal: drops letter case, accents, invisible characters, JSON escapes (at any
 * nesting in strings) and percent-encoding, and reduces each run of white space to a space.
 */
export function foldText(text: string): FoldedText {
  const isEncoded = text.includes("%") && PERCENT.test(text);
  if (PLAIN.test(text) && !text.includes("  ") && !isEncoded) {
    return { text: text.toLowerCase(), range: (start, end) => [start, end] };
  }
  const folded = foldCharacters(isEncoded || text.includes("\\") ? unescape(text) : undefined, text);
  return { text: folded.text, range: (start, end) => [folded.starts[start] ?? 0, folded.ends[end - 1] ?? text.length] };
}

/** The folded text, trimmed. */
export function foldWhole(text: string): string {
  return foldText(text).text.trim();
}

/**
 * INVARIANT: a run of backslashes before an escape is one escape, and any other run is dropped, so every level of
 * nested JSON folds alike.
 */
function unescape(text: string): MarkedText {
  const out = new MarkedText();
  for (let at = 0; at < text.length;) {
    const encoded = text[at] === "%" ? readPercent(text, at) : [];
    const plain = text[at] === "\\" ? readEscape(text, at) : ([text[at] ?? "", 1] as const);
    for (const [read, length] of encoded.length > 0 ? encoded : [plain]) {
      out.add(read, at, at + length);
      at += length;
    }
  }
  return out;
}

/**
 * Decodes a run of percent-encoded bytes to characters with their encoded lengths; empty if the bytes are not UTF-8.
 */
function readPercent(text: string, at: number): readonly (readonly [string, number])[] {
  PERCENT_RUN.lastIndex = at;
  const [run = ""] = PERCENT_RUN.exec(text) ?? [];
  const decoded = attempt(() => decodeURIComponent(run)) ?? "";
  return Array.from(decoded, (character) => [character, 3 * new TextEncoder().encode(character).length]);
}

function readEscape(text: string, at: number): readonly [string, number] {
  ESCAPE.lastIndex = at;
  const escape = ESCAPE.exec(text);
  if (escape === null) {
    let end = at;
    while (text[end] === "\\") end += 1;
    return ["", end - at];
  }
  const [whole, unit, point, byte, letter, quote] = escape;
  const code = unit ?? point ?? byte;
  if (code !== undefined) {
    const value = Number.parseInt(code, 16);
    return [value > 0x10_ff_ff ? "\uFFFD" : String.fromCodePoint(value), whole.length];
  }
  return [letter === undefined ? (quote ?? "") : " ", whole.length];
}

const droppedCharacter = deferPattern(String.raw`[\p{M}\p{Cf}]`, "u");
const blankCharacter = deferPattern(String.raw`[\s\p{Cc}]`, "u");

function foldCharacters(given: MarkedText | undefined, original: string): MarkedText {
  const dropped = droppedCharacter();
  const blank = blankCharacter();
  const out = new MarkedText();
  let at = 0;
  for (const character of given?.text ?? original) {
    const from = given?.starts[at] ?? at;
    at += character.length;
    const to = given?.ends[at - 1] ?? at;
    const isBlank = blank.test(character);
    if (isBlank && out.text.endsWith(" ")) {
      out.ends[out.ends.length - 1] = to;
      continue;
    }
    for (const part of isBlank ? " " : character.normalize("NFKD").toLowerCase()) {
      if (!dropped.test(part)) out.add(part, from, to);
    }
  }
  return out;
}
