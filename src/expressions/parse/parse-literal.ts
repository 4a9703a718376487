import { createSourceFile } from "../../diagnostics/source-file.js";
import { TokenCursor, type Token } from "../../syntax/cursor.js";
import { lexRange } from "../../syntax/lexer.js";
import { toKey } from "../values/compare.js";
import { createMap, type Value } from "../values/value.js";

export type ParsedLiteral = { readonly ok: true; readonly value: Value } | { readonly ok: false };

const MAX_LENGTH = 1_048_576;
const MAX_NESTING = 100;

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map(
  Object.entries({ True: true, true: true, False: false, false: false, None: null, null: null }),
);

/**
 * Reads a value as a model may write it: numbers, strings in either quote, lists, tuples (as lists), maps, and the
 * constants of both Python and JSON. Nothing else is a literal, and nothing is computed.
 *
 * @example
 * ```ts
 * parseLiteral("{'size': (1, 2), \"ok\": true}"); // { ok: true, value: { size: [1, 2], ok: true } }
 * parseLiteral("about three"); // { ok: false }
 * ```
 */
export function parseLiteral(text: string): ParsedLiteral {
  if (text.length > MAX_LENGTH) return { ok: false };
  const source = createSourceFile("literal", text);
  const cursor = new TokenCursor(lexRange(source, 0, source.text.length, { comments: false }));
  const value = readValue(cursor, 0);
  return value === undefined || !cursor.isAtEnd() ? { ok: false } : { ok: true, value };
}

/** value = [ "+" | "-" ] number | string { string } | constant | list | tuple | map */
function readValue(cursor: TokenCursor, depth: number): Value | undefined {
  if (depth > MAX_NESTING) return undefined;
  const token = cursor.next();
  switch (token.kind) {
    case "number":
      return token.value as number;
    case "string":
    case "long-string":
      return readStrings(cursor, token);
    case "word":
      return CONSTANTS.get(token.text);
    case "punctuation":
      return readPunctuation(cursor, token, depth);
    default:
      return undefined;
  }
}

/** INVARIANT: undefined means no literal; `None` is `null`. */
function readPunctuation(cursor: TokenCursor, token: Token, depth: number): Value | undefined {
  switch (token.text) {
    case "+":
    case "-": {
      const number = cursor.next();
      if (number.kind !== "number") return undefined;
      return token.text === "-" ? 0 - (number.value as number) : number.value;
    }
    case "[":
      return readItems(cursor, "]", depth)?.items;
    case "(": {
      const found = readItems(cursor, ")", depth);
      // One item without a comma is only a value in parentheses.
      return found && found.items.length === 1 && !found.hasComma ? found.items[0] : found?.items;
    }
    case "{":
      return readMap(cursor, depth);
    default:
      return undefined;
  }
}

function readStrings(cursor: TokenCursor, first: Token): Value | undefined {
  let text = "";
  for (let token = first; ; token = cursor.next()) {
    const prefix = token.prefix?.toLowerCase();
    if (prefix === "f" || prefix === "b") return undefined;
    text += String(token.value);
    const { kind } = cursor.peek();
    if (kind !== "string" && kind !== "long-string") return text;
  }
}

function readItems(
  cursor: TokenCursor,
  close: string,
  depth: number,
): { items: readonly Value[]; hasComma: boolean } | undefined {
  const items: Value[] = [];
  let hasComma = false;
  while (!cursor.is(close)) {
    const value = readValue(cursor, depth + 1);
    if (value === undefined) return undefined;
    items.push(value);
    if (!cursor.eat(",")) break;
    hasComma = true;
  }
  return cursor.eat(close) ? { items, hasComma } : undefined;
}

function readMap(cursor: TokenCursor, depth: number): Value | undefined {
  const map = createMap();
  while (!cursor.is("}")) {
    const key = readValue(cursor, depth + 1);
    const name = key === undefined ? undefined : toKey(key);
    if (name === undefined || !cursor.eat(":")) return undefined;
    const value = readValue(cursor, depth + 1);
    if (value === undefined) return undefined;
    map[name] = value;
    if (!cursor.eat(",")) break;
  }
  return cursor.eat("}") ? map : undefined;
}
