import { omitUndefined, readOwn } from "../engine/plain-data.js";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import type { ChunkSource } from "../turn/response.js";
import { currentUserText } from "./history.js";
import type { CallServices, DialogInput } from "./services.js";

/** The variable with the sources of `relevant_chunks_sep`, in the same order. */
export const SOURCES_VARIABLE = "relevant_chunks_sources";

export interface RetrievedChunks {
  /** The chunks as one text, or the caller's evidence if there is no knowledge base. */
  readonly text: string;
  readonly contextUpdates: Readonly<Record<string, unknown>>;
}

/**
 * Retrieves chunks of the knowledge base for the user's message. Without a knowledge base or a message, the caller's
 * evidence is kept.
 */
export async function retrieveRelevantChunks(
  { events, context }: DialogInput,
  services: Pick<CallServices, "kb" | "config" | "signal" | "settings">,
): Promise<RetrievedChunks> {
  const { kb } = services;
  const query = currentUserText(events).text;
  if (!isKnowledgeBase(kb) || query.trim() === "") {
    const supplied = readOwn(context, "relevant_chunks");
    if (typeof supplied === "string") return { text: supplied, contextUpdates: {} };
    // Retrieval rails compare a text, also in a configuration without documents.
    const isCompared = services.settings.rails.retrieval.flows.length > 0;
    return { text: "", contextUpdates: isCompared ? { relevant_chunks: "" } : {} };
  }
  const { config, signal } = services;
  const found = await kb.search(query, undefined, { config, signal });
  const chunks = found.map(({ body }) => body);
  const text = chunks.join("\n");
  return {
    text,
    contextUpdates: {
      relevant_chunks: text,
      relevant_chunks_sep: chunks,
      [SOURCES_VARIABLE]: found.map(({ title, file, score }): ChunkSource => omitUndefined({ title, file, score })),
      retrieved_for: query,
    },
  };
}

export function isKnowledgeBase(kb: unknown): kb is KnowledgeBase {
  return typeof kb === "object" && kb !== null && typeof (kb as { search?: unknown }).search === "function";
}
