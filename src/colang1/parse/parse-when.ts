import type { LayoutLine } from "../../syntax/layout.js";
import type { Pattern, StatementOf } from "../ast.js";
import { LineCursor } from "./line-cursor.js";
import { parseBotPattern } from "./parse-bot.js";
import { endOf } from "./parse-branch.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { parseEventPattern } from "./parse-event.js";
import { expectEnd, reportAfterColon } from "./parse-parameters.js";
import { parseUserPatterns } from "./parse-user.js";
import { isReservedWord } from "./reserved-words.js";
import type { ParseStatement, StatementInput } from "./statement-input.js";

type Branch = StatementOf<"When">["branches"][number];

const MATCHER_HINT = "write `when user <intent>`, `when bot <message>` or `when event <type>`";
const EVENT_TYPE = /[A-Za-z_]/;

/** when = "when" matcher body { "else" "when" matcher body } */
export const parseWhen: ParseStatement = (input) => {
  const { context, cursor, siblings, base } = input;
  const branches: Branch[] = [];
  let last = cursor.line;
  const addBranch = (branch: LineCursor): void => {
    const { patterns, bodyLine } = parseWhenMatcher(context, branch);
    const body = input.parseBody(bodyLine, input.scope);
    if (patterns.length > 0) branches.push({ patterns, body, span: context.span(branch.line) });
    last = branch.line;
  };
  addBranch(cursor);
  for (let line = nextBranch(input); line; line = nextBranch(input)) {
    siblings.take();
    const branch = new LineCursor(line);
    const word = branch.takeWord();
    if (word.text === "when") {
      context.report("CO-309", "`when` directly after another one is read as `else when`", word, "write `else when`");
      addBranch(branch);
    } else if (branch.skipWord("when")) addBranch(branch);
    else {
      const hint = "write `else when user ...` for any other message of the user";
      const place = { start: line.start, end: branch.end };
      context.report("CO-110", `${quoteText(branch.text(place))} after \`when\``, place, hint);
      input.parseBody(line, input.scope);
      last = line;
    }
  }
  if (branches.length === 0) return [];
  return [{ kind: "When", branches, ...base, span: context.span({ start: base.span.start, end: endOf(last) }) }];
};

function nextBranch({ siblings }: StatementInput): LayoutLine | undefined {
  return siblings.peek("when") ?? siblings.peek("else");
}

/** any = "any" NEWLINE INDENT { matcher NEWLINE } DEDENT */
export const parseAny: ParseStatement = ({ context, cursor, base }) => {
  expectEnd(context, cursor, "`any`", "list the alternatives below, one a line, indented");
  const patterns = parseAlternatives(context, cursor.line, cursor.line.children);
  const span = context.span({ start: base.span.start, end: endOf(cursor.line) });
  return patterns.length > 0 ? [{ kind: "Match", patterns, ...base, span }] : [];
};

/** The matcher of a branch, and the line whose deeper lines are its body. */
function parseWhenMatcher(
  context: ParseContext,
  cursor: LineCursor,
): { patterns: readonly Pattern[]; bodyLine: LayoutLine } {
  const { line } = cursor;
  if (cursor.peekWord() !== "any") return { patterns: parseMatcher(context, cursor, line), bodyLine: line };
  cursor.takeWord();
  expectEnd(context, cursor, "`any`", "list the alternatives below, indented twice");
  const split = splitAnyBlock(line);
  const patterns = parseAlternatives(context, line, split.alternatives);
  return { patterns, bodyLine: { ...line, children: split.body } };
}

/** Below `when any` come the alternatives and then, less deep, the body. */
export function splitAnyBlock(line: LayoutLine): {
  readonly alternatives: readonly LayoutLine[];
  readonly body: readonly LayoutLine[];
} {
  const body = line.children.findIndex((child) => child.strayDedent);
  if (body === -1) return { alternatives: line.children, body: [] };
  return { alternatives: line.children.slice(0, body), body: line.children.slice(body) };
}

export const ANY_BRANCH = /^(?:else\s+)?when\s+any\s*:?$/;

function parseAlternatives(
  context: ParseContext,
  header: LayoutLine,
  lines: readonly LayoutLine[],
): readonly Pattern[] {
  const alternatives = lines.filter((line) => line.kind === "code" && line.openString === undefined);
  if (alternatives.length === 0) {
    context.report(
      "CO-104",
      "expected alternatives below `any`",
      header,
      "write `user <intent>` or `event <type>`, indented",
    );
  }
  return alternatives.flatMap((line) => {
    const [deeper] = line.children;
    if (deeper) context.report("CO-105", `unexpected indentation of ${quoteText(deeper.text)}`, deeper);
    return parseMatcher(context, new LineCursor(line), line);
  });
}

/** matcher = userMatch | say | "event" TYPE [ params ] | TYPE [ params ] */
function parseMatcher(context: ParseContext, cursor: LineCursor, line: LayoutLine): readonly Pattern[] {
  const rest = cursor.rest();
  const word = cursor.peekWord();
  if (reportAfterColon(context, cursor)) return [];
  // Spans of patterns begin at their own keyword, not at `when`.
  const own = new LineCursor({ ...line, start: rest.start, text: line.text.slice(rest.start - line.start) });
  if (word === "user" || word === "bot" || word === "event") own.takeWord();
  if (word === "user") return parseUserPatterns(context, own);
  if (word === "bot") return asList(parseBotPattern(context, own));
  const isType = rest.start < rest.end && EVENT_TYPE.test(cursor.charAt(rest.start));
  if (word === "event" || (isType && word !== "no" && !isReservedWord(word)))
    return asList(parseEventPattern(context, own));
  reportNoMatcher(context, cursor, word);
  return [];
}

function reportNoMatcher(context: ParseContext, cursor: LineCursor, word: string): void {
  const rest = cursor.rest();
  if (rest.start === rest.end) {
    const place = { start: cursor.start, end: cursor.end };
    context.report("CO-118", `expected something to wait for after \`${cursor.text(place)}\``, place, MATCHER_HINT);
  } else if (word === "no") {
    const hint = "write `else when user ...` as the last branch";
    context.report("CO-118", `${quoteText(cursor.text(rest))} cannot be waited for`, rest, hint);
  } else {
    context.report("CO-118", `${quoteText(cursor.text(rest))} cannot be waited for`, rest, MATCHER_HINT);
  }
}

function asList<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value];
}
