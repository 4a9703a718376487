import { RAIL_SELECTION, type RailSelection } from "../../turn/options.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { InputShapeError } from "../../diagnostics/errors.js";

/** How an agent is guarded. Texts and switches that the peer has go by the peer's names. */
export interface GuardrailsMiddlewareOptions {
  /** Of the middleware; two of one name cannot stand in one agent. */
  readonly name?: string;
  /** Whether what the user says is checked, once per turn, and what tools answer where they have no rails of their own. */
  readonly enableInputRails?: boolean;
  /** Whether answers are checked. */
  readonly enableOutputRails?: boolean;
  /** Whether calls of tools and their results are checked. */
  readonly enableToolRails?: boolean;
  /** Said instead of the refusal of an input rail. */
  readonly blockedInputMessage?: string;
  /** Said instead of the refusal of an output rail. */
  readonly blockedOutputMessage?: string;
  /** Told the model instead of the refusal of a rail on tools. */
  readonly blockedToolMessage?: string;
  /** What a block does: the agent answers with the refusal, or the run ends with `GuardrailViolationError`. */
  readonly onBlocked?: "refuse" | "throw";
  /** `true` is `onBlocked: "throw"`, by the peer's name. */
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

/** The options with everything said. */
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
