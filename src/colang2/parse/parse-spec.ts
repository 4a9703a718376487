import type { Token } from "../../syntax/cursor.js";
import type {
  ArgumentForm,
  CallArgument,
  Callee,
  Name,
  Spec,
  SpecMember,
  Group,
  StatementOf,
  Operator,
  Statement,
  Target,
} from "../ast.js";
import type { LineParser, StatementInput } from "./line-parser.js";
import { parseClassicArguments, parseSimpleArguments } from "./parse-arguments.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import { CONSTANT_WORDS, GROUP_WORDS, isOperator } from "./reserved-words.js";

/** spec = callee { member } [ "as" VAR ] */
function parseSpec(parser: LineParser): Spec {
  const { start } = parser.cursor.peek();
  return finishSpec(parser, parseCallee(parser), start);
}

/** Reads the rest of a spec after its callee, which may be parenthesised. */
function finishSpec(parser: LineParser, callee: Callee, start: number): Spec {
  const members: SpecMember[] = [];
  while (parser.cursor.is(".")) members.push(parseMember(parser));
  const reference = parser.cursor.eat("as") ? parser.variable("after `as`") : undefined;
  return { kind: "Spec", callee, members, ...(reference ? { reference } : {}), span: parser.span(start) };
}

/** callee = flowname [ "(" [ cargs ] ")" | sargs ] | VAR [ "(" [ cargs ] ")" | sargs ] */
function parseCallee(parser: LineParser): Callee {
  const { cursor } = parser;
  const first = cursor.peek();
  if (first.kind === "variable") {
    cursor.next();
    const given = parseArguments(parser);
    return { kind: "VariableCallee", variable: first.text, ...given, span: parser.span(first.start) };
  }
  if (first.kind !== "word" || GROUP_WORDS.has(first.text)) {
    const previous = cursor.previous();
    const where = previous ? `after ${quoteText(parser.textOf(previous))}` : "here";
    const isSlash = parser.textOf(first).startsWith("//");
    const hint = isSlash ? "a comment begins with `#`" : "the name of a flow, an action or an event is expected";
    parser.failHere("C2-115", where, hint);
  }
  const name = parseName(parser, (word) => GROUP_WORDS.has(word) || CONSTANT_WORDS.has(word));
  const given = parseArguments(parser);
  return { kind: "NameCallee", name, ...given, isParenthesised: false, span: parser.span(first.start) };
}

function parseArguments(parser: LineParser): { form: ArgumentForm; arguments: readonly CallArgument[] } {
  if (parser.cursor.is("(")) return { form: "classic", arguments: parseClassicArguments(parser) };
  const given = parseSimpleArguments(parser);
  return { form: given.length > 0 ? "simple" : "none", arguments: given };
}

/** flowname = NAME { NAME } */
export function parseName(parser: LineParser, endsName: (word: string) => boolean): Name {
  const { cursor } = parser;
  const first = cursor.peek();
  const words: string[] = [];
  for (let token = first; token.kind === "word"; token = cursor.peek()) {
    if (words.length > 0 && endsName(token.text)) break;
    checkNameWord(parser, token);
    words.push(token.text);
    cursor.next();
  }
  return { text: words.join(" "), span: parser.span(first.start) };
}

const NAME_WORD = /^[\p{L}\p{Nl}_][\p{L}\p{M}\p{N}\p{Pc}]*$/u;

function checkNameWord(parser: LineParser, token: Token): void {
  if (NAME_WORD.test(token.text)) return;
  const message = `${quoteText(token.text)} cannot be part of a name`;
  parser.fail("C2-113", message, token, "names consist of letters, digits and `_`, and no word begins with a digit");
}

/** member = "." NAME [ "(" [ cargs ] ")" ] */
function parseMember(parser: LineParser): SpecMember {
  const { cursor } = parser;
  const dot = cursor.next();
  const name = cursor.peek();
  if (name.kind !== "word") parser.failHere("C2-115", "after `.`", "a name such as `Finished` is expected");
  cursor.next();
  const given = cursor.is("(") ? parseClassicArguments(parser) : undefined;
  return { name: parser.nameOf(name), ...(given ? { arguments: given } : {}), span: parser.span(dot.start) };
}

/** group = conj { "or" conj } ; conj = lit { "and" lit } */
export function parseGroup(parser: LineParser): Group {
  return parseOperands(parser, "Or", () => parseOperands(parser, "And", () => parseLiteral(parser)));
}

function parseOperands(parser: LineParser, kind: "And" | "Or", read: () => Group): Group {
  const { cursor } = parser;
  const { start } = cursor.peek();
  const first = read();
  const word = kind === "And" ? "and" : "or";
  if (!cursor.is(word)) return first;
  const operands = [first];
  while (cursor.eat(word)) operands.push(read());
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

/** Parentheses around a single spec may belong to it, and what follows continues the spec. */
function parseParenthesis(parser: LineParser, open: Token): Group {
  const { cursor, state } = parser;
  const inner = parseGroup(parser);
  if (!cursor.eat(")")) state.failUnclosed(open, ")");
  if (!cursor.is(".") && !cursor.is("as")) return inner;
  if (inner.kind !== "Spec" || inner.reference !== undefined) {
    const what = cursor.is(".") ? "a group in parentheses has no members" : "a group in parentheses has no reference";
    parser.fail("C2-115", what, cursor.peek(), "write it behind the flow, action or event it belongs to");
  }
  const callee = inner.callee.kind === "NameCallee" ? { ...inner.callee, isParenthesised: true } : inner.callee;
  const spec = finishSpec(parser, callee, open.start);
  return { ...spec, members: [...inner.members, ...spec.members] };
}

/** opstmt = [ operator ] group */
export function parseOperation({ parser, base }: StatementInput): Statement {
  const operation = readOperation(parser);
  parser.expectEnd("after the statement", hintForTarget(parser, operation.group));
  return { ...operation, ...base };
}

/** `x = 1` assigns to a name that lacks its sign. */
function hintForTarget({ cursor }: LineParser, group: Group): string | undefined {
  if (!cursor.is("=") || group.kind !== "Spec" || group.callee.kind !== "NameCallee") return undefined;
  const { name, arguments: given } = group.callee;
  return given.length > 0 || name.text.includes(" ")
    ? undefined
    : `a variable is written ${quoteText(`$${name.text}`)}`;
}

/** The operation at the cursor, also on the right side of an assignment. */
export function readOperation(parser: LineParser, target?: Target): Omit<StatementOf<"Operation">, "span" | "comment"> {
  const { cursor } = parser;
  const word = cursor.peek();
  const written = word.kind === "word" && isOperator(word.text) ? word.text : undefined;
  if (written !== undefined) cursor.next();
  if (written === "stop" && cursor.isAtEnd()) {
    const hint = "write `abort` to let this flow fail, or name what to stop";
    parser.failHere("C2-115", "after `stop`", hint);
  }
  const operator: Operator = written ?? "await";
  const group = parseGroup(parser);
  const isImplicit = written === undefined;
  return { kind: "Operation", operator, isImplicit, group, ...(target ? { target } : {}) };
}
