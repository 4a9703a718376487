import type { SourceLocation } from "../diagnostics/source-file.js";
import type { TraceEvent, TraceOffer } from "./trace.js";

/** Outcome of a flow, from the most to the least successful. */
type FlowOutcome = "decided" | "failed" | "lost" | "ran" | "suspended" | "aborted" | "not-started" | "unseen";

export interface FlowExplanation {
  readonly flow: string;
  readonly outcome: FlowOutcome;
  /** One sentence per thing that happened to it, in order. */
  readonly reasons: readonly string[];
}

const RANK: readonly FlowOutcome[] = [
  "unseen",
  "not-started",
  "aborted",
  "suspended",
  "ran",
  "lost",
  "failed",
  "decided",
];

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

/** The most specific outcome, and the reasons without repetitions. */
export function summarize(findings: readonly Finding[]): Pick<FlowExplanation, "outcome" | "reasons"> {
  const outcome = RANK[Math.max(0, ...findings.map((finding) => RANK.indexOf(finding.outcome)))] ?? "unseen";
  const reasons = findings.map(({ reason }) => reason).filter((reason, at, all) => reason !== all[at - 1]);
  return { outcome, reasons };
}

function findingOf(event: TraceEvent, flow: string): Finding | undefined {
  if (event.type === "decided") return decisionOf(event.winner, event.others, flow);
  if (event.flow !== flow) return undefined;
  switch (event.type) {
    case "started":
      return { outcome: "ran", reason: `it started on \`${event.by}\`` };
    case "moved":
      return { outcome: "ran", reason: `it went on${placeText(event.location)}` };
    case "finished":
      return { outcome: "ran", reason: "it finished" };
    case "resumed":
      return { outcome: "ran", reason: "it resumed" };
    case "aborted":
      return { outcome: "aborted", reason: `it was aborted: ${event.why}` };
    case "interrupted":
      return {
        outcome: "suspended",
        reason: event.by === undefined ? "it kept waiting" : `it was suspended by \`${event.by}\``,
      };
    case "not-started":
      return { outcome: "not-started", reason: `it did not start: ${event.why}` };
    case "failed":
      return { outcome: "failed", reason: `it failed${placeText(event.location)}: ${event.message}` };
    case "logged":
      return { outcome: "ran", reason: `it logged: ${event.text}` };
    case "warning":
      return { outcome: "unseen", reason: `${event.code}: ${event.message}` };
  }
}

function decisionOf(winner: TraceOffer, others: readonly TraceOffer[], flow: string): Finding | undefined {
  if (isBehind(winner, flow)) {
    return { outcome: "decided", reason: `it took the step \`${winner.step}\`${placeText(winner.location)}` };
  }
  const lost = others.find((offer) => isBehind(offer, flow));
  if (!lost) return undefined;
  const rank =
    winner.scores !== undefined && lost.scores !== undefined
      ? `matched better: ${winner.scores.join(", ")} over ${lost.scores.join(", ")}`
      : winner.priority > lost.priority
        ? `with priority ${winner.priority} won over ${lost.priority}`
        : winner.reason === lost.reason
          ? "came first"
          : `won as ${winner.reason} over ${lost.reason}`;
  const reason = `it wanted \`${lost.step}\`${placeText(lost.location)}, but \`${rivalOf(winner, lost)}\` ${rank}`;
  return { outcome: "lost", reason };
}

/** Returns true if a flow takes this step itself or through another flow. */
function isBehind({ flow, callers = [] }: TraceOffer, name: string): boolean {
  return flow === name || callers.includes(name);
}

/** The flow that distinguishes a winner: where both act through the same flow, one that it acts for. */
export function rivalOf(winner: TraceOffer, lost: TraceOffer): string {
  const own = new Set([lost.flow, ...(lost.callers ?? [])]);
  return [winner.flow, ...(winner.callers ?? [])].find((flow) => !own.has(flow)) ?? winner.flow;
}

/** The place in the source, in brackets. */
export function placeText(location: SourceLocation | undefined): string {
  return location ? ` (${location.file}:${location.line})` : "";
}
