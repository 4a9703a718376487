import type { DenseRows, HybridModel } from "./hybrid/hybrid-model.js";
import type { IntentModel } from "./intent-model.js";

/** How far learning is. */
export interface MatcherProgress {
  readonly phase: "reading" | "training" | "calibrating";
  /** Grows from 0 to 1 within the phase. */
  readonly share: number;
  /** Of all phases together, by how long they usually take; never shrinks, and is 1 at the end. */
  readonly total: number;
}

/** The input of learning: plain data, which threads send each other. */
export interface BuildJob {
  /** The examples, then the names of the intents. */
  readonly texts: readonly string[];
  /** By text the number of its intent. */
  readonly classOf: Int32Array;
  readonly classes: number;
  /** How many of the texts are examples. */
  readonly examples: number;
  /** True if the result of learning is wanted for the next time. */
  readonly isKept: boolean;
  /** Result of an earlier learning; used if it is whole and belongs to these texts. */
  readonly known?: Uint8Array | undefined;
  /** Unit vectors of the examples, in their order; undefined without embeddings. */
  readonly vectors?: DenseRows | undefined;
  /** As `known`, of the training with vectors. */
  readonly knownHybrid?: Uint8Array | undefined;
}

export interface BuiltModel {
  readonly model: IntentModel;
  /** Result of learning; undefined if it was known or is not wanted. */
  readonly learnt: Uint8Array | undefined;
  /** Result of learning with vectors; undefined without vectors. */
  readonly hybrid?: HybridModel | undefined;
  readonly learntHybrid?: Uint8Array | undefined;
}
