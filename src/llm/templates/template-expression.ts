import { findFilter, type FilterTable, type NamedArguments } from "./filter.js";
import { TEMPLATE_CONSTANTS } from "./template-check.js";
import { TemplateError } from "./template-error.js";
import { applyBinary, applyUnary } from "./template-operators.js";
import { boundText, countStep, type TemplateRun } from "./template-run.js";
import { filterCall, type FilterExpression, type TemplateExpression } from "./template-tree.js";
import { isTruthy, readProperty, TEMPLATE_TESTS } from "./template-value.js";

export type Evaluate = (run: TemplateRun) => unknown;

export interface ExpressionContext {
  /** Names of enclosing loops and the places of their values. */
  readonly scope: ReadonlyMap<string, number>;
  readonly filters: FilterTable;
  /** How a value becomes text when it is joined to another. */
  readonly print: (value: unknown) => string;
}

/**
 * Turns an expression of a checked tree into a function.
 *
 * @throws TemplateError for a filter or a construct that a check would have refused
 */
export function compileExpression(node: TemplateExpression, context: ExpressionContext): Evaluate {
  const compile = (part: TemplateExpression): Evaluate => compileExpression(part, context);
  switch (node.type) {
    case "Identifier":
      return compileName(node.value, context);
    case "StringLiteral":
    case "IntegerLiteral":
    case "FloatLiteral": {
      const { value } = node;
      return () => value;
    }
    case "ArrayLiteral":
    case "TupleLiteral": {
      const items = node.value.map((item) => compile(item));
      return (run) => items.map((item) => item(run));
    }
    case "MemberExpression": {
      const object = compile(node.object);
      const { property } = node;
      if (node.computed) {
        const key = compile(property);
        return (run) => readProperty(object(run), key(run));
      }
      const key = property.type === "Identifier" || property.type === "IntegerLiteral" ? property.value : "";
      return (run) => readProperty(object(run), key);
    }
    case "UnaryExpression": {
      const operator = node.operator.value;
      const argument = compile(node.argument);
      return (run) => applyUnary(operator, argument(run));
    }
    case "BinaryExpression":
      return compileBinary(node, context);
    case "FilterExpression":
      return compileFilter(node, context);
    case "TestExpression": {
      const operand = compile(node.operand);
      const test = TEMPLATE_TESTS.get(node.test.value);
      const expected = !node.negate;
      return (run) => test?.(operand(run)) === expected;
    }
    case "Ternary": {
      const condition = compile(node.condition);
      const yes = compile(node.trueExpr);
      const no = compile(node.falseExpr);
      return (run) => (isTruthy(condition(run)) ? yes(run) : no(run));
    }
    case "SelectExpression": {
      const condition = compile(node.test);
      const value = compile(node.lhs);
      return (run) => (isTruthy(condition(run)) ? value(run) : undefined);
    }
    default:
      throw new TemplateError("this construct is not supported in templates");
  }
}

function compileName(name: string, { scope }: ExpressionContext): Evaluate {
  const slot = scope.get(name);
  if (slot !== undefined) return (run) => run.slots[slot];
  if (TEMPLATE_CONSTANTS.has(name)) {
    const value = TEMPLATE_CONSTANTS.get(name);
    return () => value;
  }
  return (run) => run.resolve(name);
}

function compileBinary(
  node: Extract<TemplateExpression, { type: "BinaryExpression" }>,
  context: ExpressionContext,
): Evaluate {
  const operator = node.operator.value;
  const left = compileExpression(node.left, context);
  const right = compileExpression(node.right, context);
  if (operator === "and" || operator === "or") {
    const stopsOn = operator === "or";
    return (run) => {
      const value = left(run);
      return isTruthy(value) === stopsOn ? value : right(run);
    };
  }
  return (run) => applyBinary(operator, left(run), right(run), context.print);
}

function compileFilter(node: FilterExpression, context: ExpressionContext): Evaluate {
  const { name, args } = filterCall(node);
  const filter = findFilter(context.filters, name);
  if (!filter) throw new TemplateError(`unknown filter \`${name}\``, { code: "PR-103" });
  const operand = compileExpression(node.operand, context);
  const positional: Evaluate[] = [];
  const byName: (readonly [string, Evaluate])[] = [];
  for (const argument of args) {
    if (argument.type === "KeywordArgumentExpression") {
      byName.push([argument.key.value, compileExpression(argument.value, context)]);
    } else positional.push(compileExpression(argument, context));
  }
  return (run) => {
    countStep(run);
    const named = Object.create(null) as Record<string, unknown>;
    for (const [key, value] of byName) named[key] = value(run);
    const subject = operand(run);
    const given = positional.map((value) => value(run));
    return boundText(filter(subject, given, named as NamedArguments));
  };
}
