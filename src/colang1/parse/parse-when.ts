import { quoteText } from "../../diagnostics/diagnostic.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { Pattern, StatementOf } from "../ast.js";
import { LineParser } from "./line-parser.js";
import { parseBotPattern } from "./parse-bot.js";
import { endOfBlock } from "../../syntax/block-reader.js";
import { parseEventPattern } from "./parse-event.js";
import { reportAfterColon } from "./parse-parameters.js";
import { parseUserPatterns } from "./parse-user.js";
import { isReservedWord } from "./reserved-words.js";
import { type ParseStatement, peekSibling, type StatementInput } from "./statement-input.js";

type Branch = StatementOf<"When">["branches"][number];

const MATCHER_HINT = "write `when user <intent>`, `when bot <message>` or `when event <type>`";
const EVENT_TYPE = /[A-Za-z_]/;

/** when = "when" matcher body { "else" "when" matcher body } */
export const parseWhen: ParseStatement = (input) => {
  const { parser, siblings, base } = input;
  const branches: Branch[] = [];
  let last = parser.line;
  const addBranch = (branch: LineParser): void => {
    const { patterns, bodyLine } = parseWhenMatcher(branch);
    const body = input.parseBody(bodyLine, input.scope);
    if (patterns.length > 0) branches.push({ patterns, body, span: parser.span(branch.line) });
    last = branch.line;
  };
  addBranch(parser);
  for (let line = nextBranch(input); line; line = nextBranch(input)) {
    siblings.next();
    const branch = new LineParser(parser.context, line);
    const word = branch.takeWord();
    if (word.text === "when") {
      parser.report("CO-309", "`when` directly after another one is read as `else when`", word, "write `else when`");
      addBranch(branch);
    } else if (branch.skipWord("when")) addBranch(branch);
    else {
      const hint = "write `else when user ...` for any other message of the user";
      parser.report("CO-110", `${quoteText(branch.text)} after \`when\``, branch.range, hint);
      input.parseBody(line, input.scope);
      last = line;
    }
  }
  if (branches.length === 0) return [];
  return [{ kind: "When", branches, ...base, span: parser.span({ start: base.span.start, end: endOfBlock(last) }) }];
};

function nextBranch(input: StatementInput): LayoutLine | undefined {
  return peekSibling(input, "when") ?? peekSibling(input, "else");
}

/** any = "any" NEWLINE INDENT { matcher NEWLINE } DEDENT */
export const parseAny: ParseStatement = ({ parser, base }) => {
  parser.expectEnd("`any`", "list the alternatives below, one a line, indented");
  const patterns = parseAlternatives(parser, parser.line.children);
  const span = parser.span({ start: base.span.start, end: endOfBlock(parser.line) });
  return patterns.length > 0 ? [{ kind: "Match", patterns, ...base, span }] : [];
};

/** Reads the matcher of a branch, and finds the line whose deeper lines are its body. */
function parseWhenMatcher(parser: LineParser): { patterns: readonly Pattern[]; bodyLine: LayoutLine } {
  const { line } = parser;
  if (parser.peekWord() !== "any") return { patterns: parseMatcher(parser), bodyLine: line };
  parser.takeWord();
  parser.expectEnd("`any`", "list the alternatives below, indented twice");
  const split = splitAnyBlock(line);
  const patterns = parseAlternatives(parser, split.alternatives);
  return { patterns, bodyLine: { ...line, children: split.body } };
}

/** Splits the lines below `when any`: first come the alternatives and then, less deep, the body. */
export function splitAnyBlock(line: LayoutLine): {
  readonly alternatives: readonly LayoutLine[];
  readonly body: readonly LayoutLine[];
} {
  const body = line.children.findIndex((child) => child.strayDedent);
  if (body === -1) return { alternatives: line.children, body: [] };
  return { alternatives: line.children.slice(0, body), body: line.children.slice(body) };
}

export const ANY_BRANCH = /^(?:else\s+)?when\s+any\s*:?$/;

function parseAlternatives(header: LineParser, lines: readonly LayoutLine[]): readonly Pattern[] {
  const alternatives = lines.filter((line) => line.kind === "code" && line.openString === undefined);
  if (alternatives.length === 0) {
    const hint = "write `user <intent>` or `event <type>`, indented";
    header.report("CO-104", "expected alternatives below `any`", header.line, hint);
  }
  return alternatives.flatMap((line) => {
    const parser = new LineParser(header.context, line);
    parser.refuseDeeper();
    return parseMatcher(parser);
  });
}

/** matcher = userMatch | say | "event" TYPE [ params ] | TYPE [ params ] */
function parseMatcher(parser: LineParser): readonly Pattern[] {
  const { line } = parser;
  const rest = parser.rest();
  const word = parser.peekWord();
  if (reportAfterColon(parser)) return [];
  // Spans of patterns begin at their own keyword, not at `when`.
  const own = new LineParser(parser.context, {
    ...line,
    start: rest.start,
    text: line.text.slice(rest.start - line.start),
  });
  if (word === "user" || word === "bot" || word === "event") own.takeWord();
  if (word === "user") return parseUserPatterns(own);
  const isType = rest.start < rest.end && EVENT_TYPE.test(parser.charAt(rest.start));
  const isEvent = word === "event" || (isType && word !== "no" && !isReservedWord(word));
  if (word !== "bot" && !isEvent) {
    reportNoMatcher(parser, word);
    return [];
  }
  const pattern = word === "bot" ? parseBotPattern(own) : parseEventPattern(own);
  return pattern === undefined ? [] : [pattern];
}

function reportNoMatcher(parser: LineParser, word: string): void {
  const rest = parser.rest();
  if (rest.start === rest.end) {
    const message = `expected something to wait for after \`${parser.text}\``;
    parser.report("CO-118", message, parser.range, MATCHER_HINT);
  } else {
    const hint = word === "no" ? "write `else when user ...` as the last branch" : MATCHER_HINT;
    parser.report("CO-118", `${quoteText(parser.textOf(rest))} cannot be waited for`, rest, hint);
  }
}
