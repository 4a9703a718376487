import type { Expression } from "../../expressions/ast.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { StatementOf, Statement, Pattern } from "../ast.js";
import { LineParser, type ParseStatement, peekSibling } from "./line-parser.js";
import { reportAfterColon, reportStatementAfter } from "./parse-parameters.js";
import { parseBotPattern, parseUserPatterns } from "./parse-dialog.js";
import { parseEventPattern } from "./parse-event.js";
import { isReservedWord } from "./reserved-words.js";

/** if = "if" expr body { "else" "if" expr body } [ "else" body ] */
export const parseIf: ParseStatement = (input) => {
  const { parser, siblings, base } = input;
  const branches: StatementOf<"If">["branches"][number][] = [];
  let otherwise: readonly Statement[] | undefined;
  const addBranch = (branch: LineParser): void => {
    const condition = parseCondition(branch);
    const body = input.parseBody(branch.line);
    if (condition) branches.push({ condition, body, span: parser.span(branch.line) });
  };
  addBranch(parser);
  for (let branch = peekSibling(input, "else"); branch && !otherwise; branch = peekSibling(input, "else")) {
    branch.takeWord();
    if (branch.peekWord() === "when") break;
    siblings.next();
    if (branch.skipWord("if")) addBranch(branch);
    else {
      if (!reportAfterColon(branch)) branch.expectEnd("`else`", "write `else if <condition>`");
      otherwise = input.parseBody(branch.line);
    }
  }
  return branches.length > 0 ? { kind: "If", branches, ...(otherwise && { otherwise }), ...base } : undefined;
};

/** while = "while" expr body */
export const parseWhile: ParseStatement = ({ parser, base, parseBody }) => {
  const condition = parseCondition(parser);
  const body = parseBody(parser.line, { isInLoop: true });
  return condition && { kind: "While", condition, body, ...base };
};

/** check = "check" expr */
export const parseCheck: ParseStatement = ({ parser, base }) => {
  const condition = parseCondition(parser);
  return condition && { kind: "Check", condition, ...base };
};

/** Reports an `else` without a beginning. */
export const parseStrayElse: ParseStatement = ({ parser, parseBody }) => {
  const [message, hint] =
    parser.peekWord() === "when"
      ? ["`else when` without `when`", "write `when`"]
      : ["`else` without `if`", "`else` stands below an `if` of the same indentation"];
  parser.report("CO-110", message, parser.range, hint);
  parseBody(parser.line);
  return undefined;
};

function parseCondition(parser: LineParser): Expression | undefined {
  const rest = parser.rest();
  if (rest.start === rest.end) {
    return parser.report(
      "CO-109",
      `expected a condition after \`${parser.text}\``,
      parser.range,
      `write \`${parser.text} $variable == 1\``,
    );
  }
  const colon = parser.findOutside(rest, (character) => character === ":");
  if (colon === undefined) return parser.expression(rest);
  reportStatementAfter(parser, colon);
  return parser.expression(parser.trim({ start: rest.start, end: colon }));
}

const MATCHER_HINT = "write `when user <intent>`, `when bot <message>` or `when event <type>`";

const EVENT_TYPE = /[A-Za-z_]/;

/** when = "when" matcher body { "else" "when" matcher body } */
export const parseWhen: ParseStatement = (input) => {
  const { parser, siblings, base } = input;
  const branches: StatementOf<"When">["branches"][number][] = [];
  const addBranch = (branch: LineParser): void => {
    const { patterns, bodyLine } = parseWhenMatcher(branch);
    const body = input.parseBody(bodyLine);
    if (patterns.length > 0) branches.push({ patterns, body, span: parser.span(branch.line) });
  };
  addBranch(parser);
  for (let branch = peekSibling(input, "when", "else"); branch; branch = peekSibling(input, "when", "else")) {
    siblings.next();
    const word = branch.takeWord();
    if (word.text === "when") {
      parser.report("CO-309", "`when` directly after another one is read as `else when`", word, "write `else when`");
      addBranch(branch);
    } else if (branch.skipWord("when")) addBranch(branch);
    else {
      const hint = "write `else when user ...` for any other message of the user";
      branch.refuse("CO-110", branch.range, "after `when`", hint);
      input.parseBody(branch.line);
    }
  }
  return branches.length > 0 ? { kind: "When", branches, ...base } : undefined;
};

/** any = "any" NEWLINE INDENT { matcher NEWLINE } DEDENT */
export const parseAny: ParseStatement = ({ parser, base }) => {
  parser.expectEnd("`any`", "list the alternatives below, one a line, indented");
  const patterns = parseAlternatives(parser, parser.line.children);
  return patterns.length > 0 ? { kind: "Match", patterns, ...base } : undefined;
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
  const branchParser = new LineParser(parser.context, {
    ...line,
    start: rest.start,
    text: line.text.slice(rest.start - line.start),
  });
  if (word === "user" || word === "bot" || word === "event") branchParser.takeWord();
  if (word === "user") return parseUserPatterns(branchParser);
  const isType = rest.start < rest.end && EVENT_TYPE.test(parser.charAt(rest.start));
  const isEvent = word === "event" || (isType && word !== "no" && !isReservedWord(word));
  if (word !== "bot" && !isEvent) {
    reportNoMatcher(parser, word);
    return [];
  }
  const pattern = word === "bot" ? parseBotPattern(branchParser) : parseEventPattern(branchParser);
  return pattern ? [pattern] : [];
}

function reportNoMatcher(parser: LineParser, word: string): void {
  const rest = parser.rest();
  if (rest.start === rest.end) {
    parser.report("CO-118", `expected something to wait for after \`${parser.text}\``, parser.range, MATCHER_HINT);
  } else {
    const hint = word === "no" ? "write `else when user ...` as the last branch" : MATCHER_HINT;
    parser.refuse("CO-118", rest, "cannot be waited for", hint);
  }
}
