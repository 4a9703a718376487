import { createSourceFile } from "../diagnostics/source-file.js";
import type { Expression } from "../expressions/ast.js";
import { createDialect } from "../expressions/dialect.js";
import { parseExpression } from "../expressions/parse.js";

/** Literals of the expression language and nothing else: a completion is data and never runs anything. */
const LITERALS = createDialect({
  codes: {
    malformed: "CO-410",
    unterminatedString: "CO-410",
    assignment: "CO-410",
    unknownName: "CO-410",
    tooLarge: "CO-410",
    failed: "CO-410",
    forbiddenMethod: "CO-410",
  },
  functions: [],
  methods: {},
  listLiterals: true,
  tupleLiterals: true,
  mapLiterals: true,
});

const MAX_LENGTH = 20_000;

/** Models write these the JSON way as often as the Python way. */
const JSON_CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

type Reading = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

const NOT_A_LITERAL: Reading = { ok: false };

/**
 * Reads a text that is one literal: a number, a quoted text, a constant, a list or a map of literals.
 *
 * @example
 * ```ts
 * readLiteral('["tube", -2]'); // { ok: true, value: ["tube", -2] }
 * readLiteral("tube"); // { ok: false }
 * ```
 */
export function readLiteral(text: string): Reading {
  if (text.length > MAX_LENGTH) return NOT_A_LITERAL;
  const constant = JSON_CONSTANTS.get(text);
  if (constant !== undefined) return { ok: true, value: constant };
  const source = createSourceFile("completion", text);
  const { expression } = parseExpression(source, 0, text.length, LITERALS);
  return expression ? literalOf(expression) : readJson(text);
}

function literalOf(expression: Expression): Reading {
  switch (expression.kind) {
    case "Literal":
      return { ok: true, value: expression.value };
    case "Unary": {
      const operand = literalOf(expression.operand);
      if (!operand.ok || typeof operand.value !== "number" || expression.operator === "~") return NOT_A_LITERAL;
      if (expression.operator === "not") return NOT_A_LITERAL;
      return { ok: true, value: expression.operator === "-" ? -operand.value : operand.value };
    }
    case "List":
      return listOf(expression.items);
    case "Map":
      return mapOf(expression.entries);
    default:
      return NOT_A_LITERAL;
  }
}

function listOf(items: readonly Expression[]): Reading {
  const value: unknown[] = [];
  for (const item of items) {
    const read = literalOf(item);
    if (!read.ok) return NOT_A_LITERAL;
    value.push(read.value);
  }
  return { ok: true, value };
}

function mapOf(entries: readonly { readonly key: Expression; readonly value: Expression }[]): Reading {
  const value: Record<string, unknown> = {};
  for (const entry of entries) {
    const key = literalOf(entry.key);
    const item = literalOf(entry.value);
    if (!key.ok || !item.ok || key.value === "__proto__") return NOT_A_LITERAL;
    if (typeof key.value !== "string" && typeof key.value !== "number") return NOT_A_LITERAL;
    value[String(key.value)] = item.value;
  }
  return { ok: true, value };
}

/** Lists and maps with JSON's constants in them. */
function readJson(text: string): Reading {
  if (!/^[[{]/.test(text)) return NOT_A_LITERAL;
  try {
    const value: unknown = JSON.parse(text);
    return text.includes("__proto__") ? NOT_A_LITERAL : { ok: true, value };
  } catch {
    return NOT_A_LITERAL;
  }
}
