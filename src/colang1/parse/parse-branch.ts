import type { Expression } from "../../expressions/ast.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { StatementOf, Statement } from "../ast.js";
import { LineCursor } from "./line-cursor.js";
import type { ParseContext } from "./parse-context.js";
import { expectEnd, reportAfterColon } from "./parse-parameters.js";
import { findOutside } from "./scan-text.js";
import type { ParseStatement } from "./statement-input.js";

type Branch = StatementOf<"If">["branches"][number];

/** if = "if" expr body { "else" "if" expr body } [ "else" body ] */
export const parseIf: ParseStatement = (input) => {
  const { context, cursor, siblings, base } = input;
  const branches: Branch[] = [];
  let otherwise: readonly Statement[] | undefined;
  let last = cursor.line;
  const addBranch = (branch: LineCursor): void => {
    const condition = parseCondition(context, branch);
    const body = input.parseBody(branch.line, input.scope);
    if (condition) branches.push({ condition, body, span: context.span(branch.line) });
  };
  addBranch(cursor);
  for (let line = siblings.peek("else"); line && !otherwise; line = siblings.peek("else")) {
    const branch = new LineCursor(line);
    branch.takeWord();
    if (branch.peekWord() === "when") break;
    siblings.take();
    last = line;
    if (branch.skipWord("if")) addBranch(branch);
    else {
      if (!reportAfterColon(context, branch)) expectEnd(context, branch, "`else`", "write `else if <condition>`");
      otherwise = input.parseBody(line, input.scope);
    }
  }
  if (branches.length === 0) return [];
  const span = context.span({ start: base.span.start, end: endOf(last) });
  return [{ kind: "If", branches, ...(otherwise ? { otherwise } : {}), ...base, span }];
};

/** while = "while" expr body */
export const parseWhile: ParseStatement = (input) => {
  const { context, cursor, base } = input;
  const condition = parseCondition(context, cursor);
  const body = input.parseBody(cursor.line, { isInLoop: true });
  const span = context.span({ start: base.span.start, end: endOf(cursor.line) });
  return condition ? [{ kind: "While", condition, body, ...base, span }] : [];
};

/** check = "check" expr */
export const parseCheck: ParseStatement = ({ context, cursor, base }) => {
  const condition = parseCondition(context, cursor);
  return condition ? [{ kind: "Check", condition, ...base }] : [];
};

/** An `else` that belongs to nothing. */
export const parseStrayElse: ParseStatement = (input) => {
  const { context, cursor } = input;
  const line = { start: cursor.start, end: cursor.end };
  const written = cursor.peekWord();
  const isWhen = written === "when";
  context.report("CO-110", isWhen ? "`else when` without `when`" : "`else` without `if`", line, elseHint(isWhen));
  input.parseBody(cursor.line, input.scope);
  return [];
};

function elseHint(isWhen: boolean): string {
  return isWhen ? "write `when`" : "`else` stands below an `if` of the same indentation";
}

/** The end of a line and all that is deeper. */
export function endOf(line: LayoutLine): number {
  let last = line;
  for (let next = last.children.at(-1); next; next = last.children.at(-1)) last = next;
  return last.end;
}

function parseCondition(context: ParseContext, cursor: LineCursor): Expression | undefined {
  const rest = cursor.rest();
  if (rest.start === rest.end) {
    const word = { start: cursor.start, end: cursor.end };
    context.report("CO-109", `expected a condition after \`${cursor.text(word)}\``, word);
    return undefined;
  }
  const colon = findOutside(cursor, rest, (character) => character === ":");
  if (colon === undefined) return context.expression(rest);
  const after = cursor.trim({ start: colon + 1, end: cursor.end });
  context.report("CO-110", "statement after the colon", after, "write it on the next line, indented");
  return context.expression(cursor.trim({ start: rest.start, end: colon }));
}
