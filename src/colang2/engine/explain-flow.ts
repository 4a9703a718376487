import type { SourceLocation } from "../../diagnostics/span.js";
import type { TraceEvent, TraceOffer } from "../../engine/trace.js";

/** What became of a flow, from the least to the most that can be said of it. */
const OUTCOMES = ["unseen", "not-started", "failed", "paused", "ran", "finished", "lost", "error", "won"] as const;

/** `won`: it acted; `lost`: another flow of its interaction loop fitted better; `error`: its program is wrong. */
export type FlowOutcome2 = (typeof OUTCOMES)[number];

export interface FlowExplanation2 {
  readonly flow: string;
  readonly outcome: FlowOutcome2;
  /** One sentence for each thing that happened to it, in order. */
  readonly reasons: readonly string[];
}

interface Finding {
  readonly outcome: FlowOutcome2;
  readonly reason: string;
}

/**
 * Why a flow of a Colang 2.x program acted, or did not, from the trace of one round or of several (spec 6.6).
 *
 * @example
 * ```ts
 * explainFlow(round.trace, "shallow").reasons;
 * // ["it wanted `Shallow` with scores [0.9], but `deep` had `Deep` with [1, 1]", "it failed: conflict"]
 * ```
 */
export function explainFlow(trace: readonly TraceEvent[], flow: string): FlowExplanation2 {
  const findings = trace.flatMap((event) => findingsOf(event, flow));
  const ranks = findings.map(({ outcome }) => OUTCOMES.indexOf(outcome));
  const outcome = OUTCOMES[Math.max(0, ...ranks)] ?? "unseen";
  if (findings.length === 0) return { flow, outcome: "unseen", reasons: ["no event concerned it"] };
  const reasons = findings.map(({ reason }) => reason);
  return { flow, outcome, reasons: reasons.filter((reason, at) => reason !== reasons[at - 1]) };
}

function findingsOf(event: TraceEvent, flow: string): readonly Finding[] {
  if (event.type === "decided") return decisionsOf(event.winner, event.others, flow);
  if (event.flow !== flow) return [];
  switch (event.type) {
    case "started":
      return [{ outcome: "ran", reason: event.by === "" ? "it was started" : `it was started by \`${event.by}\`` }];
    case "moved":
      return [{ outcome: "ran", reason: `it went on${placeOf(event.location)}` }];
    case "finished":
      return [{ outcome: "finished", reason: "it finished" }];
    case "aborted":
      return [{ outcome: "failed", reason: `it failed: ${event.why}` }];
    case "interrupted":
      return [{ outcome: "paused", reason: "it was paused" }];
    case "resumed":
      return [{ outcome: "ran", reason: "it was resumed" }];
    case "not-started":
      return [{ outcome: "not-started", reason: `it did not start: ${event.why}` }];
    case "failed":
      return [{ outcome: "error", reason: `an error${placeOf(event.location)}: ${event.message}` }];
    case "logged":
      return [{ outcome: "ran", reason: `it logged: ${event.text}` }];
    case "warning":
      return [{ outcome: "ran", reason: `${event.code}: ${event.message}` }];
  }
}

function decisionsOf(winner: TraceOffer, others: readonly TraceOffer[], flow: string): readonly Finding[] {
  const findings: Finding[] = [];
  if (winner.flow === flow) {
    const against = others.map((other) => `\`${other.flow}\` with ${scoresOf(other)}`);
    const rivals = against.length === 0 ? "; nothing else wanted to act" : `, against ${against.join(" and ")}`;
    findings.push({
      outcome: "won",
      reason: `it did \`${winner.step}\`${placeOf(winner.location)} with scores ${scoresOf(winner)}${rivals}`,
    });
  }
  for (const loser of others) {
    if (loser.flow !== flow) continue;
    const wanted = `it wanted \`${loser.step}\`${placeOf(loser.location)} with scores ${scoresOf(loser)}`;
    findings.push({
      outcome: "lost",
      reason: `${wanted}, but \`${winner.flow}\` had \`${winner.step}\` with ${scoresOf(winner)}`,
    });
  }
  return findings;
}

function scoresOf({ scores = [] }: TraceOffer): string {
  return `[${scores.map((score) => Number(score.toFixed(4))).join(", ")}]`;
}

function placeOf(location: SourceLocation | undefined): string {
  return location === undefined ? "" : ` (${location.file}:${location.line})`;
}
