import { type LayoutLine, BlockReader, type Scope } from "../../syntax/layout.js";
import type { Statement } from "../ast.js";
import { LineParser } from "./line-parser.js";
import {
  isAssignment,
  opensGroup,
  parseDocstring,
  parseEvaluate,
  parseGenerateFlow,
  parseGlobal,
  parseLabel,
  parsePlain,
  parseReturn,
  parseValueStatement,
} from "./parse-simple.js";
import { parseAssign } from "./parse-simple.js";
import { parseIf, parseFor, parseWhile } from "./parse-branches.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { parseOperation } from "./parse-spec.js";
import { parseWhen } from "./parse-branches.js";
import type { ParseStatement, StatementInput } from "./statement-input.js";

/** Words that begin a line of code, and how it is read. */
const BY_WORD: ReadonlyMap<string, ParseStatement> = new Map<string, ParseStatement>([
  ["return", parseReturn],
  ["abort", parsePlain("Abort")],
  ["pass", parsePlain("Pass")],
  ["break", parsePlain("Break")],
  ["continue", parsePlain("Continue")],
  ["log", parseValueStatement("Log")],
  ["print", parseValueStatement("Print")],
  ["priority", parseValueStatement("Priority")],
  ["global", parseGlobal],
  ["if", parseIf],
  ["while", parseWhile],
  ["for", parseFor],
  ["when", parseWhen],
  ["else", reportOrphan],
  ["elif", reportOrphan],
  ["or", reportOrphan],
  ["import", reportImport],
  ["flow", reportFlow],
]);

const BLOCKS: ReadonlySet<ParseStatement> = new Set([
  parseIf,
  parseWhile,
  parseFor,
  parseWhen,
  reportOrphan,
  reportFlow,
]);

/** suite = NL INDENT stmt { stmt } DEDENT */
export function parseBlock(context: ParseContext, lines: readonly LayoutLine[], scope: Scope): readonly Statement[] {
  const statements: Statement[] = [];
  const reader = new BlockReader(lines);
  for (let line = reader.next(); line; line = reader.next()) {
    const input = createInput(context, line, scope, reader);
    const parse = chooseParser(input.parser);
    const statement = input.parser.attempt(() => parse(input));
    const isBlock = BLOCKS.has(parse);
    if (statement)
      statements.push(isBlock ? { ...statement, span: context.spanOfBlock(line, reader.last) } : statement);
    if (!isBlock) statements.push(...parseStrayChildren(context, line, scope));
  }
  return statements;
}

function createInput(context: ParseContext, line: LayoutLine, scope: Scope, siblings: BlockReader): StatementInput {
  const comment = line.comments.join("\n");
  return {
    context,
    line,
    parser: new LineParser(context, line),
    base: { span: context.span(line), ...(comment === "" ? {} : { comment }) },
    scope,
    siblings,
    parseBody: (header, inner = scope) => parseBody(context, header, inner),
  };
}

/** The lines below a header; a block holds at least one statement. */
export function parseBody(context: ParseContext, header: LayoutLine, scope: Scope): readonly Statement[] {
  if (header.children.length === 0) {
    const message = `expected an indented block below ${quoteText(firstRow(context, header))}`;
    context.report("C2-104", message, header, "indent what belongs to it, or write `pass`");
  }
  return parseBlock(context, header.children, scope);
}

function firstRow(context: ParseContext, line: LayoutLine): string {
  return context.source.text.slice(line.start, line.end).split("\n", 1)[0] ?? "";
}

/** Only headers have deeper lines; they are read all the same, so that their problems are reported at once. */
function parseStrayChildren(context: ParseContext, line: LayoutLine, scope: Scope): readonly Statement[] {
  const [first] = line.children;
  if (!first) return [];
  const hint = "give it the indentation of the line above";
  context.report("C2-105", `unexpected indentation of ${quoteText(firstRow(context, first))}`, first, hint);
  return parseBlock(context, line.children, scope);
}

function chooseParser({ cursor }: LineParser): ParseStatement {
  const first = cursor.peek();
  const next = cursor.peek(1);
  switch (first.kind) {
    case "variable":
      return isAssignment(cursor) ? parseAssign : parseOperation;
    case "string":
    case "long-string":
      return parseDocstring;
    case "word":
      if (next.kind === "punctuation" && next.text === ":" && cursor.peek(2).kind === "end") {
        return BY_WORD.get(first.text) ?? parseLabel;
      }
      return BY_WORD.get(first.text) ?? parseOperation;
    case "punctuation":
      if (first.text === "...") return parseGenerateFlow;
      return first.text === "(" && !opensGroup(cursor) ? parseEvaluate : parseOperation;
    default:
      return parseOperation;
  }
}

function reportOrphan({ parser, line, parseBody: readBody }: StatementInput): undefined {
  const word = parser.cursor.next();
  const isWhen = word.text === "or";
  const before = isWhen ? "when" : word.text === "elif" ? "if" : "if` or `when";
  const hint = `it follows a block of \`${before}\` and has the same indentation`;
  parser.report("C2-124", `\`${isWhen ? "or when" : word.text}\` without a beginning`, word, hint);
  readBody(line);
}

function reportImport({ context, line }: StatementInput): undefined {
  context.report("C2-106", "`import` inside a flow", line, "imports stand at the beginning of a file");
}

function reportFlow({ context, line, parseBody: readBody }: StatementInput): undefined {
  const hint = "flows stand side by side: give it the indentation of the other flows";
  context.report("C2-110", "a flow inside a flow", line, hint);
  readBody(line);
}
