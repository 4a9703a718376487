import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { type Span, locationOf, spanText } from "../../diagnostics/source-file.js";
import { freeVariables } from "../../expressions/walk-expression.js";
import type { Statement } from "../ast.js";
import type { ElementArgument, Pattern, Element, ElementPlace, ElementTarget } from "../elements.js";
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

/** Context shared by all parts of the expansion of a flow. */
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
  details: { readonly span: Span; readonly hint?: string | undefined },
): undefined {
  context.diagnostics.push(createDiagnostic(code, message, details));
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

/** Writes the wait for the start of a flow; it becomes impossible if the flow fails first. */
export function addStartedWait(context: ExpandContext, name: string): void {
  addWait(context, { form: "reference", value: variable(name), member: "Started", arguments: [] }, { quiet: true });
}

export function addFinishedWait(context: ExpandContext, name: string): void {
  addWait(context, { form: "reference", value: variable(name), member: "Finished", arguments: [] });
}

/** Synthetic expressions have no position. */
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

type WithoutPlace<One> = One extends unknown ? Omit<One, "place"> : never;

/** An instruction before its address is known. */
export type ElementDraft = WithoutPlace<Element>;

/** A jump target whose address may not be known yet. */
export class Label {
  #address: number | undefined;

  place(address: number): void {
    this.#address = address;
  }

  /** INVARIANT: read only after the whole flow has been written and all its labels placed. */
  get address(): number {
    if (this.#address === undefined) throw new RangeError("a label was never placed");
    return this.#address;
  }
}

const MAX_PLACE_TEXT = 120;

/** Collects the instructions of one flow; jumps are resolved at the end. */
export class ElementWriter {
  readonly #drafts: { readonly build: () => ElementDraft; readonly place: number }[] = [];
  readonly #places: ElementPlace[] = [];
  #place = 0;
  #forks = 0;
  #scopes = 0;
  #temporaries = 0;

  /** Sets the place of the instructions that follow. Returns the value for `returnTo`. */
  at(span: Span): number {
    const before = this.#place;
    const text = (spanText(span).split("\n", 1)[0] ?? "").trim().slice(0, MAX_PLACE_TEXT);
    this.#place = this.#places.push({ location: locationOf(span), text }) - 1;
    return before;
  }

  returnTo(place: number): void {
    this.#place = place;
  }

  add(build: () => ElementDraft): void {
    this.#drafts.push({ build, place: this.#place });
  }

  label(label: Label): void {
    label.place(this.#drafts.length);
  }

  goto(label: Label): void {
    this.add(() => ({ kind: "Goto", target: label.address }));
  }

  /** Assigns a value to a variable, or to a part of it. */
  set({ name, path }: ElementTarget, value: Expression): void {
    this.add(() => ({ kind: "Set", target: { name, path }, operator: "=", value }));
  }

  /** Starts one head per branch; if one fails, execution continues at the label `failed`. */
  beginFork(branches: readonly Label[]): { readonly fork: number; readonly failed: Label } {
    const fork = this.newFork();
    const failed = new Label();
    this.add(() => ({ kind: "PushHandler", target: failed.address }));
    this.add(() => ({ kind: "Fork", fork, targets: branches.map(({ address }) => address) }));
    return { fork, failed };
  }

  /** Ends a fork as failed with the first head that arrives. */
  failFork(fork: number): void {
    this.add(() => ({ kind: "Merge", fork, failed: true }));
    this.add(() => ({ kind: "Fail", isAbort: false }));
  }

  /** Ends a fork with the first head that arrives. */
  endFork(fork: number): void {
    this.add(() => ({ kind: "Merge", fork, failed: false }));
    this.add(() => ({ kind: "PopHandler" }));
  }

  newFork(): number {
    return this.#forks++;
  }

  newScope(): number {
    return this.#scopes++;
  }

  newTemporary(): string {
    return `%${(this.#temporaries += 1)}`;
  }

  finish(): { readonly elements: readonly Element[]; readonly places: readonly ElementPlace[] } {
    const elements = this.#drafts.map(({ build, place }): Element => ({ ...build(), place }));
    return { elements, places: this.#places };
  }
}
