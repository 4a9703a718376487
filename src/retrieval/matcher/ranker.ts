import { probability } from "./calibration.js";
import { FeatureReader } from "./features.js";
import type { IntentModel } from "./intent-model.js";
import { IntentScorer } from "./intent-scorer.js";
import { QueryVector } from "./sparse-rows.js";

/** An intent and its probability, from 0 to 1. */
export interface RankedIntent {
  readonly intent: string;
  readonly score: number;
}

/** An example near a text, for prompts. */
export interface NearExample extends RankedIntent {
  readonly text: string;
}

/** A trained model with its reader of texts. */
export class Ranker {
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

  /** Score of a class and its nearest example; its first one if it shares nothing with the text. */
  #nearest(label: number, isScored: boolean): Omit<NearExample, "intent"> {
    const { tables, calibration } = this.#model;
    const near = isScored ? (this.#scorer.nearest[label] as number) : -1;
    const row = near === -1 ? (tables.classStarts[label] as number) : near;
    const score = isScored ? probability(calibration.logistic, this.#scorer.scores[label] as number) : 0;
    return { score, text: this.#texts[tables.textOf[row] as number] as string };
  }
}
