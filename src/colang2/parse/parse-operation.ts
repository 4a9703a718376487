import type { StatementOf, Operator, Statement, Target } from "../ast.js";
import type { LineParser } from "./line-parser.js";
import { parseGroup } from "./parse-group.js";
import { isOperator } from "./reserved-words.js";
import type { StatementInput } from "./statement-input.js";

/** opstmt = [ operator ] group */
export function parseOperation({ parser, base }: StatementInput): Statement {
  const operation = readOperation(parser);
  parser.expectEnd("after the statement");
  return { ...operation, ...base };
}

/** The operation at the cursor, also on the right side of an assignment. */
export function readOperation(parser: LineParser, target?: Target): Omit<StatementOf<"Operation">, "span" | "comment"> {
  const { cursor } = parser;
  const word = cursor.peek();
  const written = word.kind === "word" && isOperator(word.text) ? word.text : undefined;
  if (written !== undefined) cursor.next();
  const operator: Operator = written ?? "await";
  const group = parseGroup(parser);
  const isImplicit = written === undefined;
  return { kind: "Operation", operator, isImplicit, group, ...(target ? { target } : {}) };
}
