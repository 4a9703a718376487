import type { RunnableConfig } from "@langchain/core/runnables";
import type { FoundPlace } from "../actions/known-findings.js";
import type { LanguageModel } from "../llm/model.js";

/** Source of a chunk. */
export interface ChunkSource {
  readonly title: string;
  /** Path of the document, or the source in its metadata. */
  readonly file: string;
  /** Similarity score; absent if the retriever provides none. */
  readonly score?: number;
}

/** Positions where a response can be cut into parts, for rails that rewrite their findings. */
export interface ResponseCuts {
  /** Offset up to which cut positions are known. */
  readonly knownTo: number;
  /** True once the response has ended. */
  readonly isFinished: boolean;
  push(text: string): void;
  /** Ends the response. */
  finish(): void;
  mayCut(offset: number): boolean;
  findingsIn(from: number, to: number): readonly FoundPlace[];
}

/** A part of a response that is still being generated. */
export interface ResponsePart {
  /** Its text, in pieces as received. */
  readonly texts: readonly string[];
  /** The model's reasoning, in pieces as received; only if the review reads it. */
  readonly reasoningParts?: readonly string[] | undefined;
  /** Evidence received with the response so far. */
  readonly relevantChunks?: readonly string[] | undefined;
}

/**
 * Verdict of the output rails on a part. `held`: they need the whole response, so this and all later parts wait for its
 * end.
 */
export type PartVerdict =
  | { readonly kind: "passed"; readonly text: string; readonly reasoning?: string }
  | { readonly kind: "held" }
  | { readonly kind: "blocked" };

/**
 * Reviews a response in parts, which get their verdicts in order. Reviewed parts are not reviewed again when the response
 * is complete.
 */
export interface ResponseReview {
  /** The unit that a part must not split. */
  readonly unit: "chunk" | "word" | "line";
  /** Positions where the text may be cut into parts; absent if it may be cut between any two units. */
  readonly cuts?: ResponseCuts | undefined;
  /** False if no rail reviews this response. */
  readonly guarded: boolean;
  /** True if the rails also review the model's reasoning. */
  readonly readsReasoning?: boolean;
  /** Maximum number of parts under review at once. Default: 1. */
  readonly concurrency?: number;
  check(part: ResponsePart): Promise<PartVerdict>;
  /** Cancels reviews of parts whose verdict is no longer needed. */
  cancel?(): void;
}

/** A request to the wrapped chain or model, in a turn that no flow answers. */
export interface GeneratorRequest {
  /** The user's text after the input rails. */
  readonly userMessage: string;
  /** All unanswered user texts after the input rails, oldest first; the last one is `userMessage`. */
  readonly userMessages?: readonly string[];
  /** True if an input rail rewrote it. */
  readonly rewritten: boolean;
  /** A frozen view of the context variables. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly config: RunnableConfig;
  readonly signal: AbortSignal;
  readonly llmParams?: Readonly<Record<string, unknown>> | undefined;
  /** Present if the turn streams and the response may be released in parts; otherwise it is released whole. */
  readonly review?: ResponseReview | undefined;
  /** For `begin`: true if the response will be released in parts. */
  readonly streams?: boolean;
  /** The result of `begin` for the same texts. */
  readonly started?: unknown;
}

export interface GeneratedResponse {
  readonly text: string;
  /** Reasoning of the model. */
  readonly reasoning?: string | undefined;
  /** Return value of the generator, such as an `AIMessage` or a chain's object; passed on unchanged. */
  readonly value?: unknown;
  /** Evidence returned with the response; sets `relevant_chunks` and enables the fact rails. */
  readonly relevantChunks?: readonly string[] | undefined;
  /** Source of each of them. */
  readonly sources?: readonly ChunkSource[] | undefined;
  /** True for a response without a text, such as a message that only calls tools: there is nothing to review. */
  readonly saysNothing?: boolean | undefined;
}

export interface Generator {
  (request: GeneratorRequest): Promise<GeneratedResponse>;
  /**
   * Starts the call for these texts while input rails still review them. It must have no side effects, and read only
   * the texts, `llmParams`, `config`, `signal` and `streams` of the request. Without it, the response waits for the
   * rails.
   */
  readonly begin?: (request: GeneratorRequest) => unknown;
}

/**
 * Writes a model's text to the reader as the output rails pass it, at the reader's pace. Resolves to all text read; on
 * a block, to the text before it.
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

/** Access of a run to its models and the wrapped runnable: starts speculative calls or takes over started ones. */
export interface CallAccess {
  model(model: LanguageModel): LanguageModel;
  generate(generator: Generator, request: GeneratorRequest): Promise<GeneratedResponse>;
  /** True for the speculative run before the verdict, which must not be observable. */
  readonly isSpeculative: boolean;
  /** Runs a search without side effects. */
  lookup<Found>(key: RequestKey, signal: AbortSignal, search: (signal: AbortSignal) => Promise<Found>): Promise<Found>;
  /** Called at the end of the turn. */
  close(): void;
}
