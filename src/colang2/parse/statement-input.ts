import type { Span } from "../../diagnostics/source-file.js";
import type { BlockReader, Scope, LayoutLine } from "../../syntax/layout.js";
import { lexRange } from "../../syntax/lexer.js";
import type { Statement } from "../ast.js";
import type { LineParser } from "./line-parser.js";
import type { ParseContext } from "../../syntax/parse-context.js";

/** Everything that the parser of a statement may read. */
export interface StatementInput {
  readonly context: ParseContext;
  /** Stands at the first word. */
  readonly parser: LineParser;
  readonly line: LayoutLine;
  /** Fields of every statement: the place of its line and the comment above it. */
  readonly base: { readonly span: Span; readonly comment?: string };
  readonly scope: Scope;
  /** The lines after the current one. */
  readonly siblings: BlockReader;
  /** Reads the statements of the deeper lines, and reports if there are none. */
  parseBody(line: LayoutLine, scope?: Scope): readonly Statement[];
}

/** Reads a statement. A line that cannot be read is reported, and yields no statement. */
export type ParseStatement = (input: StatementInput) => Statement | undefined;

/** Returns the next line if it begins with these words. */
export function peekSibling(
  { context, siblings }: StatementInput,
  ...words: readonly string[]
): LayoutLine | undefined {
  const line = siblings.peek();
  if (!line) return undefined;
  const tokens = lexRange(context.source, line.start, line.end, { maxTokens: words.length });
  return words.every((word, at) => tokens[at]?.kind === "word" && tokens[at].text === word) ? line : undefined;
}
