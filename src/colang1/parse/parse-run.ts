import { quoteText } from "../../diagnostics/diagnostic.js";
import type { Argument } from "../../expressions/ast.js";
import type { StatementOf, Target } from "../ast.js";
import { LineParser } from "./line-parser.js";
import { readName } from "./parse-name.js";
import { readParameters } from "./parse-parameters.js";
import type { StatementInput } from "./statement-input.js";

const ENTRY = /\$?([A-Za-z_]\w*)\s*[:=](?!=)\s*/y;

/**
 * run = ("execute" | "exec" | "run") NAME [ params ]
 *
 * @param target - the variable that takes the result
 */
export function parseRun({ parser, word, base }: StatementInput, target?: Target): readonly StatementOf<"Run">[] {
  const { range } = readName(parser, { parentheses: "call" });
  if (range.start === range.end) {
    parser.report("CO-110", `expected an action after \`${word.text}\``, word, "write `execute <action>(name=value)`");
    return [];
  }
  const action = parser.name(range);
  const parameters = readParameters(parser);
  parser.expectEnd("the action");
  const given = [...(parameters ? parser.arguments(parameters) : []), ...parseEntries(parser)];
  return [{ kind: "Run", action, arguments: given, ...(target ? { target } : {}), ...base }];
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
