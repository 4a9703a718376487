import type { Expression } from "../../expressions/ast.js";
import { endOfBlock } from "../../syntax/block-reader.js";
import type { StatementOf, Statement } from "../ast.js";
import { LineParser } from "./line-parser.js";
import { reportAfterColon, reportStatementAfter } from "./parse-parameters.js";
import { type ParseStatement, peekSibling } from "./statement-input.js";

type Branch = StatementOf<"If">["branches"][number];

/** if = "if" expr body { "else" "if" expr body } [ "else" body ] */
export const parseIf: ParseStatement = (input) => {
  const { parser, siblings, base } = input;
  const branches: Branch[] = [];
  let otherwise: readonly Statement[] | undefined;
  let last = parser.line;
  const addBranch = (branch: LineParser): void => {
    const condition = parseCondition(branch);
    const body = input.parseBody(branch.line, input.scope);
    if (condition) branches.push({ condition, body, span: parser.span(branch.line) });
  };
  addBranch(parser);
  for (let line = peekSibling(input, "else"); line && !otherwise; line = peekSibling(input, "else")) {
    const branch = new LineParser(parser.context, line);
    branch.takeWord();
    if (branch.peekWord() === "when") break;
    siblings.next();
    last = line;
    if (branch.skipWord("if")) addBranch(branch);
    else {
      if (!reportAfterColon(branch)) branch.expectEnd("`else`", "write `else if <condition>`");
      otherwise = input.parseBody(line, input.scope);
    }
  }
  if (branches.length === 0) return [];
  const span = parser.span({ start: base.span.start, end: endOfBlock(last) });
  return [{ kind: "If", branches, ...(otherwise ? { otherwise } : {}), ...base, span }];
};

/** while = "while" expr body */
export const parseWhile: ParseStatement = (input) => {
  const { parser, base } = input;
  const condition = parseCondition(parser);
  const body = input.parseBody(parser.line, { isInLoop: true });
  const span = parser.span({ start: base.span.start, end: endOfBlock(parser.line) });
  return condition ? [{ kind: "While", condition, body, ...base, span }] : [];
};

/** check = "check" expr */
export const parseCheck: ParseStatement = ({ parser, base }) => {
  const condition = parseCondition(parser);
  return condition ? [{ kind: "Check", condition, ...base }] : [];
};

/** Reports an `else` without a beginning. */
export const parseStrayElse: ParseStatement = (input) => {
  const { parser } = input;
  const [message, hint] =
    parser.peekWord() === "when"
      ? ["`else when` without `when`", "write `when`"]
      : ["`else` without `if`", "`else` stands below an `if` of the same indentation"];
  parser.report("CO-110", message, parser.range, hint);
  input.parseBody(parser.line, input.scope);
  return [];
};

function parseCondition(parser: LineParser): Expression | undefined {
  const rest = parser.rest();
  if (rest.start === rest.end) {
    parser.report("CO-109", `expected a condition after \`${parser.text}\``, parser.range);
    return undefined;
  }
  const colon = parser.findOutside(rest, (character) => character === ":");
  if (colon === undefined) return parser.expression(rest);
  reportStatementAfter(parser, colon);
  return parser.expression(parser.trim({ start: rest.start, end: colon }));
}
