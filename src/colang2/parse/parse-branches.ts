import type { LayoutLine } from "../../syntax/layout.js";
import type { IfBranch, Statement } from "../ast.js";
import { LineParser } from "./line-parser.js";
import type { ParseStatement, StatementInput } from "./statement-input.js";

/** Where a line ends, its deeper lines included. */
export function endOf(line: LayoutLine): number {
  let last = line;
  for (let child = last.children.at(-1); child; child = last.children.at(-1)) last = child;
  return last.end;
}

/** ifstmt = "if" test suite { ( "elif" | "else" "if" ) test suite } [ "else" suite ] */
export const parseIf: ParseStatement = (input) => {
  const { base, context, siblings, line } = input;
  const branches: IfBranch[] = [];
  let last = line;
  const addBranch = (parser: LineParser, words: number): void => {
    const condition = parser.attempt(() => {
      for (let word = 0; word < words; word += 1) parser.cursor.next();
      const test = parser.test();
      parser.expectConditionEnd();
      return test;
    });
    last = parser.line;
    const body = input.parseBody(last);
    const span = context.span({ start: last.start, end: endOf(last) });
    if (condition) branches.push({ condition, body, span });
  };
  addBranch(input.parser, 1);
  for (;;) {
    const elseIf = siblings.peek("else", "if");
    const next = elseIf ?? siblings.peek("elif");
    if (!next) break;
    siblings.take();
    addBranch(new LineParser(context, next), elseIf ? 2 : 1);
  }
  const otherwise = parseElse(input, (line) => (last = line));
  if (branches.length === 0) return undefined;
  const span = context.span({ start: line.start, end: endOf(last) });
  return { kind: "If", branches, ...(otherwise ? { otherwise } : {}), ...base, span };
};

/** [ "else" [ ":" ] suite ] */
export function parseElse(input: StatementInput, onLine: (line: LayoutLine) => void): readonly Statement[] | undefined {
  const line = input.siblings.peek("else");
  if (!line) return undefined;
  input.siblings.take();
  onLine(line);
  const parser = new LineParser(input.context, line);
  parser.attempt(() => {
    parser.cursor.next();
    parser.expectHeaderEnd("after `else`");
  });
  return input.parseBody(line);
}
