import { RAIL_SELECTION, type RailSelection } from "../../turn/options.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { InputShapeError } from "../../diagnostics/errors.js";

/** Options of the middleware. Those that NeMo Guardrails has keep its names. */
export interface GuardrailsMiddlewareOptions {
  /** Of the middleware; two of one name cannot stand in one agent. */
  readonly name?: string;
  /** Check user messages once per turn, and results of tools that have no rails of their own. Default: true. */
  readonly enableInputRails?: boolean;
  /** Check answers. Default: true. */
  readonly enableOutputRails?: boolean;
  /** Check tool calls and their results. Default: true. */
  readonly enableToolRails?: boolean;
  /** Replaces the refusal of an input rail. */
  readonly blockedInputMessage?: string;
  /** Replaces the refusal of an output rail. */
  readonly blockedOutputMessage?: string;
  /** Replaces the refusal of a rail on tools; the model reads it. */
  readonly blockedToolMessage?: string;
  /** Effect of a block: `refuse` ends with the refusal, `throw` with a `GuardrailViolationError`. Default: `refuse`. */
  readonly onBlocked?: "refuse" | "throw";
  /** `true` means `onBlocked: "throw"`; the name in NeMo Guardrails. */
  readonly raiseOnViolation?: boolean;
  /** Which rails run: a boolean for a stage, or the names of its rails. */
  readonly rails?: RailSelection;
}

const OPTIONS: OptionTable<GuardrailsMiddlewareOptions> = {
  name: "text",
  enableInputRails: "boolean",
  enableOutputRails: "boolean",
  enableToolRails: "boolean",
  blockedInputMessage: "text",
  blockedOutputMessage: "text",
  blockedToolMessage: "text",
  onBlocked: { oneOf: ["refuse", "throw"] },
  raiseOnViolation: "boolean",
  rails: RAIL_SELECTION,
};

/** Options with all defaults applied. */
export interface AgentGuard {
  readonly name: string;
  readonly onBlocked: "refuse" | "throw";
  readonly rails: RailSelection;
  readonly inputMessage: string | undefined;
  readonly outputMessage: string | undefined;
  readonly toolMessage: string | undefined;
}

/**
 * @throws InputShapeError when `onBlocked` and `raiseOnViolation` say different things
 */
export function readOptions(options: GuardrailsMiddlewareOptions): AgentGuard {
  checkOptions("guardrailsMiddleware", options, OPTIONS);
  const { raiseOnViolation, onBlocked = raiseOnViolation === true ? "throw" : "refuse" } = options;
  if (raiseOnViolation !== undefined && raiseOnViolation !== (onBlocked === "throw")) {
    throw new InputShapeError("`raiseOnViolation` and `onBlocked` say different things; give one of them");
  }
  return {
    name: options.name ?? "GuardrailsMiddleware",
    onBlocked,
    rails: {
      ...options.rails,
      ...(options.enableInputRails === false ? { input: false } : {}),
      ...(options.enableOutputRails === false ? { output: false } : {}),
      ...(options.enableToolRails === false ? { execution: false } : {}),
    },
    inputMessage: options.blockedInputMessage,
    outputMessage: options.blockedOutputMessage,
    toolMessage: options.blockedToolMessage,
  };
}
