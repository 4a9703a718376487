import { addAll } from "../../diagnostics/add-all.js";
import { type LayoutLine, BlockReader, type Scope } from "../../syntax/layout.js";
import type { Statement } from "../ast.js";
import { LineParser, type ParseStatement, type StatementInput } from "./line-parser.js";
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
  parseAssign,
} from "./parse-simple.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { parseOperation, parseGroup } from "./parse-spec.js";
import { hintForWord } from "./reserved-words.js";
import type { Span } from "../../diagnostics/source-file.js";
import { lexRange } from "../../syntax/lexer.js";

/** Words that start a line with a block below it. */
const BLOCKS: ReadonlyMap<string, ParseStatement> = new Map<string, ParseStatement>([
  ["if", parseIf],
  ["while", parseWhile],
  ["for", parseFor],
  ["when", parseWhen],
  ["else", reportOrphan],
  ["elif", reportOrphan],
  ["or", reportOrphan],
  ["flow", reportFlow],
]);

/** Words that start a line of code, with their parsers. */
const BY_WORD: ReadonlyMap<string, ParseStatement> = new Map<string, ParseStatement>([
  ...BLOCKS,
  ["return", parseReturn],
  ["abort", parsePlain("Abort")],
  ["pass", parsePlain("Pass")],
  ["break", parsePlain("Break")],
  ["continue", parsePlain("Continue")],
  ["log", parseValueStatement("Log")],
  ["print", parseValueStatement("Print")],
  ["priority", parseValueStatement("Priority")],
  ["global", parseGlobal],
  ["import", reportImport],
]);

const BLOCK_WORDS: ReadonlySet<string> = new Set(BLOCKS.keys());

const BLOCK_PARSERS: ReadonlySet<ParseStatement> = new Set(BLOCKS.values());

/** suite = NL INDENT stmt { stmt } DEDENT */
export function parseBlock(context: ParseContext, lines: readonly LayoutLine[], scope: Scope): readonly Statement[] {
  const statements: Statement[] = [];
  const reader = new BlockReader(lines);
  for (let line = reader.next(); line; line = reader.next()) {
    const comment = line.comments.join("\n");
    const base = { span: context.span(line), ...(comment === "" ? {} : { comment }) };
    const input = { context, line, parser: new LineParser(context, line), base, scope, siblings: reader };
    const parse = chooseParser(input.parser);
    const statement = input.parser.attempt(() => parse(input));
    const isBlock = BLOCK_PARSERS.has(parse);
    if (statement)
      statements.push(isBlock ? { ...statement, span: context.spanOfBlock(line, reader.last) } : statement);
    if (!isBlock) addAll(statements, parseStrayChildren(context, line, scope));
  }
  return statements;
}

/** Reads the lines below a header; a block has at least one statement. */
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

