import type { Argument, Expression } from "../expressions/ast.js";

/** From the loosest binding to the tightest, as in spec Appendix A. */
const BINARY_STRENGTH: Readonly<Record<string, number>> = {
  "|": 6,
  "^": 7,
  "&": 8,
  "<<": 9,
  ">>": 9,
  "+": 10,
  "-": 10,
  "*": 11,
  "/": 11,
  "//": 11,
  "@": 11,
  "%": 11,
  "**": 13,
};
const CONDITIONAL = 1;
const OR = 2;
const AND = 3;
const NOT = 4;
const COMPARE = 5;
const UNARY = 12;
/** The base of a power; a number, too, cannot be followed by a point. */
const NUMBER = 14;
const POSTFIX = 15;

/**
 * An expression as source text, with the brackets it needs and no others.
 *
 * @example
 * ```ts
 * printExpression(parse("($n or 0)+1")); // "($n or 0) + 1"
 * ```
 */
export function printExpression(expression: Expression): string {
  return print(expression, 0);
}

function print(expression: Expression, strength: number): string {
  const [text, own] = printPart(expression);
  return own < strength ? `(${text})` : text;
}

function printPart(expression: Expression): [text: string, strength: number] {
  switch (expression.kind) {
    case "Literal":
      return [printLiteral(expression.value), literalStrength(expression.value)];
    case "Variable":
      return [`$${expression.name}`, POSTFIX];
    case "List":
      return [`[${printAll(expression.items)}]`, POSTFIX];
    case "Set":
      return [`{${printAll(expression.items)}}`, POSTFIX];
    case "Map":
      return [
        `{${expression.entries.map(({ key, value }) => `${print(key, 0)}: ${print(value, 0)}`).join(", ")}}`,
        POSTFIX,
      ];
    case "Template":
      return [printTemplate(expression.parts), POSTFIX];
    case "Unary": {
      const isNot = expression.operator === "not";
      const strength = isNot ? NOT : UNARY;
      return [`${expression.operator}${isNot ? " " : ""}${print(expression.operand, strength)}`, strength];
    }
    case "Binary": {
      const strength = BINARY_STRENGTH[expression.operator] ?? 0;
      const isPower = expression.operator === "**";
      const left = print(expression.left, isPower ? NUMBER : strength);
      const right = print(expression.right, isPower ? UNARY : strength + 1);
      return [`${left} ${expression.operator} ${right}`, strength];
    }
    case "Logical": {
      const strength = expression.operator === "or" ? OR : AND;
      return [
        `${print(expression.left, strength)} ${expression.operator} ${print(expression.right, strength + 1)}`,
        strength,
      ];
    }
    case "Compare": {
      const rest = expression.rest.map(({ operator, operand }) => ` ${operator} ${print(operand, COMPARE + 1)}`);
      return [print(expression.first, COMPARE + 1) + rest.join(""), COMPARE];
    }
    case "Conditional": {
      const { whenTrue, test, whenFalse } = expression;
      return [`${print(whenTrue, OR)} if ${print(test, OR)} else ${print(whenFalse, CONDITIONAL)}`, CONDITIONAL];
    }
    case "Member":
      return [`${print(expression.object, POSTFIX)}.${expression.name}`, POSTFIX];
    case "Index":
      return [`${print(expression.object, POSTFIX)}[${print(expression.index, 0)}]`, POSTFIX];
    case "Slice": {
      const bound = (part: Expression | undefined): string => (part ? print(part, 0) : "");
      const step = expression.step ? `:${bound(expression.step)}` : "";
      return [
        `${print(expression.object, POSTFIX)}[${bound(expression.from)}:${bound(expression.to)}${step}]`,
        POSTFIX,
      ];
    }
    case "Call":
      return [`${expression.function}(${printArguments(expression.arguments)})`, POSTFIX];
    case "MethodCall":
      return [
        `${print(expression.object, POSTFIX)}.${expression.method}(${printArguments(expression.arguments)})`,
        POSTFIX,
      ];
  }
}

/** `name=value` where there is a name. */
export function printArguments(given: readonly Pick<Argument, "name" | "value">[]): string {
  return given.map(({ name, value }) => (name === undefined ? "" : `${name}=`) + print(value, 0)).join(", ");
}

function printAll(items: readonly Expression[]): string {
  return items.map((item) => print(item, 0)).join(", ");
}

/** The quotes are such as no expression inside has, because a string ends at the first of them. */
function printTemplate(parts: readonly (string | Expression)[]): string {
  const printed = parts.map((part) => (typeof part === "string" ? part : print(part, 0)));
  const isFree = (quotes: string): boolean =>
    printed.every((text, index) => typeof parts[index] === "string" || !text.includes(quotes));
  const quotes = ['"', "'", '"""', "'''"].find(isFree) ?? '"';
  const inner = printed.map((text, index) => {
    if (typeof parts[index] !== "string") return `{${text}}`;
    const escaped = JSON.stringify(text).slice(1, -1).replace(/[{}]/g, "$&$&");
    return quotes.startsWith("'") ? escaped.replaceAll("'", "\\'") : escaped;
  });
  return `f${quotes}${inner.join("")}${quotes}`;
}

function literalStrength(value: string | number | boolean | null): number {
  if (typeof value !== "number") return POSTFIX;
  return value < 0 ? UNARY : NUMBER;
}

function printLiteral(value: string | number | boolean | null): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === Number.POSITIVE_INFINITY) return "1e999";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
