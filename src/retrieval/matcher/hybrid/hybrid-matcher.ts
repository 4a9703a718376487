import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { GuardrailsError, ModelError } from "../../../diagnostics/errors.js";
import {
  checkEmbeddings,
  checkVectors,
  embedTexts,
  isVectorProblem,
  startPlatformTimer,
  type StartTimer,
  toUnit,
} from "../../embeddings.js";
import type { BuildJob, MatcherProgress } from "../build-job.js";
import { checkSize, hybridKey, type IntentExample, readExamples } from "../examples.js";
import type { DenseRows } from "./hybrid-model.js";
import { HybridRanker } from "./hybrid-ranker.js";
import { learnModelAside } from "../learn-model.js";
import type { MatcherCache } from "../matcher-cache.js";
import { type NearExample, type RankedIntent, Ranker } from "../ranker.js";
import { SharedWork } from "../shared-work.js";

export interface HybridMatcherOptions {
  readonly examples: readonly IntentExample[];
  /** Called once for the vectors of all examples, and for the vector of every text. */
  readonly embeddings: EmbeddingsInterface;
  /** Called with the progress of learning; an error thrown here ends the learning. */
  readonly onProgress?: ((progress: MatcherProgress) => void) | undefined;
  /** Cache of trained matchers, by the content of the examples and their vectors. Default: none. */
  readonly cache?: MatcherCache | undefined;
  /** Maximum wait for the vector of a text, in milliseconds; afterwards, n-grams decide alone. Default: 3,000. */
  readonly embeddingTimeoutMs?: number | undefined;
  /** Called once when the embeddings fail or are slow, until they work again. Default: no call. */
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly startTimer?: StartTimer | undefined;
}

