import type { GuardrailsEvent } from "../engine/events.js";

/** A tool call that an action is about to make, or one with its result. */
export interface ReviewedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Absent before the call. */
  readonly result?: string;
}

/** A call or a result after the tool rails. */
export interface ToolReview {
  readonly blocked: boolean;
  readonly args: Readonly<Record<string, unknown>>;
  /** The result, or the refusal of a blocked call or result. */
  readonly result: string;
  /** Event of a block under `enable_rails_exceptions`. */
  readonly exception?: GuardrailsEvent | undefined;
}

/**
 * Key of a function in an action's context that runs the tool rails, for built-in actions that are tools. INVARIANT: a
 * symbol that the package does not export, so that only those actions add decisions about tools.
 */
export const TOOL_REVIEW: unique symbol = Symbol("guardrails.toolReview");

/** Runs the configured tool rails. */
export type ReviewTool = (call: ReviewedCall) => Promise<ToolReview>;
