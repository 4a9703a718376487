import type { GuardrailsEvent } from "../engine/events.js";
import { currentUserText } from "./history.js";
import type { StepServices } from "./services.js";

const MAX_CHUNKS = 3;

/** The part of a knowledge base that retrieval uses. */
interface SearchableKnowledge {
  search(query: string, maxResults: number): Promise<readonly { readonly body: string }[]>;
}

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
  { kb }: Pick<StepServices, "kb">,
): Promise<RetrievedChunks> {
  const query = currentUserText(events).text;
  if (!isSearchable(kb) || query.trim() === "") {
    const supplied = Object.hasOwn(context, "relevant_chunks") ? context["relevant_chunks"] : undefined;
    return { text: typeof supplied === "string" ? supplied : "", contextUpdates: {} };
  }
  const chunks = (await kb.search(query, MAX_CHUNKS)).map(({ body }) => body);
  const text = chunks.join("\n");
  return { text, contextUpdates: { relevant_chunks: text, relevant_chunks_sep: chunks, retrieved_for: query } };
}

function isSearchable(kb: unknown): kb is SearchableKnowledge {
  return typeof kb === "object" && kb !== null && typeof (kb as { search?: unknown }).search === "function";
}
