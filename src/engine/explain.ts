import type { SourceLocation } from "../diagnostics/source-file.js";

/** Outcomes of a flow, from the least to the most successful. */
const RANK = ["unseen", "not-started", "aborted", "suspended", "ran", "lost", "failed", "decided"] as const;

type FlowOutcome = (typeof RANK)[number];

export interface FlowExplanation {
  readonly flow: string;
  readonly outcome: FlowOutcome;
  /** One sentence per thing that happened to it, in order. */
  readonly reasons: readonly string[];
}

/** Something that happened to a flow. */
export interface Finding {
  readonly outcome: FlowOutcome;
  readonly reason: string;
}

/**
 * Why a flow ran, or why it did not, from the trace of a turn.
 *
 * @example
 * ```ts
 * why(trace, "ask price").reasons; // ["it wanted `bot hours` (main.co:12), but `ask anything` came first"]
 * ```
 */
export function why(trace: readonly TraceEvent[], flow: string): FlowExplanation {
  const findings = trace.map((event) => findingOf(event, flow)).filter((finding) => finding !== undefined);
  const { outcome, reasons } = summarize(findings);
  const unseen = "no event of this turn was one it starts on or waits for";
  return { flow, outcome, reasons: outcome === "unseen" ? [unseen] : reasons };
}

/** Returns the most specific outcome, and the distinct reasons. */
export function summarize(findings: readonly Finding[]): Pick<FlowExplanation, "outcome" | "reasons"> {
  const outcome = RANK[Math.max(0, ...findings.map((finding) => RANK.indexOf(finding.outcome)))] ?? "unseen";
  const reasons = findings.map(({ reason }) => reason).filter((reason, at, all) => reason !== all[at - 1]);
  return { outcome, reasons };
}

type Event<Type> = Extract<TraceEvent, { readonly type: Type }>;

type FlowEvent = Exclude<TraceEvent, { readonly type: "decided" }>;

/** Outcome and reason by the type of an event that names a flow. */
export type Findings = {
  readonly [Type in FlowEvent["type"]]: (event: Event<Type>) => readonly [FlowOutcome, string];
};

const FINDINGS: Findings = {
  started: ({ by }) => ["ran", `it started on \`${by}\``],
  moved: ({ location }) => ["ran", `it went on${placeText(location)}`],
  finished: () => ["ran", "it finished"],
  resumed: () => ["ran", "it resumed"],
  aborted: (event) => ["aborted", `it was aborted: ${event.why}`],
  interrupted: ({ by }) => ["suspended", by === undefined ? "it kept waiting" : `it was suspended by \`${by}\``],
  "not-started": (event) => ["not-started", `it did not start: ${event.why}`],
  failed: ({ location, message }) => ["failed", `it failed${placeText(location)}: ${message}`],
  logged: ({ text }) => ["ran", `it logged: ${text}`],
  warning: ({ code, message }) => ["unseen", `${code}: ${message}`],
};

function findingOf(event: TraceEvent, flow: string): Finding | undefined {
  if (event.type === "decided") return decisionOf(event.winner, event.others, flow);
  if (event.flow !== flow) return undefined;
  return readFinding(FINDINGS, event);
}

export function readFinding(findings: Findings, event: FlowEvent): Finding {
  // The table is keyed by type, which the compiler cannot correlate.
  const [outcome, reason] = (findings[event.type] as (event: FlowEvent) => readonly [FlowOutcome, string])(event);
  return { outcome, reason };
}

function decisionOf(winner: TraceOffer, others: readonly TraceOffer[], flow: string): Finding | undefined {
  if (isBehind(winner, flow)) {
    return { outcome: "decided", reason: `it took the step \`${winner.step}\`${placeText(winner.location)}` };
  }
  const lost = others.find((offer) => isBehind(offer, flow));
  if (!lost) return undefined;
  const wanted = `it wanted \`${lost.step}\`${placeText(lost.location)}`;
  return { outcome: "lost", reason: `${wanted}, but \`${rivalOf(winner, lost)}\` ${advantageOf(winner, lost)}` };
}

/** Returns why an offer won over another, as the end of a sentence. */
function advantageOf(winner: TraceOffer, lost: TraceOffer): string {
  if (winner.scores !== undefined && lost.scores !== undefined) {
    return `matched better: ${winner.scores.join(", ")} over ${lost.scores.join(", ")}`;
  }
  if (winner.priority > lost.priority) return `with priority ${winner.priority} won over ${lost.priority}`;
  return winner.reason === lost.reason ? "came first" : `won as ${winner.reason} over ${lost.reason}`;
}

/** Returns true if a flow takes this step itself or through another flow. */
function isBehind({ flow, callers = [] }: TraceOffer, name: string): boolean {
  return flow === name || callers.includes(name);
}

/** The flow that distinguishes a winner: where both act through the same flow, one that it acts for. */
export function rivalOf(winner: TraceOffer, lost: TraceOffer): string {
  const lostFlows = new Set([lost.flow, ...(lost.callers ?? [])]);
  return [winner.flow, ...(winner.callers ?? [])].find((flow) => !lostFlows.has(flow)) ?? winner.flow;
}

/** The place in the source, in brackets. */
export function placeText(location: SourceLocation | undefined): string {
  return location ? ` (${location.file}:${location.line})` : "";
}

/** Reason why an instance of a flow could offer a step. */
export type OfferReason = "matched" | "started" | "resumed" | "pending";

/** One step that a flow wanted to take, and whether it won. */
export interface TraceOffer {
  readonly flow: string;
  readonly instance: string;
  readonly reason: OfferReason;
  readonly priority: number;
  /** Colang 2.x: how well each event of the chain matched that led here. */
  readonly scores?: readonly number[];
  /** Colang 2.x: the flows for which this one acts, the nearest first. */
  readonly callers?: readonly string[];
  /** Colang 2.x: where each of them asks for the next one. */
  readonly callerPlaces?: readonly (SourceLocation | undefined)[];
  readonly location?: SourceLocation;
  readonly step: string;
}

/**
 * A decision of an engine. One stream feeds explain, tracing, logs and tests.
 * `decided` answers why a flow spoke, `not-started` and `aborted` why one did not.
 */
export type TraceEvent =
  | { readonly type: "started"; readonly flow: string; readonly instance: string; readonly by: string }
  | { readonly type: "moved"; readonly flow: string; readonly instance: string; readonly location?: SourceLocation }
  | { readonly type: "finished"; readonly flow: string; readonly instance: string }
  | { readonly type: "aborted"; readonly flow: string; readonly instance: string; readonly why: string }
  | { readonly type: "interrupted"; readonly flow: string; readonly instance: string; readonly by?: string }
  | { readonly type: "resumed"; readonly flow: string; readonly instance: string }
  | { readonly type: "not-started"; readonly flow: string; readonly why: string; readonly code?: string }
  | { readonly type: "decided"; readonly winner: TraceOffer; readonly others: readonly TraceOffer[] }
  | {
      readonly type: "failed";
      readonly flow: string;
      readonly instance: string;
      readonly code: string;
      readonly message: string;
      readonly location?: SourceLocation;
    }
  | { readonly type: "logged"; readonly flow: string; readonly instance: string; readonly text: string }
  | { readonly type: "warning"; readonly code: string; readonly message: string; readonly flow?: string };
