import { quoteText } from "../../diagnostics/diagnostic.js";
import type { Argument, Expression } from "../../expressions/ast.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { Statement, Target } from "../ast.js";
import { LineParser, type StatementInput } from "./line-parser.js";
import { takeParentheses, readName, readParameters } from "./parse-parameters.js";

const PARAMETER = /\$?([A-Za-z_]\w*)\s*(=(?!=)\s*)?/y;
const NAMED = /[A-Za-z_]\w*\s*=(?!=)/y;
const VARIABLE = /\$[A-Za-z_]/y;
const BARE_WORD = /^[A-Za-z_][\w-]*$/;
const CONSTANTS: ReadonlySet<string> = new Set(["True", "False", "None"]);

/**
 * call = "do" ( VAR { access } | NAME [ params | refParams ] )
 *
 * @param target - the variable that takes the value that the flow returns
 */
export function parseCall({ parser, word, base }: StatementInput, target?: Target): Statement | undefined {
  const result = target ? { target } : {};
  if (parser.isDone()) {
    return parser.report("CO-110", `expected a flow after \`${word.text}\``, word, "write `do <subflow>`");
  }
  if (parser.charAt(parser.at) === "$") {
    const value = parser.expression(parser.rest());
    return value && { kind: "Call", value, arguments: [], ...result, ...base };
  }
  const range = readFlowName(parser);
  if (range.start === range.end) return parser.refuse("CO-110", parser.rest(), "is not a flow", "write `do <subflow>`");
  const flow = parser.name(range);
  return { kind: "Call", flow, arguments: parseFlowParameters(parser), ...result, ...base };
}

/** Takes the name of a flow, which ends at a parenthesis or at the first parameter. */
export function readFlowName(parser: LineParser): TextRange {
  const start = parser.rest().start;
  const { range } = readName(parser, { parentheses: "call" });
  if (!parser.textOf(range).includes("$")) return range;
  for (let at = start; at < range.end; at += 1) {
    if (!parser.match(VARIABLE, at) || (at > start && /\S/.test(parser.charAt(at - 1)))) continue;
    parser.at = at;
    return parser.trim({ start, end: at });
  }
  return range;
}

/** refParams = { "$" IDENT [ "=" WORD ] } */
function parseFlowParameters(parser: LineParser): readonly Argument[] {
  if (parser.isDone()) return [];
  if (parser.charAt(parser.at) === "(") {
    const inside = takeParentheses(parser);
    if (inside === undefined) return [];
    parser.expectEnd("the flow");
    return parseParts(parser, parser.splitAtCommas(inside), true);
  }
  const hasParameters = parser.skipWord("with") || parser.skipWord("for") || parser.match(VARIABLE);
  if (hasParameters) return parseParts(parser, splitAtVariables(parser, parser.rest()), false);
  parser.expectEnd("the flow");
  return [];
}

/** Splits parameters: each begins at a `$` outside strings and brackets that follows a blank or a comma. */
export function splitAtVariables(parser: LineParser, range: TextRange): readonly TextRange[] {
  const text = parser.textOf(range);
  if (!text.includes("$") && !text.includes("=")) return [trimPart(parser, range)];
  const starts: number[] = [];
  let before = ",";
  parser.findOutside(range, (character, at) => {
    const isFirst = at === range.start || /[\s,]/.test(parser.charAt(at - 1));
    if (isFirst && before !== "=" && (parser.match(VARIABLE, at) ?? parser.match(NAMED, at))) starts.push(at);
    if (!/\s/.test(character)) before = character;
    return false;
  });
  if (starts[0] !== range.start) starts.unshift(range.start);
  return starts.map((start, index) => trimPart(parser, { start, end: starts[index + 1] ?? range.end }));
}

/** Removes the blanks around a part, and a comma at its end. */
function trimPart(parser: LineParser, range: TextRange): TextRange {
  const part = parser.trim(range);
  return parser.charAt(part.end - 1) === "," ? parser.trim({ start: range.start, end: part.end - 1 }) : part;
}

function parseParts(parser: LineParser, parts: readonly TextRange[], isList: boolean): readonly Argument[] {
  return parts.flatMap((part): readonly Argument[] => {
    if (part.start === part.end) return [];
    const found = parser.match(PARAMETER, part.start);
    const name = found?.[1];
    const isWhole = found !== undefined && part.start + found[0].trimEnd().length === part.end;
    const isBare = isWhole && !(isList && parser.charAt(part.start) === "$");
    if (!found || name === undefined || (found[2] === undefined && !isBare)) {
      // A positional argument: the callee's declared parameters give it a name.
      const value = parser.expression(part);
      return value ? [{ value, ...part }] : [];
    }
    const valueRange = { start: Math.min(part.end, part.start + found[0].length), end: part.end };
    const value = found[2] ? parseValue(parser, valueRange) : ({ kind: "Literal", value: null, ...part } as const);
    return value ? [{ name, value, ...part }] : [];
  });
}

/** Reads a value; bare words are texts here, as in the list of rails. */
function parseValue(parser: LineParser, range: TextRange): Expression | undefined {
  const text = parser.textOf(range);
  if (BARE_WORD.test(text) && !CONSTANTS.has(text)) return { kind: "Literal", value: text, ...range };
  return parser.expression(range);
}

const ENTRY = /\$?([A-Za-z_]\w*)\s*[:=](?!=)\s*/y;

/**
 * run = ("execute" | "exec" | "run") NAME [ params ]
 *
 * @param target - the variable that takes the result
 */
export function parseRun({ parser, word, base }: StatementInput, target?: Target): Statement | undefined {
  const { range } = readName(parser, { parentheses: "call" });
  if (range.start === range.end) {
    return parser.report(
      "CO-110",
      `expected an action after \`${word.text}\``,
      word,
      "write `execute <action>(name=value)`",
    );
  }
  const action = parser.name(range);
  const parameters = readParameters(parser);
  parser.expectEnd("the action");
  const given = [...(parameters ? parser.arguments(parameters) : []), ...parseEntries(parser)];
  return { kind: "Run", action, arguments: given, ...(target ? { target } : {}), ...base };
}

/** Reads the deeper lines, which are arguments: `name: value`. */
function parseEntries(parser: LineParser): readonly Argument[] {
  return parser.line.children.flatMap((line): readonly Argument[] => {
    const entry = new LineParser(parser.context, line);
    const found = entry.match(ENTRY);
    const name = found?.[1];
    if (line.kind !== "code" || !found || name === undefined) {
      const hint = "deeper lines below an action are its arguments: `name: value`";
      parser.report("CO-105", `unexpected indentation of ${quoteText(line.text)}`, line, hint);
      return [];
    }
    entry.at += found[0].length;
    const value = parser.expression(entry.rest());
    return value ? [{ name, value, start: line.start, end: line.end }] : [];
  });
}
