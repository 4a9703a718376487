import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { SourceFile } from "../../diagnostics/source-file.js";
import type { Argument, Expression } from "../ast.js";
import type { ExpressionDialect } from "../dialect.js";
import { parseArgumentList } from "./parse-argument-list.js";
import { parseConditional } from "./parse-operators.js";
import { ParseState, ParseStop } from "./parse-state.js";

export interface ParsedExpression {
  /** Absent if there are errors. */
  readonly expression?: Expression;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Parses a range of a source as one expression. Never throws; in linear time and with bounded nesting, it returns a
 * tree or at least one diagnostic.
 *
 * expression = conditional
 *
 * @example
 * ```ts
 * const source = createSourceFile("main.co", "$count > 2 and not $done");
 * const { expression, diagnostics } = parseExpression(source, 0, source.text.length, dialect);
 * ```
 */
export function parseExpression(
  source: SourceFile,
  start: number,
  end: number,
  dialect: ExpressionDialect,
): ParsedExpression {
  const state = new ParseState(source, { start, end }, dialect, parseConditional);
  const expression = attempt(state, () => {
    const found = state.expression();
    state.expectEnd();
    return found;
  });
  const { diagnostics } = state;
  return expression === undefined ? { diagnostics } : { expression, diagnostics };
}

/**
 * Parses a range of a source as comma-separated arguments: the text between the parentheses of a call, or after `with`;
 * empty if there are errors. Arguments are named by `name=` or `$name=`, in any order but only once.
 *
 * @example
 * ```ts
 * const source = createSourceFile("main.co", 'a=1, $x, k="v"');
 * parseArguments(source, 0, source.text.length, dialect).arguments.length; // 3
 * ```
 */
export function parseArguments(
  source: SourceFile,
  start: number,
  end: number,
  dialect: ExpressionDialect,
): { readonly arguments: readonly Argument[]; readonly diagnostics: readonly Diagnostic[] } {
  const state = new ParseState(source, { start, end }, dialect, parseConditional);
  const given = attempt(state, () => parseArgumentList(state).arguments);
  return { arguments: given ?? [], diagnostics: state.diagnostics };
}

/** Returns the parsed result if there are no errors. */
function attempt<Result>({ diagnostics }: ParseState, read: () => Result): Result | undefined {
  try {
    const result = read();
    return diagnostics.length === 0 ? result : undefined;
  } catch (error) {
    if (error instanceof ParseStop) return undefined;
    throw error;
  }
}
