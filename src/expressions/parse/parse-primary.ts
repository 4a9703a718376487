import { didYouMean } from "../../diagnostics/suggestion.js";
import type { Token } from "../../syntax/cursor.js";
import type { Expression, MapEntry } from "../ast.js";
import { checkArguments } from "../functions/function-definition.js";
import { parseArgumentList } from "./parse-argument-list.js";
import { parseStrings } from "./parse-string.js";
import { IN_AN_ACTION, type ParseState, shorten, UNSUPPORTED } from "./parse-state.js";
import { deferPattern } from "../../diagnostics/defer-pattern.js";

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map(
  Object.entries({ True: true, False: false, None: null }),
);

/** The constants of other languages, by ours. */
const CONSTANTS_ELSEWHERE = {
  True: ["true", "TRUE", "yes"],
  False: ["false", "FALSE", "no"],
  None: ["null", "none", "nil", "undefined", "NULL"],
};

const OPERATOR_WORDS: ReadonlySet<string> = new Set(["and", "or", "not", "in", "is", "if", "else", "for"]);

/** primary = variable | number | string { string } | constant | name "(" arguments ")" | bracketed */
export function parsePrimary(state: ParseState): Expression {
  const token = state.cursor.peek();
  switch (token.kind) {
    case "variable":
      return { kind: "Variable", start: token.start, end: takeLeaf(state), name: token.text };
    case "number":
      return { kind: "Literal", start: token.start, end: takeLeaf(state), value: token.value as number };
    case "string":
    case "long-string":
      return parseStrings(state);
    case "word":
      return parseWord(state, token);
    default:
      return parseBracketed(state, token);
  }
}

/** Consumes a token that is an expression on its own, and returns its end. */
function takeLeaf(state: ParseState): number {
  state.height = 1;
  return state.cursor.next().end;
}

function parseWord(state: ParseState, token: Token): Expression {
  const constant = CONSTANTS.get(token.text);
  if (constant !== undefined) return { kind: "Literal", start: token.start, end: takeLeaf(state), value: constant };
  if (OPERATOR_WORDS.has(token.text)) state.failAt(token, "where a value is expected");
  const unsupported = UNSUPPORTED.get(token.text);
  if (unsupported !== undefined) state.malformed(unsupported[0], token, unsupported[1]);
  const next = state.cursor.peek(1);
  if (next.kind === "punctuation" && next.text === "(") return parseCall(state, token);
  return parseUnknownName(state, token);
}

/** A name without `$` is invalid; several in a row are one diagnostic, because they were meant as text. */
function parseUnknownName(state: ParseState, first: Token): Expression {
  const { cursor, dialect } = state;
  let last = cursor.next();
  while (cursor.peek().kind === "word" && !OPERATOR_WORDS.has(cursor.peek().text)) last = cursor.next();
  const place = { start: first.start, end: last.end };
  const written = state.source.text.slice(place.start, place.end);
  state.report(dialect.codes.unknownName, `unknown name \`${shorten(written)}\``, place, hintForName(state, written));
  state.height = 1;
  return { kind: "Literal", ...place, value: null };
}

const variableName = deferPattern(String.raw`^[\p{L}_][\p{L}\p{N}_]*$`, "u");

function hintForName(state: ParseState, name: string): string {
  const constant = Object.entries(CONSTANTS_ELSEWHERE).find(([, names]) => names.includes(name));
  if (constant !== undefined) return `write \`${constant[0]}\``;
  if (state.dialect.functions.has(name)) return `a function is called with parentheses: \`${name}(…)\``;
  const near = didYouMean(name, CONSTANTS.keys());
  if (near !== undefined) return near;
  const quoted = `a text is written \`"${shorten(name)}"\``;
  return variableName().test(name) ? `a variable is written \`$${shorten(name)}\`, ${quoted}` : quoted;
}

/** call = name "(" arguments ")" */
function parseCall(state: ParseState, name: Token): Expression {
  const { cursor, dialect } = state;
  cursor.next();
  const definition = dialect.functions.get(name.text);
  if (definition === undefined) {
    const hint = didYouMean(name.text, dialect.functions.keys()) ?? IN_AN_ACTION;
    state.report(dialect.codes.unknownName, `unknown function \`${shorten(name.text)}\``, name, hint);
  }
  const keptBefore = state.keepsCountBraces;
  state.keepsCountBraces = dialect.countBraceFunctions.has(name.text);
  const list = parseArgumentList(state, cursor.next(), ")");
  state.keepsCountBraces = keptBefore;
  state.grow(name);
  const { arguments: given, end } = list;
  // The number of unpacked arguments is only known at run time.
  if (definition !== undefined && given.every(({ spread }) => spread === undefined)) {
    const named = given.flatMap((argument) => argument.name ?? []);
    const problem = checkArguments(definition, given.length - named.length, named);
    if (problem !== undefined) state.report(dialect.codes.malformed, problem, { start: name.start, end });
  }
  return { kind: "Call", start: name.start, end, function: name.text, arguments: given };
}

