import type { Expression } from "./ast.js";
import { mapChildren } from "./walk-expression.js";
import { VERDICT } from "./functions/functions.js";

/** Names of variables that hold the result of an action. */
type ResultNames = Pick<ReadonlySet<string>, "has">;

/** A result of an action or flow, or a part of it: `$result`, `$result.allowed`, `$action.return_value`. */
function isResult(node: Expression, results: ResultNames): boolean {
  switch (node.kind) {
    case "Variable":
      return results.has(node.name);
    case "Member":
      return node.name === "return_value" || isResult(node.object, results);
    case "Index":
    case "Slice":
    case "MethodCall":
      return isResult(node.object, results);
    default:
      return false;
  }
}

/** Returns true if a variable that is assigned this value holds a result of an action afterwards. */
export function carriesResult(node: Expression, results: ResultNames): boolean {
  if (node.kind === "Logical") return carriesResult(node.left, results) || carriesResult(node.right, results);
  if (node.kind === "Conditional") {
    return carriesResult(node.whenTrue, results) || carriesResult(node.whenFalse, results);
  }
  return isResult(node, results);
}

/** Calls back with the names of the variables whose truth decides about the expression. */
export function visitTested(node: Expression, visit: (name: string) => void): void {
  switch (node.kind) {
    case "Variable":
      return visit(node.name);
    case "Unary":
      return node.operator === "not" ? visitTested(node.operand, visit) : undefined;
    case "Logical":
      visitTested(node.left, visit);
      return visitTested(node.right, visit);
    case "Conditional":
      visitTested(node.test, visit);
      visitTested(node.whenTrue, visit);
      return visitTested(node.whenFalse, visit);
    default:
      return undefined;
  }
}

/**
 * Rewrites a condition so that results of actions in it are `true` or `false`, or else the evaluation fails. Without this a
 * date, a list or the text "no" would count as true, and a missing result as false.
 *
 * @example
 * ```ts
 * strictCondition(parse("not $allowed"), new Set(["allowed"])); // fails unless `$allowed` is a boolean
 * ```
 */
export function strictCondition(node: Expression, results: ResultNames): Expression {
  const strict = (part: Expression): Expression => strictCondition(part, results);
  if (isResult(node, results)) {
    const { start, end } = node;
    const value = strictValue(node, results);
    return { kind: "Call", start, end, function: VERDICT.name, arguments: [{ start, end, value }] };
  }
  const isCombination = node.kind === "Logical" || node.kind === "Conditional";
  return isCombination || isTest(node) ? mapChildren(node, strict) : strictValue(node, results);
}

/** Returns the value with its conditions checked, as `strictCondition` checks a condition. */
export function strictValue(node: Expression, results: ResultNames): Expression {
  if (isTest(node)) return strictCondition(node, results);
  const test = node.kind === "Conditional" ? node.test : undefined;
  return mapChildren(node, (part) => (part === test ? strictCondition : strictValue)(part, results));
}

/** Returns true for `not x` and `bool(x)`, whose value is the truth of their argument. */
function isTest(node: Expression): boolean {
  return (node.kind === "Unary" && node.operator === "not") || (node.kind === "Call" && node.function === "bool");
}

/**
 * Returns the checked form of a value that is assigned to a variable. A plain copy is checked where the variable is tested; in `$a and
 * $b` the results could no longer be distinguished, so they are checked here.
 *
 * @param isTested - the truth of the variable decides about a branch
 */
export function strictAssigned(node: Expression, results: ResultNames, isTested: boolean): Expression {
  const isCombined = node.kind === "Logical" || node.kind === "Conditional" || node.kind === "Unary";
  return isTested && isCombined ? strictCondition(node, results) : strictValue(node, results);
}
