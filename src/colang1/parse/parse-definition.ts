import { quoteText } from "../../diagnostics/diagnostic.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { Definition, ImportStatement, Name, FlowDefinition } from "../ast.js";
import { LineParser, collapseBlanks } from "./line-parser.js";
import {
  beginsStatement,
  reportRefused,
  reportUnknown,
  hasStatements,
  parseBlock,
  reportNoBody,
} from "./parse-block.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { parseMessageLines, trimRows } from "./parse-message.js";
import { reportAfterColon } from "./parse-parameters.js";
import { suggestWord, TOP_LEVEL_WORDS } from "./reserved-words.js";
import { positionAt } from "../../diagnostics/source-file.js";
import type { TextRange } from "../../syntax/source-rows.js";
import { readFlowName, splitAtVariables } from "./parse-call.js";
import { isMetaLine, parseMeta, type MetaValue } from "./parse-meta.js";

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
  return reportTopLevel(parser, word.text);
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
    return parser.report("CO-110", message, place, "write `import <path>`");
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
      return parseFlow(parser, parser.rest(), { modifiers, isSubflow: word.text === "subflow", isShorthand: false });
    }
    if (modifiers.length === 0 && (word.text === "user" || word.text === "bot" || word.text === "action")) {
      return parseNamed(parser, word.text);
    }
    if (MODIFIERS_WITHOUT_EFFECT.has(word.text)) {
      parser.report("CO-303", `\`${word.text}\` has no effect`, word, "leave it out");
    } else if (!MODIFIERS.has(word.text)) {
      return reportUnknownKind(parser, word.start, modifiers.length > 0);
    }
    modifiers.push(parser.name(word));
  }
}

function parseNamed(parser: LineParser, kind: "user" | "bot" | "action"): Definition | undefined {
  const { line, range: header } = parser;
  const range = parser.rest();
  const span = parser.context.spanOfBlock(line);
  const quote = parser.textOf(range).search(/["']/);
  if (range.start === range.end) {
    parser.report("CO-110", `expected a name after \`define ${kind}\``, header, `write \`define ${kind} <name>\``);
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
  const { range: name, text } = parser;
  const hint = `write ${quoteText(`define flow ${text}`)}`;
  parser.report("CO-305", `flow ${quoteText(text)} without \`define flow\``, name, hint);
  return parseFlow(parser, name, { modifiers: [], isSubflow: false, isShorthand: true });
}

function reportUnknownKind(parser: LineParser, start: number, hasModifiers: boolean): undefined {
  parser.at = start;
  if (parser.isDone()) {
    const expected = hasModifiers ? "`flow`" : "`user`, `bot` or `flow`";
    return parser.report(
      "CO-110",
      `expected ${expected} after ${quoteText(parser.text)}`,
      parser.range,
      `write ${quoteText(`${parser.text} flow <name>`)}`,
    );
  }
  const word = parser.takeWord();
  const place = word.text ? word : parser.rest();
  const near = suggestWord(word.text, hasModifiers ? ["flow", "subflow", ...MODIFIERS] : [...KINDS, ...MODIFIERS]);
  const kinds = "write `define user`, `define bot`, `define flow` or `define subflow`";
  const hint = near ? `did you mean \`${near}\`?` : kinds;
  parser.report("CO-110", `unknown definition ${quoteText(parser.textOf(place))}`, place, hint);
}

function reportTopLevel(parser: LineParser, word: string): undefined {
  if (parser.line.openString !== undefined || reportRefused(parser, word)) return undefined;
  if (beginsStatement(parser)) {
    return parser.refuse("CO-110", parser.range, "outside a flow", "write it into a `define flow`, indented");
  }
  const hint = "a definition begins with `define user`, `define bot` or `define flow`";
  reportUnknown(parser, word, TOP_LEVEL_WORDS, hint);
}

const PARAMETER = /\$?([A-Za-z_]\w*)/y;

type FlowTraits = Pick<FlowDefinition, "modifiers" | "isSubflow" | "isShorthand">;

/**
 * flowDef   = define { modifier } ("flow" | "subflow") [ NAME ] NEWLINE INDENT { meta } block DEDENT
 * shorthand = NAME ":" NEWLINE INDENT block DEDENT
 *
 * @param name - follows `flow` or `subflow`, or precedes the colon of a shorthand flow; empty for an unnamed flow
 */
function parseFlow(parser: LineParser, name: TextRange, traits: FlowTraits): FlowDefinition {
  const { context, line } = parser;
  const isNamed = name.start < name.end;
  const reference = isNamed ? readReference(parser, name) : undefined;
  if (reference?.id === "") {
    const hint = "write `define flow <name> $parameter`";
    parser.report("CO-110", "expected a name before the parameters", name, hint);
  }
  const meta = new Map<string, MetaValue>();
  const body: LayoutLine[] = [];
  for (const child of line.children) {
    if (isMetaLine(child)) parseMeta(context, child, meta);
    else body.push(child);
  }
  if (!hasStatements(body)) reportNoBody(context, parser.text, parser.range);
  const doc = line.children.find((child) => child.kind === "docstring");
  return {
    kind: "FlowDefinition",
    ...(isNamed && { name: parser.name(name) }),
    id: reference?.id || `anonymous-${context.source.name}-${positionAt(context.source, line.start).line}`,
    parameters: reference?.parameters ?? [],
    ...traits,
    ...(doc && { doc: docText(doc) }),
    // INVARIANT: no prototype, so that a key such as `__proto__` is a key like any other.
    meta: Object.assign(Object.create(null) as FlowDefinition["meta"], Object.fromEntries(meta)),
    body: parseBlock(context, body, { isInLoop: false }),
    span: context.spanOfBlock(line),
    headerSpan: context.span(parser.range),
  };
}

/** Reads the name without its parameters, and the names of those. */
function readReference(parser: LineParser, name: TextRange): { id: string; parameters: readonly string[] } {
  parser.at = name.start;
  const id = collapseBlanks(parser.textOf(readFlowName(parser)));
  const open = parser.at;
  const written = { start: open, end: name.end };
  const isList = parser.charAt(open) === "(";
  const parts = isList ? parser.splitAtCommas({ start: open + 1, end: name.end }) : splitAtVariables(parser, written);
  const names = parts.flatMap((part) => parser.match(PARAMETER, part.start)?.[1] ?? []);
  return { id, parameters: [...new Set(names)] };
}

function docText(line: LayoutLine): string {
  const close = line.text.indexOf('"""', 3);
  return trimRows(line.text.slice(3, close === -1 ? undefined : close)).trim();
}
