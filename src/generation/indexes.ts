import type { DialogItem, EmbeddingIndex, IndexHit } from "../retrieval/embedding-index.js";
import type { RailsSettings } from "../config/settings.js";

export type DialogHit = IndexHit<DialogItem>;

export interface DialogIndex extends Pick<EmbeddingIndex<DialogItem>, "search"> {
  /**
   * Returns the score from which a hit is accepted if the configuration sets none; absent for indexes without a learned
   * threshold.
   */
  acceptThreshold?(): Promise<number | undefined>;
}

/** Makes an index of items, over the configured embeddings or over words and letters. */
export type CreateDialogIndex = (items: readonly DialogItem[]) => DialogIndex | Promise<DialogIndex>;

/** Distinct values of a property among hits, best first. */
export function distinctMeta(hits: readonly DialogHit[], property: string, maximum: number): readonly string[] {
  const values = new Set<string>();
  for (const { item } of hits) {
    const value = item.meta[property];
    if (value !== undefined && values.size < maximum) values.add(value);
  }
  return [...values];
}

/** An index created at its first search, and created again after a failure. */
export function lazyIndex(collect: () => readonly DialogItem[], createIndex: CreateDialogIndex): DialogIndex {
  let built: Promise<DialogIndex | undefined> | undefined;
  const build = async (): Promise<DialogIndex | undefined> => {
    const items = collect();
    return items.length === 0 ? undefined : createIndex(items);
  };
  const ready = (): Promise<DialogIndex | undefined> => {
    built ??= build();
    return built.catch((error: unknown) => {
      // A provider that was briefly unavailable must not break the index permanently.
      built = undefined;
      throw error;
    });
  };
  return {
    search: async (text, maxResults, threshold) => (await ready())?.search(text, maxResults, threshold) ?? [],
    acceptThreshold: async () => (await ready())?.acceptThreshold?.(),
  };
}

/** Runs a search without side effects; equal keys denote equal searches. */
export type Lookup = <Found>(key: readonly unknown[], search: () => Promise<Found>) => Promise<Found>;

/** Returns the indexes with searches that go through `lookup`; other properties are unchanged. */
export function throughLookup<Indexes extends object>(indexes: Indexes, lookup: Lookup): Indexes {
  const entries = Object.entries(indexes).map(([name, index]: [string, DialogIndex | (() => unknown)]) => {
    if (typeof index === "function") return [name, index];
    const search: DialogIndex["search"] = (...query) => lookup(["search", index, query], () => index.search(...query));
    return [name, { ...index, search }];
  });
  return Object.fromEntries(entries) as Indexes;
}

/** Returns each text with its intent; undefined for a text that is an example of several. */
export function intentsByText(items: readonly DialogItem[]): ReadonlyMap<string, string | undefined> {
  const intents = new Map<string, string | undefined>();
  for (const { text: written, meta } of items) {
    const text = written.trim();
    const isOther = intents.has(text) && intents.get(text) !== meta["intent"];
    intents.set(text, isOther ? undefined : meta["intent"]);
  }
  return intents;
}

/** The canonical form of an utterance, and its source. */
export interface UserIntent {
  readonly intent: string;
  /** Score of the nearest example; null if a model chose. */
  readonly score: number | null;
  readonly alternatives: readonly { readonly intent: string; readonly score: number }[];
  readonly source: "embeddings" | "llm";
}

type UserMessageSettings = RailsSettings["rails"]["dialog"]["user_messages"];

const MAX_NEAR = 5;

/**
 * Returns the intent of the nearest example; undefined if a model decides. The settings define the minimum similarity.
 * `embeddings_only` with neither a threshold nor a fallback takes the nearest example at any distance; otherwise an
 * index with a learned threshold decides.
 *
 * @param unknown - intent of an utterance without a match; undefined if a model can be called
 */
export async function intentByExamples(
  text: string,
  index: DialogIndex,
  settings: UserMessageSettings,
  unknown: string | undefined,
): Promise<UserIntent | undefined> {
  const { embeddings_only: isAsked, embeddings_only_fallback_intent: given } = settings;
  if (!isAsked && unknown === undefined) return undefined;
  const takesNearest = isAsked && given === null;
  const least =
    settings.embeddings_only_similarity_threshold ?? (takesNearest ? undefined : await index.acceptThreshold?.());
  const [best, ...alternatives] = nearestIntents(await index.search(text, MAX_NEAR, least));
  if (best !== undefined) return { ...best, alternatives, source: "embeddings" };
  const fallback = given ?? unknown;
  return fallback === undefined ? undefined : { intent: fallback, score: null, alternatives: [], source: "embeddings" };
}

/**
 * Replaces an intent invented by a model with the nearest known one, if configured.
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

/** Adds the other intents of the examples to an intent chosen by a model. */
export function intentByModel(
  { intent, score }: Pick<UserIntent, "intent" | "score">,
  hits: readonly DialogHit[],
): UserIntent {
  const alternatives = nearestIntents(hits).filter((other) => other.intent !== intent);
  return { intent, score, alternatives, source: "llm" };
}

/** Returns the intent of an utterance that is an exact example of it. */
export function exactIntent(intent: string): UserIntent {
  return { intent, score: 1, alternatives: [], source: "embeddings" };
}

/** Returns the intents of hits, each once with its best score, best first. */
function nearestIntents(hits: readonly DialogHit[]): { readonly intent: string; readonly score: number }[] {
  const best = new Map<string, number>();
  for (const { item, score } of hits) {
    const intent = item.meta["intent"];
    if (intent !== undefined && score > (best.get(intent) ?? -Infinity)) best.set(intent, score);
  }
  return [...best].map(([intent, score]) => ({ intent, score })).sort((a, b) => b.score - a.score);
}
