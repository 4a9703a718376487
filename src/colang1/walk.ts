import type { Argument, Expression } from "../expressions/ast.js";
import type { Pattern, Statement } from "./ast.js";

const NOTHING: readonly never[] = [];

/** Returns every statement of a body, outer ones first, in source order. */
export function statementsOf(body: readonly Statement[]): readonly Statement[] {
  const found: Statement[] = [];
  collectStatements(body, found);
  return found;
}

function collectStatements(block: readonly Statement[], found: Statement[]): void {
  for (const statement of block) {
    found.push(statement);
    for (const inner of blocksOf(statement)) collectStatements(inner, found);
  }
}

/** Returns the bodies directly inside a statement. */
export function blocksOf(statement: Statement): readonly (readonly Statement[])[] {
  switch (statement.kind) {
    case "If":
      return [...statement.branches.map((branch) => branch.body), statement.otherwise ?? []];
    case "When":
      return statement.branches.map((branch) => branch.body);
    case "While":
      return [statement.body];
    default:
      return NOTHING;
  }
}

/** Returns the patterns that a statement waits for, excluding nested statements. */
export function patternsOf(statement: Statement): readonly Pattern[] {
  if (statement.kind === "Match") return statement.patterns;
  if (statement.kind === "When") return statement.branches.flatMap((branch) => branch.patterns);
  return NOTHING;
}

/** Returns the arguments of a statement. */
export function argumentsOf(statement: Statement): readonly Argument[] {
  return statement.kind === "Run" || statement.kind === "Emit" || statement.kind === "Call"
    ? statement.arguments
    : NOTHING;
}

/** Returns the expressions that a statement evaluates, excluding nested statements. */
export function expressionsOf(statement: Statement): readonly Expression[] {
  switch (statement.kind) {
    case "Say":
      return statement.value ? [statement.value] : [];
    case "Run":
    case "Emit":
      return statement.arguments.map((argument) => argument.value);
    case "Call":
      return [...(statement.value ? [statement.value] : []), ...statement.arguments.map((argument) => argument.value)];
    case "Assign":
      return [statement.value];
    case "Return":
      return statement.values;
    case "Check":
    case "While":
      return [statement.condition];
    case "If":
      return statement.branches.map((branch) => branch.condition);
    case "Match":
    case "When":
      return patternsOf(statement).flatMap((pattern) =>
        pattern.kind === "EventPattern"
          ? pattern.properties.flatMap((property) => (property.value ? [property.value] : []))
          : [],
      );
    default:
      return [];
  }
}
