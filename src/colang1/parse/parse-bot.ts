import { quoteText } from "../../diagnostics/diagnostic.js";
import type { Expression } from "../../expressions/ast.js";
import type { BotPattern, Name, TextLiteral } from "../ast.js";
import type { LineParser } from "./line-parser.js";
import { parseMessageLines, parseText } from "./parse-message.js";
import { readName } from "./parse-name.js";
import { skipSays } from "./parse-user.js";
import type { ParseStatement } from "./statement-input.js";

const ANYTHING = /(?:\.\.\.|something(?:\s+else)?)\s*$/y;
const OR_BOT = /or\s+bot(?=\s|$)/y;

/**
 * say = "bot" ["says"] ( "..." | "something" | STRING | VAR { access } | NAME [ STRING ] )
 *       [ NEWLINE INDENT { STRING NEWLINE } DEDENT ]
 */
export const parseSay: ParseStatement = ({ parser, base }) => {
  const content = parseContent(parser);
  const below = parseMessageLines(parser.context, parser.line.children, "bot");
  if (!content) return [];
  const variants = [...content.variants, ...below];
  const isNamed = content.intent !== undefined || content.variants.length > 0;
  if (below.length > 0 && (!isNamed || content.isStop)) {
    const { span } = below[0] ?? base;
    parser.report("CO-105", "texts below a message without a name", span, "write `bot <name>` above them");
  }
  if (content.isStop) return [{ kind: "Stop", ...base }];
  const { any = false, intent, value } = content;
  return [{ kind: "Say", any, variants, ...(intent ? { intent } : {}), ...(value ? { value } : {}), ...base }];
};

interface Content {
  readonly any?: boolean;
  readonly isStop?: boolean;
  readonly intent?: Name;
  readonly value?: Expression;
  readonly variants: readonly TextLiteral[];
}

function parseContent(parser: LineParser): Content | undefined {
  skipSays(parser);
  const rest = parser.rest();
  if (parser.isDone()) {
    parser.report("CO-110", "expected a message after `bot`", parser.range);
    return undefined;
  }
  if (reportAlternatives(parser)) return undefined;
  if (parser.match(ANYTHING)) return { any: true, variants: [] };
  const first = parser.charAt(rest.start);
  if (first === '"' || first === "'") {
    const text = parseText(parser, rest);
    return text && { variants: [text] };
  }
  if (first === "$") {
    const value = parseValue(parser);
    return value && { value, variants: [] };
  }
  if (first === "[") {
    const hint = "say one message after the other";
    parser.report("CO-111", `${quoteText(parser.textOf(rest))} is not a message`, rest, hint);
    return undefined;
  }
  return parseNamed(parser);
}

function parseNamed(parser: LineParser): Content | undefined {
  const { range, parentheses } = readName(parser, { parentheses: "text" });
  const intent = parser.name(range);
  if (parentheses) {
    parser.report("CO-304", `${quoteText(parser.textOf(parentheses))} is part of the name`, parentheses);
  }
  if (parser.isDone()) return intent.text === "stop" ? { isStop: true, variants: [] } : { intent, variants: [] };
  const rest = parser.rest();
  if (parser.charAt(rest.start) !== '"') {
    const hint = "set variables before this line and use them in the text, as in `$name`";
    parser.report("CO-111", "messages have no parameters", rest, hint);
    return undefined;
  }
  const text = parseText(parser, rest);
  return text && { intent, variants: [text] };
}

function parseValue(parser: LineParser): Expression | undefined {
  const rest = parser.rest();
  const value = parser.expression(rest);
  if (!value) return undefined;
  if (value.kind === "Variable" || value.kind === "Member" || value.kind === "Index") return value;
  const hint = "assign it to a variable first, and say the variable";
  parser.report("CO-110", "only a variable or a part of one can be said", rest, hint);
  return undefined;
}

function reportAlternatives(parser: LineParser): boolean {
  const at = parser.findOutside(parser.rest(), (character, offset) => {
    return character === "o" && /\s/.test(parser.charAt(offset - 1)) && parser.match(OR_BOT, offset) !== undefined;
  });
  if (at === undefined) return false;
  const hint = "choose with `if`, or give one message several texts in `define bot`";
  parser.report("CO-115", "`bot` cannot say one message or another", { start: at, end: parser.end }, hint);
  return true;
}

/** Reads a message observed in `when` and `any`: `bot x` or `bot ...`, never a text. */
export function parseBotPattern(parser: LineParser): BotPattern | undefined {
  const content = parseContent(parser);
  if (!content) return undefined;
  const span = parser.span(parser.range);
  if (content.any) return { kind: "BotPattern", any: true, span };
  if (content.intent && content.variants.length === 0) {
    parser.expectEnd("the message");
    return { kind: "BotPattern", any: false, intent: content.intent, span };
  }
  parser.report("CO-118", "only messages with a name can be waited for", span, "write `bot <name>` or `bot ...`");
  return undefined;
}
