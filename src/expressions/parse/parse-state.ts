import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { type SourceFile, createSpan } from "../../diagnostics/source-file.js";
import { TokenCursor, type Token } from "../../syntax/cursor.js";
import { DEFAULT_MAX_TOKENS, lexRange } from "../../syntax/lexer.js";
import { isQuote } from "../../syntax/chars.js";
import type { Expression } from "../ast.js";
import type { ExpressionDialect } from "../dialect.js";

/**
 * Maximum depth of chains: `1 + 1 + 1 …` needs no nesting to write, but makes a tree as deep as it is long, and trees
 * are walked by recursion.
 */
const MAX_TREE_HEIGHT = 500;

/** Ends the parsing of one expression; its diagnostic has been recorded. Never leaves `expressions`. */
export class ParseStop extends Error {}

type Place = { readonly start: number; readonly end: number };

/** An expression being read: its tokens, diagnostics and depth. */
export class ParseState {
  readonly diagnostics: Diagnostic[] = [];
  cursor: TokenCursor;
  /** The height of the tree that was read last. Every function that makes a node sets it. */
  height = 1;
  /** Returns true if an expression ends before a sign that could continue it; unset inside brackets. */
  endsOperand: ((cursor: TokenCursor) => boolean) | undefined;
  /** Set while strings keep braces that contain only digits and commas. */
  keepsCountBraces = false;
  #depth = 0;
  #innerTokens = 0;

  constructor(
    readonly source: SourceFile,
    range: Place,
    readonly dialect: ExpressionDialect,
    readonly grammar: (state: ParseState) => Expression,
  ) {
    this.cursor = new TokenCursor(lexRange(source, range.start, range.end));
  }

  /** A whole expression, one level deeper. */
  expression(): Expression {
    this.enter(this.cursor.peek());
    const { endsOperand } = this;
    this.endsOperand = undefined;
    const expression = this.grammar(this);
    this.endsOperand = endsOperand;
    this.leave();
    return expression;
  }

  /** A whole expression from another stretch of the source, as inside a template. Nothing may follow it there. */
  expressionIn(start: number, end: number): Expression {
    const outer = this.cursor;
    const tokens = lexRange(this.source, start, end, { comments: false });
    if ((this.#innerTokens += tokens.length) > DEFAULT_MAX_TOKENS) {
      this.fail(this.dialect.codes.tooLarge, "too many expressions in one string", { start, end });
    }
    this.cursor = new TokenCursor(tokens);
    const expression = this.expression();
    this.expectEnd();
    this.cursor = outer;
    return expression;
  }

  expectEnd(): void {
    const token = this.cursor.peek();
    if (token.kind !== "end") this.failAt(token, "after the expression");
  }

  enter(place: Place): void {
    const { maxNesting } = this.dialect;
    if ((this.#depth += 1) > maxNesting) this.#failTooLarge(`nested more than ${maxNesting} levels deep`, place);
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Records the height of a node over the tree read last and the ones read before it. */
  grow(place: Place, ...before: readonly number[]): void {
    this.height = Math.max(this.height, ...before) + 1;
    if (this.height <= MAX_TREE_HEIGHT) return;
    this.#failTooLarge(`an expression of more than ${MAX_TREE_HEIGHT} operations in a row`, place);
  }

  /** Reports a diagnostic and continues. */
  report(code: DiagnosticCode, message: string, place: Place, hint?: string): void {
    this.diagnostics.push(
      createDiagnostic(code, message, { span: createSpan(this.source, place.start, place.end), hint }),
    );
  }

  /** Reports a diagnostic and stops reading this expression. */
  fail(code: DiagnosticCode, message: string, place: Place, hint?: string): never {
    this.report(code, message, place, hint);
    throw new ParseStop();
  }

  #failTooLarge(message: string, place: Place): never {
    this.fail(this.dialect.codes.tooLarge, message, place, "split it over several assignments");
  }

  malformed(message: string, place: Place, hint?: string): never {
    this.fail(this.dialect.codes.malformed, message, place, hint);
  }

  /** Reports a token that is unexpected `where` it occurs, such as `after the expression`. */
  failAt(token: Token, where: string): never {
    const before = this.cursor.previous();
    if (token.kind === "invalid") this.failInvalid(token);
    // At the end of the text the last token is underlined.
    const placeHint = PLACE_ADVICE[where] ?? "separate values by `,` and close every bracket";
    if (token.kind === "end") this.malformed(`unexpected end ${where}`, before ?? token, placeHint);
    if (ASSIGNMENTS.has(token.text) && token.kind === "punctuation") this.#failAssignment(token);
    if (token.text === "for" && token.kind === "word") this.#forgetNames();
    const doubled = token.start === before?.end ? DOUBLED[before.text + token.text] : undefined;
    if (before && doubled) {
      const place = { start: before.start, end: token.end };
      this.malformed(`unknown operator \`${before.text}${token.text}\``, place, `use \`${doubled}\``);
    }
    const unsupported = token.kind === "word" ? UNSUPPORTED.get(token.text) : undefined;
    const [advice, hint] = (token.kind === "punctuation" && SIGN_ADVICE[token.text]) || unsupported || [];
    const isIndex = token.kind === "number" && token.text.startsWith(".");
    const written = token.kind === "variable" ? `$${token.text}` : token.text;
    const message = advice ?? `unexpected \`${shorten(written)}\` ${where}`;
    this.malformed(
      message,
      token,
      isIndex ? `an index is written in brackets: \`[${token.text.slice(1)}]\`` : (hint ?? placeHint),
    );
  }

  /** In a comprehension the names without `$` are not the problem. */
  #forgetNames(): void {
    const others = this.diagnostics.filter(({ code }) => code !== this.dialect.codes.unknownName);
    this.diagnostics.splice(0, this.diagnostics.length, ...others);
  }

  failInvalid(token: Token): never {
    const { codes } = this.dialect;
    const problem = token.problem ?? "unexpected text";
    if (token.isLimit) this.#failTooLarge(problem, token);
    const isString = problem.startsWith("a string");
    const hint = isString
      ? `close it with \`${token.text.replace(/^\w/, "").charAt(0)}\``
      : hintForCharacter(token.text);
    this.fail(isString ? codes.unterminatedString : codes.malformed, problem, token, hint);
  }

  #failAssignment(token: Token): never {
    const next = this.cursor.peek(1);
    const isTurned = token.text === "=" && next.start === token.end && (next.text === "<" || next.text === ">");
    const hint = isTurned ? `write \`${next.text}=\`` : "use `==` to compare";
    this.fail(this.dialect.codes.assignment, `\`${token.text}\` cannot stand inside an expression`, token, hint);
  }

  /** Reports an unclosed bracket at its expected end. */
  failUnclosed(open: Token, close: string): never {
    if (this.cursor.isAtEnd()) this.malformed(`\`${open.text}\` is never closed`, open, `close it with \`${close}\``);
    this.failAt(this.cursor.peek(), `where \`${close}\` is expected`);
  }
}

const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "**=", "//=", ":="]);

