import type { Span } from "../../diagnostics/span.js";
import type { BlockReader, Scope } from "../../syntax/block-reader.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { Statement } from "../ast.js";
import { LineParser } from "./line-parser.js";

/** Everything that the parser of a statement may read. */
export interface StatementInput {
  /** Stands after the first word. */
  readonly parser: LineParser;
  readonly word: TextRange & { readonly text: string };
  /** Fields of every statement: the place of its line and the comment above it. */
  readonly base: { readonly span: Span; readonly comment?: string };
  readonly scope: Scope;
  /** The lines after the current one. */
  readonly siblings: BlockReader;
  /** Reads the statements of the deeper lines, and reports if there are none. */
  parseBody(line: LayoutLine, scope: Scope): readonly Statement[];
}

/** Reads the statements of one line. A line that cannot be read is reported, and yields no statement. */
export type ParseStatement = (input: StatementInput) => readonly Statement[];

/** Returns the next line if it begins with the word. */
export function peekSibling({ parser, siblings }: StatementInput, word: string): LayoutLine | undefined {
  const line = siblings.peek();
  return line?.kind === "code" && new LineParser(parser.context, line).peekWord() === word ? line : undefined;
}
