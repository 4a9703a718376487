import { LimitError } from "../../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { type BuildJob, buildModel, type BuiltModel, type MatcherProgress } from "./build-model.js";
import { probability } from "./calibration.js";
import { FeatureReader } from "./features.js";
import type { IntentModel } from "./intent-model.js";
import { IntentScorer } from "./intent-scorer.js";
import { type MatcherCache, matcherKey } from "./matcher-cache.js";
import { QueryVector } from "./sparse-rows.js";
import { MAX_TEXT } from "./words.js";

/** An utterance and its intent. */
export interface IntentExample {
  readonly text: string;
  readonly intent: string;
}

/** An intent and how likely it is meant, from 0 to 1. */
export interface RankedIntent {
  readonly intent: string;
  readonly score: number;
}

/** An example near to a text, for prompts. */
export interface NearExample extends RankedIntent {
  readonly text: string;
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
  /** Learns now, with pauses in which other work of the process goes on. */
  prepare(): Promise<void>;
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
  let ranker: Ranker | undefined;
  let building: Promise<void> | undefined;
  const isReady = (): boolean => ranker !== undefined;
  const ready = (): Ranker => {
    if (ranker !== undefined) return ranker;
    const learning = new Learning(options);
    let built: BuiltModel | undefined;
    while (built === undefined) built = learning.advance();
    return (ranker = learning.finish(built));
  };
  const prepare = async (): Promise<void> => {
    const learning = new Learning(options);
    // A call that needs the model at once may learn it between two steps.
    for (let built: BuiltModel | undefined; !isReady();) {
      built = learning.advance();
      if (built !== undefined) ranker = learning.finish(built);
      // Small sets are learnt without a pause.
      else if (learning.isLong) await new Promise<void>((resolve) => setTimeout(resolve, 0));
    }
  };
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
    prepare: () =>
      (building ??= prepare().finally(() => {
        building = undefined;
      })),
  };
}

/** A model on its way, step by step. */
class Learning {
  /** True after the first step that takes time. */
  isLong = false;
  readonly #options: IntentMatcherOptions;
  readonly #job: ReturnType<typeof createJob>;
  readonly #key: string | undefined;
  readonly #steps: Generator<MatcherProgress, BuiltModel>;

  constructor(options: IntentMatcherOptions) {
    this.#options = options;
    this.#job = createJob(options.examples);
    const { cache } = options;
    this.#key = cache && matcherKey(this.#job);
    const known = this.#key === undefined ? undefined : cache?.read(this.#key);
    this.#steps = buildModel({ ...this.#job, isKept: cache !== undefined, known });
  }

  /** Learns one step further; returns the model when it is complete. */
  advance(): BuiltModel | undefined {
    const { done, value } = this.#steps.next();
    if (done === true) return value;
    this.isLong = value.share > 0 && value.share < 1;
    this.#options.onProgress?.(value);
    return undefined;
  }

  /** Keeps what was learnt. */
  finish({ model, learnt }: BuiltModel): Ranker {
    if (this.#key !== undefined && learnt !== undefined) this.#options.cache?.write(this.#key, learnt);
    return new Ranker(model, this.#job.intents, this.#job.texts);
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

/** Examples without repetitions, as the job that learns them. */
function createJob(
  examples: readonly IntentExample[],
): Omit<BuildJob, "isKept"> & { readonly intents: readonly string[] } {
  const distinct = new Map(examples.map((example) => [JSON.stringify([example.intent, example.text]), example]));
  const intents = [...new Set([...distinct.values()].map(({ intent }) => intent))];
  const labelOf = new Map(intents.map((intent, label) => [intent, label]));
  const all: readonly IntentExample[] = [...distinct.values(), ...intents.map((intent) => ({ text: intent, intent }))];
  return {
    intents,
    texts: all.map(({ text }) => text),
    classOf: Int32Array.from(all, ({ intent }) => labelOf.get(intent) as number),
    classes: intents.length,
    examples: distinct.size,
  };
}

/** A model at work: what it reads a text with, and what it ranks with. */
class Ranker {
  readonly threshold: number;
  readonly #intents: readonly string[];
  readonly #texts: readonly string[];
  readonly #model: IntentModel;
  readonly #features = new FeatureReader();
  readonly #vector: QueryVector;
  readonly #scorer: IntentScorer;

  constructor(model: IntentModel, intents: readonly string[], texts: readonly string[]) {
    const { logistic, threshold } = model.calibration;
    this.threshold = intents.length === 0 ? 1 : probability(logistic, threshold);
    this.#intents = intents;
    this.#texts = texts;
    this.#model = model;
    this.#vector = new QueryVector(model.vocabulary);
    this.#scorer = new IntentScorer(model.tables);
  }

  rank(text: string, max: number): NearExample[] {
    const found = this.#scorer.rank(this.#vector.read(this.#features.read(text)), max);
    const count = Math.min(found === 0 ? max : found, this.#intents.length);
    const near: NearExample[] = [];
    for (let at = 0; at < count; at += 1) {
      const label = found === 0 ? at : (this.#scorer.labels[at] as number);
      near.push({ intent: this.#intents[label] as string, ...this.#nearest(label, found > 0) });
    }
    return near;
  }

  /** Score of a class and its example nearest to the text; its first where it shares nothing with any. */
  #nearest(label: number, isScored: boolean): Omit<NearExample, "intent"> {
    const { tables, calibration } = this.#model;
    const near = isScored ? (this.#scorer.nearest[label] as number) : -1;
    const row = near === -1 ? (tables.classRows[tables.classStarts[label] as number] as number) : near;
    const score = isScored ? probability(calibration.logistic, this.#scorer.scores[label] as number) : 0;
    return { score, text: this.#texts[row] as string };
  }
}
