import { selectRails, selectVerdictRails } from "../rails/plan.js";
import type { RailServices } from "../rails/services.js";
import type { RailsStage } from "../turn/decision.js";
import type { TurnOptions } from "../turn/options.js";
import type { RailSubject } from "../turn/result.js";
import type { DialectHost } from "./dialect-host.js";

/** True if output rails of the call compare the answer with evidence, or may do so for all that their flows show. */
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

/** True if a prompt of the configuration shows evidence, so that a judge may compare an answer with it. */
function promptsShowEvidence({ config }: RailServices): boolean {
  const { prompts = [] } = config.settings;
  if (prompts.length === 0) return false;
  let shows = shownEvidence.get(prompts);
  if (shows === undefined) shownEvidence.set(prompts, (shows = JSON.stringify(prompts).includes("relevant_chunks")));
  return shows;
}

/** By the prompts of a configuration, which never change. */
const shownEvidence = new WeakMap<object, boolean>();

/** True if the answer may begin while the input rails run: the settings ask for it, and no rail rewrites the text. */
export function asksAhead({ services, hasInputFlow }: DialectHost, options: TurnOptions): boolean {
  if (!services.config.settings.rails.input.speculative || hasInputFlow) return false;
  const rails = selectRails(services, options, "input");
  return rails.length > 0 && !services.railPlans.of("input", rails).some(({ rewrites }) => rewrites);
}

/** Returns the stage by the text that the caller gives. */
export function stageOfSubject({ userMessage, botMessage, relevantChunks }: RailSubject): RailsStage {
  if (botMessage !== undefined) return "output";
  return userMessage === undefined && relevantChunks !== undefined ? "retrieval" : "input";
}

/** Treatment of user messages that were answered before: `rewrite` runs the rewriting rails again, `review` all rails. */
export type HistoryMode = "rewrite" | "review" | "trust";

/** Returns the input rails that read messages that were answered before. */
export function historyRails(services: RailServices, options: TurnOptions, mode: HistoryMode): readonly string[] {
  if (mode === "trust") return [];
  const selected = selectVerdictRails(services, options, "input");
  if (mode === "review") return selected;
  // A rail assigns the text, or may do so for all that its flow shows.
  return selected.filter((rail) => services.railPlans.traits.get(rail)?.rewritesText ?? true);
}
