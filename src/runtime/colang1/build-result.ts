import { why, type FlowExplanation } from "../../engine/explain.js";
import { contextOf } from "../../colang1/engine/state.js";
import { printHistory } from "../../llm/print-history.js";
import { SOURCES_VARIABLE } from "../../generation/retrieve-chunks.js";
import { type ChunkSource } from "../../turn/answer.js";
import { summarizeDecisions } from "../../turn/decision.js";
import type { Redactor } from "../../turn/redactor.js";
import { redactException } from "../../rails/review-exception.js";
import { collectUtterances, findException, type Run, type RuntimeServices } from "./run.js";
import type { TurnLog, TurnResult } from "../../turn/result.js";
import { reasoningOf } from "../../turn/turn.js";
import { redactLog, turnStats } from "../turn-log.js";
import { unknownFlow } from "./unknown-flow.js";

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
  const context = contextOf(run.state);
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
    ...outputData(run, context),
    ...(turn.options.llmOutput === true ? { llmOutput: turn.llmOutput } : {}),
    ...sources(run, verdict.blocked),
    log: redactLog(buildLog(services, run, text), redactor),
    ...(state === undefined ? {} : { state }),
  };
}

function outputData(
  run: Run,
  context: Readonly<Record<string, unknown>>,
): { outputData?: Readonly<Record<string, unknown>> } {
  const wanted = run.turn.options.outputVars;
  if (wanted === undefined) return {};
  if (wanted !== true) {
    return {
      outputData: Object.fromEntries(
        wanted.map((name) => [name, Object.hasOwn(context, name) ? context[name] : null] as const),
      ),
    };
  }
  return { outputData: Object.fromEntries(Object.entries(context).filter(([name]) => !name.startsWith("_"))) };
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

function buildLog(services: RuntimeServices, run: Run, text: string): TurnLog {
  const { turn } = run;
  const { log, explain } = turn.options;
  const finishedAt = turn.now();
  const reason = text === "" ? emptyReason(run) : undefined;
  return {
    stats: turnStats(run, finishedAt),
    errors: turn.problems,
    warnings: turn.trace.flatMap((entry) => {
      if (entry.type !== "warning") return [];
      const { type: _type, ...warning } = entry;
      return [warning];
    }),
    ...(reason === undefined ? {} : { reason }),
    ...(turn.activity === undefined ? {} : { activatedRails: turn.activity.rails(finishedAt) }),
    why: (flow) => explainFlow(services, run, flow),
    ...(log?.llmCalls === true || explain === true ? { llmCalls: turn.llmCalls } : {}),
    ...(log?.internalEvents === true ? { internalEvents: run.events } : {}),
    ...(log?.colangHistory === true || explain === true
      ? { colangHistory: printHistory([...run.past(), ...run.events]) }
      : {}),
  };
}

/**
 * @throws DiagnosticError `CO-204` when no flow has that name
 */
function explainFlow(services: RuntimeServices, { state, turn }: Run, flow: string): FlowExplanation {
  const seen = turn.trace.some((entry) => (entry.type === "decided" ? entry.winner.flow : entry.flow) === flow);
  if (!seen && !services.flows.has(flow) && !Object.hasOwn(state.flows, flow)) throw unknownFlow(services, flow);
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
