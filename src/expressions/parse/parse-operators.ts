import type { Token } from "../../syntax/cursor.js";
import type { BinaryOperator, CompareOperator, Expression, UnaryOperator } from "../ast.js";
import { IN_AN_ACTION, type ParseState } from "./parse-state.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { parseArgumentList } from "./parse-argument-list.js";
import { parsePrimary } from "./parse-primary.js";

/** Signs of rising binding power; comparisons, `not`, `and` and `or` bind less than all of them. */
const LEVELS = [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "//", "%", "@"]];
const POWERS: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap((signs, level) => signs.map((sign) => [sign, level + 1])),
);

const COMPARE: ReadonlySet<string> = new Set(["==", "!=", "<>", "<", "<=", ">", ">="]);

const SIGNS: ReadonlySet<string> = new Set(["-", "+", "~"]);

/** conditional = or [ "if" or "else" conditional ] */
export function parseConditional(state: ParseState): Expression {
  const whenTrue = parseOr(state);
  const { cursor } = state;
  if (!cursor.is("if")) return whenTrue;
  const keyword = cursor.next();
  const trueHeight = state.height;
  const test = parseOr(state);
  const testHeight = state.height;
  if (!cursor.eat("else")) {
    if (cursor.isAtEnd()) state.malformed("`if` without `else`", keyword, "write `a if condition else b`");
    state.failAt(cursor.peek(), "where `else` is expected");
  }
  const whenFalse = state.expression();
  state.grow(keyword, trueHeight, testHeight);
  return { kind: "Conditional", start: whenTrue.start, end: whenFalse.end, test, whenTrue, whenFalse };
}

/** or = and { "or" and } */
function parseOr(state: ParseState): Expression {
  return parseLogical(state, "or", parseAnd);
}

/** and = not { "and" not } */
function parseAnd(state: ParseState): Expression {
  return parseLogical(state, "and", parseNot);
}

function parseLogical(
  state: ParseState,
  operator: "and" | "or",
  parseOperand: (state: ParseState) => Expression,
): Expression {
  let left = parseOperand(state);
  while (state.cursor.is(operator)) {
    const token = state.cursor.next();
    const leftHeight = state.height;
    const right = parseOperand(state);
    state.grow(token, leftHeight);
    left = { kind: "Logical", start: left.start, end: right.end, operator, left, right };
  }
  return left;
}

/** not = "not" not | comparison */
function parseNot(state: ParseState): Expression {
  if (!state.cursor.is("not")) return parseComparison(state);
  return parsePrefixed(state, state.cursor.next(), "not", parseNot);
}

function parsePrefixed(
  state: ParseState,
  token: Token,
  operator: UnaryOperator,
  parseOperand: (state: ParseState) => Expression,
): Expression {
  state.enter(token);
  const operand = parseOperand(state);
  state.leave();
  state.grow(token);
  return { kind: "Unary", start: token.start, end: operand.end, operator, operand };
}

/** comparison = binary { ( "==" | "!=" | "<" | "<=" | ">" | ">=" | [ "not" ] "in" | "is" [ "not" ] ) binary } */
function parseComparison(state: ParseState): Expression {
  const first = parseBinary(state, 1);
  let { height } = state;
  let { end } = first;
  const rest: { operator: CompareOperator; operand: Expression }[] = [];
  for (let operator = readCompareOperator(state); operator; operator = readCompareOperator(state)) {
    const operand = parseBinary(state, 1);
    height = Math.max(height, state.height);
    rest.push({ operator, operand });
    ({ end } = operand);
  }
  if (rest.length === 0) return first;
  state.grow(first, height);
  return { kind: "Compare", start: first.start, end, first, rest };
}

function readCompareOperator({ cursor }: ParseState): CompareOperator | undefined {
  const token = cursor.peek();
  if (token.kind === "punctuation") {
    if (!COMPARE.has(token.text)) return undefined;
    cursor.next();
    return token.text === "<>" ? "!=" : (token.text as CompareOperator);
  }
  if (token.kind !== "word") return undefined;
  if (cursor.eat("in")) return "in";
  if (cursor.eat("is")) return cursor.eat("not") ? "is not" : "is";
  const next = cursor.peek(1);
  if (token.text !== "not" || next.kind !== "word" || next.text !== "in") return undefined;
  cursor.next();
  cursor.next();
  return "not in";
}

/** An expression without `and`, `or`, `not`, comparisons and conditions at its top level: the text between spaces. */
export function parseOperand(state: ParseState): Expression {
  return parseBinary(state, 1);
}

/** binary = unary { operator unary }, operators of higher power first, all of them to the left */
function parseBinary(state: ParseState, minimum: number): Expression {
  const { cursor, dialect } = state;
  let left = parseUnary(state);
  for (;;) {
    const token = cursor.peek();
    const power = token.kind === "punctuation" ? POWERS.get(token.text) : undefined;
    if (power === undefined || power < minimum || (token.text === "@" && !dialect.matrixOperator)) return left;
    cursor.next();
    const leftHeight = state.height;
    const right = parseBinary(state, power + 1);
    state.grow(token, leftHeight);
    const operator = token.text as BinaryOperator;
    left = { kind: "Binary", start: left.start, end: right.end, operator, left, right };
  }
}

