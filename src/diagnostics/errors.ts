import { formatDiagnostics } from "./code-frame.js";
import type { Diagnostic } from "./diagnostic.js";
import type { SourceLocation } from "./span.js";

const MARKER = Symbol.for("langchain-guardrails.error");

/**
 * The root of everything this package throws. `isInstance` works across copies of the package, where `instanceof` fails.
 *
 * @example
 * ```ts
 * try { await Guardrails.fromPath("./config"); }
 * catch (error) { if (ConfigError.isInstance(error)) console.error(error.message); }
 * ```
 */
export class GuardrailsError extends Error {
  readonly code: string;
  readonly [MARKER]: readonly string[];

  constructor(message: string, options: { code: string; cause?: unknown; kinds?: readonly string[] }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    this[MARKER] = ["GuardrailsError", ...(options.kinds ?? [])];
  }

  static isInstance(value: unknown): value is GuardrailsError {
    return hasKind(value, "GuardrailsError");
  }
}

function hasKind(value: unknown, kind: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  const kinds = (value as { [MARKER]?: unknown })[MARKER];
  return Array.isArray(kinds) && kinds.includes(kind);
}

/** Errors found in a source or a configuration: all of them at once, each with its place. */
export class DiagnosticError extends GuardrailsError {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[], options: { code?: string; kinds?: readonly string[] } = {}) {
    super(formatDiagnostics(diagnostics), {
      code: options.code ?? diagnostics[0]?.code ?? "CF-000",
      kinds: ["DiagnosticError", ...(options.kinds ?? [])],
    });
    this.diagnostics = diagnostics;
  }

  static override isInstance(value: unknown): value is DiagnosticError {
    return hasKind(value, "DiagnosticError");
  }
}

/** A Colang source that cannot be parsed. */
export class ColangSyntaxError extends DiagnosticError {
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics, { kinds: ["ColangSyntaxError"] });
  }

  static override isInstance(value: unknown): value is ColangSyntaxError {
    return hasKind(value, "ColangSyntaxError");
  }
}

/** A Colang source that parses but does not make sense: unknown flows, doubled names, misplaced statements. */
export class ColangValidationError extends DiagnosticError {
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics, { kinds: ["ColangValidationError"] });
  }

  static override isInstance(value: unknown): value is ColangValidationError {
    return hasKind(value, "ColangValidationError");
  }
}

/** A configuration that cannot be used. */
export class ConfigError extends DiagnosticError {
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics, { kinds: ["ConfigError"] });
  }

  static override isInstance(value: unknown): value is ConfigError {
    return hasKind(value, "ConfigError");
  }
}

/** Data for an evaluation that is missing or malformed. */
export class EvaluationDataError extends DiagnosticError {
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics, { kinds: ["EvaluationDataError"] });
  }

  static override isInstance(value: unknown): value is EvaluationDataError {
    return hasKind(value, "EvaluationDataError");
  }
}

/** Something went wrong while a flow was running. */
export class ColangRuntimeError extends GuardrailsError {
  readonly flow: string | undefined;
  readonly location: SourceLocation | undefined;

  constructor(
    message: string,
    options: {
      code: string;
      cause?: unknown;
      flow?: string | undefined;
      location?: SourceLocation | undefined;
      kinds?: readonly string[];
    },
  ) {
    super(message, {
      code: options.code,
      cause: options.cause,
      kinds: ["ColangRuntimeError", ...(options.kinds ?? [])],
    });
    this.flow = options.flow;
    this.location = options.location;
  }

  static override isInstance(value: unknown): value is ColangRuntimeError {
    return hasKind(value, "ColangRuntimeError");
  }
}

/** An expression that cannot be evaluated: a wrong type, a missing key, a forbidden method. */
export class ExpressionError extends ColangRuntimeError {
  /** Where the part that failed begins and ends in the source the expression was read from. */
  readonly offset: number | undefined;
  readonly endOffset: number | undefined;

  constructor(
    message: string,
    options: {
      code?: string;
      cause?: unknown;
      flow?: string | undefined;
      location?: SourceLocation | undefined;
      offset?: number | undefined;
      endOffset?: number | undefined;
    } = {},
  ) {
    super(message, { ...options, code: options.code ?? "CO-410", kinds: ["ExpressionError"] });
    this.offset = options.offset;
    this.endOffset = options.endOffset;
  }

  static override isInstance(value: unknown): value is ExpressionError {
    return hasKind(value, "ExpressionError");
  }
}

/** An action that is missing, failed or timed out. */
export class ActionError extends GuardrailsError {
  readonly action: string;
  /** The time limit in milliseconds, where it was exceeded. */
  readonly timeoutMs: number | undefined;

  constructor(message: string, options: { action: string; code?: string; cause?: unknown; timeoutMs?: number }) {
    super(message, { code: options.code ?? "RL-201", cause: options.cause, kinds: ["ActionError"] });
    this.action = options.action;
    this.timeoutMs = options.timeoutMs;
  }

  static override isInstance(value: unknown): value is ActionError {
    return hasKind(value, "ActionError");
  }
}

/** A model call that failed. The provider's own error is the `cause`. */
export class ModelError extends GuardrailsError {
  readonly task: string | undefined;
  /** Engine and name, such as `openai/gpt-4o-mini`, where the model is known. */
  readonly model: string | undefined;

  constructor(
    message: string,
    options: {
      code?: string;
      cause?: unknown;
      task?: string | undefined;
      model?: string | undefined;
      kinds?: readonly string[];
    } = {},
  ) {
    super(message, {
      code: options.code ?? "RL-301",
      cause: options.cause,
      kinds: ["ModelError", ...(options.kinds ?? [])],
    });
    this.task = options.task;
    this.model = options.model;
  }

  static override isInstance(value: unknown): value is ModelError {
    return hasKind(value, "ModelError");
  }
}

/** A completion that its task's grammar cannot read. */
export class OutputParseError extends ModelError {
  constructor(message: string, options: { task?: string | undefined; cause?: unknown } = {}) {
    super(message, { ...options, code: "RL-302", kinds: ["OutputParseError"] });
  }

  static override isInstance(value: unknown): value is OutputParseError {
    return hasKind(value, "OutputParseError");
  }
}

/** A stated limit was exceeded: nesting, steps, events per turn, text length. */
export class LimitError extends GuardrailsError {
  readonly limit: string;
  readonly maximum: number;

  constructor(message: string, options: { limit: string; maximum: number; code?: string }) {
    super(message, { code: options.code ?? "RL-401", kinds: ["LimitError"] });
    this.limit = options.limit;
    this.maximum = options.maximum;
  }

  static override isInstance(value: unknown): value is LimitError {
    return hasKind(value, "LimitError");
  }
}

/** A value of a shape we cannot guard was handed to a guardrails runnable. */
export class InputShapeError extends GuardrailsError {
  constructor(message: string) {
    super(message, { code: "RL-101", kinds: ["InputShapeError"] });
  }

  static override isInstance(value: unknown): value is InputShapeError {
    return hasKind(value, "InputShapeError");
  }
}
