import type { LayoutLine } from "../../syntax/layout.js";
import type { Statement } from "../ast.js";
import { LineCursor } from "./line-cursor.js";
import { parseAssign, parseSet } from "./parse-assign.js";
import { parseSay } from "./parse-bot.js";
import { parseCheck, parseIf, parseStrayElse, parseWhile } from "./parse-branch.js";
import { parseCall } from "./parse-call.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { parseEmit, parseInfer } from "./parse-emit.js";
import { parseEventMatch } from "./parse-event.js";
import { parseDone, parseLabelOrGoto, parsePlain, parseReturn } from "./parse-jump.js";
import { isMetaLine } from "./parse-meta.js";
import { parseRun } from "./parse-run.js";
import { parseUserMatch } from "./parse-user.js";
import { parseAny, parseWhen } from "./parse-when.js";
import { isReservedWord, REFUSED_WORDS, STATEMENT_WORDS, suggestWord, TOP_LEVEL_WORDS } from "./reserved-words.js";
import type { ParseStatement, Scope, Siblings, StatementInput } from "./statement-input.js";

/** First word to parse method; a construct is read from its own file. */
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

/** `key: value` below a statement: one complaint about its indentation is enough. */
const ENTRY = /^[\w$-]+\s*:\s*\S/;

/** Statements that read their deeper lines themselves. */
const WITH_BLOCK: ReadonlySet<string> = new Set([
  "bot",
  "infer",
  "execute",
  "exec",
  "run",
  "if",
  "else",
  "while",
  "when",
  "any",
]);

/**
 * Reads the statements of a block. What cannot be read is reported, and the next line is tried.
 *
 * block = statement { statement }
 */
export function parseBlock(context: ParseContext, lines: readonly LayoutLine[], scope: Scope): readonly Statement[] {
  const statements: Statement[] = [];
  let index = 0;
  const siblings: Siblings = {
    peek: (word) => {
      const line = lines[index];
      return line?.kind === "code" && new LineCursor(line).peekWord() === word ? line : undefined;
    },
    take: () => {
      index += 1;
    },
  };
  while (index < lines.length) {
    const line = lines[index];
    index += 1;
    if (line) statements.push(...parseLine(context, line, scope, siblings));
  }
  return statements;
}

function parseLine(context: ParseContext, line: LayoutLine, scope: Scope, siblings: Siblings): readonly Statement[] {
  const isStatement = line.kind === "code" && line.openString === undefined;
  const cursor = new LineCursor(line);
  const word = isStatement ? cursor.takeWord() : { text: "", start: line.start, end: line.start };
  const isAssignment = isStatement && line.text.startsWith("$");
  const parse = isAssignment ? parseAssign : STATEMENTS.get(word.text);
  const span = context.span({ start: line.start, end: cursor.end });
  const comment = line.comments.join("\n");
  const statements: Statement[] = [];
  if (parse) {
    const base = comment ? { span, comment } : { span };
    const parseBody: StatementInput["parseBody"] = (header, inner) => parseBodyOf(context, header, inner);
    statements.push(...parse({ context, cursor, word, base, scope, siblings, parseBody }));
    if (WITH_BLOCK.has(word.text) || (isAssignment && statements[0]?.kind === "Run")) return statements;
  } else if (isStatement) {
    if (isMetaLine(line)) reportNestedMeta(context, cursor, word.text);
    else reportUnknownStatement(context, cursor, word.text);
  }
  const [deeper] = line.children;
  if (deeper && parse) {
    const hint = "only blocks such as `if` and `when` have deeper lines";
    context.report("CO-105", `unexpected indentation of ${quoteText(deeper.text)}`, deeper, hint);
  }
  // Deeper statements are read as if they stood here, so that what is wrong in them is reported too.
  const below = isMetaLine(line) ? [] : line.children.filter(({ text }) => !ENTRY.test(text));
  return [...statements, ...parseBlock(context, below, parse ? scope : { isInLoop: true })];
}

function parseBodyOf(context: ParseContext, header: LayoutLine, scope: Scope): readonly Statement[] {
  const { start, end } = new LineCursor(header);
  const hasBody = header.children.some((line) => line.kind === "code" || line.openString !== undefined);
  if (!hasBody && !context.hasErrorIn({ start, end })) {
    const text = quoteText(header.text.slice(0, end - start));
    context.report(
      "CO-104",
      `expected an indented block after ${text}`,
      { start, end },
      "indent the lines that belong to it",
    );
  }
  return parseBlock(context, header.children, scope);
}

function reportNestedMeta(context: ParseContext, cursor: LineCursor, word: string): void {
  const line = { start: cursor.start, end: cursor.end };
  context.report(
    "CO-114",
    `\`${word}\` inside a block`,
    line,
    "move it to the beginning of the flow, with the flow's own indentation",
  );
}

function reportUnknownStatement(context: ParseContext, cursor: LineCursor, word: string): void {
  const line = { start: cursor.start, end: cursor.end };
  const place = word ? { start: cursor.start, end: cursor.start + word.length } : line;
  const refused = REFUSED_WORDS.get(word);
  if (refused !== undefined) {
    context.report("CO-110", `\`${word}\` cannot be used here`, place, refused);
  } else if (TOP_LEVEL_WORDS.has(word)) {
    context.report("CO-110", `\`${word}\` inside a flow`, place, "begin it without indentation");
  } else if (cursor.line.text.startsWith('"') || cursor.line.text.startsWith("'")) {
    context.report(
      "CO-110",
      `${quoteText(cursor.text(line))} is not a statement`,
      line,
      "write `bot` before a text to say it",
    );
  } else if (cursor.line.text.startsWith("@")) {
    context.report("CO-110", `${quoteText(cursor.text(line))} is not a statement`, line, "this is Colang 2.x");
  } else {
    const near = suggestWord(word, STATEMENT_WORDS);
    const hint = near ? `did you mean \`${near}\`?` : hintForName(cursor.text(line));
    context.report("CO-110", `unknown statement ${quoteText(word || cursor.text(line))}`, place, hint);
  }
}

/** Two words and more are mostly the name of an intent or a message. */
function hintForName(text: string): string {
  if (!/^[\p{L}\p{N} ,'-]{3,50}$/u.test(text) || !text.includes(" ")) {
    return "a line of a flow begins with a word such as `user`, `bot` or `execute`";
  }
  return `write \`user ${text}\` to wait for it, \`bot ${text}\` to say it`;
}

/** Whether a line outside a definition begins like a statement. */
export function beginsStatement(line: LayoutLine): boolean {
  const word = new LineCursor(line).peekWord();
  return line.text.startsWith("$") || isReservedWord(word);
}
