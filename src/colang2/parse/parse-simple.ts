import type { Name, Statement, Target, TargetStep } from "../ast.js";
import type { ParseStatement, StatementInput, LineParser } from "./line-parser.js";
import type { TokenCursor } from "../../syntax/cursor.js";
import { COLANG_2_DIALECT } from "../expression-dialect.js";
import { parseInstructions, startsGeneratedValue } from "./parse-arguments.js";
import { readOperation } from "./parse-spec.js";
import { CONSTANT_WORDS, isOperator } from "./reserved-words.js";
import { quoteText } from "../../diagnostics/diagnostic.js";

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

const ASSIGNMENTS: ReadonlySet<string> = new Set(["=", "+=", "-="]);

const BRACKETS: ReadonlyMap<string, number> = new Map([
  ["[", 1],
  ["(", 1],
  ["{", 1],
  ["]", -1],
  [")", -1],
  ["}", -1],
]);

const PREDEFINED: ReadonlySet<string> = new Set(["self", "system"]);

/** Returns true if the line is an assignment: a variable, with optional member steps, before an assignment operator. */
export function isAssignment(cursor: TokenCursor): boolean {
  if (cursor.peek().kind !== "variable") return false;
  let depth = 0;
  for (let ahead = 1; ; ahead += 1) {
    const token = cursor.peek(ahead);
    if (token.kind === "end") return false;
    if (token.kind === "punctuation") {
      if (depth === 0 && ASSIGNMENTS.has(token.text)) return true;
      if (depth === 0 && token.text !== "[" && token.text !== ".") return false;
      depth += BRACKETS.get(token.text) ?? 0;
    } else if (depth === 0 && (token.kind !== "word" || cursor.peek(ahead - 1).text !== ".")) return false;
  }
}

/** assign = target "=" ( opstmt | test | NLD ) ; augassign = target ( "+=" | "-=" ) test */
export function parseAssign({ parser, base }: StatementInput): Statement {
  const { cursor } = parser;
  const target = parseTarget(parser);
  const operator = cursor.next().text as "=" | "+=" | "-=";
  if (operator === "=" && startsGeneratedValue(cursor)) {
    const instructions = parseInstructions(parser);
    parser.expectEnd("after the assignment");
    return { kind: "GenerateValue", target, instructions, ...base };
  }
  if (operator === "=" && startsOperation(cursor)) {
    const operation = readOperation(parser, target);
    parser.expectEnd("after the assignment");
    return { ...operation, ...base };
  }
  return { kind: "Assign", operator, target, value: parser.wholeTest(), ...base };
}

/** target = VAR { "." NAME | "[" test "]" } */
function parseTarget(parser: LineParser): Target {
  const { cursor, state } = parser;
  const variable = cursor.next();
  if (PREDEFINED.has(variable.text)) {
    const hint = "use a variable of your own";
    parser.report("C2-123", `${quoteText(`$${variable.text}`)} cannot be assigned`, variable, hint);
  }
  const path: TargetStep[] = [];
  for (;;) {
    const open = cursor.peek();
    if (cursor.eat(".")) {
      const member = cursor.next();
      if (member.text.startsWith("_")) {
        parser.report("C2-111", `${quoteText(member.text)} cannot be written: its name begins with \`_\``, member);
      }
      path.push({ member: member.text });
    } else if (cursor.eat("[")) {
      path.push({ index: parser.test() });
      if (!cursor.eat("]")) state.failUnclosed(open, "]");
    } else {
      return { name: variable.text, path, span: parser.span(variable.start) };
    }
  }
}

/** Returns true for a flow or an action: its first word is neither a value nor a function of expressions. */
function startsOperation(cursor: TokenCursor): boolean {
  const token = cursor.peek();
  if (token.kind !== "word") return token.kind === "punctuation" && token.text === "(" && opensGroup(cursor);
  if (isOperator(token.text)) return true;
  return !isValueWord(cursor, 0);
}

/** Returns true if the word here starts an expression. */
function isValueWord(cursor: TokenCursor, ahead: number): boolean {
  const { text } = cursor.peek(ahead);
  if (CONSTANT_WORDS.has(text) || text === "not") return true;
  const next = cursor.peek(ahead + 1);
  return next.kind === "punctuation" && next.text === "(" && COLANG_2_DIALECT.functions.has(text);
}

/** Returns true if the parenthesis here contains flows, actions and events rather than an expression. */
export function opensGroup(cursor: TokenCursor): boolean {
  let ahead = 0;
  while (cursor.peek(ahead).kind === "punctuation" && cursor.peek(ahead).text === "(") ahead += 1;
  return cursor.peek(ahead).kind === "word" && !isValueWord(cursor, ahead);
}
