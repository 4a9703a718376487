import { endOfBlock } from "../../syntax/layout.js";
import type { ParseStatement } from "./statement-input.js";

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
