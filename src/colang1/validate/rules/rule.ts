import type { DiagnosticCode } from "../../../diagnostics/codes.js";
import type { DiagnosticDetails } from "../../../diagnostics/diagnostic.js";
import type { Pattern, Statement, StatementOf } from "../../ast.js";
import type { FlowFacts, ProgramFacts } from "../program-facts.js";

export type Report = (code: DiagnosticCode, message: string, details?: DiagnosticDetails) => void;

type Visit<Node> = (node: Node, flow: FlowFacts) => void;

/** Callbacks of a rule for the walk over the program: for statements and patterns by kind, nested ones too. */
export type RuleVisitor = { readonly [Kind in Statement["kind"]]?: Visit<StatementOf<Kind>> } & {
  readonly [Kind in Pattern["kind"]]?: Visit<Extract<Pattern, { readonly kind: Kind }>>;
} & {
  /** Every statement, before the callback for its kind. */
  readonly statement?: Visit<Statement>;
  /** Every flow, after its statements. */
  readonly flow?: (flow: FlowFacts) => void;
  /** Once, after all flows. */
  readonly program?: () => void;
};

/** One check over a whole program. A rule may keep what it has seen in its closure. */
export type Rule = (facts: ProgramFacts, report: Report) => RuleVisitor;
