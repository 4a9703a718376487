import type { RunnableConfig } from "@langchain/core/runnables";
import type { LanguageModel } from "../llm/model.js";

/** Where a chunk comes from, as flows and results tell it. */
export interface ChunkSource {
  readonly title: string;
  /** Path of the document, or what its metadata names as its source. */
  readonly file: string;
  /** Absent when a retriever does not tell. */
  readonly score?: number;
}

/** A part of an answer that is still being made. */
export interface AnswerPart {
  /** Its text, in the pieces in which it came. */
  readonly texts: readonly string[];
  /** What the model thought meanwhile, in the pieces in which it came; only where the review looks at that. */
  readonly reasoningParts?: readonly string[] | undefined;
  /** Evidence that came with the answer so far. */
  readonly relevantChunks?: readonly string[] | undefined;
}

/**
 * What the output rails say to a part. `held`: they cannot tell by parts, so this one and all that follow wait for the end
 * of the answer.
 */
export type PartVerdict =
  | { readonly kind: "passed"; readonly text: string; readonly reasoning?: string }
  | { readonly kind: "held" }
  | { readonly kind: "blocked" };

/** Reviews an answer part by part, in order. What was reviewed so is not reviewed again when the answer is complete. */
export interface AnswerReview {
  /** What a part must not cut in two. */
  readonly unit: "chunk" | "word" | "line";
  /** False when no rail looks at this answer. */
  readonly guarded: boolean;
  /** Whether the rails look at what the model thought too. */
  readonly readsReasoning?: boolean;
  check(part: AnswerPart): Promise<PartVerdict>;
}

/** What answers when no flow does: the wrapped chain, or the wrapped model given the caller's own messages. */
export interface GeneratorRequest {
  /** The user's text after the input rails. */
  readonly userMessage: string;
  /** All user texts that were not answered yet, after the input rails, oldest first; the last one is `userMessage`. */
  readonly userMessages?: readonly string[];
  /** True when an input rail rewrote it. */
  readonly rewritten: boolean;
  /** A frozen view of the context variables. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly config: RunnableConfig;
  readonly signal: AbortSignal;
  readonly llmParams?: Readonly<Record<string, unknown>> | undefined;
  /** There when the turn streams and the answer may be handed on part by part; without it, only as a whole. */
  readonly review?: AnswerReview | undefined;
  /** For `begin`: whether the answer is going to be handed on part by part. */
  readonly streams?: boolean;
  /** What `begin` returned for the same texts. */
  readonly begun?: unknown;
}

export interface GeneratedAnswer {
  readonly text: string;
  /** What the model thought, apart from what it said. */
  readonly reasoning?: string | undefined;
  /** What the generator really returned: an `AIMessage`, a chain's object. Handed back untouched. */
  readonly value?: unknown;
  /** Evidence that came with the answer; sets `relevant_chunks` and turns the fact rails on. */
  readonly relevantChunks?: readonly string[] | undefined;
  /** Where each of them comes from. */
  readonly sources?: readonly ChunkSource[] | undefined;
}

export interface Generator {
  (request: GeneratorRequest): Promise<GeneratedAnswer>;
  /**
   * Begins what an answer to these texts takes, while input rails still look at them; it must change nothing, and read of
   * the request no more than the texts, `llmParams`, `config`, `signal` and `streams`. Without it the answer waits for the rails.
   */
  readonly begin?: (request: GeneratorRequest) => unknown;
}

/**
 * Hands on words that a model is writing, as the output rails pass them. It takes as long as whoever reads them, and comes
 * to all that was taken of the words: at a block, to those until then.
 *
 * @param words - leaving them ends the call
 * @param updates - variables that change with these words
 */
export type WriteText = (
  words: AsyncIterableIterator<string>,
  updates: Readonly<Record<string, unknown>>,
) => Promise<string>;

/** What tells one request from another. */
export type RequestKey = readonly unknown[];

/** How a run reaches what answers it: beginning calls ahead of the verdict, or taking over those that were begun. */
export interface Answering {
  model(model: LanguageModel): LanguageModel;
  answer(generator: Generator, request: GeneratorRequest): Promise<GeneratedAnswer>;
  /** Whether it is the run ahead of the verdict, of which nobody may hear. */
  readonly isAhead: boolean;
  /** A search that changes nothing. */
  lookup<Found>(key: RequestKey, signal: AbortSignal, search: (signal: AbortSignal) => Promise<Found>): Promise<Found>;
  /** The turn is over. */
  close(): void;
}
