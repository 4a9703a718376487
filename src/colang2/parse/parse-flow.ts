import { type LayoutLine, endOfBlock } from "../../syntax/layout.js";
import { unescapeText } from "../../syntax/string-literal.js";
import type { Decorator, FlowDefinition, Name, Parameter, Statement } from "../ast.js";
import { LineParser } from "./line-parser.js";
import { parseClassicArguments } from "./parse-arguments.js";
import { parseBody } from "./parse-block.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { parseName } from "./parse-spec.js";
import { GROUP_WORDS, isOperator, STATEMENT_WORDS } from "./reserved-words.js";

interface FlowHeader {
  readonly name?: Name;
  readonly parameters: readonly Parameter[];
  readonly returnMembers: readonly Parameter[];
}

const HEADER_HINT = "write `flow <name> $parameter -> $member`";
const COMMA_HINT = "parameters are separated by blanks, or by commas inside parentheses";

/** flow = { decorator NL } "flow" [ flowname ] [ params ] [ "->" members ] [ ":" ] suite */
export function parseFlow(
  context: ParseContext,
  line: LayoutLine,
  decorators: readonly Decorator[],
  anonymousId: () => string,
): FlowDefinition | undefined {
  const parser = new LineParser(context, line);
  const header = parser.attempt(() => parseHeader(parser));
  const body = parseBody(context, line, { isInLoop: false });
  if (!header) return undefined;
  const id = header.name?.text ?? anonymousId();
  const docstring = docstringOf(body);
  const start = decorators[0]?.span.start ?? line.start;
  return {
    kind: "Flow",
    id,
    ...header,
    decorators,
    ...(docstring === undefined ? {} : { docstring }),
    body,
    span: context.span({ start, end: endOfBlock(line) }),
    headerSpan: context.span(line),
  };
}

function docstringOf([first]: readonly Statement[]): string | undefined {
  if (first?.kind !== "Docstring") return undefined;
  const { value } = first;
  if (value.kind === "Literal") return String(value.value);
  // Templates in a docstring are rendered later, so the text is the raw source between the quotes.
  const written = first.span.source.text.slice(value.start, value.end);
  const quotes = /^("""|'''|["'])/.exec(written)?.[0].length ?? 0;
  return unescapeText(written.slice(quotes, written.length - quotes).replaceAll("\r\n", "\n"));
}

function parseHeader(parser: LineParser): FlowHeader {
  const { cursor } = parser;
  cursor.next();
  const name = parseFlowName(parser);
  const parameters = cursor.is("(") ? parser.parenthesised(() => parseParameter(parser)) : parseParameters(parser);
  const returnMembers = cursor.eat("->") ? parseMembers(parser) : [];
  const isTyped = cursor.eat(":") && parameters.length > 0 && cursor.peek().kind === "word";
  if (isTyped) parser.failHere("C2-113", "in the header of the flow", "parameters have no types: write `$parameter`");
  const hint = cursor.is(",") && parameters.length > 0 ? COMMA_HINT : HEADER_HINT;
  if (!cursor.isAtEnd()) parser.failHere("C2-113", "in the header of the flow", hint);
  checkNames(parser, [...parameters, ...returnMembers]);
  if (!name && parameters.length > 0) {
    const place = parameters[0]?.span ?? parser.line;
    parser.report("C2-113", "a flow without a name has no parameters", place, HEADER_HINT);
  }
  return { ...(name ? { name } : {}), parameters, returnMembers };
}

/** flowname = NAME { NAME } | "(" NAME { NAME } ")" */
function parseFlowName(parser: LineParser): Name | undefined {
  const { cursor, state } = parser;
  const isInParentheses = cursor.is("(") && cursor.peek(1).kind === "word";
  const open = isInParentheses ? cursor.next() : undefined;
  if (cursor.peek().kind !== "word") return undefined;
  const name = parseName(parser, () => false);
  if (open && !cursor.eat(")")) state.failUnclosed(open, ")");
  checkFlowName(parser, name);
  return name;
}

function checkFlowName(parser: LineParser, name: Name): void {
  const words = name.text.split(" ");
  const [first = ""] = words;
  const reserved = words.find((word) => GROUP_WORDS.has(word));
  if (reserved !== undefined) {
    const hint = `join it with its neighbours: \`_${reserved}_\``;
    parser.report("C2-113", `\`${reserved}\` cannot be a word of a flow name`, name.span, hint);
  } else if (isOperator(first)) {
    const hint = `\`${first}\` is an operation: begin the name with another word`;
    parser.report("C2-117", `flow name ${quoteText(name.text)} begins with an operation`, name.span, hint);
  } else if (STATEMENT_WORDS.has(first)) {
    const hint = `it can only be called with an operation: ${quoteText(`await ${name.text}`)}`;
    parser.report("C2-302", `flow name ${quoteText(name.text)} begins with a keyword`, name.span, hint);
  }
}

/** params = param { param } | "(" [ param { "," param } ] ")" */
function parseParameters(parser: LineParser): readonly Parameter[] {
  const parameters: Parameter[] = [];
  while (parser.cursor.peek().kind === "variable") parameters.push(parseParameter(parser));
  return parameters;
}

/** members = param { "," param } */
function parseMembers(parser: LineParser): readonly Parameter[] {
  const members = [parseParameter(parser)];
  while (parser.cursor.eat(",")) members.push(parseParameter(parser));
  return members;
}

/** param = VAR [ "=" expr ] */
function parseParameter(parser: LineParser): Parameter {
  const { cursor } = parser;
  const first = cursor.peek();
  if (first.kind !== "variable") {
    const hint = first.kind === "word" ? `a parameter is written ${quoteText(`$${first.text}`)}` : HEADER_HINT;
    parser.failHere("C2-113", "where a parameter is expected", hint);
  }
  const variable = cursor.next();
  const value = cursor.eat("=") ? parser.operand((at) => at.is("(")) : undefined;
  return { name: variable.text, ...(value ? { default: value } : {}), span: parser.span(variable.start) };
}

function checkNames(parser: LineParser, parameters: readonly Parameter[]): void {
  const seen = new Set<string>();
  for (const { name, span } of parameters) {
    if (seen.has(name))
      parser.report("C2-202", `${quoteText(`$${name}`)} is declared twice`, span, "give it another name");
    seen.add(name);
    if (name === "self" || name === "system") {
      parser.report("C2-123", `${quoteText(`$${name}`)} cannot be a parameter`, span, "give it another name");
    }
  }
}

/** decorator = "@" NAME [ "(" [ cargs ] ")" ] */
export function parseDecorator(context: ParseContext, line: LayoutLine): Decorator | undefined {
  const parser = new LineParser(context, line);
  return parser.attempt(() => {
    const { cursor } = parser;
    cursor.next();
    const name = cursor.peek();
    if (name.kind !== "word") parser.failHere("C2-121", "after `@`", "write a name, as in `@active`");
    cursor.next();
    const given = cursor.is("(") ? parseClassicArguments(parser) : [];
    if (!cursor.isAtEnd()) parser.failHere("C2-121", "after the decorator", "the flow stands on the next line");
    return { name: parser.nameOf(name), arguments: given, span: context.span(line) };
  });
}
