import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { BuiltModel, MatcherProgress } from "./build-job.js";
import { checkSize, type Examples, type IntentExample, readExamples } from "./examples.js";
import { createHybridMatcher, type HybridIntentMatcher, type HybridMatcherOptions } from "./hybrid/hybrid-matcher.js";
import { learnModel, learnModelAside } from "./learn-model.js";
import type { MatcherCache } from "./matcher-cache.js";
import { type NearExample, type RankedIntent, Ranker } from "./ranker.js";
import { SharedWork } from "./shared-work.js";

export interface IntentMatcherOptions {
  readonly examples: readonly IntentExample[];
  /** Called with the progress of learning; an error thrown here ends the learning. */
  readonly onProgress?: ((progress: MatcherProgress) => void) | undefined;
  /** Cache of trained matchers, by the content of the examples. Default: none. */
  readonly cache?: MatcherCache | undefined;
}

const OPTIONS: OptionTable<IntentMatcherOptions & HybridMatcherOptions> = {
  examples: "object",
  embeddings: "object",
  onProgress: "function",
  cache: "object",
  embeddingTimeoutMs: "number",
  onWarning: "function",
  startTimer: "function",
};

/** Finds the intent of a text by examples. Learns at the first call. */
export interface IntentMatcher {
  /** Score from which an intent is accepted, learnt from the examples. */
  readonly threshold: number;
  /** Returns intents, most likely first; all score 0 if the text shares nothing with any example. */
  rank(text: string, max?: number): readonly RankedIntent[];
  /** Returns the most likely intent if its score reaches the threshold. */
  accept(text: string): RankedIntent | undefined;
  /** Returns the nearest example of each of the most likely intents. */
  examplesFor(text: string, max?: number): readonly NearExample[];
  /**
   * Learns now without blocking the process: large sets in a worker thread, if available.
   *
   * @throws the reason of the signal when it aborts; learning ends once all callers have aborted
   */
  prepare(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

const DEFAULT_MAX = 5;

/**
 * A matcher without a language model: linear machines over words and letter n-grams, combined with the nearest example
 * and the centroid of each intent. The words of an intent's name count as one more example. Equal examples give
 * bit-identical scores.
 *
 * With `embeddings`, the vectors of the examples are learnt too, and the calls return promises.
 *
 * @throws LimitError if there are too many examples, or too long ones
 *
 * @example
 * ```ts
 * const matcher = createIntentMatcher({
 *   examples: [
 *     { text: "how much is it", intent: "ask price" },
 *     { text: "when do you open", intent: "ask hours" },
 *   ],
 *   onProgress: ({ phase, total }) => console.error(`${phase}: ${Math.round(total * 100)}%`),
 * });
 * await matcher.prepare();
 * matcher.rank("what is the price", 1); // [{ intent: "ask price", score: ... }]
 * matcher.accept("how much is that")?.intent; // "ask price"
 * matcher.accept("do you know a joke?"); // undefined: below `matcher.threshold`
 * ```
 */
export function createIntentMatcher(options: HybridMatcherOptions): HybridIntentMatcher;
export function createIntentMatcher(options: IntentMatcherOptions): IntentMatcher;
export function createIntentMatcher(
  options: IntentMatcherOptions | HybridMatcherOptions,
): IntentMatcher | HybridIntentMatcher {
  checkOptions("createIntentMatcher", options, OPTIONS, ["examples"]);
  return "embeddings" in options && options.embeddings !== undefined
    ? createHybridMatcher(options)
    : createNgramMatcher(options);
}

function createNgramMatcher(options: IntentMatcherOptions): IntentMatcher {
  checkSize(options.examples);
  const learner = new Learner(options);
  const ready = (): Ranker => learner.learnNow();
  const rank = (text: string, max: number): RankedIntent[] =>
    ready()
      .rank(text, max)
      .map(({ intent, score }) => ({ intent, score }));
  return {
    get threshold() {
      return ready().threshold;
    },
    rank: (text, max = DEFAULT_MAX) => rank(text, max),
    accept: (text) => rank(text, 1).find(({ score }) => score >= ready().threshold),
    examplesFor: (text, max = DEFAULT_MAX) => ready().rank(text, max),
    prepare: ({ signal } = {}) => learner.learn(signal),
  };
}

/** Learns a set of examples once. */
class Learner {
  readonly #options: IntentMatcherOptions;
  #ranker: Ranker | undefined;
  readonly #learning = new SharedWork((signal) => this.#learnAside(signal));

  constructor(options: IntentMatcherOptions) {
    this.#options = options;
  }

  learnNow(): Ranker {
    if (this.#ranker !== undefined) return this.#ranker;
    const examples = readExamples(this.#options);
    const ranker = this.#finish(examples, learnModel(examples.job, this.#options.onProgress));
    this.#learning.abort();
    return ranker;
  }

  async learn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#ranker === undefined) await this.#learning.wait(signal);
  }

  async #learnAside(signal: AbortSignal): Promise<void> {
    const examples = readExamples(this.#options);
    try {
      const built = await learnModelAside(examples.job, { onProgress: this.#options.onProgress, signal });
      if (this.#ranker === undefined) this.#finish(examples, built);
    } catch (error) {
      // A synchronous call has learnt the model in the meantime.
      if (this.#ranker === undefined) throw error;
    }
  }

  /** Keeps the learnt model. */
  #finish({ job, key, intents }: Examples, { model, learnt }: BuiltModel): Ranker {
    if (key !== undefined && learnt !== undefined) this.#options.cache?.write(key, learnt);
    return (this.#ranker = new Ranker(model, intents, job.texts));
  }
}
