import { didYouMean } from "../../diagnostics/suggestion.js";
import type { Expression } from "../ast.js";
import { parseArgumentList } from "./parse-argument-list.js";
import { parsePrimary } from "./parse-primary.js";
import type { ParseState } from "./parse-state.js";

/** postfix = primary { "." name [ "(" arguments ")" ] | "[" subscript "]" } */
export function parsePostfix(state: ParseState): Expression {
  const { cursor } = state;
  let object = parsePrimary(state);
  for (;;) {
    const token = cursor.peek();
    if (token.kind !== "punctuation" || state.endsOperand?.(cursor)) return object;
    if (token.text === ".") object = parseMember(state, object);
    else if (token.text === "[") object = parseSubscript(state, object);
    else if (token.text === "(") state.malformed("a value cannot be called", token);
    else return object;
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
    const hint = didYouMean(name.text, dialect.methodNames);
    state.report(dialect.codes.unknownName, `unknown method \`${name.text}\``, name, hint);
  }
  const height = state.height;
  const list = parseArgumentList(state, cursor.next(), ")");
  state.grow(name, height);
  const { end } = list;
  return { kind: "MethodCall", start: object.start, end, object, method: name.text, arguments: list.arguments };
}

/** subscript = expression | [ expression ] ":" [ expression ] [ ":" [ expression ] ] */
function parseSubscript(state: ParseState, object: Expression): Expression {
  const { cursor } = state;
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
  const close = cursor.expect("]") ?? state.failUnclosed(open, "]");
  state.height = height;
  state.grow(open);
  const [from, to, step] = bounds;
  const place = { start: object.start, end: close.end };
  if (!isSlice) {
    if (from === undefined) state.malformed("an index is expected in `[]`", { start: open.start, end: close.end });
    return { kind: "Index", ...place, object, index: from };
  }
  return { kind: "Slice", ...place, object, ...(from && { from }), ...(to && { to }), ...(step && { step }) };
}
