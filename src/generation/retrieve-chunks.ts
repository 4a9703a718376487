import type { GuardrailsEvent } from "../engine/events.js";
import type { KnowledgeBase, KnowledgeChunk } from "../retrieval/knowledge-base.js";
import type { ChunkSource } from "../turn/answer.js";
import { currentUserText } from "./history.js";
import type { CallServices } from "./services.js";

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
 * Finds what the knowledge base has on the user's message. Without a knowledge base or a message
 * nothing changes, so that evidence brought by the caller stays as it is.
 */
export async function retrieveRelevantChunks(
  { events, context }: RetrievalInput,
  { kb, config, signal }: Pick<CallServices, "kb" | "config" | "signal">,
): Promise<RetrievedChunks> {
  const query = currentUserText(events).text;
  if (!isKnowledgeBase(kb) || query.trim() === "") {
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

function sourceOf({ title, file, score }: KnowledgeChunk): ChunkSource {
  return { title, file, ...(score === undefined ? {} : { score }) };
}

export function isKnowledgeBase(kb: unknown): kb is KnowledgeBase {
  return typeof kb === "object" && kb !== null && typeof (kb as { search?: unknown }).search === "function";
}