/** bracketed = "(" expression ")" | "(" items ")" | "[" items "]" | "{" entries "}" | "{" items "}" */
function parseBracketed(state: ParseState, open: Token): Expression {
  const { cursor } = state;
  if (cursor.is("(")) return parseParenthesis(state, cursor.next());
  if (cursor.is("[")) {
    if (!state.dialect.listLiterals) state.malformed("list literals are not supported", open);
    return parseItems(state, cursor.next(), "]");
  }
  if (cursor.is("{")) return parseBraces(state, cursor.next());
  if (open.kind === "end" && cursor.previous() === undefined) {
    state.malformed("an expression is expected here", open, "write a variable, a number, or a text in quotes");
  }
  state.failAt(open, "where a value is expected");
}

function parseParenthesis(state: ParseState, open: Token): Expression {
  const { cursor, dialect } = state;
  const isEmpty = cursor.is(")");
  const inner = isEmpty ? undefined : state.expression();
  if (inner !== undefined && !cursor.is(",")) {
    const close = cursor.expect(")") ?? state.failUnclosed(open, ")");
    // The span includes the parentheses, so that the enclosing expression begins before them.
    return { ...inner, start: open.start, end: close.end };
  }
  if (!dialect.tupleLiterals) {
    const place = isEmpty ? { start: open.start, end: cursor.peek().end } : cursor.peek();
    state.malformed("tuples are not supported", place, dialect.listLiterals ? "write a list: `[a, b]`" : undefined);
  }
  return parseItems(state, open, ")", inner);
}

/** items = [ expression { "," expression } [ "," ] ], the first of which may have been read */
function parseItems(state: ParseState, open: Token, closing: string, first?: Expression): Expression {
  const { cursor } = state;
  const items: Expression[] = first === undefined ? [] : [first];
  let height = first === undefined ? 0 : state.height;
  if (first === undefined || cursor.eat(",")) {
    while (!cursor.is(closing)) {
      refuseUnpacking(state);
      items.push(state.expression());
      height = Math.max(height, state.height);
      if (!cursor.eat(",")) break;
    }
  }
  const close = cursor.expect(closing) ?? state.failUnclosed(open, closing);
  state.height = height;
  state.grow(open);
  return { kind: closing === "}" ? "Set" : "List", start: open.start, end: close.end, items };
}

/** Braces are a map if the first element has a colon or there is none, otherwise a set. */
function parseBraces(state: ParseState, open: Token): Expression {
  const { cursor, dialect } = state;
  if (!dialect.mapLiterals && !dialect.setLiterals) state.malformed("maps are not supported", open);
  if (cursor.is("}") || (cursor.is("**") && dialect.unpacking)) return parseEntries(state, open);
  refuseUnpacking(state);
  const first = state.expression();
  if (cursor.is(":")) {
    if (!dialect.mapLiterals) state.malformed("maps are not supported", open);
    return parseEntries(state, open, first);
  }
  if (cursor.is(",") || cursor.is("}")) {
    if (!dialect.setLiterals) {
      state.malformed("sets are not supported", open, dialect.listLiterals ? "write a list: `[a, b]`" : undefined);
    }
    return parseItems(state, open, "}", first);
  }
  return state.failUnclosed(open, "}");
}

/**
 * entries = [ entry { "," entry } [ "," ] ]
 * entry = expression ":" expression | "**" expression
 */
function parseEntries(state: ParseState, open: Token, firstKey?: Expression): Expression {
  const { cursor } = state;
  const entries: MapEntry[] = [];
  let height = state.height;
  let key = firstKey;
  while (key !== undefined || !cursor.is("}")) {
    const isUnpacked = key === undefined && state.dialect.unpacking && cursor.eat("**");
    if (key === undefined && !isUnpacked) {
      refuseUnpacking(state);
      key = state.expression();
      height = Math.max(height, state.height);
    }
    if (key !== undefined && !cursor.eat(":")) {
      if (cursor.isAtEnd()) state.failUnclosed(open, "}");
      state.failAt(cursor.peek(), "where `:` is expected");
    }
    const value = state.expression();
    height = Math.max(height, state.height);
    entries.push(key === undefined ? { value } : { key, value });
    key = undefined;
    if (!cursor.eat(",")) break;
  }
  const close = cursor.expect("}") ?? state.failUnclosed(open, "}");
  state.height = height;
  state.grow(open);
  return { kind: "Map", start: open.start, end: close.end, entries };
}

function refuseUnpacking(state: ParseState): void {
  const { cursor } = state;
  if (cursor.is("*") || cursor.is("**")) state.malformed("unpacking with `*` is not supported", cursor.peek());
}
