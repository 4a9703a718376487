import type { Expression } from "../../expressions/ast.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { Statement, Target } from "../ast.js";
import type { LineCursor } from "./line-cursor.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { parseCallWith } from "./parse-call.js";
import { parseText } from "./parse-message.js";
import { expectEnd } from "./parse-parameters.js";
import { parseRunWith } from "./parse-run.js";
import type { ParseStatement, StatementInput } from "./statement-input.js";

const TARGET = /\$([A-Za-z_]\w*)((?:\s*\.\s*[A-Za-z_]\w*)*)/y;
const OPERATOR = /\s*(\+=|-=|=(?!=))\s*/y;
const ANY_ASSIGNMENT = /\s*(\*\*=|\/\/=|>>=|<<=|[*/%&|^]=)/y;
const RUN = /(?:execute|exec|run)(?=\s+[^=\s]|\s*$)/y;
const CALL = /do(?=\s|$)/y;
const DOTS = /\.\.\.(?!\.)/y;

/** assign = "set" target ( "=" | "+=" | "-=" ) ( expr | "..." [ STRING ] ) */
export const parseSet: ParseStatement = (input) => {
  const { context, cursor, word } = input;
  if (!cursor.isDone() && cursor.charAt(cursor.at) === "$") return parseAssign(input);
  const rest = cursor.rest();
  context.report(
    "CO-110",
    "expected a variable after `set`",
    rest.start < rest.end ? rest : word,
    "write `set $name = value`",
  );
  return [];
};

/**
 * assign = target ( "=" | "+=" | "-=" ) ( expr | "..." [ STRING ] )
 * run    = target "=" ("execute" | "exec" | "run") NAME [ params ]
 * call   = target "=" "do" NAME [ params ]
 */
export const parseAssign: ParseStatement = (input) => {
  const { context, cursor, base } = input;
  const target = parseTarget(context, cursor);
  if (!target) return [];
  const operator = cursor.match(OPERATOR);
  if (!operator) {
    reportNoAssignment(context, cursor, target);
    return [];
  }
  cursor.at += operator[0].length;
  if (operator[1] === "=") {
    const word = { text: cursor.peekWord(), start: cursor.at, end: cursor.at + cursor.peekWord().length };
    if (cursor.match(RUN) || cursor.match(CALL)) {
      cursor.takeWord();
      const parse = word.text === "do" ? parseCallWith : parseRunWith;
      return parse({ ...input, word }, target);
    }
    if (cursor.match(DOTS)) return parseGenerate(input, target);
  }
  const range = cursor.rest();
  const value = context.expression(range);
  return value ? [{ kind: "Assign", target, value: combine(operator[1] ?? "=", target, value), ...base }] : [];
};

function parseTarget(context: ParseContext, cursor: LineCursor): Target | undefined {
  const rest = cursor.rest();
  const found = cursor.match(TARGET);
  if (!found) {
    context.report(
      "CO-110",
      `${quoteText(cursor.text(rest))} is not a variable`,
      rest,
      "a variable is `$` and letters, digits or `_`",
    );
    return undefined;
  }
  const path = (found[2] ?? "")
    .split(".")
    .slice(1)
    .map((part) => part.trim());
  const range: TextRange = { start: rest.start, end: rest.start + found[0].length };
  cursor.at = range.end;
  return { name: found[1] ?? "", path, span: context.span(range) };
}

function reportNoAssignment(context: ParseContext, cursor: LineCursor, target: Target): void {
  const line = { start: cursor.start, end: cursor.end };
  const operator = cursor.match(ANY_ASSIGNMENT);
  const name = cursor.text(target.span);
  if (operator) {
    const place = {
      start: cursor.at + operator[0].length - (operator[1]?.length ?? 0),
      end: cursor.at + operator[0].length,
    };
    const sign = operator[1]?.slice(0, -1) ?? "";
    context.report(
      "CO-110",
      `unknown assignment \`${operator[1] ?? ""}\``,
      place,
      `write ${quoteText(`${name} = ${name} ${sign} …`)}`,
    );
  } else if (!cursor.isDone() && cursor.charAt(cursor.at) === "[") {
    context.report("CO-110", "only a variable or a property can be assigned", line, "write `$name.key = value`");
  } else {
    context.report(
      "CO-110",
      `${quoteText(cursor.text(line))} does nothing`,
      line,
      `assign with ${quoteText(`${name} = value`)}, test with \`if\``,
    );
  }
}

/** `$x -= a - b` is `$x - (a - b)`. */
function combine(operator: string, target: Target, value: Expression): Expression {
  if (operator === "=") return value;
  const { start, end } = target.span;
  const variable: Expression = { kind: "Variable", name: target.name, start, end };
  const left = target.path.reduce<Expression>(
    (object, name) => ({ kind: "Member", object, name, start, end }),
    variable,
  );
  return { kind: "Binary", operator: operator === "+=" ? "+" : "-", left, right: value, start, end: value.end };
}

function parseGenerate({ context, cursor, base }: StatementInput, target: Target): readonly Statement[] {
  cursor.at += 3;
  if (cursor.isDone()) return [{ kind: "Generate", target, ...base }];
  const first = cursor.charAt(cursor.at);
  if (first !== '"' && first !== "'") {
    expectEnd(context, cursor, "`...`", 'instructions stand in quotes: `..."text"`');
    return [];
  }
  const text = parseText(context, cursor, cursor.rest());
  return text ? [{ kind: "Generate", target, instructions: text.value, ...base }] : [];
}
