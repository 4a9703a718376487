import type { Span } from "../../diagnostics/span.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { Statement } from "../ast.js";
import type { LineParser } from "./line-parser.js";
import type { ParseContext } from "./parse-context.js";

/** What surrounds a statement, as far as its meaning depends on it. */
export interface Surroundings {
  readonly isInLoop: boolean;
}

/** The lines after the current one, for constructs that go on with `else`. */
export interface Siblings {
  /** The next line if it begins with these words. */
  peek(...words: readonly string[]): LayoutLine | undefined;
  take(): void;
}

/** Gives a statement parser everything it may read. */
export interface StatementInput {
  readonly context: ParseContext;
  /** Stands at the first word. */
  readonly parser: LineParser;
  readonly line: LayoutLine;
  /** What every statement has: the place of its line and the comment above it. */
  readonly base: { readonly span: Span; readonly comment?: string };
  readonly surroundings: Surroundings;
  readonly siblings: Siblings;
  /** The statements of the deeper lines; complains if there are none. */
  parseBody(line: LayoutLine, surroundings?: Surroundings): readonly Statement[];
}

/** Reads a statement. What cannot be read is reported, and yields none. */
export type ParseStatement = (input: StatementInput) => Statement | undefined;
