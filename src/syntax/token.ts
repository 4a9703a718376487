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
  | "end"; // empty, always the last one

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
  /** Set on the invalid token that stands where reading stopped because there were too many. */
  readonly isLimit?: true;
}
