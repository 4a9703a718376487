import type { GuardrailsEvent } from "../engine/events.js";

/** A call of a tool that an action is about to make, or one with its result. */
export interface ReviewedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Absent before the call. */
  readonly result?: string;
}

/** A call or a result after the rails on tools. */
export interface ToolReview {
  readonly blocked: boolean;
  readonly args: Readonly<Record<string, unknown>>;
  /** The result; that of a blocked call or result is the refusal. */
  readonly result: string;
  /** Event of a block under `enable_rails_exceptions`. */
  readonly exception?: GuardrailsEvent | undefined;
}

/**
 * Key under which an action's context runs the rails on calls of tools, or on their results, for actions that are tools of
 * the package. INVARIANT: a symbol that the package does not export, so that only those actions add decisions about tools.
 */
export const TOOL_REVIEW: unique symbol = Symbol("guardrails.toolReview");

/** Runs the rails on tools of the configuration. */
export type ReviewTool = (call: ReviewedCall) => Promise<ToolReview>;
