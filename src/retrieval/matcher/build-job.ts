import type { DenseRows, HybridModel } from "./hybrid/hybrid-model.js";
import type { IntentModel } from "./intent-model.js";

/** Progress of learning. */
export interface MatcherProgress {
  readonly phase: "reading" | "training" | "calibrating";
  /** Grows from 0 to 1 within the phase. */
  readonly share: number;
  /** Progress of all phases, by their usual duration; never decreases, and is 1 at the end. */
  readonly total: number;
}

/** Input of learning: plain data that can be sent to threads. */
export interface BuildJob {
  /** The examples, then the names of the intents. */
  readonly texts: readonly string[];
  /** Index of each text's intent. */
  readonly classOf: Int32Array;
  readonly classes: number;
  /** Number of texts that are examples. */
  readonly examples: number;
  /** True if the result of learning is to be cached. */
  readonly isKept: boolean;
  /** Earlier result of learning; used if complete and for the same texts. */
  readonly known?: Uint8Array | undefined;
  /** Unit vectors of the examples, in order; undefined without embeddings. */
  readonly vectors?: DenseRows | undefined;
  /** Like `known`, for the training with vectors. */
  readonly knownHybrid?: Uint8Array | undefined;
}

export interface BuiltModel {
  readonly model: IntentModel;
  /** Result of learning; undefined if it was known or is not to be cached. */
  readonly learnt: Uint8Array | undefined;
  /** Result of learning with vectors; undefined without vectors. */
  readonly hybrid?: HybridModel | undefined;
  readonly learntHybrid?: Uint8Array | undefined;
}
