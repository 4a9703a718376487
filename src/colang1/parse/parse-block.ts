import { addAll } from "../../diagnostics/add-all.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import { BlockReader, type Scope, type LayoutLine } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { Statement } from "../ast.js";
import { LineParser, type ParseStatement, type StatementInput } from "./line-parser.js";
import { parseAssign, parseSet } from "./parse-assign.js";
import { parseSay, parseUserMatch } from "./parse-dialog.js";
import { parseCheck, parseIf, parseStrayElse, parseWhile, parseAny, parseWhen } from "./parse-branch.js";
import { parseCall, parseRun } from "./parse-call.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { parseEmit, parseInfer, parseEventMatch } from "./parse-event.js";
import { isMetaLine } from "./parse-meta.js";
import { isReservedWord, REFUSED_WORDS, STATEMENT_WORDS, suggestWord, TOP_LEVEL_WORDS } from "./reserved-words.js";
import { deferPattern } from "../../diagnostics/defer-pattern.js";

/** return = "return" [ expr { "," expr } ] */
const parseReturn: ParseStatement = ({ parser, base }) => {
  const ranges = parser.isDone() ? [] : parser.splitAtCommas(parser.rest());
  const values = ranges.flatMap((range) => parser.expression(range) ?? []);
  return { kind: "Return", values, ...base };
};

/** done = "done" */
const parseDone: ParseStatement = ({ parser, base }) => {
  parser.expectEnd("`done`", "write `return <value>`");
  return { kind: "Return", values: [], ...base };
};

/** stop = "stop" | "abort"; pass = "pass"; break = "break"; continue = "continue" */
function parsePlain(kind: "Break" | "Continue" | "Pass" | "Stop"): ParseStatement {
  return ({ parser, word, scope, base }) => {
    parser.expectEnd(`\`${word.text}\``);
    if ((kind === "Break" || kind === "Continue") && !scope.isInLoop) {
      const hint = "leave a flow with `return`, end the turn with `stop`";
      parser.report("CO-119", `\`${word.text}\` outside a loop`, word, hint);
    }
    if (kind === "Pass" && scope.isInLoop) {
      const hint = "write `continue` to go on with the next round; `pass` does nothing";
      parser.report("CO-317", "`pass` inside a loop does not go on with the next round", word, hint);
    }
    return { kind, ...base };
  };
}

/** label = ("label" | "checkpoint") NAME; goto = ("goto" | "go" "to") NAME */
function parseLabelOrGoto(kind: "Label" | "Goto"): ParseStatement {
  return ({ parser, word, base }) => {
    if (word.text === "go" && !parser.skipWord("to")) {
      return parser.report("CO-110", "expected `to` after `go`", word, "write `goto <label>`");
    }
    if (parser.isDone())
      return parser.report("CO-110", `expected a name after \`${word.text}\``, word, `write \`${word.text} <name>\``);
    const name = parser.name(parser.rest());
    parser.at = parser.end;
    return { kind, name, ...base };
  };
}

/** Parsers of statements, by first word. */
const STATEMENTS: ReadonlyMap<string, ParseStatement> = new Map([
  ["user", parseUserMatch],
  ["bot", parseSay],
  ["event", parseEventMatch],
  ["create", parseEmit],
  ["new", parseEmit],
  ["infer", parseInfer],
  ["execute", parseRun],
  ["exec", parseRun],
  ["run", parseRun],
  ["do", parseCall],
  ["set", parseSet],
  ["if", parseIf],
  ["else", parseStrayElse],
  ["while", parseWhile],
  ["when", parseWhen],
  ["any", parseAny],
  ["break", parsePlain("Break")],
  ["continue", parsePlain("Continue")],
  ["pass", parsePlain("Pass")],
  ["stop", parsePlain("Stop")],
  ["abort", parsePlain("Stop")],
  ["return", parseReturn],
  ["done", parseDone],
  ["label", parseLabelOrGoto("Label")],
  ["checkpoint", parseLabelOrGoto("Label")],
  ["goto", parseLabelOrGoto("Goto")],
  ["go", parseLabelOrGoto("Goto")],
  ["check", parseCheck],
]);

/** `key: value` below a statement: one report about its indentation suffices. */
const ENTRY = /^[\w$-]+\s*:\s*\S/;

/** Statements that read their own deeper lines. */
const WITH_BLOCK: ReadonlySet<string> = new Set("bot infer execute exec run if else while when any".split(" "));

/** Statements that extend to their last deeper line. */
const WHOLE_BLOCK: ReadonlySet<string> = new Set(["if", "while", "when", "any"]);

/**
 * Reads the statements of a block. An invalid line is reported, and parsing continues with the next.
 *
 * block = statement { statement }
 */
export function parseBlock(context: ParseContext, lines: readonly LayoutLine[], scope: Scope): readonly Statement[] {
  const statements: Statement[] = [];
  const siblings = new BlockReader(lines);
  for (let line = siblings.next(); line; line = siblings.next()) {
    addAll(statements, parseLine(context, line, scope, siblings));
  }
  return statements;
}

