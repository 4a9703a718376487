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

const MAX_NEAR = 5;

/** An utterance whose intent is looked up among examples. */
export interface IntentSearch {
  readonly text: string;
  readonly index: DialogIndex;
  readonly settings: UserMessageSettings;
  /** False if no model can be asked, so that examples must decide. */
  readonly hasModel: boolean;
  /** The intent of an utterance that nothing explains. */
  readonly unknown: string;
}

/** Returns the intent of the nearest example; undefined if a model decides. */
export async function intentByExamples(search: IntentSearch): Promise<UserIntent | undefined> {
  const { text, index, settings, hasModel, unknown } = search;
  if (!settings.embeddings_only && hasModel) return undefined;
  const hits = await index.search(text, MAX_NEAR, await leastSimilarity(settings, index));
  const [best, ...alternatives] = nearestIntents(hits);
  if (best !== undefined) return { ...best, alternatives, source: "embeddings" };
  const fallback = settings.embeddings_only_fallback_intent ?? (hasModel ? undefined : unknown);
  return fallback === undefined ? undefined : { intent: fallback, score: null, alternatives: [], source: "embeddings" };
}

/**
 * Replaces an intent that a model invented with the nearest known one, if the settings ask for it.
 *
 * @param index - names of the known intents
 */
export async function nearestKnownIntent(
  intent: string,
  index: DialogIndex,
  { match_threshold: threshold }: UserMessageSettings,
  isKnown: () => boolean,
): Promise<Pick<UserIntent, "intent" | "score">> {
  if (threshold === null || isKnown()) return { intent, score: null };
  const [hit] = await index.search(intent, 1, threshold);
  const known = hit?.item.meta["intent"];
  return hit === undefined || known === undefined ? { intent, score: null } : { intent: known, score: hit.score };
}

/** Completes an intent that a model chose with the other intents of the examples. */
export function intentByModel(
  { intent, score }: Pick<UserIntent, "intent" | "score">,
  hits: readonly DialogHit[],
): UserIntent {
  const alternatives = nearestIntents(hits).filter((other) => other.intent !== intent);
  return { intent, score, alternatives, source: "llm" };
}

/** Returns the intent of an utterance that is word for word an example of it. */
export function exactIntent(intent: string): UserIntent {
  return { intent, score: 1, alternatives: [], source: "embeddings" };
}

/**
 * The similarity below which an example decides nothing. `embeddings_only` with neither a threshold nor a fallback takes the
 * nearest example, however far it is; otherwise an index that has learned a threshold decides.
 */
async function leastSimilarity(
  settings: UserMessageSettings,
  index: Pick<DialogIndex, "acceptThreshold">,
): Promise<number | undefined> {
  const { embeddings_only: isAsked, embeddings_only_fallback_intent: fallback } = settings;
  const takesNearest = isAsked && fallback === null;
  return settings.embeddings_only_similarity_threshold ?? (takesNearest ? undefined : await index.acceptThreshold?.());
}

/** Returns the intents of hits, each once with its best score, the best first. */
function nearestIntents(hits: readonly DialogHit[]): { readonly intent: string; readonly score: number }[] {
  const best = new Map<string, number>();
  for (const { item, score } of hits) {
    const intent = item.meta["intent"];
    if (intent !== undefined && score > (best.get(intent) ?? -Infinity)) best.set(intent, score);
  }
  return [...best].map(([intent, score]) => ({ intent, score })).sort((a, b) => b.score - a.score);
}
