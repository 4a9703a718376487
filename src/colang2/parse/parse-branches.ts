import { endOfBlock, type LayoutLine } from "../../syntax/layout.js";
import type { IfBranch, Statement, WhenCase } from "../ast.js";
import { LineParser } from "./line-parser.js";
import { type ParseStatement, peekSibling, type StatementInput } from "./statement-input.js";
import { parseGroup } from "./parse-spec.js";

/** ifstmt = "if" test suite { ( "elif" | "else" "if" ) test suite } [ "else" suite ] */
export const parseIf: ParseStatement = (input) => {
  const { base, context, siblings, line } = input;
  const branches: IfBranch[] = [];
  let last = line;
  const addBranch = (parser: LineParser, words: number): void => {
    const condition = parser.condition(words);
    last = parser.line;
    const body = input.parseBody(last);
    const span = context.span({ start: last.start, end: endOfBlock(last) });
    if (condition) branches.push({ condition, body, span });
  };
  addBranch(input.parser, 1);
  for (;;) {
    const elseIf = peekSibling(input, "else", "if");
    const next = elseIf ?? peekSibling(input, "elif");
    if (!next) break;
    siblings.next();
    addBranch(new LineParser(context, next), elseIf ? 2 : 1);
  }
  const otherwise = parseElse(input, (line) => (last = line));
  if (branches.length === 0) return undefined;
  const span = context.span({ start: line.start, end: endOfBlock(last) });
  return { kind: "If", branches, ...(otherwise ? { otherwise } : {}), ...base, span };
};

/** [ "else" [ ":" ] suite ] */
function parseElse(input: StatementInput, onLine: (line: LayoutLine) => void): readonly Statement[] | undefined {
  const line = peekSibling(input, "else");
  if (!line) return undefined;
  input.siblings.next();
  onLine(line);
  const parser = new LineParser(input.context, line);
  parser.attempt(() => {
    parser.cursor.next();
    parser.expectHeaderEnd("after `else`");
  });
  return input.parseBody(line);
}

/** whenstmt = "when" group suite { "or" "when" group suite } [ "else" suite ] */
export const parseWhen: ParseStatement = (input) => {
  const { base, context, siblings, line } = input;
  const cases: WhenCase[] = [];
  let last = line;
  const addCase = (parser: LineParser, words: number): void => {
    const group = parser.attempt(() => {
      for (let word = 0; word < words; word += 1) parser.cursor.next();
      const found = parseGroup(parser);
      parser.expectHeaderEnd("after what `when` waits for");
      return found;
    });
    last = parser.line;
    const body = input.parseBody(last);
    const span = context.span({ start: last.start, end: endOfBlock(last) });
    if (group) cases.push({ group, body, span });
  };
  addCase(input.parser, 1);
  for (let next = peekSibling(input, "or", "when"); next; next = peekSibling(input, "or", "when")) {
    siblings.next();
    addCase(new LineParser(context, next), 2);
  }
  const otherwise = parseElse(input, (found) => (last = found));
  if (cases.length === 0) return undefined;
  const span = context.span({ start: line.start, end: endOfBlock(last) });
  return { kind: "When", cases, ...(otherwise ? { otherwise } : {}), ...base, span };
};

const INSIDE = { isInLoop: true } as const;

/** whilestmt = "while" test [ ":" ] suite */
export const parseWhile: ParseStatement = ({ parser, base, context, line, parseBody }) => {
  const condition = parser.condition(1);
  const body = parseBody(line, INSIDE);
  const span = context.span({ start: line.start, end: endOfBlock(line) });
  return condition && { kind: "While", condition, body, ...base, span };
};

/** forstmt = "for" VAR "in" test [ ":" ] suite */
export const parseFor: ParseStatement = ({ parser, base, context, line, parseBody }) => {
  const header = parser.attempt(() => {
    const { cursor } = parser;
    cursor.next();
    const variable = parser.variable("after `for`");
    if (!cursor.eat("in")) parser.failHere("C2-110", "where `in` is expected", "write `for $x in $list`");
    const iterable = parser.test();
    parser.expectConditionEnd();
    return { variable, iterable };
  });
  const body = parseBody(line, INSIDE);
  const span = context.span({ start: line.start, end: endOfBlock(line) });
  return header && { kind: "For", ...header, body, ...base, span };
};
