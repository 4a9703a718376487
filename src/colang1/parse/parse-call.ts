import type { Argument, Expression } from "../../expressions/ast.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { StatementOf, Target } from "../ast.js";
import type { LineCursor } from "./line-cursor.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { readName } from "./parse-name.js";
import { expectEnd } from "./parse-parameters.js";
import { findClosing, findOutside, splitAtCommas } from "./scan-text.js";
import type { ParseStatement, StatementInput } from "./statement-input.js";

const PARAMETER = /\$?([A-Za-z_]\w*)\s*(=(?!=)\s*)?/y;
const NAMED = /[A-Za-z_]\w*\s*=(?!=)/y;
const VARIABLE = /\$[A-Za-z_]/y;
const BARE_WORD = /^[A-Za-z_][\w-]*$/;
const CONSTANTS: ReadonlySet<string> = new Set(["True", "False", "None"]);

/** call = "do" ( VAR { access } | NAME [ params | refParams ] ) */
export const parseCall: ParseStatement = (input) => parseCallWith(input);

/** The same with the variable that takes what the flow returns. */
export function parseCallWith(
  { context, cursor, word, base }: StatementInput,
  target?: Target,
): readonly StatementOf<"Call">[] {
  const result = target ? { target } : {};
  if (cursor.isDone()) {
    context.report("CO-110", `expected a flow after \`${word.text}\``, word, "write `do <subflow>`");
    return [];
  }
  if (cursor.charAt(cursor.at) === "$") {
    const value = context.expression(cursor.rest());
    return value ? [{ kind: "Call", value, arguments: [], ...result, ...base }] : [];
  }
  const range = readFlowName(cursor);
  if (range.start === range.end) {
    context.report(
      "CO-110",
      `${quoteText(cursor.text(cursor.rest()))} is not a flow`,
      cursor.rest(),
      "write `do <subflow>`",
    );
    return [];
  }
  const flow = context.name(cursor, range);
  const given = parseFlowParameters(context, cursor);
  return [{ kind: "Call", flow, arguments: given, ...result, ...base }];
}

/** The name of a flow ends at a parenthesis or at the first parameter. */
export function readFlowName(cursor: LineCursor): TextRange {
  const start = cursor.rest().start;
  const { range } = readName(cursor, { parentheses: "call" });
  for (let at = start; at < range.end; at += 1) {
    if (!cursor.match(VARIABLE, at) || (at > start && /\S/.test(cursor.charAt(at - 1)))) continue;
    cursor.at = at;
    return cursor.trim({ start, end: at });
  }
  return range;
}

/** refParams = { "$" IDENT [ "=" WORD ] } */
function parseFlowParameters(context: ParseContext, cursor: LineCursor): readonly Argument[] {
  if (cursor.isDone()) return [];
  if (cursor.charAt(cursor.at) === "(") {
    const open = cursor.at;
    const close = findClosing(cursor, open);
    if (close === undefined) {
      context.report("CO-109", "`(` is never closed", { start: open, end: open + 1 }, "close it with `)`");
      return [];
    }
    cursor.at = close + 1;
    expectEnd(context, cursor, "the flow");
    return parseParts(context, cursor, splitAtCommas(cursor, { start: open + 1, end: close }), true);
  }
  if (!cursor.skipWord("with") && !cursor.skipWord("for") && !cursor.match(VARIABLE)) {
    expectEnd(context, cursor, "the flow");
    return [];
  }
  return parseParts(context, cursor, splitAtVariables(cursor, cursor.rest()), false);
}

/** A parameter begins at a `$` outside strings and brackets that follows a blank or a comma. */
export function splitAtVariables(cursor: LineCursor, range: TextRange): readonly TextRange[] {
  const starts: number[] = [];
  let before = ",";
  findOutside(cursor, range, (character, at) => {
    const isFirst = at === range.start || /[\s,]/.test(cursor.charAt(at - 1));
    if (isFirst && before !== "=" && (cursor.match(VARIABLE, at) ?? cursor.match(NAMED, at))) starts.push(at);
    if (!/\s/.test(character)) before = character;
    return false;
  });
  if (starts[0] !== range.start) starts.unshift(range.start);
  return starts.map((start, index) => {
    const part = cursor.trim({ start, end: starts[index + 1] ?? range.end });
    return cursor.charAt(part.end - 1) === "," ? cursor.trim({ start, end: part.end - 1 }) : part;
  });
}

function parseParts(
  context: ParseContext,
  cursor: LineCursor,
  parts: readonly TextRange[],
  isList: boolean,
): readonly Argument[] {
  return parts.flatMap((part): readonly Argument[] => {
    if (part.start === part.end) return [];
    const found = cursor.match(PARAMETER, part.start);
    const name = found?.[1];
    const isWhole = found !== undefined && part.start + found[0].trimEnd().length === part.end;
    const isBare = isWhole && !(isList && cursor.charAt(part.start) === "$");
    if (!found || name === undefined || (found[2] === undefined && !isBare)) {
      // A positional argument: the callee's declared parameters give it a name.
      const value = context.expression(part);
      return value ? [{ value, ...part }] : [];
    }
    const valueRange = { start: Math.min(part.end, part.start + found[0].length), end: part.end };
    const value: Expression | undefined = found[2]
      ? parseValue(context, cursor, valueRange)
      : { kind: "Literal", value: null, ...part };
    return value ? [{ name, value, ...part }] : [];
  });
}

/** Bare words are texts here, as they are in the list of rails (spec 12.6). */
function parseValue(context: ParseContext, cursor: LineCursor, range: TextRange): Expression | undefined {
  const text = cursor.text(range);
  if (BARE_WORD.test(text) && !CONSTANTS.has(text)) return { kind: "Literal", value: text, ...range };
  return context.expression(range);
}
