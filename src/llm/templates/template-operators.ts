import { TemplateError } from "./template-error.js";
import { checkTemplateLimit } from "./template-limits.js";
import { compareValues, containsValue, equalTemplateValues, isTruthy } from "./template-value.js";

/** Arithmetic, comparison, membership and joining; `and` and `or` are handled where they can stop early. */
export function applyBinary(
  operator: string,
  left: unknown,
  right: unknown,
  print: (value: unknown) => string,
): unknown {
  switch (operator) {
    case "==":
      return equalTemplateValues(left, right);
    case "!=":
      return !equalTemplateValues(left, right);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return applyComparison(operator, left, right);
    case "in":
      return containsValue(right, left);
    case "not in":
      return !containsValue(right, left);
    case "~":
      return joinTexts(print(left), print(right));
    default:
      return applyArithmetic(operator, left, right);
  }
}

/** Comparing with something undefined is false, so that conditions about optional variables need no guard. */
function applyComparison(operator: "<" | "<=" | ">" | ">=", left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return false;
  const order = compareValues(left, right);
  if (order === undefined) throw mismatch(operator, left, right);
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

function joinTexts(left: string, right: string): string {
  checkTemplateLimit("template_output", left.length + right.length);
  return left + right;
}

function applyArithmetic(operator: string, left: unknown, right: unknown): unknown {
  if (typeof left === "string" && typeof right === "string" && operator === "+") return joinTexts(left, right);
  if (Array.isArray(left) && Array.isArray(right) && operator === "+") {
    checkTemplateLimit("template_items", left.length + right.length);
    return [...(left as unknown[]), ...(right as unknown[])];
  }
  if (typeof left !== "number" || typeof right !== "number") throw mismatch(operator, left, right);
  if (right === 0 && (operator === "/" || operator === "//" || operator === "%")) {
    throw new TemplateError("division by zero in a template");
  }
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "//":
      return Math.floor(left / right);
    case "%":
      return left - right * Math.floor(left / right);
    default:
      throw mismatch(operator, left, right);
  }
}

export function applyUnary(operator: string, value: unknown): unknown {
  if (operator === "not") return !isTruthy(value);
  if (typeof value !== "number") throw new TemplateError(`\`${operator}\` needs a number, not a ${kindOf(value)}`);
  return operator === "-" ? -value : value;
}

function mismatch(operator: string, left: unknown, right: unknown): TemplateError {
  return new TemplateError(`\`${operator}\` does not work on a ${kindOf(left)} and a ${kindOf(right)}`);
}

function kindOf(value: unknown): string {
  if (value === null) return "none";
  return Array.isArray(value) ? "list" : typeof value === "object" ? "map" : typeof value;
}
