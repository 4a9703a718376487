import type { DiagnosticCode } from "../../diagnostics/codes.js";
import type { Span } from "../../diagnostics/source-file.js";
import type { Expression } from "../../expressions/ast.js";
import { parseConditional, parseOperand } from "../../expressions/parse/parse-operators.js";
import { ParseState, ParseStop } from "../../expressions/parse/parse-state.js";
import { parseStrings } from "../../expressions/parse/parse-string.js";
import type { TokenCursor, Token } from "../../syntax/cursor.js";
import type { LayoutLine, BlockReader, Scope } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { Name, Statement } from "../ast.js";
import { COLANG_2_DIALECT } from "../expression-dialect.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import type { ParseContext } from "../../syntax/parse-context.js";

/** Reads one logical line. Expressions and the surrounding language share the cursor; the first error ends the line. */
export class LineParser {
  readonly state: ParseState;

  constructor(
    readonly context: ParseContext,
    readonly line: LayoutLine,
  ) {
    this.state = new ParseState(context.source, line, COLANG_2_DIALECT, parseConditional);
  }

  get cursor(): TokenCursor {
    return this.state.cursor;
  }

  /** Runs a parser; returns undefined if it stopped at an error. Always passes on its diagnostics. */
  attempt<Result>(read: () => Result): Result | undefined {
    try {
      return read();
    } catch (error) {
      if (error instanceof ParseStop) return undefined;
      throw error;
    } finally {
      for (const diagnostic of this.state.diagnostics.splice(0)) this.context.add(diagnostic);
    }
  }

  /** A whole expression, in which `and`, `or` and `if` are operators. */
  test(): Expression {
    return this.state.expression();
  }

  /** Reads a list between the parentheses at the cursor: "(" [ item { "," item } [ "," ] ] ")" */
  parenthesised<Item>(read: () => Item): readonly Item[] {
    const { cursor } = this;
    const open = cursor.next();
    const items: Item[] = [];
    while (!cursor.is(")")) {
      items.push(read());
      if (!cursor.eat(",")) break;
    }
    if (!cursor.eat(")")) this.state.failUnclosed(open, ")");
    return items;
  }

  /** Reads an expression that fills the rest of the line. */
  wholeTest(): Expression {
    const expression = this.test();
    this.state.expectEnd();
    return expression;
  }

  /** Reads the condition of a header after its keywords; undefined if it stopped at an error. */
  condition(words: number): Expression | undefined {
    return this.attempt(() => {
      for (let word = 0; word < words; word += 1) this.cursor.next();
      const condition = this.test();
      this.expectConditionEnd();
      return condition;
    });
  }

  /** Reads an expression without spaces; `endsOperand` returns true at a sign that could continue it but does not. */
  operand(endsOperand?: (cursor: TokenCursor) => boolean): Expression {
    const { state } = this;
    const before = state.endsOperand;
    state.endsOperand = endsOperand;
    state.enter(state.cursor.peek());
    const expression = parseOperand(state);
    state.leave();
    state.endsOperand = before;
    return expression;
  }

  /** Reads a string, which may be a template. */
  string(): Expression {
    const { state } = this;
    state.enter(state.cursor.peek());
    const text = parseStrings(state);
    state.leave();
    return text;
  }

  span(start: number, end = this.lastEnd()): Span {
    return this.context.span({ start, end });
  }

  /** Behind the token read last. */
  lastEnd(): number {
    return this.cursor.previous()?.end ?? this.line.start;
  }

  nameOf(token: Token): Name {
    return { text: token.text, span: this.context.span(token) };
  }

  /** `$x` without the dollar sign. */
  variable(where: string): Name {
    const token = this.cursor.peek();
    if (token.kind !== "variable") {
      this.fail("C2-108", `a variable is expected ${where}`, this.placeOf(token), "a variable is written `$name`");
    }
    return this.nameOf(this.cursor.next());
  }

  fail(code: DiagnosticCode, message: string, place: TextRange, hint?: string): never {
    this.state.fail(code, message, place, hint);
  }

  report(code: DiagnosticCode, message: string, place: TextRange, hint?: string): void {
    this.state.report(code, message, place, hint);
  }

  /** Reports the current token as unexpected `where` it is, and stops. */
  failHere(code: DiagnosticCode, where: string, hint?: string): never {
    const token = this.cursor.peek();
    if (token.kind === "invalid") this.state.failInvalid(token);
    const place = this.placeOf(token);
    if (token.kind === "end") this.fail(code, `unexpected end of the line ${where}`, place, hint);
    this.fail(code, `unexpected ${quoteText(this.textOf(token))} ${where}`, place, hint);
  }

  /** Range to underline: the token, or the previous one at the end. */
  placeOf(token: Token): TextRange {
    const last = this.cursor.previous();
    return token.kind === "end" && last ? last : token;
  }

  textOf({ start, end }: TextRange): string {
    return this.context.source.text.slice(start, end);
  }

  /** Ends a line that opens a block; an optional colon is ignored. */
  expectHeaderEnd(where: string, hint?: string): void {
    this.cursor.eat(":");
    this.expectEnd(where, hint);
  }

  /** The same after an expression, where `=` was meant to compare. */
  expectConditionEnd(): void {
    this.cursor.eat(":");
    this.state.expectEnd();
  }

  expectEnd(where: string, hint?: string): void {
    if (this.cursor.isAtEnd()) return;
    this.failHere(
      "C2-110",
      where,
      this.cursor.is(";") ? "remove `;`: a line holds one statement" : (hint ?? "a line holds one statement"),
    );
  }
}

/** Input of a statement parser. */
export interface StatementInput {
  readonly context: ParseContext;
  /** Positioned at the first word. */
  readonly parser: LineParser;
  readonly line: LayoutLine;
  /** Fields of every statement: the span of its line and the comment above it. */
  readonly base: { readonly span: Span; readonly comment?: string };
  readonly scope: Scope;
  /** The lines after the current one. */
  readonly siblings: BlockReader;
}

/** Reads a statement. An invalid line is reported and yields none. */
export type ParseStatement = (input: StatementInput) => Statement | undefined;
