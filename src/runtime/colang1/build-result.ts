import { why, type FlowExplanation } from "../../engine/explain.js";
import { SOURCES_VARIABLE } from "../../generation/retrieve-chunks.js";
import { type ChunkSource } from "../../turn/answer.js";
import { summarizeDecisions } from "../../turn/decision.js";
import type { Redactor } from "../../turn/redactor.js";
import { redactException } from "../../rails/review-exception.js";
import { collectUtterances, findException, type Run, type RuntimeServices } from "./run.js";
import type { TurnResult } from "../../turn/result.js";
import { reasoningOf } from "../../turn/turn.js";
import { outputData, turnLog } from "../turn-log.js";
import { unknownFlow } from "../rail-facts.js";

/** Puts together what the caller gets; `state` is given when the caller keeps the conversation. */
export function buildResult(
  services: RuntimeServices,
  run: Run,
  { state, redactor }: { readonly state: unknown; readonly redactor?: Redactor | undefined },
): TurnResult {
  const { turn } = run;
  const utterances = collectUtterances(run.events);
  const raised = findException(run.events);
  const exception =
    raised && redactException(raised, { isWritten: (text) => services.rails.isWritten(text), redactor });
  const verdict = summarizeDecisions(turn.decisions, services.onError !== "allow");
  const status = run.failed
    ? "failed"
    : exception !== undefined
      ? "exception"
      : verdict.blocked
        ? "blocked"
        : "answered";
  const text = utterances.join("\n");
  return {
    status,
    text,
    utterances,
    ...(exception === undefined ? {} : { exception }),
    decisions: turn.decisions,
    verdict,
    userMessage: turn.userTexts.at(-1) ?? "",
    userMessages: turn.readTexts,
    ...(turn.generated !== undefined && status === "answered" ? { generated: turn.generated } : {}),
    ...reasoningOf(turn),
    ...outputData(turn, run.state.context),
    ...(turn.options.llmOutput === true ? { llmOutput: turn.llmOutput } : {}),
    ...sources(run, verdict.blocked),
    log: turnLog(turn, {
      events: run.events,
      history: () => [...run.past(), ...run.events],
      reason: text === "" ? emptyReason(run) : undefined,
      why: (flow) => explainFlow(services, run, flow),
      redactor,
    }),
    ...(state === undefined ? {} : { state }),
  };
}

/**
 * The sources that the knowledge base gave in this turn and no earlier one.
 *
 * INVARIANT: what was found for a turn that a rail blocked goes with it.
 */
function sources(run: Run, isBlocked: boolean): { sources?: readonly ChunkSource[] } {
  if (isBlocked) return {};
  for (const event of run.events.toReversed()) {
    if (event.type !== "ContextUpdate") continue;
    const found = (event["data"] as Readonly<Record<string, unknown>>)[SOURCES_VARIABLE];
    if (Array.isArray(found)) return { sources: found as readonly ChunkSource[] };
  }
  return {};
}

/**
 * @throws DiagnosticError `CO-204` when no flow has that name
 */
function explainFlow(services: RuntimeServices, { state, turn }: Run, flow: string): FlowExplanation {
  const seen = turn.trace.some((entry) => (entry.type === "decided" ? entry.winner.flow : entry.flow) === flow);
  if (!seen && !services.flows.has(flow) && !Object.hasOwn(state.flows, flow))
    throw unknownFlow(services.program.flows, flow);
  return why(turn.trace, flow);
}

/** An empty reply is legal, but never without an explanation. */
function emptyReason(run: Run): string {
  const decided = run.turn.trace.findLast((entry) => entry.type === "decided");
  if (run.turn.decisions.some((decision) => decision.status === "blocked"))
    return "a rail blocked without saying anything";
  if (run.stopped) return "a flow stopped the turn before anything was said";
  if (decided?.type === "decided") return `flow \`${decided.winner.flow}\` took the last step and said nothing`;
  return "no flow had a step to take";
}
