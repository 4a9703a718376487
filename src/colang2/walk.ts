import type { Expression } from "../expressions/ast.js";
import { walkExpression } from "../expressions/walk-expression.js";
import type { FlowDefinition, Group, StatementOf, Spec, Statement, Target } from "./ast.js";

/** Visits every statement of a block and of the blocks inside it, in source order. */
export function walkStatements(block: readonly Statement[], visit: (statement: Statement) => void): void {
  for (const statement of block) {
    visit(statement);
    for (const inner of blocksOf(statement)) walkStatements(inner, visit);
  }
}

/** The blocks directly inside a statement. */
export function blocksOf(statement: Statement): readonly (readonly Statement[])[] {
  switch (statement.kind) {
    case "If":
      return [...statement.branches.map(({ body }) => body), statement.otherwise ?? []];
    case "When":
      return [...statement.cases.map(({ body }) => body), statement.otherwise ?? []];
    case "While":
    case "For":
      return [statement.body];
    default:
      return [];
  }
}

/** The groups directly in a statement, with the operation they belong to; `when` is none of them. */
export function groupsOf(
  statement: Statement,
): readonly { readonly group: Group; readonly operation?: StatementOf<"Operation"> }[] {
  if (statement.kind === "Operation") return [{ group: statement.group, operation: statement }];
  return statement.kind === "When" ? statement.cases.map(({ group }) => ({ group })) : [];
}

export function specsOf(group: Group): readonly Spec[] {
  if (group.kind === "Spec") return [group];
  return group.kind === "Not" ? specsOf(group.operand) : group.operands.flatMap(specsOf);
}

/** Calls back for every part of every expression of a flow, its header left out. */
export function walkExpressions(flow: FlowDefinition, visit: (part: Expression) => void): void {
  walkStatements(flow.body, (statement) => {
    for (const expression of expressionsOf(statement)) walkExpression(expression, visit);
  });
}

/** Returns the expressions of a statement, without those of statements inside of it. */
export function expressionsOf(statement: Statement): readonly Expression[] {
  switch (statement.kind) {
    case "Operation":
      return [...pathOf(statement.target), ...valuesOfGroups(statement)];
    case "When":
      return valuesOfGroups(statement);
    case "Assign":
      return [...pathOf(statement.target), statement.value];
    case "Log":
    case "Print":
    case "Priority":
    case "Evaluate":
    case "Docstring":
      return [statement.value];
    case "GenerateValue":
      return [...pathOf(statement.target), statement.instructions];
    case "Return":
      return statement.value ? [statement.value] : [];
    case "If":
      return statement.branches.map(({ condition }) => condition);
    case "While":
      return [statement.condition];
    case "For":
      return [statement.iterable];
    default:
      return [];
  }
}

function valuesOfGroups(statement: Statement): readonly Expression[] {
  return groupsOf(statement)
    .flatMap(({ group }) => specsOf(group))
    .flatMap(({ callee, members }) => [...callee.arguments, ...members.flatMap((member) => member.arguments ?? [])])
    .map(({ value }) => value);
}

function pathOf(target: Target | undefined): readonly Expression[] {
  return (target?.path ?? []).flatMap((step) => ("index" in step ? [step.index] : []));
}
