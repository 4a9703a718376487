import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { Answer } from "../values/answer.js";
import type { DelegatedCall } from "../tools/delegated-calls.js";

/** Texts of a chunk, and whether it and all that follow must wait for the end of the stream. */
export interface ChunkReading {
  readonly text: string;
  /** Reasoning in the chunk, if rails review it. */
  readonly reasoning?: string;
  readonly waits: boolean;
}

/** Texts of chunks, one for each, and what the rails made of all of them together. */
export interface Reviewed {
  readonly texts: readonly string[];
  readonly text: string;
}

/** The part of a complete answer that has not left. */
export interface Rest {
  readonly text: string;
  readonly reasoning: string;
}

/** How the end of a stream is written. */
export interface StreamEnd {
  /** Text that has not left. */
  readonly rest: string;
  readonly verdict: GuardrailsMetadata;
  /** Tool calls that flows ask for. */
  readonly calls?: readonly DelegatedCall[];
  /** The complete answer as it leaves, for its extra texts. */
  readonly final: () => unknown;
}

/** Values found next to the answer so far. */
export interface Findings {
  readonly userText?: string | undefined;
  readonly relevantChunks?: readonly string[] | undefined;
}

/**
 * Reads and writes the chunks of one kind of stream. INVARIANT: joined, the chunks that leave are the value that `invoke`
 * would return; ids, indexes, tool calls and usage stay on their chunks.
 */
export interface ChunkFormat {
  /** True if more than the text has to be read from the complete value. */
  readonly isComposite: boolean;
  read(chunk: unknown): ChunkReading;
  /** The chunks as they leave, with the texts that the rails made of theirs where these are others. */
  release(chunks: readonly unknown[], main: Reviewed, reasoning: Reviewed): readonly unknown[];
  /** The rest of a complete value of which rails changed more than the text. */
  replace?(final: unknown, rest: Rest, unreleased: readonly unknown[]): readonly unknown[];
  /** The chunks after the last text. */
  close(end: StreamEnd): readonly unknown[];
  /** The chunk with the refusal: of the answer so far only its identity and its cost. */
  refuse(refusal: string, verdict: GuardrailsMetadata, unreleased: readonly unknown[], soFar: () => Answer): unknown;
  findings(): Findings;
}

/** Puts a rewritten text on the first chunk with a text; the others become empty. */
export function placeText(texts: readonly string[], text: string): readonly string[] {
  const first = Math.max(
    0,
    texts.findIndex((each) => each !== ""),
  );
  return texts.map((_, index) => (index === first ? text : ""));
}
