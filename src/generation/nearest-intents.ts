import type { RailsSettings } from "../config/settings.js";
import type { DialogHit, DialogIndex } from "./indexes.js";

/** The canonical form of an utterance, and where it comes from. */
export interface UserIntent {
  readonly intent: string;
  /** Of the nearest example; null when a model chose. */
  readonly score: number | null;
  readonly alternatives: readonly { readonly intent: string; readonly score: number }[];
  readonly source: "embeddings" | "llm";
}

type UserMessageSettings = RailsSettings["rails"]["dialog"]["user_messages"];

/**
 * The similarity below which an example decides nothing. `embeddings_only` with neither a threshold nor a fallback takes the
 * nearest example, however far it is; otherwise an index that has learned what is near enough decides.
 */
export async function leastSimilarity(
  settings: UserMessageSettings,
  index: Pick<DialogIndex, "acceptThreshold">,
): Promise<number | undefined> {
  const { embeddings_only: isAsked, embeddings_only_fallback_intent: fallback } = settings;
  const takesNearest = isAsked && fallback === null;
  return settings.embeddings_only_similarity_threshold ?? (takesNearest ? undefined : await index.acceptThreshold?.());
}

/** Intents of hits, each once with its best score, the best first. */
export function nearestIntents(hits: readonly DialogHit[]): { readonly intent: string; readonly score: number }[] {
  const best = new Map<string, number>();
  for (const { item, score } of hits) {
    const intent = item.meta["intent"];
    if (intent !== undefined && score > (best.get(intent) ?? -Infinity)) best.set(intent, score);
  }
  return [...best].map(([intent, score]) => ({ intent, score })).sort((a, b) => b.score - a.score);
}
