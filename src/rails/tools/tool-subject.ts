import { toPlainData } from "../../engine/plain-data.js";
import type { ToolStage } from "../../turn/decision.js";

/** A proposed tool call, or one with its result. */
export interface ToolSubject {
  readonly tool: string;
  readonly args: unknown;
  readonly callId?: string | undefined;
  /** Reason why the call or its result cannot be judged: invalid JSON arguments, an unknown tool. */
  readonly problem?: string | undefined;
  /** Result of the tool, as text. */
  readonly result?: string | undefined;
  /** Extra lines, such as those of an artifact. Rails read both; a schema describes only the text. */
  readonly extra?: string | undefined;
  /** True if the tool failed with this text, which no schema describes. */
  readonly failed?: boolean | undefined;
  /** User text, for rails that compare the call with it. */
  readonly userMessage?: string | undefined;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the variables for one call. `tool_calls` and `tool_message` are those of NeMo Guardrails. */
export function toolVariables(subject: ToolSubject, stage: ToolStage): Readonly<Record<string, unknown>> {
  const plain = toPlainData(subject.args ?? null);
  const args = plain.ok ? plain.value : null;
  const problem = subject.problem ?? (plain.ok ? undefined : "the arguments are not valid JSON");
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

/** Describes the call in a decision. Names come from a model, so only plain names are included. */
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
