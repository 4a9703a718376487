import type { TraceEvent } from "../engine/trace.js";
import type { RailDecision, RailStage } from "./decision.js";
import type { ActivatedRail, ExecutedAction } from "./result.js";
import type { Run } from "./run.js";
import type { RuntimeServices } from "./services.js";

/** Bookkeeping of the pipeline; its own turns of the wheel are not worth a row (spec colang-1, section 16). */
const BOOKKEEPING = new Set([
  "process user input",
  "run input rails",
  "run dialog rails",
  "run retrieval rails",
  "process bot message",
  "run output rails",
]);

const STAGES: readonly RailStage[] = ["input", "dialog", "retrieval", "execution", "output"];

/**
 * The rails and flows that ran: rails from their decisions, flows from the steps they took. A rail that blocked ends
 * with the decision `stop`.
 */
export function activatedRails(services: RuntimeServices, run: Run, finishedAt: number): readonly ActivatedRail[] {
  const { turn } = run;
  const rails = turn.decisions.map((decision) => railRow(decision, turn.actions, turn.startedAt));
  const flows = flowRows(services, turn.trace, turn.actions, turn.startedAt, finishedAt);
  const order = (row: ActivatedRail): number =>
    row.type === "generation" ? STAGES.indexOf("retrieval") : STAGES.indexOf(row.type);
  return [...rails, ...flows].sort((left, right) => order(left) - order(right));
}

function railRow(decision: RailDecision, actions: readonly ExecutedAction[], startedAt: number): ActivatedRail {
  const blocked = decision.status === "blocked" || decision.status === "error";
  const executed = actions.filter((action) =>
    action.llmCalls.length > 0
      ? action.llmCalls.some((call) => call.rail === decision.flow)
      : action.actionName.replaceAll("_", " ") === decision.flow,
  );
  return {
    type: decision.stage,
    name: decision.flow ?? decision.rail,
    decisions: [...executed.map((action) => `execute ${action.actionName}`), ...(blocked ? ["stop"] : [])],
    executedActions: executed,
    stop: blocked,
    startedAt,
    finishedAt: startedAt + decision.durationMs,
    durationMs: decision.durationMs,
  };
}

function flowRows(
  services: RuntimeServices,
  trace: readonly TraceEvent[],
  actions: readonly ExecutedAction[],
  startedAt: number,
  finishedAt: number,
): ActivatedRail[] {
  const rails = new Set(
    services.program.flows.filter((flow) => flow.tier === "system" && flow.isSubflow).map((flow) => flow.id),
  );
  const rows: { name: string; decisions: string[] }[] = [];
  for (const entry of trace) {
    if (entry.type !== "decided" || BOOKKEEPING.has(entry.winner.flow)) continue;
    const { flow, step } = entry.winner;
    if (rails.has(flow) && flow !== "generate user intent") continue;
    const current = rows.at(-1);
    if (current?.name === flow) current.decisions.push(step);
    else rows.push({ name: flow, decisions: [step] });
  }
  return rows.map(({ name, decisions }) => {
    const executed = actions.filter((action) => decisions.includes(`execute ${action.actionName}`));
    const general = executed.length === 1 && executed[0]?.llmCalls.every((call) => call.task === "general") === true;
    const isGeneration =
      name === "generate bot message" || (name === "generate user intent" && general && hasCalls(executed));
    return {
      type: isGeneration ? "generation" : "dialog",
      name,
      decisions,
      executedActions: executed,
      stop: decisions.includes("stop"),
      startedAt: executed[0]?.startedAt ?? startedAt,
      finishedAt: executed.at(-1)?.finishedAt ?? finishedAt,
      durationMs: executed.reduce((sum, action) => sum + action.durationMs, 0),
    };
  });
}

function hasCalls(actions: readonly ExecutedAction[]): boolean {
  return actions.some((action) => action.llmCalls.length > 0);
}
