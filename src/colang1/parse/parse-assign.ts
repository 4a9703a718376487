import { quoteText } from "../../diagnostics/diagnostic.js";
import type { Expression } from "../../expressions/ast.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { Statement, Target } from "../ast.js";
import type { LineParser, ParseStatement, StatementInput } from "./line-parser.js";
import { parseCall, parseRun } from "./parse-call.js";
import { parseText } from "./parse-message.js";

const TARGET = /\$([A-Za-z_]\w*)((?:\s*\.\s*[A-Za-z_]\w*)*)/y;
const OPERATOR = /\s*(\+=|-=|=(?!=))\s*/y;
const ANY_ASSIGNMENT = /\s*(\*\*=|\/\/=|>>=|<<=|[*/%&|^]=)/y;
const RUN = /(?:execute|exec|run)(?=\s+[^=\s]|\s*$)/y;
const CALL = /do(?=\s|$)/y;
const DOTS = /\.\.\.(?!\.)/y;

/** assign = "set" target ( "=" | "+=" | "-=" ) ( expr | "..." [ STRING ] ) */
export const parseSet: ParseStatement = (input) => {
  const { parser, word } = input;
  if (!parser.isDone() && parser.charAt(parser.at) === "$") return parseAssign(input);
  const place = parser.isDone() ? word : parser.rest();
  return parser.report("CO-110", "expected a variable after `set`", place, "write `set $name = value`");
};

/**
 * assign = target ( "=" | "+=" | "-=" ) ( expr | "..." [ STRING ] )
 * run    = target "=" ("execute" | "exec" | "run") NAME [ params ]
 * call   = target "=" "do" NAME [ params ]
 */
export const parseAssign: ParseStatement = (input) => {
  const { parser, base } = input;
  const target = parseTarget(parser);
  if (!target) return undefined;
  const operator = parser.match(OPERATOR);
  if (!operator) return reportNoAssignment(parser, target);
  parser.at += operator[0].length;
  if (operator[1] === "=") {
    if (parser.match(RUN)) return parseRun({ ...input, word: parser.takeWord() }, target);
    if (parser.match(CALL)) return parseCall({ ...input, word: parser.takeWord() }, target);
    if (parser.match(DOTS)) return parseGenerate(input, target);
  }
  const value = parser.expression(parser.rest());
  return value && { kind: "Assign", target, value: combine(operator[1] ?? "=", target, value), ...base };
};

function parseTarget(parser: LineParser): Target | undefined {
  const rest = parser.rest();
  const found = parser.match(TARGET);
  if (!found) {
    return parser.refuse("CO-110", rest, "is not a variable", "a variable is `$` and letters, digits or `_`");
  }
  const path = found[2]?.match(/\w+/g) ?? [];
  const range: TextRange = { start: rest.start, end: rest.start + found[0].length };
  parser.at = range.end;
  return { name: found[1] ?? "", path, span: parser.span(range) };
}

function reportNoAssignment(parser: LineParser, target: Target): undefined {
  const line = parser.range;
  const operator = parser.match(ANY_ASSIGNMENT);
  const name = parser.textOf(target.span);
  if (operator) {
    const [whole, sign = ""] = operator;
    const end = parser.at + whole.length;
    const hint = `write ${quoteText(`${name} = ${name} ${sign.slice(0, -1)} …`)}`;
    parser.report("CO-110", `unknown assignment \`${sign}\``, { start: end - sign.length, end }, hint);
  } else if (!parser.isDone() && parser.charAt(parser.at) === "[") {
    parser.report("CO-110", "only a variable or a property can be assigned", line, "write `$name.key = value`");
  } else {
    parser.refuse("CO-110", line, "does nothing", `assign with ${quoteText(`${name} = value`)}, test with \`if\``);
  }
}

/** Writes `+=` and `-=` out: `$x -= a - b` is `$x - (a - b)`. */
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

function parseGenerate({ parser, base }: StatementInput, target: Target): Statement | undefined {
  parser.at += 3;
  if (parser.isDone()) return { kind: "Generate", target, ...base };
  const first = parser.charAt(parser.at);
  if (first !== '"' && first !== "'") {
    return parser.expectEnd("`...`", 'instructions stand in quotes: `..."text"`');
  }
  const text = parseText(parser, parser.rest());
  return text && { kind: "Generate", target, instructions: text.value, ...base };
}
