import type { GenerationResult } from "../langchain/generation/generation-result.js";
import { formatDecision } from "../turn/format-decision.js";
import type { Printer } from "./command-line.js";

/** Text of a reply; an exception is its event as JSON. */
function replyText({ response }: GenerationResult): string {
  if (typeof response === "string") return response;
  return response.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content))).join("\n");
}

/** Writes a reply and, below it, what each rail decided and what failed. */
export function printTurn(printer: Printer, result: GenerationResult): void {
  const text = replyText(result);
  printer.line(text === "" ? "(no reply)" : text);
  printNotes(printer, result);
}

/** Writes what each rail decided, which models were asked and what failed. */
function printNotes(printer: Printer, { guardrails, log, explain }: GenerationResult): void {
  for (const decision of guardrails.decisions) {
    printer.line(`  ${formatDecision(decision)}`, decision.status === "passed" ? "dim" : "yellow");
  }
  const tasks = explain.llmCalls.map(({ task }) => task);
  if (tasks.length > 0) printer.line(`  model: ${tasks.join(", ")}`, "dim");
  if (log.reason !== undefined) printer.line(`  ${log.reason}`, "yellow");
  for (const { message } of log.errors) printer.line(`  error: ${message.replace(/\s+/g, " ")}`, "red");
  for (const { message } of log.warnings) printer.line(`  warning: ${message.replace(/\s+/g, " ")}`, "yellow");
}

/** A turn as data for other programs. */
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