/** Only headers have deeper lines; they are read anyway, so that their problems are reported at once. */
function parseStrayChildren(context: ParseContext, line: LayoutLine, scope: Scope): readonly Statement[] {
  const [first] = line.children;
  if (!first) return [];
  const word = new LineParser(context, line).cursor.peek();
  const header = word.kind === "word" ? hintForWord(word.text, BLOCK_WORDS) : undefined;
  const hint =
    header === undefined
      ? "give it the indentation of the line above"
      : `${quoteText(word.text)} does not begin a block; ${header}`;
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

function reportOrphan({ context, parser, line, scope }: StatementInput): undefined {
  const word = parser.cursor.next();
  const isWhen = word.text === "or";
  const before = isWhen ? "when" : word.text === "elif" ? "if" : "if` or `when";
  const hint = `it follows a block of \`${before}\` and has the same indentation`;
  parser.report("C2-124", `\`${isWhen ? "or when" : word.text}\` without a beginning`, word, hint);
  parseBody(context, line, scope);
}

function reportImport({ context, line }: StatementInput): undefined {
  context.report("C2-106", "`import` inside a flow", line, "imports stand at the beginning of a file");
}

function reportFlow({ context, line, scope }: StatementInput): undefined {
  const hint = "flows stand side by side: give it the indentation of the other flows";
  context.report("C2-110", "a flow inside a flow", line, hint);
  parseBody(context, line, scope);
}

/** ifstmt = "if" test suite { ( "elif" | "else" "if" ) test suite } [ "else" suite ] */
function parseIf(input: StatementInput): Statement | undefined {
  const found = parseBranches(input, [["else", "if"], ["elif"]], (parser, words) => {
    const condition = parser.condition(words);
    return condition && { condition };
  });
  return found && { kind: "If", branches: found.branches, ...found.rest };
}

/** whenstmt = "when" group suite { "or" "when" group suite } [ "else" suite ] */
function parseWhen(input: StatementInput): Statement | undefined {
  const found = parseBranches(input, [["or", "when"]], (parser, words) =>
    parser.attempt(() => {
      for (let word = 0; word < words; word += 1) parser.cursor.next();
      const group = parseGroup(parser);
      parser.expectHeaderEnd("after what `when` waits for");
      return { group };
    }),
  );
  return found && { kind: "When", cases: found.branches, ...found.rest };
}

/**
 * Reads the blocks of a header and of the headers that continue it, then [ "else" [ ":" ] suite ].
 *
 * @param continuations - words that start a further header
 * @param readHead - reads a header after this many words; undefined if it stopped at an error
 */
function parseBranches<Head extends object>(
  input: StatementInput,
  continuations: readonly (readonly string[])[],
  readHead: (parser: LineParser, words: number) => Head | undefined,
) {
  const { context, siblings, scope } = input;
  const branches: (Head & { body: readonly Statement[]; span: Span })[] = [];
  const addBranch = (parser: LineParser, words: number): void => {
    const head = readHead(parser, words);
    const body = parseBody(context, parser.line, scope);
    if (head) branches.push({ ...head, body, span: context.spanOfBlock(parser.line) });
  };
  addBranch(input.parser, 1);
  const startsNext = (words: readonly string[]): boolean => startsWith(context, siblings.peek(), words);
  for (let words = continuations.find(startsNext); words; words = continuations.find(startsNext)) {
    addBranch(new LineParser(context, siblings.next() as LayoutLine), words.length);
  }
  let otherwise: readonly Statement[] | undefined;
  if (startsNext(["else"])) {
    const parser = new LineParser(context, siblings.next() as LayoutLine);
    parser.attempt(() => {
      parser.cursor.next();
      const isWhen = parser.cursor.is("when");
      parser.expectHeaderEnd("after `else`", isWhen ? "write `or when` for one more case" : undefined);
    });
    otherwise = parseBody(context, parser.line, scope);
  }
  return branches.length > 0 ? { branches, rest: { ...(otherwise && { otherwise }), ...input.base } } : undefined;
}

function startsWith({ source }: ParseContext, line: LayoutLine | undefined, words: readonly string[]): boolean {
  if (!line) return false;
  const tokens = lexRange(source, line.start, line.end, { maxTokens: words.length });
  return words.every((word, at) => tokens[at]?.kind === "word" && tokens[at].text === word);
}

const INSIDE = { isInLoop: true } as const;

/** whilestmt = "while" test [ ":" ] suite */
function parseWhile({ parser, base, context, line }: StatementInput): Statement | undefined {
  const condition = parser.condition(1);
  const body = parseBody(context, line, INSIDE);
  return condition && { kind: "While", condition, body, ...base };
}

/** forstmt = "for" VAR "in" test [ ":" ] suite */
function parseFor({ parser, base, context, line }: StatementInput): Statement | undefined {
  const header = parser.attempt(() => {
    const { cursor } = parser;
    cursor.next();
    const variable = parser.variable("after `for`");
    if (!cursor.eat("in")) parser.failHere("C2-110", "where `in` is expected", "write `for $x in $list`");
    const iterable = parser.test();
    parser.expectConditionEnd();
    return { variable, iterable };
  });
  const body = parseBody(context, line, INSIDE);
  return header && { kind: "For", ...header, body, ...base };
}
