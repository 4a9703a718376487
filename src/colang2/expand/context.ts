import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { DiagnosticCode } from "../../diagnostics/codes.js";
import type { Span } from "../../diagnostics/source-file.js";
import { freeVariables } from "../../expressions/walk-expression.js";
import type { Statement } from "../ast.js";
import type { ElementArgument, Pattern } from "../requests.js";
import type { ElementWriter, Label } from "./element-writer.js";
import type { Expression } from "../../expressions/ast.js";

/** The signature of a flow: the names of its parameters, in order. */
export interface FlowSignature {
  readonly parameters: readonly { readonly name: string }[];
}

export type FlowSignatures = ReadonlyMap<string, FlowSignature>;

/** The targets of `break` and `continue`. */
export interface LoopLabels {
  readonly begin: Label;
  readonly end: Label;
}

/** The context that all parts of the expansion of a flow share. */
export interface ExpandContext {
  readonly writer: ElementWriter;
  /** All flows of the program by name. */
  readonly flows: FlowSignatures;
  readonly diagnostics: Diagnostic[];
  readonly loop?: LoopLabels;
  expandBlock(statements: readonly Statement[], loop?: LoopLabels): void;
}

export function report(
  context: ExpandContext,
  code: DiagnosticCode,
  message: string,
  span: Span,
  hint?: string,
): undefined {
  context.diagnostics.push(createDiagnostic(code, message, { span, hint }));
}

/** Writes a wait, with the variables its pattern reads. */
export function addWait(
  { writer }: ExpandContext,
  pattern: Pattern,
  { quiet = false, event }: { readonly quiet?: boolean; readonly event?: string | undefined } = {},
): void {
  const reads = readsOf(pattern);
  writer.add(() => ({ kind: "Wait", pattern, quiet, reads, ...(event === undefined ? {} : { event }) }));
}

function readsOf(pattern: Pattern): readonly string[] {
  if (pattern.form === "activated") return [];
  const given: ElementArgument[] = [...pattern.arguments];
  if (pattern.form === "action") given.push(...pattern.startArguments);
  if (pattern.form === "flow") given.push(...pattern.flowArguments);
  const values = given.map(({ value }) => value);
  if (pattern.form === "reference") values.push(pattern.value);
  return [...new Set(values.flatMap((value) => freeVariables(value)))].filter((name) => !name.startsWith("%"));
}

/** Writes the wait for the start of a flow; it becomes impossible if the flow fails before. */
export function addStartedWait(context: ExpandContext, name: string): void {
  addWait(context, { form: "reference", value: variable(name), member: "Started", arguments: [] }, { quiet: true });
}

export function addFinishedWait(context: ExpandContext, name: string): void {
  addWait(context, { form: "reference", value: variable(name), member: "Finished", arguments: [] });
}

/** Expressions the compiler makes up have no place of their own. */
const NOWHERE = { start: 0, end: 0 } as const;

export function variable(name: string): Expression {
  return { kind: "Variable", name, ...NOWHERE };
}

export function member(object: Expression, name: string): Expression {
  return { kind: "Member", object, name, ...NOWHERE };
}

export function literal(value: string | number | boolean | null): Expression {
  return { kind: "Literal", value, ...NOWHERE };
}

export function list(items: readonly Expression[]): Expression {
  return { kind: "List", items, ...NOWHERE };
}

export function equals(left: Expression, right: Expression): Expression {
  return { kind: "Compare", first: left, rest: [{ operator: "==", operand: right }], ...NOWHERE };
}
