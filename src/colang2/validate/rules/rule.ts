import type { DiagnosticCode } from "../../../diagnostics/codes.js";
import type { Span } from "../../../diagnostics/source-file.js";
import type { FlowDefinition } from "../../ast.js";

/** Facts that rules about rails need. */
export interface RailScope {
  /** Variables that exist without being assigned by the flow: those of the engine, and those that are declared. */
  readonly known: ReadonlySet<string>;
  /** Global variables that some flow assigns. */
  readonly assigned: ReadonlySet<string>;
}

/** Actions that run in this process, by the names that flows give them. */
export interface KnownActions {
  has(action: string): boolean;
  /** Every parameter that an action takes; undefined for an action that is not known, or whose parameters are not. */
  acceptedBy(action: string): readonly string[] | undefined;
  /** Names for suggestions. */
  readonly names: readonly string[];
}

/** The input of a rule: one flow, and the facts around it. */
export interface RuleInput {
  readonly flow: FlowDefinition;
  readonly flows: ReadonlyMap<string, FlowDefinition>;
  /** Set for a flow that runs as a rail or is called by one. */
  readonly rails?: RailScope | undefined;
  readonly actions?: KnownActions | undefined;
  /** Module of the standard library that defines a flow, for hints; undefined if there is none. */
  readonly moduleOf?: ((flow: string) => string | undefined) | undefined;
  report(code: DiagnosticCode, message: string, span: Span, hint?: string | (() => string)): void;
}

export type Rule = (input: RuleInput) => void;
