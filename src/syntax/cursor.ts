/**
 * A position in a list of tokens that ends with one of kind `end`, beyond which it never moves.
 *
 * @example
 * ```ts
 * const cursor = new TokenCursor(lexRange(source, 0, 9));
 * if (cursor.eat("not")) { ... }
 * ```
 */
export class TokenCursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    if (tokens.at(-1)?.kind !== "end") throw new RangeError("the last token must be of kind `end`");
    this.#tokens = tokens;
  }

  /** Returns the current token, or the one `ahead` tokens further. */
  peek(ahead = 0): Token {
    const last = this.#tokens.length - 1;
    // INVARIANT: the list is not empty, see the constructor.
    return this.#tokens[Math.min(this.#at + ahead, last)] as Token;
  }

  /** Returns the current token and advances, except at the end. */
  next(): Token {
    const token = this.peek();
    if (token.kind !== "end") this.#at += 1;
    return token;
  }

  /** Returns true if the current token is this word or sign. The text of a string or a variable never counts. */
  is(text: string): boolean {
    const token = this.peek();
    return token.text === text && (token.kind === "punctuation" || token.kind === "word");
  }

  /** Advances if the current token is this word or sign. */
  eat(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at += 1;
    return true;
  }

  /** Returns the current token and advances if it is this word or sign; otherwise returns undefined and stays. */
  expect(text: string): Token | undefined {
    return this.is(text) ? this.next() : undefined;
  }

  isAtEnd(): boolean {
    return this.peek().kind === "end";
  }

  /** Returns the previous token. */
  previous(): Token | undefined {
    return this.#at === 0 ? undefined : this.#tokens[this.#at - 1];
  }

  /** Returns a position for `reset`. */
  mark(): number {
    return this.#at;
  }

  reset(mark: number): void {
    this.#at = Math.max(0, Math.min(mark, this.#tokens.length - 1));
  }
}

/**
 * The kinds of tokens. The lexer knows no keywords: the parser recognises them by position.
 * A quote directly after a word character never opens a string, so `don't` is one word.
 */
type TokenKind =
  | "word" // letters, digits and `_`, with apostrophes inside: `ask`, `don't`
  | "variable" // `$name`; `text` is the name without the dollar sign
  | "number" // `1`, `1.5`, `1e3`, `0x10`, `1_000`; `value` is the number
  | "string" // one line, either quote; `value` is the unescaped text
  | "long-string" // triple quoted; `value` is the unescaped text
  | "punctuation" // operators and brackets, longest first: `**`, `//`, `==`, `!=`, `<=`, `>=`, `+=`, `-=`, `<<`, `>>`, `...`
  | "invalid" // a character no rule accepts, an unterminated string
  | "end";
// empty, always the last one

export interface Token {
  readonly kind: TokenKind;
  /** Offsets into the source: `start` inclusive, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** The text as written; for a variable the name alone. */
  readonly text: string;
  readonly value?: string | number;
  /** A letter written directly before a string, as in `f"…"`. */
  readonly prefix?: string;
  /** The reason why a token is invalid, for a message. */
  readonly problem?: string;
  /** Set on the invalid token at which lexing stopped because there were too many. */
  readonly isLimit?: true;
}
