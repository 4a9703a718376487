import type { DiagnosticCode } from "../../diagnostics/codes.js";
import type { Span } from "../../diagnostics/span.js";
import type { FlowDefinition } from "../ast.js";

/** What a rule sees: one flow, and what else there is. */
export interface RuleInput {
  readonly flow: FlowDefinition;
  readonly flows: ReadonlyMap<string, FlowDefinition>;
  report(code: DiagnosticCode, message: string, span: Span, hint?: string): void;
}

export type Rule = (input: RuleInput) => void;
