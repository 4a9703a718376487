import type * as JsYaml from "js-yaml";
import type { Event } from "js-yaml";

/** Event ids of `js-yaml`. */
export const EVENT_ID = {
  DOCUMENT: 1,
  SEQUENCE: 2,
  MAPPING: 3,
  SCALAR: 4,
  ALIAS: 5,
  POP: 6,
} as const satisfies typeof JsYaml.EVENT_ID;

/** Scalar styles of `js-yaml`. */
export const SCALAR_STYLE = {
  PLAIN: 1,
  SINGLE_QUOTED: 2,
  DOUBLE_QUOTED: 3,
  LITERAL_BLOCK: 4,
  FOLDED_BLOCK: 5,
} as const satisfies typeof JsYaml.SCALAR_STYLE;

/** Events of a YAML text, with the values of its scalars and tagged collections, in text order. */
export interface ParsedYaml {
  readonly events: readonly Event[];
  readonly values: readonly unknown[];
}

/**
 * Parses the common subset of YAML: block maps and lists, bracketed lists of scalars, single-line scalars without
 * escapes, comments. Returns undefined for any other text, valid or not, which `js-yaml` then reads.
 *
 * INVARIANT: for a text that is read here, events and values are exactly those of `js-yaml`.
 *
 * @example
 * ```ts
 * readPlainYaml("rails:\n  input:\n    flows: [check words]\n")?.values; // ["rails", "input", "flows", "check words"]
 * ```
 */
export function readPlainYaml(text: string): ParsedYaml | undefined {
  if (!PLAIN_TEXT.test(text)) return undefined;
  const reader = new PlainReader();
  let start = 0;
  for (const line of text.split("\n")) {
    if (!reader.readLine(line, start)) return undefined;
    start += line.length + 1;
  }
  return reader.end();
}

