import { TemplateError } from "./template-error.js";
import { checkTemplateLimit } from "./template-limits.js";

const MAX_DEPTH = 20;
const MAX_NODES = 100_000;

/**
 * A property of a value: own data properties of objects, whole-number places of lists and texts (from the end when
 * negative). Everything else - inherited names, accessors, functions - is undefined.
 */
export function readProperty(value: unknown, key: unknown): unknown {
  if (typeof value === "string" || Array.isArray(value)) {
    return typeof key === "number" && Number.isInteger(key) ? value.at(key) : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (typeof key !== "string" && typeof key !== "number") return undefined;
  const found: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
  return typeof found === "function" ? undefined : found;
}

/** Python's idea of truth: empty texts, lists and maps are false. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** The text a value is printed as: undefined is empty, constants and lists read as in Python. */
export function formatTemplateValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || typeof value === "function") return "";
  return writeValue(value, PYTHON, startBudget(), 0);
}

/** JSON with the separators of Python's `json.dumps`. */
export function formatTemplateJson(value: unknown): string {
  return writeValue(value, JSON_STYLE, startBudget(), 0);
}

/** Values still to be written, and characters of the texts written so far. */
interface WriteBudget {
  nodes: number;
  characters: number;
}

function startBudget(): WriteBudget {
  return { nodes: MAX_NODES, characters: 0 };
}

interface ValueStyle {
  readonly constants: readonly [none: string, yes: string, no: string];
  readonly quote: (text: string) => string;
}

const PYTHON: ValueStyle = { constants: ["None", "True", "False"], quote: quotePython };
const JSON_STYLE: ValueStyle = { constants: ["null", "true", "false"], quote: (text) => JSON.stringify(text) };

function quotePython(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  let body = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  if (mark === "'") body = body.replaceAll("'", "\\'");
  return mark + body + mark;
}

function writeValue(value: unknown, style: ValueStyle, budget: WriteBudget, depth: number): string {
  if ((budget.nodes -= 1) < 0 || depth > MAX_DEPTH) throw new TemplateError("value is too large or too deep to print");
  const [none, yes, no] = style.constants;
  switch (typeof value) {
    case "string":
      return quote(value, style, budget);
    case "boolean":
      return value ? yes : no;
    case "number":
    case "bigint":
      return String(value);
    case "object": {
      if (value === null) return none;
      if (Array.isArray(value)) {
        return `[${value.map((item) => writeValue(item, style, budget, depth + 1)).join(", ")}]`;
      }
      const parts = Object.keys(value).map((key) => {
        return `${quote(key, style, budget)}: ${writeValue(readProperty(value, key), style, budget, depth + 1)}`;
      });
      return `{${parts.join(", ")}}`;
    }
    default:
      return none;
  }
}

function quote(text: string, style: ValueStyle, budget: WriteBudget): string {
  checkTemplateLimit("template_output", (budget.characters += text.length));
  return style.quote(text);
}

/** Deep for lists and maps; `1 == True` holds as in Python, texts and numbers never mix. */
export function equalTemplateValues(left: unknown, right: unknown, depth = 0): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left === "boolean" || typeof right === "boolean") {
    const isNumeric = (value: unknown): boolean => typeof value === "boolean" || typeof value === "number";
    return isNumeric(left) && isNumeric(right) && Number(left) === Number(right);
  }
  if (typeof left === "number" && typeof right === "number") return left === right;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (depth > MAX_DEPTH || Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length || keys.length > MAX_NODES) return false;
  return keys.every((key) => {
    return Object.hasOwn(right, key) && equalTemplateValues(readOwn(left, key), readOwn(right, key), depth + 1);
  });
}

function readOwn(value: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

/** -1, 0 or 1 for two numbers or two texts; undefined for anything else. */
export function compareValues(left: unknown, right: unknown): number | undefined {
  const sameKind = typeof left === typeof right && (typeof left === "number" || typeof left === "string");
  if (!sameKind) return undefined;
  const [a, b] = [left as number, right as number];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Substring, member of a list, key of a map. */
export function containsValue(container: unknown, item: unknown): boolean {
  if (typeof container === "string") return typeof item === "string" && container.includes(item);
  if (Array.isArray(container)) return container.some((member) => equalTemplateValues(member, item));
  if (typeof container === "object" && container !== null) {
    return typeof item === "string" && Object.hasOwn(container, item);
  }
  return false;
}

/** `x is defined` and its relatives. */
export const TEMPLATE_TESTS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["defined", (value: unknown) => value !== undefined],
  ["undefined", (value: unknown) => value === undefined],
  ["none", (value: unknown) => value === null],
  ["string", (value: unknown) => typeof value === "string"],
  ["number", (value: unknown) => typeof value === "number"],
  ["boolean", (value: unknown) => typeof value === "boolean"],
  ["true", (value: unknown) => value === true],
  ["false", (value: unknown) => value === false],
  ["sequence", (value: unknown) => typeof value === "string" || Array.isArray(value)],
  ["mapping", (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value)],
]);
