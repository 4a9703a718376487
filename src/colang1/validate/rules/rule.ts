import type { DiagnosticCode } from "../../../diagnostics/codes.js";
import type { DiagnosticDetails } from "../../../diagnostics/diagnostic.js";
import type { Statement } from "../../ast.js";
import type { FlowFacts, ProgramFacts } from "../program-facts.js";

export type Report = (code: DiagnosticCode, message: string, details?: DiagnosticDetails) => void;

/** Callbacks of a rule for the walk over the program. */
interface RuleVisitor {
  /** Every statement, nested ones too. */
  readonly statement?: (statement: Statement, flow: FlowFacts) => void;
  /** Every flow, after its statements. */
  readonly flow?: (flow: FlowFacts) => void;
  /** Once, after all flows. */
  readonly program?: () => void;
}

/** One check over a whole program. A rule may keep what it has seen in its closure. */
export type Rule = (facts: ProgramFacts, report: Report) => RuleVisitor;
