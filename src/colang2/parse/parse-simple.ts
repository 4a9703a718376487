import type { Name, Statement } from "../ast.js";
import type { ParseStatement } from "./statement-input.js";

/** "return" [ test ] */
export const parseReturn: ParseStatement = ({ parser, base }) =>
  parser.attempt(() => {
    parser.cursor.next();
    if (parser.cursor.isAtEnd()) return { kind: "Return", ...base };
    const value = parser.test();
    parser.state.expectEnd();
    return { kind: "Return", value, ...base };
  });

/** "log" expr | "print" expr | "priority" expr */
export function parseValueStatement(kind: "Log" | "Print" | "Priority"): ParseStatement {
  return ({ parser, base }) =>
    parser.attempt(() => {
      parser.cursor.next();
      const value = parser.test();
      parser.state.expectEnd();
      return { kind, value, ...base };
    });
}

/** "(" test ")" */
export const parseEvaluate: ParseStatement = ({ parser, base }) =>
  parser.attempt(() => {
    const value = parser.test();
    parser.state.expectEnd();
    return { kind: "Evaluate", value, ...base };
  });

/** "abort" | "pass" | "break" | "continue" */
export function parsePlain(kind: "Abort" | "Pass" | "Break" | "Continue"): ParseStatement {
  return ({ parser, base, scope }) =>
    parser.attempt((): Statement | undefined => {
      const word = parser.cursor.next();
      parser.expectEnd(`after \`${word.text}\``);
      if ((kind === "Break" || kind === "Continue") && !scope.isInLoop) {
        parser.report("C2-116", `\`${word.text}\` outside a loop`, word, "it belongs inside `while` or `for`");
        return undefined;
      }
      return { kind, ...base };
    });
}

/** "global" VAR { "," VAR } */
export const parseGlobal: ParseStatement = ({ parser, base }) =>
  parser.attempt(() => {
    const { cursor } = parser;
    cursor.next();
    const names: Name[] = [];
    do names.push(parser.variable("after `global`"));
    while (cursor.eat(","));
    parser.expectEnd("after `global`");
    return { kind: "Global", names, ...base };
  });

/** NAME ":" */
export const parseLabel: ParseStatement = ({ parser, base }) =>
  parser.attempt(() => {
    const name = parser.nameOf(parser.cursor.next());
    parser.cursor.next();
    return { kind: "Label", name, ...base };
  });

/** docstring = STRING | LONG */
export const parseDocstring: ParseStatement = ({ parser, base }) =>
  parser.attempt(() => {
    const value = parser.test();
    parser.state.expectEnd();
    return { kind: "Docstring", value, ...base };
  });

/** GEN = "..." alone on its line */
export const parseGenerateFlow: ParseStatement = ({ parser, base }) =>
  parser.attempt(() => {
    parser.cursor.next();
    if (!parser.cursor.isAtEnd()) {
      parser.failHere("C2-110", "after `...`", 'a generated value is assigned: `$x = ..."what it is"`');
    }
    return { kind: "GenerateFlow", ...base };
  });
