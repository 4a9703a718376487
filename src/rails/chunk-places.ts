import { isTexts } from "./rail-decision.js";

/** Variable with the position at which the caller passed each of `relevant_chunks_sep`. */
export const CHUNK_PLACES = "_chunk_places";

/** Variables with an entry for each of `relevant_chunks_sep`, in the same order. */
const LISTS = ["relevant_chunks_sources", CHUNK_PLACES] as const;

type Variables = Readonly<Record<string, unknown>>;

/** A chunk after the retrieval rails. */
interface PlacedChunk {
  /** Position among the chunks that the caller passed. */
  readonly place: number;
  readonly text: string;
}

/**
 * Removes updates that repeat the chunks, since a rail without findings returns the list that it was given.
 *
 * After a rail that removed or reordered chunks: the lists next to the chunks lose and reorder the same entries. Chunks
 * that a rail rewrote as one text keep all their sources, but no places.
 */
export function followChunks(before: Variables, updates: Record<string, unknown>): void {
  const [given, left] = [before["relevant_chunks_sep"], updates["relevant_chunks_sep"]];
  if (!isTexts(given) || !isTexts(left)) return;
  if (given.length === left.length && given.every((text, index) => text === left[index])) {
    delete updates["relevant_chunks_sep"];
    if (updates["relevant_chunks"] === before["relevant_chunks"]) delete updates["relevant_chunks"];
    return;
  }
  const kept = keptIndexes(given, left);
  for (const name of LISTS) {
    const list = before[name];
    if (!Array.isArray(list) || list.length !== given.length) continue;
    if (kept !== undefined) updates[name] = kept.map((index): unknown => list[index]);
    else if (name === CHUNK_PLACES) updates[name] = [];
  }
}

/** Index of the original of each chunk; undefined if it is unknown. */
function keptIndexes(given: readonly string[], left: readonly string[]): readonly number[] | undefined {
  const open = new Map<string, number[]>();
  for (const [index, text] of given.entries()) open.set(text, [...(open.get(text) ?? []), index]);
  const kept = left.map((text) => open.get(text)?.shift());
  if (kept.every((index) => index !== undefined)) return kept;
  return given.length === left.length ? [...given.keys()] : undefined;
}

/** The chunks with their places; undefined if rails have joined them. */
export function placedChunks(context: Variables): readonly PlacedChunk[] | undefined {
  const [texts, places] = [context["relevant_chunks_sep"], context[CHUNK_PLACES]];
  if (!isTexts(texts) || !Array.isArray(places) || places.length !== texts.length) return undefined;
  return texts.map((text, index) => ({ text, place: places[index] as number }));
}
