import type { Expression } from "../../expressions/ast.js";
import type { BotPattern, Name, StatementOf, Statement, TextLiteral } from "../ast.js";
import type { LineCursor } from "./line-cursor.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { parseMessageLines, parseText } from "./parse-message.js";
import { readName } from "./parse-name.js";
import { expectEnd } from "./parse-parameters.js";
import { skipSays } from "./parse-user.js";
import { findOutside } from "./scan-text.js";
import type { ParseStatement, StatementInput } from "./statement-input.js";

const ANYTHING = /(?:\.\.\.|something(?:\s+else)?)\s*$/y;
const OR_BOT = /or\s+bot(?=\s|$)/y;

/**
 * say = "bot" ["says"] ( "..." | "something" | STRING | VAR { access } | NAME [ STRING ] )
 *       [ NEWLINE INDENT { STRING NEWLINE } DEDENT ]
 */
export const parseSay: ParseStatement = (input) => {
  const { context, cursor, base } = input;
  const content = parseContent(context, cursor);
  const below = parseMessageLines(context, cursor.line.children, "bot");
  if (!content) return [];
  const variants = [...content.variants, ...below];
  const isNamed = content.intent !== undefined || content.variants.length > 0;
  if (below.length > 0 && (!isNamed || content.isStop)) {
    const { span } = below[0] ?? base;
    context.report("CO-105", "texts below a message without a name", span, "write `bot <name>` above them");
  }
  if (content.isStop) return [{ kind: "Stop", ...base }];
  return [toStatement(input, { ...content, variants })];
};

interface Content {
  readonly any?: boolean;
  readonly isStop?: boolean;
  readonly intent?: Name;
  readonly value?: Expression;
  readonly variants: readonly TextLiteral[];
}

function toStatement({ base }: StatementInput, { any, intent, value, variants }: Content): Statement {
  const statement: StatementOf<"Say"> = { kind: "Say", any: any ?? false, variants, ...base };
  return { ...statement, ...(intent ? { intent } : {}), ...(value ? { value } : {}) };
}

function parseContent(context: ParseContext, cursor: LineCursor): Content | undefined {
  skipSays(cursor);
  const rest = cursor.rest();
  if (cursor.isDone()) {
    context.report("CO-110", "expected a message after `bot`", { start: cursor.start, end: cursor.end });
    return undefined;
  }
  if (reportAlternatives(context, cursor)) return undefined;
  if (cursor.match(ANYTHING)) return { any: true, variants: [] };
  const first = cursor.charAt(rest.start);
  if (first === '"' || first === "'") {
    const text = parseText(context, cursor, rest);
    return text && { variants: [text] };
  }
  if (first === "$") {
    const value = parseValue(context, cursor);
    return value && { value, variants: [] };
  }
  if (first === "[") {
    const hint = "say one message after the other";
    context.report("CO-111", `${quoteText(cursor.text(rest))} is not a message`, rest, hint);
    return undefined;
  }
  return parseNamed(context, cursor);
}

function parseNamed(context: ParseContext, cursor: LineCursor): Content | undefined {
  const { range, parentheses } = readName(cursor, { parentheses: "text" });
  const intent = context.name(cursor, range);
  if (parentheses) {
    context.report("CO-304", `${quoteText(cursor.text(parentheses))} is part of the name`, parentheses);
  }
  if (cursor.isDone()) return intent.text === "stop" ? { isStop: true, variants: [] } : { intent, variants: [] };
  const rest = cursor.rest();
  if (cursor.charAt(rest.start) !== '"') {
    const hint = "set variables before this line and use them in the text, as in `$name`";
    context.report("CO-111", "messages have no parameters", rest, hint);
    return undefined;
  }
  const text = parseText(context, cursor, rest);
  return text && { intent, variants: [text] };
}

function parseValue(context: ParseContext, cursor: LineCursor): Expression | undefined {
  const rest = cursor.rest();
  const value = context.expression(rest);
  if (!value) return undefined;
  if (value.kind === "Variable" || value.kind === "Member" || value.kind === "Index") return value;
  const hint = "assign it to a variable first, and say the variable";
  context.report("CO-110", "only a variable or a part of one can be said", rest, hint);
  return undefined;
}

function reportAlternatives(context: ParseContext, cursor: LineCursor): boolean {
  const at = findOutside(cursor, cursor.rest(), (character, offset) => {
    return character === "o" && /\s/.test(cursor.charAt(offset - 1)) && cursor.match(OR_BOT, offset) !== undefined;
  });
  if (at === undefined) return false;
  const hint = "choose with `if`, or give one message several texts in `define bot`";
  context.report("CO-115", "`bot` cannot say one message or another", { start: at, end: cursor.end }, hint);
  return true;
}

/** A message observed in `when` and `any`: `bot x` or `bot ...`, never a text. */
export function parseBotPattern(context: ParseContext, cursor: LineCursor): BotPattern | undefined {
  const content = parseContent(context, cursor);
  if (!content) return undefined;
  const span = context.span({ start: cursor.start, end: cursor.end });
  if (content.any) return { kind: "BotPattern", any: true, span };
  if (content.intent && content.variants.length === 0) {
    expectEnd(context, cursor, "the message");
    return { kind: "BotPattern", any: false, intent: content.intent, span };
  }
  context.report("CO-118", "only messages with a name can be waited for", span, "write `bot <name>` or `bot ...`");
  return undefined;
}
