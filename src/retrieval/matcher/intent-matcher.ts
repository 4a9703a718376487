import { untilAborted } from "../../engine/async.js";
import { LimitError } from "../../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { BuildJob, BuiltModel, MatcherProgress } from "./build-model.js";
import { learnModel, learnModelAside } from "./learn-model.js";
import { type MatcherCache, matcherKey } from "./matcher-cache.js";
import { type NearExample, type RankedIntent, Ranker } from "./ranker.js";
import { MAX_TEXT } from "./words.js";

/** An utterance and its intent. */
export interface IntentExample {
  readonly text: string;
  readonly intent: string;
}

export interface IntentMatcherOptions {
  readonly examples: readonly IntentExample[];
  /** Called with the progress of learning; an error of its own ends the learning. */
  readonly onProgress?: ((progress: MatcherProgress) => void) | undefined;
  /** Cache of trained matchers, by the content of the examples. */
  readonly cache?: MatcherCache | undefined;
}

const OPTIONS: OptionTable<IntentMatcherOptions> = { examples: "object", onProgress: "function", cache: "object" };

/** Finds the intent of a text by examples. Learning happens at the first call. */
export interface IntentMatcher {
  /** The score from which an intent is accepted, learnt from the examples. */
  readonly threshold: number;
  /** Intents, most likely first; all score 0 when the text shares nothing with any example. */
  rank(text: string, max?: number): readonly RankedIntent[];
  /** The most likely intent when its score reaches the threshold. */
  accept(text: string): RankedIntent | undefined;
  /** For each of the most likely intents its example nearest to the text. */
  examplesFor(text: string, max?: number): readonly NearExample[];
  /**
   * Learns now, while other work of the process goes on: large sets in a worker thread, where there are any.
   *
   * @throws the reason of the signal when it aborts; the learning ends when all callers have aborted
   */
  prepare(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

const MAX_EXAMPLES = 100_000;
const MAX_CHARACTERS = 5_000_000;
const DEFAULT_MAX = 5;
/**
 * A matcher without a model: linear machines over words and letter pieces, together with the nearest example and the
 * middle of each intent. The words of an intent's own name count as one more example. The same examples give the same
 * scores to the last bit.
 *
 * @throws LimitError when there are too many examples, or too long ones
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
export function createIntentMatcher(options: IntentMatcherOptions): IntentMatcher {
  checkOptions("createIntentMatcher", options, OPTIONS);
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

/** Work that several callers wait for. */
interface SharedWork {
  readonly done: Promise<void>;
  readonly abort: AbortController;
  waiting: number;
}

/** Learns a set of examples, once. */
class Learner {
  readonly #options: IntentMatcherOptions;
  #ranker: Ranker | undefined;
  #learning: SharedWork | undefined;

  constructor(options: IntentMatcherOptions) {
    this.#options = options;
  }

  learnNow(): Ranker {
    if (this.#ranker !== undefined) return this.#ranker;
    const examples = readExamples(this.#options);
    const ranker = this.#finish(examples, learnModel(examples.job, this.#options.onProgress));
    this.#learning?.abort.abort();
    return ranker;
  }

  /** Callers share the work. It goes on until it is done, or until the last one has cancelled. */
  async learn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#ranker !== undefined) return;
    const learning = (this.#learning ??= this.#start());
    learning.waiting += 1;
    try {
      await untilAborted(learning.done, signal);
    } finally {
      learning.waiting -= 1;
      if (learning.waiting === 0) {
        learning.abort.abort();
        if (this.#learning === learning) this.#learning = undefined;
      }
    }
  }

  #start(): SharedWork {
    const abort = new AbortController();
    const learn = async (): Promise<void> => {
      const examples = readExamples(this.#options);
      try {
        const options = { onProgress: this.#options.onProgress, signal: abort.signal };
        const built = await learnModelAside(examples.job, options);
        if (this.#ranker === undefined) this.#finish(examples, built);
      } catch (error) {
        // A call that needed the model at once has learnt it meanwhile.
        if (this.#ranker === undefined) throw error;
      }
    };
    const done = learn();
    // After the last caller has cancelled, its failure concerns no one.
    done.catch(() => {});
    return { done, abort, waiting: 0 };
  }

  /** Keeps what was learnt. */
  #finish({ job, key, intents }: Examples, { model, learnt }: BuiltModel): Ranker {
    if (key !== undefined && learnt !== undefined) this.#options.cache?.write(key, learnt);
    return (this.#ranker = new Ranker(model, intents, job.texts));
  }
}

function checkSize(examples: readonly IntentExample[]): void {
  const characters = examples.reduce((sum, { text }) => sum + Math.min(text.length, MAX_TEXT), 0);
  const limits = [
    { what: "examples", found: examples.length, limit: "matcher_examples", maximum: MAX_EXAMPLES },
    { what: "characters of examples", found: characters, limit: "matcher_characters", maximum: MAX_CHARACTERS },
  ];
  for (const { what, found, limit, maximum } of limits) {
    if (found <= maximum) continue;
    throw new LimitError(`${found} ${what} are more than the ${maximum} a matcher takes`, { limit, maximum });
  }
}

interface Examples {
  readonly job: BuildJob;
  readonly intents: readonly string[];
  /** Name in the cache; undefined without one. */
  readonly key: string | undefined;
}

/** Examples without repetitions, as the job that learns them. */
function readExamples({ examples, cache }: IntentMatcherOptions): Examples {
  const textsOf = new Map<string, Set<string>>();
  const distinct = examples.filter(({ text, intent }) => {
    const known = textsOf.get(intent);
    if (known?.has(text) === true) return false;
    if (known === undefined) textsOf.set(intent, new Set([text]));
    else known.add(text);
    return true;
  });
  const intents = [...textsOf.keys()];
  const labelOf = new Map(intents.map((intent, label) => [intent, label]));
  const all: readonly IntentExample[] = [...distinct, ...intents.map((intent) => ({ text: intent, intent }))];
  const texts = all.map(({ text }) => text);
  const classOf = Int32Array.from(all, ({ intent }) => labelOf.get(intent) as number);
  const data = { texts, classOf, classes: intents.length, examples: distinct.length };
  const key = cache && matcherKey(data);
  return {
    job: { ...data, isKept: key !== undefined, known: key === undefined ? undefined : cache?.read(key) },
    intents,
    key,
  };
}
