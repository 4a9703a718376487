import type { FileLine } from "../split-lines.js";

/** Number of characters after which a chunk takes no further line. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Divides lines into chunks of at most `rows`, and of about a million characters. INVARIANT: chunks depend on the lines from the
 * first one alone, so that a resumed run finds the chunks of the run before it.
 */
export async function* chunkLines(lines: AsyncIterable<FileLine>, rows: number): AsyncGenerator<readonly FileLine[]> {
  let chunk: FileLine[] = [];
  let characters = 0;
  for await (const line of lines) {
    chunk.push(line);
    characters += line.text?.length ?? 0;
    if (chunk.length < rows && characters < MAX_CHARACTERS) continue;
    yield chunk;
    chunk = [];
    characters = 0;
  }
  if (chunk.length > 0) yield chunk;
}
