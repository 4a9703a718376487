import { type RetrievedChunks, SOURCES_VARIABLE } from "../../../generation/retrieve-chunks.js";
import type { Colang2Step } from "./services.js";

/** Sends the chunks among variables through the retrieval rails; hosts without such rails have none. */
export type FilterChunks = (context: Readonly<Record<string, unknown>>) => Promise<{
  readonly context: Readonly<Record<string, unknown>>;
  readonly blocked: boolean;
}>;

const CHUNKS = ["relevant_chunks", "relevant_chunks_sep", SOURCES_VARIABLE, "retrieved_for"] as const;

/**
 * What the retrieval rails make of chunks. INVARIANT: no prompt shows a chunk that they did not pass, so of blocked ones
 * nothing is kept.
 */
export async function reviewChunks(found: RetrievedChunks, step: Colang2Step): Promise<RetrievedChunks> {
  const filter = Object.hasOwn(step.call, "filterChunks")
    ? (step.call as { filterChunks?: FilterChunks }).filterChunks
    : undefined;
  if (filter === undefined) return found;
  const { context, blocked } = await filter({ ...step.globals, relevant_chunks: found.text, ...found.contextUpdates });
  if (blocked) {
    return {
      text: "",
      contextUpdates: { ...found.contextUpdates, relevant_chunks: "", relevant_chunks_sep: [], [SOURCES_VARIABLE]: [] },
    };
  }
  const text = context["relevant_chunks"];
  const kept = CHUNKS.filter((name) => Object.hasOwn(context, name)).map((name) => [name, context[name]] as const);
  return { text: typeof text === "string" ? text : "", contextUpdates: Object.fromEntries(kept) };
}
