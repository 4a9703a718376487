import type { Argument, BinaryOperator, Expression, ExpressionOf } from "../../src/expressions/ast.js";
import { quoteText, type QuoteStyle } from "./quote-expression-text.js";
import { stringLevels } from "./string-levels.js";

export interface PrintOptions {
  /** Strings of the dialect interpolate, so braces in them are doubled and templates need no `f`. */
  readonly interpolateStrings?: boolean;
}

interface PrintContext {
  readonly interpolates: boolean;
  /** Inside the field of a template, where quotes of the templates around it must not occur. */
  readonly isNested: boolean;
}

/** An argument without positions, so that lowered ones can be printed too. */
type Given = Pick<Argument, "name" | "value" | "spread">;

// How tightly a kind of expression binds: the levels of the grammar, from the loosest.
const CONDITIONAL = 1;
const OR = 2;
const AND = 3;
const NOT = 4;
const COMPARE = 5;
const OPERAND = 6;
const UNARY = 12;
const POWER = 13;
const POSTFIX = 14;

const BINARY: Readonly<Record<BinaryOperator, number>> = {
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
  "%": 11,
  "@": 11,
  "**": POWER,
};

/**
 * An expression as source text, with no more parentheses than it needs. Parsing the text gives the same tree again, but
 * for the places.
 *
 * @example
 * ```ts
 * printExpression(expression); // "($a + 1) * 2"
 * ```
 */
export function printExpression(expression: Expression, options: PrintOptions = {}): string {
  return print(contextOf(options), expression, CONDITIONAL);
}

/** Prints the arguments of a call without the parentheses: `name=value` where there is a name. */
export function printArguments(given: readonly Given[], options: PrintOptions = {}): string {
  return printGiven(contextOf(options), given);
}

function contextOf({ interpolateStrings = false }: PrintOptions): PrintContext {
  return { interpolates: interpolateStrings, isNested: false };
}

function print(context: PrintContext, node: Expression, minimum: number): string {
  const text = printNode(context, node);
  return levelOf(node) < minimum ? `(${text})` : text;
}

function levelOf(node: Expression): number {
  switch (node.kind) {
    case "Conditional":
      return CONDITIONAL;
    case "Logical":
      return node.operator === "or" ? OR : AND;
    case "Unary":
      return node.operator === "not" ? NOT : UNARY;
    case "Compare":
      return COMPARE;
    case "Binary":
      return BINARY[node.operator];
    case "Literal":
      return typeof node.value === "number" && node.value < 0 ? UNARY : POSTFIX;
    default:
      return POSTFIX;
  }
}

function printNode(context: PrintContext, node: Expression): string {
  switch (node.kind) {
    case "Literal":
      return printLiteral(context, node);
    case "Variable":
      return `$${node.name}`;
    case "Template":
      return printTemplate(context, node);
    case "List":
      return `[${printAll(context, node.items)}]`;
    case "Set":
      return `{${printAll(context, node.items)}}`;
    case "Map":
      return `{${node.entries
        .map(({ key, value }) => {
          const start = key === undefined ? "**" : `${print(context, key, CONDITIONAL)}: `;
          return start + print(context, value, CONDITIONAL);
        })
        .join(", ")}}`;
    case "Conditional": {
      const test = print(context, node.test, OR);
      return `${print(context, node.whenTrue, OR)} if ${test} else ${print(context, node.whenFalse, CONDITIONAL)}`;
    }
    case "Logical": {
      const level = node.operator === "or" ? OR : AND;
      return `${print(context, node.left, level)} ${node.operator} ${print(context, node.right, level + 1)}`;
    }
    case "Unary":
      if (node.operator === "not") return `not ${print(context, node.operand, NOT)}`;
      return node.operator + print(context, node.operand, UNARY);
    case "Compare":
      return node.rest.reduce(
        (text, { operator, operand }) => `${text} ${operator} ${print(context, operand, OPERAND)}`,
        print(context, node.first, OPERAND),
      );
    case "Binary": {
      const level = BINARY[node.operator];
      const isPower = node.operator === "**";
      const left = print(context, node.left, isPower ? POSTFIX : level);
      return `${left} ${node.operator} ${print(context, node.right, isPower ? UNARY : level + 1)}`;
    }
    case "Member":
      return `${printObject(context, node.object)}.${node.name}`;
    case "MethodCall":
      return `${printObject(context, node.object)}.${node.method}(${printGiven(context, node.arguments)})`;
    case "Call":
      return `${node.function}(${printGiven(context, node.arguments)})`;
    case "Index":
      return `${print(context, node.object, POSTFIX)}[${print(context, node.index, CONDITIONAL)}]`;
    case "Slice": {
      const bound = (part?: Expression): string => (part ? print(context, part, CONDITIONAL) : "");
      const step = node.step ? `:${bound(node.step)}` : "";
      return `${print(context, node.object, POSTFIX)}[${bound(node.from)}:${bound(node.to)}${step}]`;
    }
  }
}

