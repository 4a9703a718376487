import { formatDiagnostics } from "./code-frame.js";
import type { Diagnostic } from "./diagnostic.js";
import type { SourceLocation } from "./source-file.js";

const MARKER = Symbol.for("langchain-guardrails.error");

/**
 * Base class of all errors of this package. `isInstance` works across copies of the package, where `instanceof` fails.
 *
 * @example
 * ```ts
 * try { await Guardrails.fromPath("./config"); }
 * catch (error) { if (ConfigError.isInstance(error)) console.error(error.message); }
 * ```
 */
export class GuardrailsError extends Error {
  /** Class name in the marker of its instances, since minifiers rename classes. Each subclass sets its own. */
  static readonly kind: string = "GuardrailsError";

  readonly code: string;
  declare readonly [MARKER]: readonly string[];

  constructor(message: string, options: { code: string; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    Object.defineProperty(this, MARKER, { value: kindsOf(new.target) });
  }

  /** Returns true for an error of this class or a subclass, even from another copy of the package. */
  static isInstance<Instance extends GuardrailsError>(
    this: { readonly kind: string; readonly prototype: Instance },
    value: unknown,
  ): value is Instance {
    if (typeof value !== "object" || value === null) return false;
    const kinds = (value as { [MARKER]?: unknown })[MARKER];
    return Array.isArray(kinds) && kinds.includes(this.kind);
  }
}

/** Returns the kinds of an error class, base class first. */
function kindsOf(errorClass: typeof GuardrailsError): readonly string[] {
  const parent = Object.getPrototypeOf(errorClass) as typeof GuardrailsError | typeof Error;
  return [...("kind" in parent ? kindsOf(parent) : []), errorClass.kind];
}

/** All errors found in a source or a configuration, each with its location. */
export class DiagnosticError extends GuardrailsError {
  static override readonly kind: string = "DiagnosticError";

  declare readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[], options: { code?: string } = {}) {
    super(formatDiagnostics(diagnostics), { code: options.code ?? diagnostics[0]?.code ?? "CF-000" });
    // Not enumerable: Node prints all other properties of an error, and these hold the whole text of each file.
    Object.defineProperty(this, "diagnostics", { value: diagnostics });
  }
}

/** A Colang source that cannot be parsed. */
export class ColangSyntaxError extends DiagnosticError {
  static override readonly kind: string = "ColangSyntaxError";
}

/** A Colang source that parses but is invalid: unknown flows, duplicate names, misplaced statements. */
export class ColangValidationError extends DiagnosticError {
  static override readonly kind: string = "ColangValidationError";
}

/** An invalid configuration. */
export class ConfigError extends DiagnosticError {
  static override readonly kind: string = "ConfigError";
}

/** Missing or malformed data for an evaluation. */
export class EvaluationDataError extends DiagnosticError {
  static override readonly kind: string = "EvaluationDataError";
}

interface RuntimeErrorOptions {
  readonly code: string;
  readonly cause?: unknown;
  readonly flow?: string | undefined;
  readonly location?: SourceLocation | undefined;
}

/** A failure of a running flow. */
export class ColangRuntimeError extends GuardrailsError {
  static override readonly kind: string = "ColangRuntimeError";

  readonly flow: string | undefined;
  readonly location: SourceLocation | undefined;

  constructor(message: string, options: RuntimeErrorOptions) {
    super(message, options);
    this.flow = options.flow;
    this.location = options.location;
  }
}

/** A failed evaluation of an expression: a wrong type, a missing key, a forbidden method. */
export class ExpressionError extends ColangRuntimeError {
  static override readonly kind: string = "ExpressionError";

  /** Offsets of the failed part in the source of the expression. */
  readonly offset: number | undefined;
  readonly endOffset: number | undefined;

  constructor(
    message: string,
    options: Partial<RuntimeErrorOptions> & {
      readonly offset?: number | undefined;
      readonly endOffset?: number | undefined;
    } = {},
  ) {
    super(message, { ...options, code: options.code ?? "CO-410" });
    this.offset = options.offset;
    this.endOffset = options.endOffset;
  }
}

/** Consequence of a failing rail: a block (default), a pass, or an error for the caller. */
export type OnError = "block" | "allow" | "throw";

interface ActionErrorOptions {
  readonly action: string;
  readonly code?: string;
  readonly cause?: unknown;
  readonly timeoutMs?: number | undefined;
  readonly status?: number | undefined;
  readonly onError?: OnError | undefined;
  readonly passing?: { readonly value: unknown } | undefined;
  readonly hint?: string | undefined;
}

/** A missing, failed or timed-out action. */
export class ActionError extends GuardrailsError {
  static override readonly kind: string = "ActionError";

  readonly action: string;
  /** Time limit in milliseconds, if it was exceeded. */
  readonly timeoutMs: number | undefined;
  /** HTTP status, if a service responded with an error. */
  readonly status: number | undefined;
  /** Advice for the log. INVARIANT: without values of a conversation. */
  readonly hint: string | undefined;
  /** Policy for the action's rail, if its settings define one. */
  readonly onError: OnError | undefined;
  /** Result that passes the text, for a flow that awaits the action under `onError: "allow"`. */
  readonly passing: { readonly value: unknown } | undefined;

  constructor(message: string, options: ActionErrorOptions) {
    super(message, { code: options.code ?? "RL-201", cause: options.cause });
    this.action = options.action;
    this.timeoutMs = options.timeoutMs;
    this.status = options.status;
    this.hint = options.hint;
    this.onError = options.onError;
    // Not enumerable: it may hold the text, and errors get printed.
    Object.defineProperty(this, "passing", { value: options.passing, enumerable: false });
  }
}

/** A failed model call. The provider's own error is the `cause`. */
export class ModelError extends GuardrailsError {
  static override readonly kind: string = "ModelError";

  readonly task: string | undefined;
  /** Engine and name, such as `openai/gpt-4o-mini`, if the model is known. */
  readonly model: string | undefined;

  constructor(
    message: string,
    options: { code?: string; cause?: unknown; task?: string | undefined; model?: string | undefined } = {},
  ) {
    super(message, { code: options.code ?? "RL-301", cause: options.cause });
    this.task = options.task;
    this.model = options.model;
  }
}

/** A completion that the task's parser cannot read. */
export class OutputParseError extends ModelError {
  static override readonly kind: string = "OutputParseError";

  constructor(message: string, options: { task?: string | undefined; cause?: unknown } = {}) {
    super(message, { ...options, code: "RL-302" });
  }
}

/** An exceeded limit: nesting, steps, events per turn, text length. */
export class LimitError extends GuardrailsError {
  static override readonly kind: string = "LimitError";

  readonly limit: string;
  readonly maximum: number;

  constructor(message: string, options: { limit: string; maximum: number; code?: string }) {
    super(message, { code: options.code ?? "RL-401" });
    this.limit = options.limit;
    this.maximum = options.maximum;
  }
}

/** A value of a shape that cannot be guarded. */
export class InputShapeError extends GuardrailsError {
  static override readonly kind: string = "InputShapeError";

  constructor(message: string) {
    super(message, { code: "RL-101" });
  }
}

/** A template that cannot be rendered with the given values. */
export class TemplateError extends GuardrailsError {
  static override readonly kind: string = "TemplateError";

  constructor(message: string, options: { code?: string; cause?: unknown } = {}) {
    super(message, { code: options.code ?? "PR-101", cause: options.cause });
  }
}
