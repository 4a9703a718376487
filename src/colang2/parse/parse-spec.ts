import type { Token } from "../../syntax/cursor.js";
import type { ArgumentForm, CallArgument, Callee, Name, Spec, SpecMember } from "../ast.js";
import type { LineParser } from "./line-parser.js";
import { isConstantWord, parseClassicArguments, parseSimpleArguments } from "./parse-arguments.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import { GROUP_WORDS } from "./reserved-words.js";

/** spec = callee { member } [ "as" VAR ] */
export function parseSpec(parser: LineParser): Spec {
  const { start } = parser.cursor.peek();
  return finishSpec(parser, parseCallee(parser), start);
}

/** Reads the rest of a spec behind its callee, which may stand in parentheses of its own. */
export function finishSpec(parser: LineParser, callee: Callee, start: number): Spec {
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
    parser.failHere("C2-115", where, "the name of a flow, an action or an event is expected");
  }
  const name = parseName(parser, (word) => GROUP_WORDS.has(word) || isConstantWord(word));
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
