import type { GuardrailsMetadata, RailDecision } from "../../turn/decision.js";
import { hasStatus } from "../../turn/decision.js";

/** Parts of a verdict that callers see: nothing, its outcome, its decisions, or its decisions with reasons. */
export type VerdictDetails = "none" | "outcome" | "decisions" | "reasons";

/** The verdict in the field `guardrails` of a response. */
export interface WireVerdict {
  readonly config_id: string;
  readonly status: "passed" | "modified" | "blocked";
  readonly rail?: string | undefined;
  readonly stage?: string | undefined;
  /** The content of this chunk replaces all text before it. */
  readonly replaces?: true | undefined;
  readonly decisions?: readonly object[] | undefined;
}

/** Returns the verdict as callers may see it; undefined if they may not see it. */
export function toWireVerdict(
  verdict: GuardrailsMetadata | undefined,
  configId: string,
  details: VerdictDetails,
): WireVerdict | undefined {
  if (details === "none") return undefined;
  const { blocked = false, rail, stage, replaces, decisions = [] } = verdict ?? {};
  const status = statusOf(verdict);
  // JSON omits keys without a value.
  return {
    config_id: configId,
    status,
    rail: blocked ? rail : undefined,
    stage: blocked ? stage : undefined,
    replaces: replaces === true ? replaces : undefined,
    decisions: details === "outcome" ? undefined : decisions.map((decision) => toWireDecision(decision, details)),
  };
}

function toWireDecision(decision: RailDecision, details: VerdictDetails): object {
  const { status, stage, rail, reason, categories, score, threshold, durationMs, shadow, usage } = decision;
  const shown = {
    stage,
    rail,
    status,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    shadow: shadow === true ? shadow : undefined,
  };
  if (details !== "reasons") return shown;
  return { ...shown, reason, categories, score, threshold, usage };
}

function statusOf(verdict: GuardrailsMetadata | undefined): WireVerdict["status"] {
  if (verdict?.blocked === true) return "blocked";
  return hasStatus(verdict?.decisions ?? [], "modified") ? "modified" : "passed";
}

/** Characters that are not valid in a header. */
const NOT_IN_HEADERS = /[^\u0020-\u007e]/gu;

/** Returns the headers of a verdict. In rail names, a question mark replaces each character outside of ASCII. */
export function verdictHeaders(verdict: WireVerdict | undefined): Record<string, string> {
  if (verdict === undefined) return {};
  const { status, rail, stage } = verdict;
  const headers: Record<string, string> = { "x-guardrails-status": status };
  if (rail !== undefined) headers["x-guardrails-rail"] = headerText(rail);
  if (stage !== undefined) headers["x-guardrails-stage"] = headerText(stage);
  return headers;
}

function headerText(text: string): string {
  return text.slice(0, 256).replaceAll(NOT_IN_HEADERS, "?");
}