type Advice = readonly [message: string, hint: string];

export const IN_AN_ACTION = "compute it in an action";

/** Hints for a token that is unexpected, by where it occurs. */
const PLACE_ADVICE: Readonly<Record<string, string>> = {
  "where a value is expected": "write a variable, a number, or a text in quotes",
  "after the expression": "join values by an operator, such as `+` or `and`",
};

/** Python constructs that expressions do not support, by their first words. */
export const UNSUPPORTED: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ["for", ["comprehensions are not supported", "build the list in a loop or in an action"]],
  ...["lambda", "yield"].map((word): [string, Advice] => [word, [`\`${word}\` is not supported`, IN_AN_ACTION]]),
  ["await", ["`await` is not supported in an expression", "assign the result first: `$result = await …`"]],
  ...["import", "return", "def", "del"].map((word): [string, Advice] => [
    word,
    ["statements are not supported in an expression", "write the statement on a line of its own"],
  ]),
]);

/** Operators of other languages that are read as two of ours. */
const DOUBLED: Readonly<Record<string, string>> = { "&&": "and", "||": "or" };

/** Messages and hints for signs of other languages. */
const SIGN_ADVICE: Readonly<Record<string, Advice>> = {
  ";": ["only one expression can stand here", "remove `;`: a line holds one statement"],
  "...": ["`...` cannot stand inside an expression", "assign the generated value to a variable first"],
  "!": ["unknown operator `!`", "use `not`"],
  "?": ["unknown operator `?`", "write `a if condition else b`"],
};

function hintForCharacter(text: string): string {
  if (/^[“”„‟«»]$/.test(text)) return 'use `"`';
  if (/^[‘’‚‛]$/.test(text)) return "use `'`";
  if (text === "$") return "a variable is written `$name`";
  if (/^[0-9.]/.test(text)) return "write a number such as `10`, `0.5` or `1e6`";
  return isQuote(text.charCodeAt(0)) ? "put a space before the quote" : "remove it, or put it into a text in quotes";
}

/** Shortens a text for a message; the underlined place is whole. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
