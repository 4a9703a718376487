import { selectRails, selectVerdictRails } from "../rails/plan.js";
import type { RailServices } from "../rails/services.js";
import type { RailsStage } from "../turn/decision.js";
import type { TurnOptions } from "../turn/options.js";
import type { RailSubject } from "../turn/result.js";
import type { DialectHost } from "./dialect-host.js";

/** Returns true if output rails of the call compare the response with evidence, or might according to their flows. */
export function comparesEvidence(services: RailServices, options: TurnOptions): boolean {
  const rails = selectRails(services, options, "output");
  return rails.length === 0 || promptsShowEvidence(services) || rails.some((rail) => readsEvidence(services, rail));
}

function readsEvidence({ rails, railPlans }: RailServices, rail: string): boolean {
  if (rails.needsEvidence(rail)) return true;
  const { reads, readsAll, isKnown } = railPlans.traits.get(rail) ?? {};
  if (reads === undefined || isKnown === false || readsAll === true) return true;
  return reads.has("relevant_chunks") || reads.has("relevant_chunks_sep");
}

/** Returns true if a configured prompt shows evidence, so a judge may compare a response with it. */
function promptsShowEvidence({ config }: RailServices): boolean {
  const { prompts = [] } = config.settings;
  if (prompts.length === 0) return false;
  let shows = shownEvidence.get(prompts);
  if (shows === undefined) shownEvidence.set(prompts, (shows = JSON.stringify(prompts).includes("relevant_chunks")));
  return shows;
}

/** Cached by the prompts of a configuration, which never change. */
const shownEvidence = new WeakMap<object, boolean>();

/**
 * Returns true if the response may start while the input rails run: speculation is enabled, and no rail rewrites the
 * text.
 */
export function speculates({ services, hasInputFlow }: DialectHost, options: TurnOptions): boolean {
  if (!services.config.settings.rails.input.speculative || hasInputFlow) return false;
  const rails = selectRails(services, options, "input");
  return rails.length > 0 && !services.railPlans.of("input", rails).some(({ rewrites }) => rewrites);
}

/** Returns the stage that matches the text given by the caller. */
export function stageOfSubject({ userMessage, botMessage, relevantChunks }: RailSubject): RailsStage {
  if (botMessage !== undefined) return "output";
  return userMessage === undefined && relevantChunks !== undefined ? "retrieval" : "input";
}

/**
 * Treatment of user messages answered in earlier turns: `rewrite` runs the rewriting rails again, `review` all rails.
 */
export type HistoryMode = "rewrite" | "review" | "trust";

/** Returns the input rails that read messages answered in earlier turns. */
export function historyRails(services: RailServices, options: TurnOptions, mode: HistoryMode): readonly string[] {
  if (mode === "trust") return [];
  const selected = selectVerdictRails(services, options, "input");
  if (mode === "review") return selected;
  // A rail assigns the text, or might according to its flow.
  return selected.filter((rail) => services.railPlans.traits.get(rail)?.rewritesText ?? true);
}
