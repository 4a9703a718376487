import type { Colang1Program } from "../colang1/elements.js";
import type { EmbeddingIndex, IndexHit, IndexItem } from "../retrieval/embedding-index.js";

export type DialogItem = IndexItem<Readonly<Record<string, string>>>;

export type DialogHit = IndexHit<DialogItem>;

export interface DialogIndex extends Pick<EmbeddingIndex<DialogItem>, "search"> {
  /** The score from which a hit is good enough where the configuration sets none; indexes without an opinion have none. */
  acceptThreshold?(): Promise<number | undefined>;
}

/** Makes an index of items; over the embeddings of the configuration, or over words and letters. */
export type CreateDialogIndex = (items: readonly DialogItem[]) => DialogIndex | Promise<DialogIndex>;

/** The indexes over a program (spec rails 3.4), each built when it is first asked. */
export interface DialogIndexes {
  /** Example utterances; `meta.intent`. */
  readonly userExamples: DialogIndex;
  /** Names of user messages; `meta.intent`. */
  readonly userIntents: DialogIndex;
  /** Names of bot messages, one entry per variant; `meta.text`. */
  readonly botMessages: DialogIndex;
  /** Lines of the user's own flows; `meta.flow` is the whole text. */
  readonly flows: DialogIndex;
  /** The intent that has exactly this text among its examples; undefined when several have it. */
  exactIntent(text: string): string | undefined;
}

/**
 * Describes the indexes of a program without building them.
 *
 * @param createExampleIndex makes the index of example utterances; as the others unless given
 */
export function createDialogIndexes(
  program: Pick<Colang1Program, "userMessages" | "botMessages" | "flows">,
  createIndex: CreateDialogIndex,
  createExampleIndex: CreateDialogIndex = createIndex,
): DialogIndexes {
  let exact: ReadonlyMap<string, string | undefined> | undefined;
  return {
    exactIntent: (text) => (exact ??= intentsByExample(program.userMessages)).get(text.trim()),
    userExamples: lazyIndex(() => userExampleItems(program.userMessages), createExampleIndex),
    userIntents: lazyIndex(() => userIntentItems(program.userMessages), createIndex),
    botMessages: lazyIndex(() => botMessageItems(program.botMessages), createIndex),
    flows: lazyIndex(() => flowLineItems(program.flows), createIndex),
  };
}

function intentsByExample(messages: Colang1Program["userMessages"]): ReadonlyMap<string, string | undefined> {
  const intents = new Map<string, string | undefined>();
  for (const [intent, examples] of Object.entries(messages)) {
    for (const text of new Set(examples)) intents.set(text, intents.has(text) ? undefined : intent);
  }
  return intents;
}

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

function userExampleItems(messages: Colang1Program["userMessages"]): readonly DialogItem[] {
  return Object.entries(messages).flatMap(([intent, examples]) => examples.map((text) => ({ text, meta: { intent } })));
}

function userIntentItems(messages: Colang1Program["userMessages"]): readonly DialogItem[] {
  return Object.keys(messages).map((intent) => ({ text: intent, meta: { intent } }));
}

function botMessageItems(messages: Colang1Program["botMessages"]): readonly DialogItem[] {
  return Object.entries(messages).flatMap(([intent, variants]) =>
    variants.map((text) => ({ text: intent, meta: { text } })),
  );
}

function flowLineItems(flows: Colang1Program["flows"]): readonly DialogItem[] {
  return flows
    .filter(({ tier }) => tier === "user")
    .flatMap(({ sourceText }) =>
      sourceText
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .map((text) => ({ text, meta: { flow: sourceText } })),
    );
}
