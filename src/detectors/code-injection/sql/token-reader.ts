import { KIND, type Kind } from "./keywords.js";
import type { SqlTokens } from "./sql-tokens.js";

/** Kind of an operand: a value, a quoted text, a call, a nested query, a group in parentheses, or a name. */
type OperandSort = "value" | "text" | "call" | "query" | "group" | "name";

/** An operand, and the index of the token after it. */
export interface Operand {
  readonly sort: OperandSort;
  readonly next: number;
  /** Index of its first token after signs. */
  readonly first: number;
}

/** INVARIANT: bounds of look-ahead, so that each place is read in constant time. */
const LONGEST_TEXT = 24;
const LONGEST_GROUP = 120;
const MOST_SIGNS = 16;
const LONGEST_LINE = 256;

/** Reads the tokens of a text around a place. */
export class TokenReader {
  readonly #tokens: SqlTokens;
  readonly text: string;
  readonly folded: string;
  /** First token after the line of a line comment, for comments that have one. */
  readonly #afterLine = new Map<number, number>();

  constructor(tokens: SqlTokens, text: string, folded: string) {
    this.#tokens = tokens;
    this.text = text;
    this.folded = folded;
    if (tokens.lineComments.length > 0 && text.includes("\n")) this.#findLines();
  }

  get count(): number {
    return this.#tokens.count - 1;
  }

  kind(index: number): Kind {
    return index < 0 || index >= this.#tokens.count ? KIND.end : ((this.#tokens.kinds[index] ?? KIND.end) as Kind);
  }

  start(index: number): number {
    return index < this.#tokens.count ? (this.#tokens.starts[index] ?? 0) : this.text.length;
  }

  end(index: number): number {
    return index < this.#tokens.count ? (this.#tokens.ends[index] ?? 0) : this.text.length;
  }

  word(index: number): string {
    return this.folded.slice(this.start(index), this.end(index));
  }

  /** Returns true for a colon that no other one follows, as in PostgreSQL's `::`. */
  isColon(index: number): boolean {
    if (this.kind(index) !== KIND.other || this.text.charCodeAt(this.start(index)) !== 58) return false;
    return this.text.charCodeAt(this.end(index)) !== 58 && this.text.charCodeAt(this.start(index) - 1) !== 58;
  }

  /** Returns the first token from an index on that is not a comment; the rest of a comment's line is skipped if text follows it. */
  skipComments(index: number): number {
    let at = index;
    for (let turn = 0; turn < MOST_SIGNS && this.kind(at) === KIND.comment; turn++)
      at = this.#afterLine.get(at) ?? at + 1;
    return at;
  }

  /** Returns the last token before an index that is not a comment. */
  before(index: number): number {
    let at = index - 1;
    while (at >= 0 && index - at < MOST_SIGNS && this.kind(at) === KIND.comment) at--;
    return at;
  }

