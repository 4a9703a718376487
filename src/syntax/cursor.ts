import type { Token } from "./token.js";

/**
 * A place in a list of tokens that ends with one of kind `end`. It never moves beyond that.
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

  /** The token here, or `ahead` tokens further on. */
  peek(ahead = 0): Token {
    const last = this.#tokens.length - 1;
    // INVARIANT: there is a last token, see the constructor.
    return this.#tokens[Math.min(this.#at + ahead, last)] as Token;
  }

  /** The token here; the cursor moves on unless this is the end. */
  next(): Token {
    const token = this.peek();
    if (token.kind !== "end") this.#at += 1;
    return token;
  }

  /** Returns true if the token here is this word or sign. The text of a string or of a variable never counts. */
  is(text: string): boolean {
    const token = this.peek();
    return token.text === text && (token.kind === "punctuation" || token.kind === "word");
  }

  /** Moves on if the token here is this word or sign. */
  eat(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at += 1;
    return true;
  }

  /** The token here if it is this word or sign, moving on; else nothing, and the cursor stays. */
  expect(text: string): Token | undefined {
    return this.is(text) ? this.next() : undefined;
  }

  isAtEnd(): boolean {
    return this.peek().kind === "end";
  }

  /** The token before this place. */
  previous(): Token | undefined {
    return this.#at === 0 ? undefined : this.#tokens[this.#at - 1];
  }

  /** A place to come back to with `reset`. */
  mark(): number {
    return this.#at;
  }

  reset(mark: number): void {
    this.#at = Math.max(0, Math.min(mark, this.#tokens.length - 1));
  }
}
