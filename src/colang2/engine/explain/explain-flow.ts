import {
  placeText,
  readFinding,
  type Findings,
  rivalOf,
  summarize,
  type Finding,
  type FlowExplanation,
  type TraceEvent,
  type TraceOffer,
} from "../../../engine/explain.js";
import { type EngineState, findFlow, variablesOf, placeAt } from "../state/state.js";
import type { FlowInstance, ReadyPattern } from "../state/records.js";
import { FlowReference } from "../state/references.js";

/**
 * Explains why a flow of a Colang 2.x program acted or did not, from the trace of one or several rounds, and its
 * current position. Locations are those of the flow itself, even if it acts through another one.
 *
 * @param state - state of the conversation afterwards; without it, the current waits are not explained
 *
 * @example
 * ```ts
 * explainFlow(round.trace, "shallow", state).reasons;
 * // ["it wanted `Shallow` (main.co:10), but `deep` fitted better: 1 over 0.9", "it failed: another flow acted instead"]
 * ```
 */
export function explainFlow(trace: readonly TraceEvent[], flow: string, state?: EngineState): FlowExplanation {
  const findings = trace.flatMap((event) => findingsOf(event, flow));
  const { outcome, reasons } = summarize(findings);
  const waits = state === undefined ? [] : waitsOf(state, flow);
  if (reasons.length > 0) return { flow, outcome, reasons: [...reasons, ...waits] };
  const isRunning = state === undefined || state.index.byFlow.has(flow);
  return { flow, outcome, reasons: [isRunning ? "no event concerned it" : "no flow has started it", ...waits] };
}

function findingsOf(event: TraceEvent, flow: string): readonly Finding[] {
  if (event.type === "decided") return decisionsOf(event.winner, event.others, flow);
  return event.flow === flow ? [readFinding(FINDINGS, event)] : [];
}

const FINDINGS: Findings = {
  started: ({ by }) => ["ran", by === "" ? "it was started" : `it was started by \`${by}\``],
  moved: ({ location }) => ["ran", `it went on${placeText(location)}`],
  finished: () => ["ran", "it finished"],
  aborted: ({ why }) => ["aborted", `it failed: ${failureOf(why)}`],
  interrupted: ({ by }) => ["suspended", `it was paused${by === undefined ? "" : ` while \`${by}\` went on`}`],
  resumed: () => ["ran", "it was resumed"],
  "not-started": ({ why }) => ["not-started", `it did not start: ${why}`],
  failed: ({ location, message }) => ["failed", `an error${placeText(location)}: ${message}`],
  logged: ({ text }) => ["ran", `it logged: ${text}`],
  warning: ({ code, message }) => ["ran", `${code}: ${message}`],
};

const FAILURES: ReadonlyMap<string, string> = new Map([
  ["conflict", "another flow acted instead"],
  ["abort", "it gave up"],
]);

function failureOf(why: string): string {
  return FAILURES.get(why) ?? why.replace(/^impossible: /, "it could not go on after ");
}

function decisionsOf(winner: TraceOffer, others: readonly TraceOffer[], flow: string): readonly Finding[] {
  const step = stepOf(winner, flow);
  if (step !== undefined) {
    const beaten = others.filter((other) => stepOf(other, flow) === undefined);
    const against = beaten.map((other) => `; \`${rivalOf(other, winner)}\` fitted ${rankOf(other, winner, "worse")}`);
    return [{ outcome: "decided", reason: `it did ${step}${against.join("")}` }];
  }
  return others.flatMap((loser) => {
    const wanted = stepOf(loser, flow);
    if (wanted === undefined) return [];
    const reason = `it wanted ${wanted}, but \`${rivalOf(winner, loser)}\` fitted ${rankOf(winner, loser, "better")}`;
    return [{ outcome: "lost", reason }];
  });
}

/**
 * Returns the step of the flow, or of another flow acting for it, with the location in the flow itself; undefined if it
 * is not involved.
 */
function stepOf(
  { flow, callers = [], callerPlaces = [], location, step }: TraceOffer,
  name: string,
): string | undefined {
  if (flow === name) return `\`${step}\`${placeText(location)}`;
  const at = callers.indexOf(name);
  if (at === -1) return undefined;
  const through = at === 0 ? flow : callers[at - 1];
  return `\`${step}\` through \`${through}\`${placeText(callerPlaces[at])}`;
}

/** The first match in which the two differ decides; ties are random. */
function rankOf({ scores = [] }: TraceOffer, { scores: others = [] }: TraceOffer, rank: "better" | "worse"): string {
  for (let at = 0; at < Math.max(scores.length, others.length); at += 1) {
    const [score, otherScore] = [scores[at] ?? 1, others[at] ?? 1];
    if (score !== otherScore)
      return `${rank}: ${shown(score)} ${rank === "better" ? "over" : "under"} ${shown(otherScore)}`;
  }
  return "as well, and the choice was left to chance";
}

function shown(score: number): string {
  return String(Number(score.toFixed(4)));
}

/** The events that the live instances of a flow wait for, one sentence per instance. */
function waitsOf(state: EngineState, flow: string): readonly string[] {
  const instances = [...state.index.byFlow.get(flow)].sort((left, right) => left.order - right.order);
  return [...new Set(instances.flatMap((instance) => waitOf(state, instance)))];
}

function waitOf(state: EngineState, instance: FlowInstance): readonly string[] {
  if (instance.pause !== undefined) {
    const until = (instance.pause.until ?? []).map((uid) => `\`${findFlow(state, uid)?.flow ?? uid}\``);
    return [until.length === 0 ? "it is paused until it is resumed" : `it is paused until ${list(until)} is over`];
  }
  const waits = instance.heads.flatMap((head) => {
    if (head.status !== "active" || head.pattern === undefined) return [];
    const place = placeAt(state, instance, head.address);
    return [`${subjectOf(state, instance, head.pattern)}${placeText(place?.location)}`];
  });
  return waits.length === 0 ? [] : [`it waits for ${list([...new Set(waits)])}`];
}

/** INVARIANT: names only, since the compared values may quote a user. */
function subjectOf(state: EngineState, instance: FlowInstance, { bound, flowId, names }: ReadyPattern): string {
  const events = `\`${names.join("` or `")}\``;
  if (bound?.kind === "flow") return flowOf(state, instance, bound.uid) ?? events;
  if (bound?.kind === "action") {
    const action = state.index.actions.get(bound.uid);
    return action === undefined ? events : `\`${action.name}\``;
  }
  return flowId === undefined ? events : `${events} of \`${flowId}\``;
}

function flowOf(state: EngineState, waiting: FlowInstance, uid: string): string | undefined {
  const instance = state.data.flows.get(uid);
  if (instance !== undefined) return `\`${instance.flow}\``;
  const flow = referredFlow(state, waiting, uid);
  if (flow === undefined) return undefined;
  return state.definitions.has(flow) ? `\`${flow}\`` : `\`${flow}\`, which is not defined`;
}

/** The flow of a reference with this identifier among the variables of an instance. */
export function referredFlow(state: EngineState, instance: FlowInstance, uid: string): string | undefined {
  for (const value of Object.values(variablesOf(state, instance))) {
    if (value instanceof FlowReference && value.uid === uid) return value.flow;
  }
  return undefined;
}

function list(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1) ?? ""}`;
}
