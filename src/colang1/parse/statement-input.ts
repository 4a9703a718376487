import type { Span } from "../../diagnostics/span.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { Statement } from "../ast.js";
import type { LineCursor } from "./line-cursor.js";
import type { ParseContext } from "./parse-context.js";

/** What surrounds a statement, as far as its meaning depends on it. */
export interface Scope {
  readonly isInLoop: boolean;
}

/** The lines after the current one, for constructs that go on with `else`. */
export interface Siblings {
  /** The next line if it begins with the word. */
  peek(word: string): LayoutLine | undefined;
  take(): void;
}

/** Gives a statement parser everything it may read. */
export interface StatementInput {
  readonly context: ParseContext;
  /** Stands after the first word. */
  readonly cursor: LineCursor;
  readonly word: TextRange & { readonly text: string };
  /** What every statement has: the place of its line and the comment above it. */
  readonly base: { readonly span: Span; readonly comment?: string };
  readonly scope: Scope;
  readonly siblings: Siblings;
  /** The statements of the deeper lines; complains if there are none. */
  parseBody(line: LayoutLine, scope: Scope): readonly Statement[];
}

/** Reads the statements of one line. What cannot be read is reported, and yields none. */
export type ParseStatement = (input: StatementInput) => readonly Statement[];