  /** Returns true if a comment ends the text's statement from an index on. */
  isCommentAt(index: number): boolean {
    if (this.kind(index) !== KIND.comment) return false;
    const sign = this.text.charAt(this.start(index));
    // A line of dashes is a rule of Markdown.
    if (this.text.startsWith("----", this.start(index))) return false;
    const after = this.text.charAt(this.end(index));
    if (sign === "-") return after === "" || /[\s\-+;'"]/.test(after);
    if (sign === "#") return after === "" || /\s/.test(after);
    return true;
  }

  /** Returns the first token from an index on that does not close a parenthesis or a text. */
  skipClosing(index: number): number {
    let at = index;
    while (at < index + MOST_SIGNS && (this.kind(at) === KIND.close || this.kind(at) === KIND.quote)) at++;
    return at;
  }

  operand(index: number): Operand | undefined {
    let at = this.skipComments(index);
    for (let turn = 0; turn < MOST_SIGNS && this.#isSign(at); turn++) at = this.skipComments(at + 1);
    const kind = this.kind(at);
    switch (kind) {
      case KIND.number:
      case KIND.variable:
      case KIND.constant:
        return { sort: "value", next: at + 1, first: at };
      case KIND.quote:
        return { sort: this.word(at) === "`" ? "name" : "text", next: this.#afterText(at), first: at };
      case KIND.sqlFunction:
      case KIND.condition:
        if (this.kind(this.skipComments(at + 1)) !== KIND.open) return { sort: "name", next: at + 1, first: at };
        return { sort: "call", next: this.afterGroup(this.skipComments(at + 1)), first: at };
      case KIND.open: {
        const inner = this.skipComments(at + 1);
        const isQuery =
          this.kind(inner) === KIND.select ||
          this.isCase(inner) ||
          (this.kind(inner) === KIND.open && this.#opensQuery(inner));
        const sort = isQuery ? "query" : this.#isCall(inner) ? "call" : "group";
        return { sort, next: this.afterGroup(at), first: at };
      }
      case KIND.any:
        if (this.kind(this.skipComments(at + 1)) !== KIND.open) return undefined;
        return { sort: "query", next: this.afterGroup(this.skipComments(at + 1)), first: at };
      case KIND.select:
        return { sort: "query", next: at + 1, first: at };
      case KIND.case:
        return this.isCase(at) ? { sort: "query", next: at + 1, first: at } : undefined;
      case KIND.word:
      case KIND.systemName:
      case KIND.object: {
        const last = this.#lastOfName(at);
        if (last > at && this.#isCall(last)) return { sort: "call", next: this.afterGroup(last + 1), first: last };
        return { sort: "name", next: this.#afterName(at), first: at };
      }
      default:
        return undefined;
    }
  }

  /** Returns true for `case when` and `case <operand> when`. */
  isCase(index: number): boolean {
    if (this.kind(index) !== KIND.case) return false;
    const next = this.skipComments(index + 1);
    if (this.kind(next) === KIND.when) return true;
    const value = this.kind(next) === KIND.case ? undefined : this.operand(next);
    return value !== undefined && this.kind(this.skipComments(value.next)) === KIND.when;
  }

  /** Index after the parenthesis that closes the one at an index. */
  afterGroup(index: number): number {
    let depth = 0;
    for (let at = index; at < index + LONGEST_GROUP; at++) {
      const kind = this.kind(at);
      if (kind === KIND.end) return at;
      if (kind === KIND.open) depth++;
      else if (kind === KIND.close) {
        depth--;
        if (depth <= 0) return at + 1;
      }
    }
    return index + LONGEST_GROUP;
  }

  #opensQuery(index: number): boolean {
    let at = index;
    while (at < index + MOST_SIGNS && this.kind(at) === KIND.open) at = this.skipComments(at + 1);
    return this.kind(at) === KIND.select;
  }

  #isSign(index: number): boolean {
    const kind = this.kind(index);
    if (kind === KIND.prefix) return true;
    return kind === KIND.arithmetic && /[-+]/.test(this.text.charAt(this.start(index)));
  }

  /** Index after a quoted text; its closing quote may be missing. */
  #afterText(index: number): number {
    const quote = this.text.charAt(this.start(index));
    for (let at = index + 1; at < index + LONGEST_TEXT; at++) {
      if (this.kind(at) === KIND.end) return at;
      if (this.kind(at) === KIND.quote && this.text.charAt(this.start(at)) === quote) return at + 1;
    }
    return index + 1;
  }

  /** Returns true if a function is called at an index. */
  #isCall(index: number): boolean {
    const kind = this.kind(index);
    return (kind === KIND.sqlFunction || kind === KIND.condition) && this.kind(index + 1) === KIND.open;
  }

  /** Index of the last part of a name with dots, such as `dbms_pipe.receive_message`. */
  #lastOfName(index: number): number {
    let at = index;
    while (at < index + MOST_SIGNS && this.kind(at + 1) === KIND.dot) at += 2;
    return at;
  }

  #afterName(index: number): number {
    const at = this.#lastOfName(index) + 1;
    return this.kind(at) === KIND.open ? this.afterGroup(at) : at;
  }

  #findLines(): void {
    let after = 0;
    for (const comment of this.#tokens.lineComments) {
      // A comment within the line of another one is its text.
      if (comment < after) continue;
      const newline = this.text.slice(this.end(comment), this.end(comment) + LONGEST_LINE).indexOf("\n");
      if (newline === -1) continue;
      after = comment + 1;
      while (after < this.count && this.start(after) <= this.end(comment) + newline) after++;
      this.#afterLine.set(comment, after);
    }
  }
}
