import { quoteText } from "../../diagnostics/diagnostic.js";
import { type LayoutLine, endOfBlock } from "../../syntax/layout.js";
import type { Definition, ImportStatement, Name } from "../ast.js";
import { LineParser } from "./line-parser.js";
import { beginsStatement, reportRefused, reportUnknown } from "./parse-block.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { parseFlow } from "./parse-flow.js";
import { parseMessageLines } from "./parse-message.js";
import { reportAfterColon } from "./parse-parameters.js";
import { suggestWord, TOP_LEVEL_WORDS } from "./reserved-words.js";

const MODIFIERS: ReadonlySet<string> = new Set(
  "parallel recursive extension continuous noninterruptable non-interruptable".split(" "),
);
const MODIFIERS_WITHOUT_EFFECT: ReadonlySet<string> = new Set(["test", "sample", "response", "interruption", "repair"]);
const KINDS = ["user", "bot", "flow", "subflow", "action"] as const;

/** Reads a line that is not indented, with everything below it. */
export function parseTopLevel(context: ParseContext, line: LayoutLine): Definition | ImportStatement | undefined {
  if (line.kind === "docstring") return undefined;
  const parser = new LineParser(context, line);
  const word = parser.takeWord();
  if (word.text === "define" || word.text === "def") return parseDefine(parser);
  if (word.text === "import" || word.text === "include") return parseImport(parser);
  if (parser.hasColon && word.text !== "" && !beginsStatement(parser)) return parseShorthand(parser);
  reportTopLevel(parser, word.text);
  return undefined;
}

/** import = ("import" | "include") ( STRING | NAME ) NEWLINE */
function parseImport(parser: LineParser): ImportStatement | undefined {
  const written = parser.rest();
  const path = parser
    .textOf(written)
    .replace(/^(["'])(.*)\1$/s, "$2")
    .replace(/^bot\//, "")
    .trim();
  if (path === "" || /["'\n]/.test(path)) {
    const place = path === "" ? parser.range : written;
    const message = path === "" ? "expected a path after `import`" : `${quoteText(path)} is not a path`;
    parser.report("CO-110", message, place, "write `import <path>`");
    return undefined;
  }
  parser.refuseDeeper();
  return { kind: "Import", path, pathSpan: parser.span(written), span: parser.span(parser.line) };
}

/**
 * userDef   = define "user" NAME NEWLINE [ INDENT { STRING NEWLINE } DEDENT ]
 * botDef    = define "bot" NAME NEWLINE [ INDENT { STRING NEWLINE } DEDENT ]
 * actionDef = define "action" NAME NEWLINE INDENT { anyLine } DEDENT
 * flowDef   = define { modifier } ("flow" | "subflow") …
 */
function parseDefine(parser: LineParser): Definition | undefined {
  const modifiers: Name[] = [];
  if (reportAfterColon(parser)) return undefined;
  for (;;) {
    const word = parser.takeWord();
    if (word.text === "flow" || word.text === "subflow") {
      const isSubflow = word.text === "subflow";
      return parseFlow(parser.context, {
        line: parser.line,
        name: parser.rest(),
        modifiers,
        isSubflow,
        isShorthand: false,
      });
    }
    if (modifiers.length === 0 && (word.text === "user" || word.text === "bot" || word.text === "action")) {
      return parseNamed(parser, word.text);
    }
    if (MODIFIERS_WITHOUT_EFFECT.has(word.text)) {
      parser.report("CO-303", `\`${word.text}\` has no effect`, word, "leave it out");
    } else if (!MODIFIERS.has(word.text)) {
      reportUnknownKind(parser, word.start, modifiers.length > 0);
      return undefined;
    }
    modifiers.push(parser.name(word));
  }
}

function parseNamed(parser: LineParser, kind: "user" | "bot" | "action"): Definition | undefined {
  const { line, range: header } = parser;
  const range = parser.rest();
  const span = parser.span({ start: line.start, end: endOfBlock(line) });
  const quote = parser.textOf(range).search(/["']/);
  if (range.start === range.end) {
    parser.report("CO-110", `expected a name after \`define ${kind}\``, header);
  } else if (parser.textOf(range).includes('"') || quote === 0) {
    const text = { start: range.start + quote, end: range.end };
    parser.report("CO-110", "a name cannot hold a string", text, "write the texts on lines of their own, indented");
  }
  const name = parser.name(range);
  if (kind === "action") {
    const hint = "register actions in code; this definition may be removed";
    parser.report("CO-302", `the definition of action ${quoteText(name.text)} is ignored`, header, hint);
    return { kind: "ActionDefinition", name, span };
  }
  const texts = parseMessageLines(parser.context, line.children, kind);
  return kind === "user"
    ? { kind: "UserDefinition", name, examples: texts, span }
    : { kind: "BotDefinition", name, variants: texts, span };
}

function parseShorthand(parser: LineParser): Definition {
  const { line, range: name, text } = parser;
  const hint = `write ${quoteText(`define flow ${text}`)}`;
  parser.report("CO-305", `flow ${quoteText(text)} without \`define flow\``, name, hint);
  return parseFlow(parser.context, { line, name, modifiers: [], isSubflow: false, isShorthand: true });
}

function reportUnknownKind(parser: LineParser, start: number, hasModifiers: boolean): void {
  parser.at = start;
  if (parser.isDone()) {
    const expected = hasModifiers ? "`flow`" : "`user`, `bot` or `flow`";
    parser.report("CO-110", `expected ${expected} after ${quoteText(parser.text)}`, parser.range);
    return;
  }
  const word = parser.takeWord();
  const place = word.text ? word : parser.rest();
  const near = suggestWord(word.text, hasModifiers ? ["flow", "subflow", ...MODIFIERS] : [...KINDS, ...MODIFIERS]);
  const hint = near
    ? `did you mean \`${near}\`?`
    : "write `define user`, `define bot`, `define flow` or `define subflow`";
  parser.report("CO-110", `unknown definition ${quoteText(parser.textOf(place))}`, place, hint);
}

function reportTopLevel(parser: LineParser, word: string): void {
  const { line, range: header, text } = parser;
  if (line.openString !== undefined) return;
  if (reportRefused(parser, word)) return;
  if (beginsStatement(parser)) {
    const hint = "write it into a `define flow`, indented";
    parser.report("CO-110", `${quoteText(text)} outside a flow`, header, hint);
    return;
  }
  const hint = "a definition begins with `define user`, `define bot` or `define flow`";
  reportUnknown(parser, word, TOP_LEVEL_WORDS, hint);
}