const PLAIN_TEXT = /^[\n\x20-\x7e]*$/;
const BLANK_OR_COMMENT = /^ *(?:#|$)/;
const KEY = /^[A-Za-z_][\w-]*(?: [\w-]+)*(?=:(?: |$))/;
const PLAIN = /^[A-Za-z_$][\w$./-]*(?: [\w$./-]+)*/;
const NUMBER = /^(?:0|-?[1-9]\d{0,14}|-?(?:0|[1-9]\d{0,8})\.\d{1,6})(?![\w$./-])/;
const DOUBLE_QUOTED = /^"[^"\\]*"/;
const SINGLE_QUOTED = /^'[^']*'(?!')/;
/** The rest of a line after a value. */
const LINE_END = /^(?: *$| +#)/;
/** Words that are not text in any letter case. */
const NOT_TEXT = /^(?:true|false|null)$/i;
/** Deeper texts are left to `js-yaml`, which reports the limit. */
const MAX_OPEN = 50;

const NONE = { anchorStart: -1, anchorEnd: -1, tagStart: -1, tagEnd: -1 };
const POP: Event = { type: EVENT_ID.POP };

interface OpenBlock {
  readonly isList: boolean;
  readonly indent: number;
  /** True for a map whose last key has no value yet. */
  isPending: boolean;
}

/** Reads line by line; a method returns false if the text must be left to `js-yaml`. */
class PlainReader {
  readonly #events: Event[] = [{ type: EVENT_ID.DOCUMENT, explicitStart: false, explicitEnd: false, directives: [] }];
  readonly #values: unknown[] = [];
  readonly #open: OpenBlock[] = [];

  readLine(line: string, start: number): boolean {
    if (BLANK_OR_COMMENT.test(line)) return true;
    const indent = line.search(/[^ ]/);
    const isItem = line.startsWith("- ", indent);
    const block = this.#blockAt(indent, isItem, start);
    if (block === undefined) return false;
    if (!isItem) return this.#entry(line, indent, start, block);
    const inner = indent + 2;
    if (!KEY.test(line.slice(inner))) return this.#value(line, inner, start);
    const map = this.#begin(false, inner, start);
    return map !== undefined && this.#entry(line, inner, start, map);
  }

  /** Ends the document; undefined for a text without content. */
  end(): ParsedYaml | undefined {
    if (this.#open.length === 0) return undefined;
    while (this.#open.length > 0) this.#pop();
    this.#events.push(POP);
    return { events: this.#events, values: this.#values };
  }

  /** Returns the block of a line: an open one, or one that starts with it. */
  #blockAt(indent: number, isItem: boolean, start: number): OpenBlock | undefined {
    let top = this.#open.at(-1);
    if (top === undefined) return indent === 0 && !isItem ? this.#begin(false, 0, start) : undefined;
    if (top.isPending && (indent > top.indent || (isItem && indent === top.indent))) {
      top.isPending = false;
      return this.#begin(isItem, indent, start);
    }
    while (top !== undefined && endsAt(top, indent, isItem)) {
      this.#pop();
      top = this.#open.at(-1);
    }
    if (top?.indent !== indent || top.isList !== isItem) return undefined;
    this.#endEntry(top);
    return top;
  }

  #begin(isList: boolean, indent: number, start: number): OpenBlock | undefined {
    if (this.#open.length === MAX_OPEN) return undefined;
    const block = { isList, indent, isPending: false };
    const type = isList ? EVENT_ID.SEQUENCE : EVENT_ID.MAPPING;
    this.#events.push({ type, start: start + indent, ...NONE, style: 1 });
    this.#open.push(block);
    return block;
  }

  #pop(): void {
    const block = this.#open.pop();
    if (block !== undefined) this.#endEntry(block);
    this.#events.push(POP);
  }

  /** Sets a key without a value to null. */
  #endEntry(block: OpenBlock): void {
    if (block.isPending) this.#scalar(-1, -1, SCALAR_STYLE.PLAIN, null);
    block.isPending = false;
  }

  /** Reads a key, and its value unless that starts on the next line. */
  #entry(line: string, at: number, start: number, map: OpenBlock): boolean {
    const [key] = KEY.exec(line.slice(at)) ?? [];
    if (key === undefined || NOT_TEXT.test(key)) return false;
    const end = at + key.length;
    this.#scalar(start + at, start + end, SCALAR_STYLE.PLAIN, key);
    const rest = line.slice(end + 1);
    if (!LINE_END.test(rest)) return this.#value(line, end + 1 + rest.search(/[^ ]/), start);
    map.isPending = true;
    return true;
  }

  /** Reads the value of an entry or item, to the end of its line. */
  #value(line: string, at: number, start: number): boolean {
    const end = line[at] === "[" ? this.#list(line, at, start) : this.#leaf(line, at, start);
    return end !== undefined && LINE_END.test(line.slice(end));
  }

  /** Reads a bracketed list and returns its end column. */
  #list(line: string, begin: number, start: number): number | undefined {
    this.#events.push({ type: EVENT_ID.SEQUENCE, start: start + begin, ...NONE, style: 2 });
    let at = skipBlanks(line, begin + 1);
    if (line[at] !== "]") {
      for (;;) {
        const end = this.#leaf(line, at, start);
        if (end === undefined) return undefined;
        at = skipBlanks(line, end);
        if (line[at] === "]") break;
        if (line[at] !== ",") return undefined;
        at = skipBlanks(line, at + 1);
      }
    }
    this.#events.push(POP);
    return at + 1;
  }

  /** Reads a scalar and returns its end column. */
  #leaf(line: string, at: number, start: number): number | undefined {
    const rest = line.slice(at);
    const isQuoted = rest.startsWith('"') || rest.startsWith("'");
    if (isQuoted) {
      const isDouble = rest.startsWith('"');
      const [quoted] = (isDouble ? DOUBLE_QUOTED : SINGLE_QUOTED).exec(rest) ?? [];
      if (quoted === undefined) return undefined;
      const end = at + quoted.length;
      const style = isDouble ? SCALAR_STYLE.DOUBLE_QUOTED : SCALAR_STYLE.SINGLE_QUOTED;
      this.#scalar(start + at + 1, start + end - 1, style, quoted.slice(1, -1));
      return end;
    }
    const [number] = NUMBER.exec(rest) ?? [];
    const [leaf] = number === undefined ? (PLAIN.exec(rest) ?? []) : [number];
    if (leaf === undefined) return undefined;
    const isBoolean = leaf === "true" || leaf === "false";
    if (!isBoolean && NOT_TEXT.test(leaf)) return undefined;
    const value = number === undefined ? (isBoolean ? leaf === "true" : leaf) : Number(number);
    this.#scalar(start + at, start + at + leaf.length, SCALAR_STYLE.PLAIN, value);
    return at + leaf.length;
  }

  #scalar(valueStart: number, valueEnd: number, style: 1 | 2 | 3, value: unknown): void {
    const fast = valueStart >= 0;
    this.#events.push({ type: EVENT_ID.SCALAR, valueStart, valueEnd, ...NONE, style, chomping: 1, indent: -1, fast });
    this.#values.push(value);
  }
}

/** Returns true if a line ends a block: it is indented less, or is a key in the column of a list. */
function endsAt(block: OpenBlock, indent: number, isItem: boolean): boolean {
  return block.indent > indent || (block.indent === indent && block.isList && !isItem);
}

function skipBlanks(line: string, from: number): number {
  let at = from;
  while (line[at] === " ") at += 1;
  return at;
}
