import type { GenerationResult } from "../langchain/generation/generation-result.js";
import type { LlmCallRecord } from "../llm/task/call-model.js";
import type { RailDecision } from "../turn/decision.js";
import { formatDecision } from "../turn/format-decision.js";
import type { TurnLog } from "../turn/result.js";
import type { Printer } from "./command-line.js";

/** Returns the text of a reply; an exception is returned as the JSON of its event. */
export function replyText({ response }: GenerationResult): string {
  if (typeof response === "string") return response;
  return response.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content))).join("\n");
}

/** Details of a turn to print below its reply. */
export interface TurnNotes extends Pick<TurnLog, "errors" | "warnings"> {
  readonly decisions: readonly RailDecision[];
  readonly calls: readonly LlmCallRecord[];
  readonly reason: string | undefined;
}

/** Prints a reply and, below it, the decision of each rail and all failures. */
export function printTurn(printer: Printer, result: GenerationResult): void {
  const text = replyText(result);
  printer.line(text === "" ? "(no reply)" : text);
  const { decisions } = result.guardrails;
  const { errors, warnings, reason } = result.log;
  printNotes(printer, { decisions, errors, warnings, reason, calls: result.explain.llmCalls });
}

/** Prints the decision of each rail, the tasks that called a model, and all failures. */
export function printNotes(printer: Printer, { decisions, errors, warnings, reason, calls }: TurnNotes): void {
  for (const decision of decisions) printDecision(printer, decision);
  if (calls.length > 0) printer.line(`  model: ${calls.map(({ task }) => task).join(", ")}`, "dim");
  if (reason !== undefined) printer.line(`  ${reason}`, "yellow");
  for (const { message } of errors) printer.line(`  error: ${message.replace(/\s+/g, " ")}`, "red");
  for (const { message } of warnings) printer.line(`  warning: ${message.replace(/\s+/g, " ")}`, "yellow");
}

export function printDecision(printer: Printer, decision: RailDecision): void {
  printer.line(`  ${formatDecision(decision)}`, decision.status === "passed" ? "dim" : "yellow");
}

/** Returns a turn as JSON for other programs. */
export function turnToJson(result: GenerationResult): object {
  const { guardrails, log, explain, sources, events, toolCalls } = result;
  return {
    reply: replyText(result),
    ...guardrails,
    modelCalls: explain.llmCalls.map(({ task, durationMs, usage }) => ({ task, durationMs, usage })),
    errors: log.errors.map(({ code, message, flow, action }) => ({ code, message, flow, action })),
    warnings: log.warnings,
    sources,
    events,
    toolCalls,
  };
}