function parseLine(context: ParseContext, line: LayoutLine, scope: Scope, siblings: BlockReader): readonly Statement[] {
  const isStatement = line.kind === "code" && line.openString === undefined;
  const parser = new LineParser(context, line);
  const word = isStatement ? parser.takeWord() : { text: "", start: line.start, end: line.start };
  const isAssignment = isStatement && line.text.startsWith("$");
  const parse = isAssignment ? parseAssign : STATEMENTS.get(word.text);
  const span = parser.span(parser.range);
  const comment = line.comments.join("\n");
  const statements: Statement[] = [];
  if (parse) {
    const base = comment ? { span, comment } : { span };
    const parseBody: StatementInput["parseBody"] = (header, inner = scope) => parseBodyOf(context, header, inner);
    const parsed = parse({ parser, word, base, scope, siblings, parseBody });
    const found = parsed === undefined ? [] : "kind" in parsed ? [parsed] : parsed;
    if (WHOLE_BLOCK.has(word.text)) {
      const whole = { span: context.spanOfBlock(line, siblings.last) };
      for (const statement of found) statements.push({ ...statement, ...whole });
    } else addAll(statements, found);
    if (WITH_BLOCK.has(word.text) || (isAssignment && statements[0]?.kind === "Run")) return statements;
  } else if (isStatement) {
    const hint = "move it to the beginning of the flow, with the flow's own indentation";
    if (isMetaLine(line)) parser.report("CO-114", `\`${word.text}\` inside a block`, parser.range, hint);
    else reportUnknownStatement(parser, word.text);
  }
  if (parse) parser.refuseDeeper("only blocks such as `if` and `when` have deeper lines");
  // Deeper statements are read as if at this level, so that their problems are reported too.
  if (line.children.length === 0) return statements;
  const below = isMetaLine(line) ? [] : line.children.filter(({ text }) => !ENTRY.test(text));
  return [...statements, ...parseBlock(context, below, parse ? scope : { isInLoop: true })];
}

function parseBodyOf(context: ParseContext, header: LayoutLine, scope: Scope): readonly Statement[] {
  const { range, text } = new LineParser(context, header);
  if (!hasStatements(header.children) && !context.hasErrorIn(range)) reportNoBody(context, text, range);
  return parseBlock(context, header.children, scope);
}

/** Returns true if a body contains more than docstrings. */
export function hasStatements(lines: readonly LayoutLine[]): boolean {
  return lines.some((line) => line.kind === "code" || line.openString !== undefined);
}

export function reportNoBody(context: ParseContext, header: string, range: TextRange): void {
  const message = `expected an indented block after ${quoteText(header)}`;
  context.report("CO-104", message, range, "indent the lines that belong to it");
}

function reportUnknownStatement(parser: LineParser, word: string): void {
  const { range, line } = parser;
  const written = quoteText(parser.text);
  if (reportRefused(parser, word)) return;
  if (TOP_LEVEL_WORDS.has(word)) {
    const place = { start: parser.start, end: parser.start + word.length };
    parser.report("CO-110", `\`${word}\` inside a flow`, place, "begin it without indentation");
  } else if (line.text.startsWith('"') || line.text.startsWith("'")) {
    parser.report("CO-110", `${written} is not a statement`, range, "write `bot` before a text to say it");
  } else if (line.text.startsWith("@")) {
    parser.report("CO-110", `${written} is not a statement`, range, "this is Colang 2.x");
  } else if (line.text.startsWith("//")) {
    parser.report("CO-110", `${written} is not a statement`, range, "a comment begins with `#`");
  } else {
    const isAssigned = /^[=+-]/.test(line.text.slice(word.length).trimStart()) && word !== "";
    const hint = isAssigned ? `a variable is written ${quoteText(`$${word}`)}` : hintForName(parser.text);
    reportUnknown(parser, word, STATEMENT_WORDS, hint);
  }
}

/** Reports a reserved word; returns false for any other word. */
export function reportRefused(parser: LineParser, word: string): boolean {
  const hint = REFUSED_WORDS.get(word);
  if (hint === undefined) return false;
  const place = { start: parser.start, end: parser.start + word.length };
  parser.report("CO-110", `\`${word}\` cannot be used here`, place, hint);
  return true;
}

/** Reports a line that starts with an unknown word. */
export function reportUnknown(parser: LineParser, word: string, known: Iterable<string>, hint: string): void {
  const place = word ? { start: parser.start, end: parser.start + word.length } : parser.range;
  const near = suggestWord(word, known);
  const message = `unknown statement ${quoteText(word || parser.text)}`;
  parser.report("CO-110", message, place, near ? `did you mean \`${near}\`?` : hint);
}

const phrase = deferPattern(String.raw`^[\p{L}\p{N} ,'-]{3,50}$`, "u");

/** Returns the hint for an unknown statement; several words are usually the name of an intent or a message. */
function hintForName(text: string): string {
  if (!phrase().test(text) || !text.includes(" ")) {
    return "a line of a flow begins with a word such as `user`, `bot` or `execute`";
  }
  return `write \`user ${text}\` to wait for it, \`bot ${text}\` to say it`;
}

/** Returns true if a line outside a definition starts like a statement. */
export function beginsStatement({ context, line }: LineParser): boolean {
  return line.text.startsWith("$") || isReservedWord(new LineParser(context, line).peekWord());
}
