import type { Token } from "../../syntax/cursor.js";
import type { Group, Spec } from "../ast.js";
import type { LineParser } from "./line-parser.js";
import { finishSpec, parseSpec } from "./parse-spec.js";

/** group = conj { "or" conj } */
export function parseGroup(parser: LineParser): Group {
  return parseOperands(parser, "Or", parseConjunction);
}

/** conj = lit { "and" lit } */
function parseConjunction(parser: LineParser): Group {
  return parseOperands(parser, "And", parseLiteral);
}

function parseOperands(parser: LineParser, kind: "And" | "Or", read: (parser: LineParser) => Group): Group {
  const { cursor } = parser;
  const { start } = cursor.peek();
  const first = read(parser);
  const word = kind === "And" ? "and" : "or";
  if (!cursor.is(word)) return first;
  const operands = [first];
  while (cursor.eat(word)) operands.push(read(parser));
  return { kind, operands, span: parser.span(start) };
}

/** lit = [ "not" ] ( "(" group ")" | spec ) */
function parseLiteral(parser: LineParser): Group {
  const { cursor, state } = parser;
  const first = cursor.peek();
  if (!cursor.is("not") && !cursor.is("(")) return parseSpec(parser);
  state.enter(first);
  let group: Group;
  if (cursor.eat("not")) {
    const operand = parseLiteral(parser);
    group = { kind: "Not", operand, span: parser.span(first.start) };
  } else {
    group = parseParenthesis(parser, cursor.next());
  }
  state.leave();
  return group;
}

/** A parenthesis around one spec may be its own, and what follows belongs to the spec. */
function parseParenthesis(parser: LineParser, open: Token): Group {
  const { cursor, state } = parser;
  const inner = parseGroup(parser);
  if (!cursor.eat(")")) state.failUnclosed(open, ")");
  if (!cursor.is(".") && !cursor.is("as")) return inner;
  if (!isBareSpec(inner)) {
    const what = cursor.is(".") ? "a group in parentheses has no members" : "a group in parentheses has no reference";
    parser.fail("C2-115", what, cursor.peek(), "write it behind the flow, action or event it belongs to");
  }
  const callee = inner.callee.kind === "NameCallee" ? { ...inner.callee, isParenthesised: true } : inner.callee;
  const spec = finishSpec(parser, callee, open.start);
  return { ...spec, members: [...inner.members, ...spec.members] };
}

function isBareSpec(group: Group): group is Spec {
  return group.kind === "Spec" && group.reference === undefined;
}
