import type { LayoutLine } from "../../syntax/layout.js";
import type { Definition, ImportStatement, Name } from "../ast.js";
import { LineCursor } from "./line-cursor.js";
import { beginsStatement } from "./parse-block.js";
import { endOf } from "./parse-branch.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { parseFlow } from "./parse-flow.js";
import { parseMessageLines } from "./parse-message.js";
import { reportAfterColon } from "./parse-parameters.js";
import { REFUSED_WORDS, suggestWord, TOP_LEVEL_WORDS } from "./reserved-words.js";

const MODIFIERS: ReadonlySet<string> = new Set([
  "parallel",
  "recursive",
  "extension",
  "continuous",
  "noninterruptable",
  "non-interruptable",
]);
const MODIFIERS_WITHOUT_EFFECT: ReadonlySet<string> = new Set(["test", "sample", "response", "interruption", "repair"]);
const KINDS = ["user", "bot", "flow", "subflow", "action"] as const;

/** Reads a line that is not indented, with everything below it. */
export function parseTopLevel(context: ParseContext, line: LayoutLine): Definition | ImportStatement | undefined {
  if (line.kind === "docstring") return undefined;
  const cursor = new LineCursor(line);
  const word = cursor.takeWord();
  if (word.text === "define" || word.text === "def") return parseDefine(context, cursor);
  if (word.text === "import" || word.text === "include") return parseImport(context, cursor);
  if (cursor.hasColon && word.text !== "" && !beginsStatement(line)) return parseShorthand(context, cursor);
  reportTopLevel(context, cursor, word.text);
  return undefined;
}

/** import = ("import" | "include") ( STRING | NAME ) NEWLINE */
function parseImport(context: ParseContext, cursor: LineCursor): ImportStatement | undefined {
  const written = cursor.rest();
  const path = cursor
    .text(written)
    .replace(/^(["'])(.*)\1$/s, "$2")
    .replace(/^bot\//, "")
    .trim();
  if (path === "" || /["'\n]/.test(path)) {
    const place = path === "" ? { start: cursor.start, end: cursor.end } : written;
    const message = path === "" ? "expected a path after `import`" : `${quoteText(path)} is not a path`;
    context.report("CO-110", message, place, "write `import <path>`");
    return undefined;
  }
  const [deeper] = cursor.line.children;
  if (deeper) context.report("CO-105", `unexpected indentation of ${quoteText(deeper.text)}`, deeper);
  return { kind: "Import", path, pathSpan: context.span(written), span: context.span(cursor.line) };
}

/**
 * userDef   = define "user" NAME NEWLINE [ INDENT { STRING NEWLINE } DEDENT ]
 * botDef    = define "bot" NAME NEWLINE [ INDENT { STRING NEWLINE } DEDENT ]
 * actionDef = define "action" NAME NEWLINE INDENT { anyLine } DEDENT
 * flowDef   = define { modifier } ("flow" | "subflow") …
 */
function parseDefine(context: ParseContext, cursor: LineCursor): Definition | undefined {
  const modifiers: Name[] = [];
  if (reportAfterColon(context, cursor)) return undefined;
  for (;;) {
    const word = cursor.takeWord();
    if (word.text === "flow" || word.text === "subflow") {
      const isSubflow = word.text === "subflow";
      return parseFlow(context, { line: cursor.line, name: cursor.rest(), modifiers, isSubflow, isShorthand: false });
    }
    if (modifiers.length === 0 && (word.text === "user" || word.text === "bot" || word.text === "action")) {
      return parseNamed(context, cursor, word.text);
    }
    if (MODIFIERS_WITHOUT_EFFECT.has(word.text)) {
      context.report("CO-303", `\`${word.text}\` has no effect`, word, "leave it out");
    } else if (!MODIFIERS.has(word.text)) {
      reportUnknownKind(context, cursor, word.start, modifiers.length > 0);
      return undefined;
    }
    modifiers.push(context.name(cursor, word));
  }
}

function parseNamed(
  context: ParseContext,
  cursor: LineCursor,
  kind: "user" | "bot" | "action",
): Definition | undefined {
  const { line } = cursor;
  const range = cursor.rest();
  const header = { start: line.start, end: cursor.end };
  const span = context.span({ start: line.start, end: endOf(line) });
  const quote = cursor.text(range).search(/["']/);
  if (range.start === range.end) {
    context.report("CO-110", `expected a name after \`define ${kind}\``, header);
  } else if (cursor.text(range).includes('"') || quote === 0) {
    const text = { start: range.start + quote, end: range.end };
    context.report("CO-110", "a name cannot hold a string", text, "write the texts on lines of their own, indented");
  }
  const name = context.name(cursor, range);
  if (kind === "action") {
    const hint = "register actions in code; this definition may be removed";
    context.report("CO-302", `the definition of action ${quoteText(name.text)} is ignored`, header, hint);
    return { kind: "ActionDefinition", name, span };
  }
  const texts = parseMessageLines(context, line.children, kind);
  return kind === "user"
    ? { kind: "UserDefinition", name, examples: texts, span }
    : { kind: "BotDefinition", name, variants: texts, span };
}

function parseShorthand(context: ParseContext, cursor: LineCursor): Definition {
  const { line } = cursor;
  const name = { start: cursor.start, end: cursor.end };
  const hint = `write ${quoteText(`define flow ${cursor.text(name)}`)}`;
  context.report("CO-305", `flow ${quoteText(cursor.text(name))} without \`define flow\``, name, hint);
  return parseFlow(context, { line, name, modifiers: [], isSubflow: false, isShorthand: true });
}

function reportUnknownKind(context: ParseContext, cursor: LineCursor, start: number, hasModifiers: boolean): void {
  cursor.at = start;
  if (cursor.isDone()) {
    const header = { start: cursor.start, end: cursor.end };
    const expected = hasModifiers ? "`flow`" : "`user`, `bot` or `flow`";
    context.report("CO-110", `expected ${expected} after ${quoteText(cursor.text(header))}`, header);
    return;
  }
  const word = cursor.takeWord();
  const place = word.text ? word : cursor.rest();
  const near = suggestWord(word.text, hasModifiers ? ["flow", "subflow", ...MODIFIERS] : [...KINDS, ...MODIFIERS]);
  const hint = near
    ? `did you mean \`${near}\`?`
    : "write `define user`, `define bot`, `define flow` or `define subflow`";
  context.report("CO-110", `unknown definition ${quoteText(cursor.text(place))}`, place, hint);
}

function reportTopLevel(context: ParseContext, cursor: LineCursor, word: string): void {
  const { line } = cursor;
  if (line.openString !== undefined) return;
  const header = { start: line.start, end: cursor.end };
  const place = word ? { start: line.start, end: line.start + word.length } : header;
  const refused = REFUSED_WORDS.get(word);
  if (refused !== undefined) {
    context.report("CO-110", `\`${word}\` cannot be used here`, place, refused);
    return;
  }
  if (beginsStatement(line)) {
    const hint = "write it into a `define flow`, indented";
    context.report("CO-110", `${quoteText(cursor.text(header))} outside a flow`, header, hint);
    return;
  }
  const near = suggestWord(word, TOP_LEVEL_WORDS);
  const hint = near
    ? `did you mean \`${near}\`?`
    : "a definition begins with `define user`, `define bot` or `define flow`";
  context.report("CO-110", `unknown statement ${quoteText(word || cursor.text(header))}`, place, hint);
}
