import type { IfBranch, Statement, WhenCase } from "../ast.js";
import { LineParser } from "./line-parser.js";
import { type ParseStatement, peekSibling, type StatementInput } from "./statement-input.js";
import { parseGroup } from "./parse-spec.js";

/** ifstmt = "if" test suite { ( "elif" | "else" "if" ) test suite } [ "else" suite ] */
export const parseIf: ParseStatement = (input) => {
  const { base, context, siblings } = input;
  const branches: IfBranch[] = [];
  const addBranch = (parser: LineParser, words: number): void => {
    const condition = parser.condition(words);
    const body = input.parseBody(parser.line);
    const span = context.spanOfBlock(parser.line);
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
  const otherwise = parseElse(input);
  return branches.length > 0 ? { kind: "If", branches, ...(otherwise && { otherwise }), ...base } : undefined;
};

/** [ "else" [ ":" ] suite ] */
function parseElse(input: StatementInput): readonly Statement[] | undefined {
  const line = peekSibling(input, "else");
  if (!line) return undefined;
  input.siblings.next();
  const parser = new LineParser(input.context, line);
  parser.attempt(() => {
    parser.cursor.next();
    parser.expectHeaderEnd("after `else`");
  });
  return input.parseBody(line);
}

/** whenstmt = "when" group suite { "or" "when" group suite } [ "else" suite ] */
export const parseWhen: ParseStatement = (input) => {
  const { base, context, siblings } = input;
  const cases: WhenCase[] = [];
  const addCase = (parser: LineParser, words: number): void => {
    const group = parser.attempt(() => {
      for (let word = 0; word < words; word += 1) parser.cursor.next();
      const found = parseGroup(parser);
      parser.expectHeaderEnd("after what `when` waits for");
      return found;
    });
    const body = input.parseBody(parser.line);
    const span = context.spanOfBlock(parser.line);
    if (group) cases.push({ group, body, span });
  };
  addCase(input.parser, 1);
  for (let next = peekSibling(input, "or", "when"); next; next = peekSibling(input, "or", "when")) {
    siblings.next();
    addCase(new LineParser(context, next), 2);
  }
  const otherwise = parseElse(input);
  return cases.length > 0 ? { kind: "When", cases, ...(otherwise && { otherwise }), ...base } : undefined;
};

const INSIDE = { isInLoop: true } as const;

/** whilestmt = "while" test [ ":" ] suite */
export const parseWhile: ParseStatement = ({ parser, base, line, parseBody }) => {
  const condition = parser.condition(1);
  const body = parseBody(line, INSIDE);
  return condition && { kind: "While", condition, body, ...base };
};

/** forstmt = "for" VAR "in" test [ ":" ] suite */
export const parseFor: ParseStatement = ({ parser, base, line, parseBody }) => {
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
  return header && { kind: "For", ...header, body, ...base };
};
