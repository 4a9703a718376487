import type { RunnableConfig } from "@langchain/core/runnables";
import type { FoundPlace } from "../actions/known-findings.js";
import type { LanguageModel } from "../llm/model.js";

/** Source of a chunk. */
export interface ChunkSource {
  readonly title: string;
  /** Path of the document, or the source that its metadata names. */
  readonly file: string;
  /** Absent if the retriever gives none. */
  readonly score?: number;
}

/** Places at which an answer can be cut into parts, for rails that rewrite what they find. */
export interface AnswerCuts {
  /** Offset up to which it is known where the answer can be cut. */
  readonly knownTo: number;
  /** True once the answer has ended. */
  readonly isFinished: boolean;
  push(text: string): void;
  /** Ends the answer. */
  finish(): void;
  mayCut(offset: number): boolean;
  findingsIn(from: number, to: number): readonly FoundPlace[];
}

/** A part of an answer that is still being generated. */
export interface AnswerPart {
  /** Its text, in the pieces in which it came. */
  readonly texts: readonly string[];
  /** Reasoning of the model, in the pieces in which it came; only if the review reads it. */
  readonly reasoningParts?: readonly string[] | undefined;
  /** Evidence that came with the answer so far. */
  readonly relevantChunks?: readonly string[] | undefined;
}

/**
 * Verdict of the output rails on a part. `held`: they need the whole answer, so this part and all that follow wait for the end
 * of the answer.
 */
export type PartVerdict =
  | { readonly kind: "passed"; readonly text: string; readonly reasoning?: string }
  | { readonly kind: "held" }
  | { readonly kind: "blocked" };

/**
 * Reviews an answer part by part. Parts are given and get their verdicts in order. What was reviewed so is not reviewed again
 * when the answer is complete.
 */
export interface AnswerReview {
  /** The unit that a part must not split. */
  readonly unit: "chunk" | "word" | "line";
  /** Places at which the text may be cut into parts; absent if it may be cut between any two units. */
  readonly cuts?: AnswerCuts | undefined;
  /** False when no rail looks at this answer. */
  readonly guarded: boolean;
  /** True if the rails review the reasoning of the model too. */
  readonly readsReasoning?: boolean;
  /** Number of parts that may be under review at once; default: 1. */
  readonly concurrency?: number;
  check(part: AnswerPart): Promise<PartVerdict>;
  /** Ends the reviews of parts whose verdict is not needed any more. */
  cancel?(): void;
}

/** A request to the wrapped chain or model, for a turn in which no flow answers. */
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
  /** The result of `begin` for the same texts. */
  readonly begun?: unknown;
}

export interface GeneratedAnswer {
  readonly text: string;
  /** Reasoning of the model. */
  readonly reasoning?: string | undefined;
  /** Return value of the generator, such as an `AIMessage` or a chain's object; passed on unchanged. */
  readonly value?: unknown;
  /** Evidence that came with the answer; sets `relevant_chunks` and turns the fact rails on. */
  readonly relevantChunks?: readonly string[] | undefined;
  /** Source of each of them. */
  readonly sources?: readonly ChunkSource[] | undefined;
}

export interface Generator {
  (request: GeneratorRequest): Promise<GeneratedAnswer>;
  /**
   * Starts the call for these texts while input rails still review them; it must change nothing, and read of
   * the request no more than the texts, `llmParams`, `config`, `signal` and `streams`. Without it the answer waits for the rails.
   */
  readonly begin?: (request: GeneratorRequest) => unknown;
}

/**
 * Writes text of a model to the reader, as the output rails pass it. It takes as long as the reader, and resolves
 * to all text that was read: at a block, to the text until then.
 *
 * @param pieces - pieces of the text; closing the iterator ends the call
 * @param updates - variables that change with these pieces
 */
export type WriteText = (
  pieces: AsyncIterableIterator<string>,
  updates: Readonly<Record<string, unknown>>,
) => Promise<string>;

/** Identity of a request. */
export type RequestKey = readonly unknown[];

/** Access of a run to its models and the wrapped runnable: it starts speculative calls, or takes over those that were started. */
export interface Answering {
  model(model: LanguageModel): LanguageModel;
  answer(generator: Generator, request: GeneratorRequest): Promise<GeneratedAnswer>;
  /** True for the speculative run before the verdict, which must not be observable. */
  readonly isSpeculative: boolean;
  /** A search that changes nothing. */
  lookup<Found>(key: RequestKey, signal: AbortSignal, search: (signal: AbortSignal) => Promise<Found>): Promise<Found>;
  /** The turn is over. */
  close(): void;
}
