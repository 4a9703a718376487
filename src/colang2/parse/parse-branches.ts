import { endOfBlock, type LayoutLine } from "../../syntax/layout.js";
import type { IfBranch, Statement } from "../ast.js";
import { LineParser } from "./line-parser.js";
import { type ParseStatement, peekSibling, type StatementInput } from "./statement-input.js";

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
export function parseElse(input: StatementInput, onLine: (line: LayoutLine) => void): readonly Statement[] | undefined {
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