/** unary = ( "-" | "+" | "~" ) unary | power */
function parseUnary(state: ParseState): Expression {
  const token = state.cursor.peek();
  if (token.kind !== "punctuation" || !SIGNS.has(token.text)) return parsePower(state);
  state.cursor.next();
  return parsePrefixed(state, token, token.text as UnaryOperator, parseUnary);
}

/** power = postfix [ "**" unary ] */
function parsePower(state: ParseState): Expression {
  const left = parsePostfix(state);
  if (!state.cursor.is("**")) return left;
  const token = state.cursor.next();
  const leftHeight = state.height;
  state.enter(token);
  const right = parseUnary(state);
  state.leave();
  state.grow(token, leftHeight);
  return { kind: "Binary", start: left.start, end: right.end, operator: "**", left, right };
}

/** postfix = primary { "." name [ "(" arguments ")" ] | "[" subscript "]" } */
function parsePostfix(state: ParseState): Expression {
  const { cursor } = state;
  let object = parsePrimary(state);
  for (;;) {
    const token = cursor.peek();
    if (token.kind !== "punctuation" || state.endsOperand?.(cursor)) return object;
    if (token.text === ".") object = parseMember(state, object);
    else if (token.text === "[") object = parseSubscript(state, object);
    else if (token.text === "(") {
      state.malformed("a value cannot be called", token, "call a function or a method: `len($list)`, `$text.lower()`");
    } else return object;
  }
}

function parseMember(state: ParseState, object: Expression): Expression {
  const { cursor, dialect } = state;
  const dot = cursor.next();
  const name = cursor.next();
  if (name.kind !== "word") {
    state.malformed("a property name is expected after `.`", dot, 'other keys are written in brackets: `["key"]`');
  }
  if (name.text.startsWith("_")) {
    state.report(dialect.codes.unknownName, `\`${name.text}\` cannot be read: its name begins with \`_\``, name);
  }
  if (!cursor.is("(")) {
    state.grow(name);
    return { kind: "Member", start: object.start, end: name.end, object, name: name.text };
  }
  if (!dialect.methodNames.has(name.text) && !name.text.startsWith("_")) {
    const hint = didYouMean(name.text, dialect.methodNames) ?? hintForMethod(state, name.text);
    state.report(dialect.codes.unknownName, `unknown method \`${name.text}\``, name, hint);
  }
  const height = state.height;
  const list = parseArgumentList(state, cursor.next(), ")");
  state.grow(name, height);
  const { end } = list;
  return { kind: "MethodCall", start: object.start, end, object, method: name.text, arguments: list.arguments };
}

function hintForMethod({ dialect }: ParseState, method: string): string {
  if (method !== "format") return IN_AN_ACTION;
  return `write the values into the text: \`${dialect.interpolateStrings === true ? "" : "f"}"{$name}"\``;
}

const COLLECTIONS: ReadonlySet<Expression["kind"]> = new Set(["List", "Map", "Set"]);

/**
 * A list, map or set is never a key, and a text has no keys. Behind a space, as in `"prompt" [options]`, they were meant as
 * two arguments.
 */
function refuseArgument(state: ParseState, object: Expression, index: Expression, open: Token): void {
  const isTextKey = index.kind === "Literal" && typeof index.value === "string";
  const isText = object.kind === "Template" || (object.kind === "Literal" && typeof object.value === "string");
  if (!COLLECTIONS.has(index.kind) && !(isText && isTextKey)) return;
  const place = { start: open.start, end: state.cursor.previous()?.end ?? open.end };
  state.malformed(AS_INDEX, place, ARGUMENT_HINT);
}

const AS_INDEX = "these brackets are read as an index of the value before them";
const ARGUMENT_HINT = "write a list after another argument in parentheses, or name the argument: `$options=[…]`";

/** subscript = expression | [ expression ] ":" [ expression ] [ ":" [ expression ] ] */
function parseSubscript(state: ParseState, object: Expression): Expression {
  const { cursor } = state;
  const isApart = cursor.previous()?.end !== cursor.peek().start;
  const open = cursor.next();
  let height = state.height;
  const bounds: (Expression | undefined)[] = [];
  let isSlice = false;
  for (;;) {
    const isOmitted = cursor.is(":") || cursor.is("]");
    bounds.push(isOmitted ? undefined : state.expression());
    if (!isOmitted) height = Math.max(height, state.height);
    if (bounds.length === 3 || !cursor.eat(":")) break;
    isSlice = true;
  }
  if (cursor.is(",")) state.malformed(AS_INDEX, cursor.peek(), ARGUMENT_HINT);
  const close = cursor.expect("]") ?? state.failUnclosed(open, "]");
  state.height = height;
  state.grow(open);
  const [from, to, step] = bounds;
  const place = { start: object.start, end: close.end };
  if (!isSlice) {
    if (from === undefined) {
      state.malformed("an index is expected in `[]`", { start: open.start, end: close.end }, ARGUMENT_HINT);
    }
    if (isApart) refuseArgument(state, object, from, open);
    return { kind: "Index", ...place, object, index: from };
  }
  return { kind: "Slice", ...place, object, ...(from && { from }), ...(to && { to }), ...(step && { step }) };
}
