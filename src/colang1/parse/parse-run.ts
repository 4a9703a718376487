import type { Argument } from "../../expressions/ast.js";
import type { StatementOf, Target } from "../ast.js";
import { LineCursor } from "./line-cursor.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { readName } from "./parse-name.js";
import { expectEnd, readParameters } from "./parse-parameters.js";
import type { ParseStatement, StatementInput } from "./statement-input.js";

const ENTRY = /\$?([A-Za-z_]\w*)\s*[:=](?!=)\s*/y;

/** run = ("execute" | "exec" | "run") NAME [ params ] */
export const parseRun: ParseStatement = (input) => parseRunWith(input);

/** The same with the variable that takes the result. */
export function parseRunWith(
  { context, cursor, word, base }: StatementInput,
  target?: Target,
): readonly StatementOf<"Run">[] {
  const { range } = readName(cursor, { parentheses: "call" });
  if (range.start === range.end) {
    context.report("CO-110", `expected an action after \`${word.text}\``, word, "write `execute <action>(name=value)`");
    return [];
  }
  const action = context.name(cursor, range);
  const parameters = readParameters(context, cursor);
  expectEnd(context, cursor, "the action");
  const given = [...(parameters ? context.arguments(parameters) : []), ...parseEntries(context, cursor)];
  return [{ kind: "Run", action, arguments: given, ...(target ? { target } : {}), ...base }];
}

/** Deeper lines `name: value` are arguments too. */
function parseEntries(context: ParseContext, cursor: LineCursor): readonly Argument[] {
  return cursor.line.children.flatMap((line): readonly Argument[] => {
    const entry = new LineCursor(line);
    const found = entry.match(ENTRY);
    const name = found?.[1];
    if (line.kind !== "code" || !found || name === undefined) {
      const hint = "deeper lines below an action are its arguments: `name: value`";
      context.report("CO-105", `unexpected indentation of ${quoteText(line.text)}`, line, hint);
      return [];
    }
    entry.at += found[0].length;
    const value = context.expression(entry.rest());
    return value ? [{ name, value, start: line.start, end: line.end }] : [];
  });
}
