import type { Expression } from "../../expressions/ast.js";
import type { TokenCursor, Token } from "../../syntax/cursor.js";
import type { CallArgument } from "../ast.js";
import type { LineParser } from "./line-parser.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import { GROUP_WORDS, isLifecycleMember } from "./reserved-words.js";

/** cargs = carg { "," carg } [ "," ], between parentheses of which the cursor stands at the first */
export function parseClassicArguments(parser: LineParser): readonly CallArgument[] {
  const given = parser.parenthesised(() => parseClassicArgument(parser));
  checkArguments(parser, given);
  return given;
}

/** carg = [ NAME "=" ] ( test | NLD ) | "*" test | "**" test */
function parseClassicArgument(parser: LineParser): CallArgument {
  const { cursor } = parser;
  const first = cursor.peek();
  const spread = cursor.is("*") ? "*" : cursor.is("**") ? "**" : undefined;
  if (spread) {
    cursor.next();
    const value = parser.test();
    return { value, isGenerated: false, spread, span: parser.span(first.start) };
  }
  const name = takeArgumentName(parser, first.kind === "word" || first.kind === "variable");
  return finishArgument(parser, first, name, () => parser.test());
}

/** sargs = sarg { sarg } ; sarg = VAR "=" ( expr | NLD ) | expr | NLD */
export function parseSimpleArguments(parser: LineParser): readonly CallArgument[] {
  const { cursor } = parser;
  const given: CallArgument[] = [];
  while (startsArgument(cursor)) {
    const first = cursor.peek();
    const name = takeArgumentName(parser, first.kind === "variable");
    given.push(finishArgument(parser, first, name, () => parser.operand(endsSimpleArgument)));
  }
  checkArguments(parser, given);
  return given;
}

function takeArgumentName({ cursor }: LineParser, canBeNamed: boolean): string | undefined {
  const next = cursor.peek(1);
  if (!canBeNamed || next.kind !== "punctuation" || next.text !== "=") return undefined;
  const { text } = cursor.next();
  cursor.next();
  return text;
}

function finishArgument(
  parser: LineParser,
  first: Token,
  name: string | undefined,
  read: () => Expression,
): CallArgument {
  const isGenerated = startsGeneratedValue(parser.cursor);
  const value = isGenerated ? parseInstructions(parser) : read();
  return { ...(name === undefined ? {} : { name }), value, isGenerated, span: parser.span(first.start) };
}

/** NLD = "..." followed by a string */
export function startsGeneratedValue(cursor: TokenCursor): boolean {
  const { kind } = cursor.peek(1);
  return cursor.is("...") && (kind === "string" || kind === "long-string");
}

/** Signs and words that compute with the value before them; an argument starts with none of them. */
const OPERATORS: ReadonlySet<string> = new Set("+ * / // % ** | ^ & << >> < > <= >= == != <> in is not if".split(" "));

/** The text of a generated value as an expression: a template, like every string. */
export function parseInstructions(parser: LineParser): Expression {
  parser.cursor.next();
  const instructions = parser.string();
  if (OPERATORS.has(parser.cursor.peek().text)) {
    const hint = "assign the generated value to a variable first, then use the variable";
    parser.failHere("C2-110", "after a generated value", hint);
  }
  return instructions;
}

const OPENING: ReadonlySet<string> = new Set(["(", "[", "{", "-", "+", "~", "..."]);

function startsArgument(cursor: TokenCursor): boolean {
  const { kind, text } = cursor.peek();
  switch (kind) {
    case "word":
      return !GROUP_WORDS.has(text);
    case "punctuation":
      return OPENING.has(text);
    case "invalid":
    case "end":
      return false;
    default:
      return true;
  }
}

/** A parenthesis starts the next argument, and a flow lifecycle member belongs to the flow. */
function endsSimpleArgument(cursor: TokenCursor): boolean {
  if (cursor.is("(")) return true;
  if (!cursor.is(".")) return false;
  const name = cursor.peek(1);
  if (name.kind !== "word" || !isLifecycleMember(name.text)) return false;
  const after = cursor.peek(2);
  if (after.kind === "end") return true;
  if (after.kind === "punctuation") return after.text === "(" || after.text === ")" || after.text === ":";
  return after.kind === "word" && GROUP_WORDS.has(after.text);
}

function checkArguments(parser: LineParser, given: readonly CallArgument[]): void {
  const names = new Set<string>();
  let isNamed = false;
  for (const { name, spread, span } of given) {
    if (name !== undefined) {
      if (names.has(name))
        parser.report("C2-125", `argument ${quoteText(name)} is given twice`, span, "remove one of them");
      names.add(name);
    }
    if (name !== undefined || spread === "**") isNamed = true;
    else if (isNamed && spread === undefined) {
      const hint = "write the positional arguments first, or name this one";
      parser.report("C2-114", "positional argument after a named one", span, hint);
    }
  }
}
