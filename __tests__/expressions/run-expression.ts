import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { formatDiagnostics } from "../../src/diagnostics/code-frame.js";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import type { Expression } from "../../src/expressions/ast.js";
import type { ExpressionDialect } from "../../src/expressions/dialect.js";
import { evaluate } from "../../src/expressions/evaluate/evaluate.js";
import { parseExpression } from "../../src/expressions/parse/parse.js";
import type { EvaluationLimits, Scope } from "../../src/expressions/evaluate/runtime.js";
import type { Value } from "../../src/expressions/values/value.js";

export function parseText(text: string, dialect: ExpressionDialect = COLANG_1_DIALECT): Expression {
  const { expression, diagnostics } = parseExpression(createSourceFile("main.co", text), 0, text.length, dialect);
  if (!expression) throw new Error(formatDiagnostics(diagnostics));
  return expression;
}

export function diagnose(text: string, dialect: ExpressionDialect = COLANG_1_DIALECT): readonly Diagnostic[] {
  return parseExpression(createSourceFile("main.co", text), 0, text.length, dialect).diagnostics;
}

export function scopeOf(variables: Readonly<Record<string, unknown>> = {}): Scope {
  return { lookup: (name) => (Object.hasOwn(variables, name) ? (variables[name] as Value) : undefined) };
}

interface RunOptions {
  readonly dialect?: ExpressionDialect;
  readonly limits?: EvaluationLimits;
}

export function run(text: string, variables?: Readonly<Record<string, unknown>>, options: RunOptions = {}): Value {
  const dialect = options.dialect ?? COLANG_1_DIALECT;
  return evaluate(parseText(text, dialect), scopeOf(variables), dialect, { limits: options.limits });
}

/** The error of an evaluated expression. */
export function failure(text: string, variables?: Readonly<Record<string, unknown>>, options?: RunOptions): unknown {
  try {
    return new Error(`no failure, but ${JSON.stringify(run(text, variables, options))}`);
  } catch (error) {
    return error;
  }
}
