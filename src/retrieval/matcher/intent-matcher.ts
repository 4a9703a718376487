import { LimitError } from "../../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { bestOf } from "../embedding-index.js";
import { type Calibration, calibrate, probability } from "./calibration.js";
import { type Features, readFeatures, type WordFeatures } from "./features.js";
import { MAX_TEXT } from "./words.js";
import { IntentScorer } from "./intent-scorer.js";
import { trainSvm, type TrainingSet } from "./linear-svm.js";
import { type MatcherCache, matcherKey, packModel, unpackModel } from "./matcher-cache.js";
import { SparseRows } from "./sparse-rows.js";

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

/** How far learning is. */
export interface MatcherProgress {
  readonly phase: "reading" | "training" | "calibrating";
  /** Grows from 0 to 1 within the phase. */
  readonly share: number;
  /** Of all phases together, by how long they usually take; never shrinks. */
  readonly total: number;
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
const TEXTS_PER_REPORT = 2000;
const DEFAULT_MAX = 5;
/** Start and share of every phase of learning. */
const PHASES: Readonly<Record<MatcherProgress["phase"], { readonly start: number; readonly part: number }>> = {
  reading: { start: 0, part: 0.1 },
  training: { start: 0.1, part: 0.55 },
  calibrating: { start: 0.65, part: 0.35 },
};

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
  const { examples, onProgress } = options;
  checkSize(examples);
  let model: Model | undefined;
  let building: Promise<void> | undefined;
  let share = 0;
  /** Learns one step further; returns the model when it is complete. */
  const advance = (steps: Generator<MatcherProgress, Model>): Model | undefined => {
    const { done, value } = steps.next();
    if (done === true) return value;
    share = value.share;
    onProgress?.(value);
    return undefined;
  };
  const ready = (): Model => {
    if (model) return model;
    const steps = build(options);
    while (model === undefined) model = advance(steps);
    return model;
  };
  const prepare = async (): Promise<void> => {
    const steps = build(options);
    while (model === undefined) {
      model = advance(steps);
      // The start of a phase takes no time; small sets are learnt without a pause.
      if (share > 0) await new Promise<void>((resolve) => setTimeout(resolve, 0));
    }
  };
  const rank = (text: string, max: number): RankedIntent[] =>
    rankWith(ready(), text, max).map(({ intent, score }) => ({ intent, score }));
  return {
    get threshold() {
      return ready().threshold;
    },
    rank: (text, max = DEFAULT_MAX) => rank(text, max),
    accept: (text) => rank(text, 1).find(({ score }) => score >= ready().threshold),
    examplesFor: (text, max = DEFAULT_MAX) => rankWith(ready(), text, max),
    prepare: () =>
      (building ??= prepare().finally(() => {
        building = undefined;
      })),
  };
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

interface Model {
  readonly intents: readonly string[];
  /** By row; rows after the examples are the intents' own names. */
  readonly texts: readonly string[];
  /** The first example of each intent. */
  readonly firstRows: readonly number[];
  readonly vectors: SparseRows;
  readonly scorer: IntentScorer;
  readonly calibration: Calibration;
  readonly threshold: number;
}

function rankWith(model: Model, text: string, max: number): NearExample[] {
  const { scores, nearest, similarity } = model.scorer.score(model.vectors.encode(readFeatures(text)));
  if (similarity === 0) scores.fill(-Infinity);
  return bestOf(scores, max).map((label) => ({
    intent: model.intents[label] as string,
    score: similarity === 0 ? 0 : probability(model.calibration.logistic, scores[label] as number),
    text: model.texts[(nearest[label] === -1 ? model.firstRows[label] : nearest[label]) as number] as string,
  }));
}

function* build({ examples, cache }: IntentMatcherOptions): Generator<MatcherProgress, Model> {
  const distinct = new Map(examples.map((example) => [JSON.stringify([example.intent, example.text]), example]));
  const intents = [...new Set([...distinct.values()].map(({ intent }) => intent))];
  const labelOf = new Map(intents.map((intent, label) => [intent, label]));
  const all: readonly IntentExample[] = [...distinct.values(), ...intents.map((intent) => ({ text: intent, intent }))];
  const texts = all.map(({ text }) => text);
  const features = yield* report("reading", readAll(texts));
  const vectors = new SparseRows(features);
  const set: TrainingSet = {
    rows: vectors.rows,
    classOf: Int32Array.from(all, ({ intent }) => labelOf.get(intent) as number),
    classes: intents.length,
    width: vectors.width,
  };
  const key = cache && matcherKey(all);
  const known = key === undefined ? undefined : unpackModel(cache?.read(key), set);
  const dual = known?.dual ?? (yield* report("training", trainSvm(set)));
  const scorer = new IntentScorer(set, dual, distinct.size);
  const candidates = Array.from({ length: distinct.size }, (_, row) => row);
  const calibration = known?.calibration ?? (yield* report("calibrating", calibrate(scorer, set, candidates)));
  if (key !== undefined && known === undefined) cache?.write(key, packModel({ dual, calibration }, set));
  const threshold = intents.length === 0 ? 1 : probability(calibration.logistic, calibration.threshold);
  const firstRows = intents.map((_, label) => set.classOf.indexOf(label));
  return { intents, texts, firstRows, vectors, scorer, calibration, threshold };
}

function* readAll(texts: readonly string[]): Generator<number, Features[]> {
  const remembered = new Map<string, WordFeatures>();
  const all: Features[] = [];
  for (const text of texts) {
    all.push(readFeatures(text, remembered));
    if (all.length % TEXTS_PER_REPORT === 0) yield all.length / texts.length;
  }
  return all;
}

function* report<Result>(
  phase: MatcherProgress["phase"],
  steps: Generator<number, Result>,
): Generator<MatcherProgress, Result> {
  const { start, part } = PHASES[phase];
  yield { phase, share: 0, total: start };
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    yield { phase, share: value, total: start + part * value };
  }
}