/** Prints the operand before a dot; after the digits of a number, the dot would be read as a decimal point. */
function printObject(context: PrintContext, object: Expression): string {
  const isNumber = object.kind === "Literal" && typeof object.value === "number";
  return isNumber ? `(${printNode(context, object)})` : print(context, object, POSTFIX);
}

function printAll(context: PrintContext, items: readonly Expression[]): string {
  return items.map((item) => print(context, item, CONDITIONAL)).join(", ");
}

function printGiven(context: PrintContext, given: readonly Given[]): string {
  return given
    .map(({ name, value, spread }) => {
      const start = name === undefined ? (spread ?? "") : `${name}=`;
      return start + print(context, value, CONDITIONAL);
    })
    .join(", ");
}

function printLiteral(context: PrintContext, { value }: ExpressionOf<"Literal">): string {
  if (typeof value === "string") {
    const quote = context.isNested ? "'" : '"';
    const style = {
      quotes: context.isNested ? "both" : "double",
      braces: context.interpolates ? "doubled" : "plain",
    } as const;
    return quote + quoteText(value, style) + quote;
  }
  if (typeof value === "number") return String(value);
  if (value === null) return "None";
  return value ? "True" : "False";
}

/**
 * The quotes of strings inside each other, from the innermost. None of them occurs inside the ones after it but as
 * what closes itself, and a source cannot nest strings more deeply either.
 */
const QUOTES = ["'", '"', '"""', "'''"] as const;

function printTemplate(context: PrintContext, node: ExpressionOf<"Template">): string {
  const levels = stringLevels(node);
  const quote = levels === 1 && !context.isNested ? '"' : (QUOTES[Math.min(levels, QUOTES.length) - 1] ?? "'''");
  const parts = printParts(context, node.parts, { quotes: "both", braces: "doubled" });
  return `${context.interpolates ? "" : "f"}${quote}${parts}${quote}`;
}

function printParts(context: PrintContext, parts: ExpressionOf<"Template">["parts"], style: QuoteStyle): string {
  const inner = { ...context, isNested: true };
  return parts.map((part) => (typeof part === "string" ? quoteText(part, style) : printField(inner, part))).join("");
}

function printField(context: PrintContext, part: Expression): string {
  const format = callOf(part, "format", 2);
  const value = format?.arguments[0]?.value ?? part;
  const spec = format?.arguments[1]?.value;
  const text = printConverted(context, value, spec !== undefined);
  // A brace directly after the opening one would mean a literal brace.
  return `{${text.startsWith("{") ? " " : ""}${text}${spec === undefined ? "" : `:${printSpec(context, spec)}`}}`;
}

function printConverted(context: PrintContext, value: Expression, isFormatted: boolean): string {
  for (const [name, letter] of CONVERSIONS) {
    const call = callOf(value, name, 1);
    if (call && (letter !== "s" || isFormatted)) {
      return `${printAll(context, [(call.arguments[0] as Argument).value])}!${letter}`;
    }
  }
  return print(context, value, CONDITIONAL);
}

const CONVERSIONS = [
  ["repr", "r"],
  ["ascii", "a"],
  ["str", "s"],
] as const;

function callOf(node: Expression, name: string, count: number): ExpressionOf<"Call"> | undefined {
  const isCall = node.kind === "Call" && node.function === name && node.arguments.length === count;
  return isCall && node.arguments.every((argument) => argument.name === undefined) ? node : undefined;
}

function printSpec(context: PrintContext, spec: Expression): string {
  const style = { quotes: "both", braces: "escaped" } as const;
  if (spec.kind === "Literal") return quoteText(String(spec.value), style);
  return spec.kind === "Template" ? printParts(context, spec.parts, style) : printField(context, spec);
}
