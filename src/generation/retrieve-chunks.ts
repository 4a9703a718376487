import type { GuardrailsEvent } from "../engine/events.js";
import type { KnowledgeBase, KnowledgeChunk } from "../retrieval/knowledge-base.js";
import type { ChunkSource } from "../turn/answer.js";
import { currentUserText } from "./history.js";
import type { StepServices } from "./services.js";

/** The variable with the sources of `relevant_chunks_sep`, in its order. */
export const SOURCES_VARIABLE = "relevant_chunks_sources";

export interface RetrievalInput {
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
}

export interface RetrievedChunks {
  /** The chunks as one text, or what the caller supplied when there is no knowledge base. */
  readonly text: string;
  readonly contextUpdates: Readonly<Record<string, unknown>>;
}

/**
 * Finds what the knowledge base has on the user's message (spec rails 3.6). Without a knowledge base or a message
 * nothing changes, so that evidence brought by the caller stays as it is (spec colang-1 Q-35).
 */
export async function retrieveRelevantChunks(
  { events, context }: RetrievalInput,
  { kb, config, signal }: Pick<StepServices, "kb" | "config" | "signal">,
): Promise<RetrievedChunks> {
  const query = currentUserText(events).text;
  if (!isSearchable(kb) || query.trim() === "") {
    const supplied = Object.hasOwn(context, "relevant_chunks") ? context["relevant_chunks"] : undefined;
    return { text: typeof supplied === "string" ? supplied : "", contextUpdates: {} };
  }
  const found = await kb.search(query, undefined, { config, signal });
  const chunks = found.map(({ body }) => body);
  const text = chunks.join("\n");
  return {
    text,
    contextUpdates: {
      relevant_chunks: text,
      relevant_chunks_sep: chunks,
      [SOURCES_VARIABLE]: found.map(sourceOf),
      retrieved_for: query,
    },
  };
}

/**
 * Begins the search of the knowledge base where a model is going to be asked, so that both take their time together. The
 * retrieval stage of the turn finds the search in the turn's slot.
 *
 * @returns undefined where there is nothing to search, or the configuration searches in its own way
 */
export function beginRetrieval(input: RetrievalInput, services: StepServices): Promise<RetrievedChunks> | undefined {
  const { kb, call } = services;
  const slot = call.merged;
  const query = currentUserText(input.events).text;
  if (slot === undefined || call.ownRetrieval === true || !isSearchable(kb) || query.trim() === "") return undefined;
  if (slot.retrieved?.query === query) return slot.retrieved.found;
  // The action that begins the search may be over before the search is.
  const { signal } = slot;
  const found = retrieveRelevantChunks(input, { kb, signal, config: { ...services.config, signal } });
  // A failure is told to those who wait for the chunks, and to nobody when the turn does without them.
  found.catch(() => undefined);
  slot.retrieved = { query, found };
  return found;
}

function sourceOf({ title, file, score }: KnowledgeChunk): ChunkSource {
  return { title, file, ...(score === undefined ? {} : { score }) };
}

function isSearchable(kb: unknown): kb is KnowledgeBase {
  return typeof kb === "object" && kb !== null && typeof (kb as { search?: unknown }).search === "function";
}
