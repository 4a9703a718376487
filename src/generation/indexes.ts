import type { DialogItem, EmbeddingIndex, IndexHit } from "../retrieval/embedding-index.js";

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

/** Returns the index with searches that go through `lookup`. */
export function throughLookup(index: DialogIndex, lookup: Lookup): DialogIndex {
  return { ...index, search: (...query) => lookup(["search", index, query], () => index.search(...query)) };
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
