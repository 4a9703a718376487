import { toPlainData } from "../../engine/plain-data.js";
import type { ToolStage } from "../../turn/decision.js";

/** A tool call that shall be made, or one with what came of it. */
export interface ToolSubject {
  readonly tool: string;
  readonly args: unknown;
  readonly callId?: string | undefined;
  /** Why the call or its result cannot be judged: arguments that are not JSON, an unknown tool. */
  readonly problem?: string | undefined;
  /** Result of the tool, as text. */
  readonly result?: string | undefined;
  /** Extra lines, such as those of an artifact; rails read both, and a schema describes the text alone. */
  readonly extra?: string | undefined;
  /** The tool failed, and this text says how; it is not a result that a schema could describe. */
  readonly failed?: boolean | undefined;
  /** The user's text, for rails that compare the call with it. */
  readonly userMessage?: string | undefined;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the variables for one call. `tool_calls` and `tool_message` are the variables of NeMo Guardrails. */
export function toolVariables(subject: ToolSubject, stage: ToolStage): Readonly<Record<string, unknown>> {
  const plain = toPlainData(subject.args ?? null);
  const args = plain.ok ? plain.value : null;
  const problem = subject.problem ?? (plain.ok ? undefined : "the arguments are no JSON");
  const id = subject.callId ?? null;
  return {
    tool_name: subject.tool,
    tool_args: args,
    tool_call_id: id,
    ...(stage === "tool_output" ? { tool_calls: [{ name: subject.tool, args, id, type: "tool_call" }] } : {}),
    ...(stage === "tool_input" ? { tool_message: subject.result ?? "" } : {}),
    tool_problem: problem ?? null,
    ...(subject.userMessage === undefined
      ? {}
      : { user_message: subject.userMessage, last_user_message: subject.userMessage }),
  };
}

const PLAIN_NAME = /^[\w.:/-]{1,64}$/;

/** Describes the call in a decision. Names come from a model, so only plain names are repeated. */
export function toolMetadata(
  context: Readonly<Record<string, unknown>>,
  stage: ToolStage,
): Readonly<Record<string, unknown>> {
  const { tool_name: tool, tool_call_id: id } = context;
  const shown = (value: unknown): value is string => typeof value === "string" && PLAIN_NAME.test(value);
  return {
    checked: stage === "tool_output" ? "call" : "result",
    ...(shown(tool) ? { tool } : {}),
    ...(shown(id) ? { toolCallId: id } : {}),
  };
}