/** Finds the intent of a text by examples, using their n-grams and vectors. Learns at the first call. */
export interface HybridIntentMatcher {
  /**
   * Score from which an intent is accepted, learnt from the examples.
   *
   * @throws GuardrailsError before `prepare`, or another call, has finished
   */
  readonly threshold: number;
  /**
   * Returns intents, most likely first. A score is a similarity from 0 to 1, like thresholds for embeddings.
   *
   * @throws ModelError if the vectors of the examples differ in length or hold values that are not finite
   */
  rank(text: string, max?: number): Promise<readonly RankedIntent[]>;
  /** Returns the most likely intent if its score reaches the threshold. */
  accept(text: string): Promise<RankedIntent | undefined>;
  /** Returns the nearest example of each of the most likely intents. */
  examplesFor(text: string, max?: number): Promise<readonly NearExample[]>;
  /**
   * Embeds the examples and learns now.
   *
   * @throws the reason of the signal when it aborts; learning ends once all callers have aborted
   */
  prepare(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

const DEFAULT_MAX = 5;
const DEFAULT_TIMEOUT_MS = 3_000;
/** Cause of an error by a time limit, as opposed to invalid vectors. */
const TIMEOUT = "time limit";
/** Maximum wait for the vectors of the examples, in milliseconds. */
const EXAMPLES_TIMEOUT_MS = 60_000;

/**
 * A matcher over n-grams and vectors. INVARIANT: failing or slow embeddings fail no call: n-grams decide alone, and the
 * examples are embedded again in the background until that succeeds.
 */
export function createHybridMatcher(options: HybridMatcherOptions): HybridIntentMatcher {
  checkSize(options.examples);
  const learner = new HybridLearner(options);
  const rank = async (text: string, max: number): Promise<readonly RankedIntent[]> =>
    (await learner.rank(text, max)).map(({ intent, score }) => ({ intent, score }));
  return {
    get threshold() {
      return learner.threshold;
    },
    rank: (text, max = DEFAULT_MAX) => rank(text, max),
    accept: async (text) => (await rank(text, 1)).find(({ score }) => score >= learner.threshold),
    examplesFor: (text, max = DEFAULT_MAX) => learner.rank(text, max),
    prepare: ({ signal } = {}) => learner.prepare(signal),
  };
}

/** Learns examples with their vectors, and ranks by the result. */
class HybridLearner {
  readonly #options: HybridMatcherOptions;
  readonly #embeddings: EmbeddingsInterface;
  #hybrid: HybridRanker | undefined;
  /** Ranks alone while the examples have no vectors. */
  #ngrams: Ranker | undefined;
  #isAway = false;
  readonly #learning = new SharedWork((signal) => this.#learn(signal));

  constructor(options: HybridMatcherOptions) {
    this.#options = options;
    this.#embeddings = checkEmbeddings(options.embeddings);
  }

  get threshold(): number {
    const ranker = this.#hybrid ?? this.#ngrams;
    if (ranker !== undefined) return ranker.threshold;
    throw new GuardrailsError("a matcher with embeddings has a threshold only after `prepare()` has finished", {
      code: "RL-301",
    });
  }

  async prepare(signal?: AbortSignal): Promise<void> {
    if (this.#hybrid !== undefined) return;
    const attempt = this.#learning.wait(signal);
    if (this.#ngrams === undefined || this.#options.examples.length === 0) return attempt;
    // No caller awaits a later attempt.
    attempt.catch((error: unknown) => this.#warn(error instanceof Error ? error.message : String(error)));
  }

  async rank(text: string, max: number): Promise<readonly NearExample[]> {
    await this.prepare();
    const hybrid = this.#hybrid;
    if (hybrid === undefined) return (this.#ngrams as Ranker).rank(text, max);
    return hybrid.rank(text, await this.#vectorOf(text, hybrid.dimensions), max);
  }

  async #learn(signal: AbortSignal): Promise<void> {
    const { onProgress, cache } = this.#options;
    const { job, key, intents } = readExamples(this.#options);
    const vectors = await this.#embedExamples(job);
    if (vectors === undefined && this.#ngrams !== undefined) return;
    const keyed = key === undefined || vectors === undefined ? undefined : hybridKey(job, vectors);
    const knownHybrid = keyed === undefined ? undefined : cache?.read(keyed);
    const built = await learnModelAside({ ...job, vectors, knownHybrid }, { onProgress, signal });
    if (key !== undefined && built.learnt !== undefined) cache?.write(key, built.learnt);
    if (keyed !== undefined && built.learntHybrid !== undefined) cache?.write(keyed, built.learntHybrid);
    const { model, hybrid } = built;
    if (hybrid === undefined) this.#ngrams = new Ranker(model, intents, job.texts);
    else this.#hybrid = new HybridRanker({ model, hybrid }, intents, job.texts);
  }

  /** Unit vectors, concatenated; undefined if the call fails. */
  async #embedExamples({ texts, examples }: BuildJob): Promise<DenseRows | undefined> {
    if (examples === 0) return undefined;
    const embed = async (): Promise<DenseRows> => {
      const vectors = await embedTexts(this.#embeddings, texts.slice(0, examples));
      checkVectors(vectors, examples);
      const dimensions = (vectors[0] as number[]).length;
      const values = new Float32Array(examples * dimensions);
      for (const [at, vector] of vectors.entries()) values.set(toUnit(vector), at * dimensions);
      return { values, dimensions };
    };
    try {
      const vectors = await this.#inTime(embed(), EXAMPLES_TIMEOUT_MS);
      this.#isAway = false;
      return vectors;
    } catch (error) {
      if (isVectorProblem(error)) throw error;
      this.#warn(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  async #vectorOf(text: string, dimensions: number): Promise<Float32Array | undefined> {
    const embed = async (): Promise<Float32Array> => {
      const vector = await this.#embeddings.embedQuery(text);
      checkVectors([vector], 1, dimensions);
      return Float32Array.from(toUnit(vector));
    };
    try {
      const vector = await this.#inTime(embed(), this.#options.embeddingTimeoutMs ?? DEFAULT_TIMEOUT_MS);
      this.#isAway = false;
      return vector;
    } catch (error) {
      // INVARIANT: a provider's reason may quote user text, which no log may contain.
      this.#warn(isVectorProblem(error) || isTimeout(error) ? (error as Error).message : "the embeddings failed");
      return undefined;
    }
  }

  #inTime<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> {
    const { startTimer = startPlatformTimer } = this.#options;
    return new Promise((resolve, reject) => {
      const message = `the embeddings did not respond within ${milliseconds} ms`;
      const stop = startTimer(milliseconds, () => reject(new ModelError(message, { cause: TIMEOUT })));
      promise.finally(stop).then(resolve, reject);
    });
  }

  /** Warns once until the embeddings work again. */
  #warn(reason: string): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#options.onWarning?.(
      `${reason}; intents are found by words and letters alone until the embeddings work again`,
    );
  }
}

function isTimeout(error: unknown): boolean {
  return ModelError.isInstance(error) && error.cause === TIMEOUT;
}
