import type { SourceLocation, Span } from "../../diagnostics/span.js";
import type { SayStatement, Statement } from "../ast.js";
import type { ElementWriter } from "./element-writer.js";

/** What lowering has to know of the rest of the program. */
export interface LowerContext {
  /** Where a span lies for people; differs from the plain place for flows that have no source file of their own. */
  locate?(span: Span): SourceLocation;
  /** The intents that have exactly this example. */
  intentsOf(text: string): readonly string[];
  /** The declared order of an action's parameters. */
  parametersOfAction(name: string): readonly string[] | undefined;
  /** The parameters of a flow, by id. */
  parametersOfFlow(id: string): readonly string[];
  /** Whether an inline text is said as it stands, rather than a definition that overrides it. */
  saysItsOwnText(statement: SayStatement): boolean;
}

/** What lowering one statement has at hand. */
export interface Lowering {
  readonly writer: ElementWriter;
  readonly context: LowerContext;
  /** Lowers the statements of a block, one after the other. */
  lowerBody(body: readonly Statement[]): void;
}
