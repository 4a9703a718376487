import type { Name } from "../ast.js";
import type { ParseStatement } from "./statement-input.js";

/** "return" [ test ] */
export const parseReturn: ParseStatement = ({ parser, base }) => {
  parser.cursor.next();
  return parser.cursor.isAtEnd() ? { kind: "Return", ...base } : { kind: "Return", value: parser.wholeTest(), ...base };
};

/** "log" expr | "print" expr | "priority" expr */
export function parseValueStatement(kind: "Log" | "Print" | "Priority"): ParseStatement {
  return ({ parser, base }) => {
    parser.cursor.next();
    return { kind, value: parser.wholeTest(), ...base };
  };
}

/** "(" test ")" */
export const parseEvaluate: ParseStatement = ({ parser, base }) => {
  return { kind: "Evaluate", value: parser.wholeTest(), ...base };
};

/** docstring = STRING | LONG */
export const parseDocstring: ParseStatement = ({ parser, base }) => {
  return { kind: "Docstring", value: parser.wholeTest(), ...base };
};

/** "abort" | "pass" | "break" | "continue" */
export function parsePlain(kind: "Abort" | "Pass" | "Break" | "Continue"): ParseStatement {
  return ({ parser, base, scope }) => {
    const word = parser.cursor.next();
    parser.expectEnd(`after \`${word.text}\``);
    if ((kind === "Break" || kind === "Continue") && !scope.isInLoop) {
      parser.report("C2-116", `\`${word.text}\` outside a loop`, word, "it belongs inside `while` or `for`");
      return undefined;
    }
    return { kind, ...base };
  };
}

/** "global" VAR { "," VAR } */
export const parseGlobal: ParseStatement = ({ parser, base }) => {
  const { cursor } = parser;
  cursor.next();
  const names: Name[] = [];
  do names.push(parser.variable("after `global`"));
  while (cursor.eat(","));
  parser.expectEnd("after `global`");
  return { kind: "Global", names, ...base };
};

/** NAME ":" */
export const parseLabel: ParseStatement = ({ parser, base }) => {
  const name = parser.nameOf(parser.cursor.next());
  parser.cursor.next();
  return { kind: "Label", name, ...base };
};

/** GEN = "..." alone on its line */
export const parseGenerateFlow: ParseStatement = ({ parser, base }) => {
  parser.cursor.next();
  if (!parser.cursor.isAtEnd()) {
    parser.failHere("C2-110", "after `...`", 'a generated value is assigned: `$x = ..."what it is"`');
  }
  return { kind: "GenerateFlow", ...base };
};
