import type { DialogItem, EmbeddingIndex, IndexHit } from "../retrieval/embedding-index.js";
import type { RailsSettings } from "../config/settings.js";

export type DialogHit = IndexHit<DialogItem>;

export interface DialogIndex extends Pick<EmbeddingIndex<DialogItem>, "search"> {
  /** The score from which a hit is good enough where the configuration sets none; indexes without an opinion have none. */
  acceptThreshold?(): Promise<number | undefined>;
}

/** Makes an index of items; over the embeddings of the configuration, or over words and letters. */
export type CreateDialogIndex = (items: readonly DialogItem[]) => DialogIndex | Promise<DialogIndex>;

/** Distinct values of a property among hits, the best one first. */
export function distinctMeta(hits: readonly DialogHit[], property: string, maximum: number): readonly string[] {
  const values = new Set<string>();
  for (const { item } of hits) {
    const value = item.meta[property];
    if (value !== undefined && values.size < maximum) values.add(value);
  }
  return [...values];
}

/** An index that is made when it is first asked, and made again after it could not be. */
export function lazyIndex(collect: () => readonly DialogItem[], createIndex: CreateDialogIndex): DialogIndex {
  let built: Promise<DialogIndex | undefined> | undefined;
  const build = async (): Promise<DialogIndex | undefined> => {
    const items = collect();
    return items.length === 0 ? undefined : createIndex(items);
  };
  const ready = (): Promise<DialogIndex | undefined> => {
    built ??= build();
    return built.catch((error: unknown) => {
      // A provider that was away for a moment must not leave the index broken for good.
      built = undefined;
      throw error;
    });
  };
  return {
    search: async (text, maxResults, threshold) => (await ready())?.search(text, maxResults, threshold) ?? [],
    acceptThreshold: async () => (await ready())?.acceptThreshold?.(),
  };
}

/** Makes a search that changes nothing; equal keys stand for equal searches. */
export type Lookup = <Found>(key: readonly unknown[], search: () => Promise<Found>) => Promise<Found>;

/** Returns indexes by name with searches that go through `lookup`; what is not an index stays as it is. */
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

/**
 * Returns the intent of the nearest example; undefined if a model decides. The similarity below which an example decides
 * nothing is that of the settings. `embeddings_only` with neither a threshold nor a fallback takes the nearest example,
 * however far it is; otherwise an index that has learned a threshold decides.
 *
 * @param unknown - intent of an utterance that nothing explains; undefined if a model can be asked
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

/** Returns the intents of hits, each once with its best score, the best first. */
function nearestIntents(hits: readonly DialogHit[]): { readonly intent: string; readonly score: number }[] {
  const best = new Map<string, number>();
  for (const { item, score } of hits) {
    const intent = item.meta["intent"];
    if (intent !== undefined && score > (best.get(intent) ?? -Infinity)) best.set(intent, score);
  }
  return [...best].map(([intent, score]) => ({ intent, score })).sort((a, b) => b.score - a.score);
}
