import { withoutRounding } from "../../embedding-index.js";
import { FeatureReader } from "../features.js";
import type { HybridModel } from "./hybrid-model.js";
import { HybridScorer } from "./hybrid-scorer.js";
import type { IntentModel } from "../intent-model.js";
import { type NearExample, Ranker } from "../ranker.js";
import { QueryVector } from "../sparse-rows.js";

/** From here to the ends of the scale, scores are compressed so that none become equal. */
const BEND = 0.05;

/** Ranks by n-grams and vectors; without a vector of the text, n-grams decide alone. */
export class HybridRanker {
  readonly threshold: number;
  readonly dimensions: number;
  readonly #ngrams: Ranker;
  readonly #model: IntentModel;
  readonly #hybrid: HybridModel;
  readonly #intents: readonly string[];
  readonly #texts: readonly string[];
  readonly #features = new FeatureReader();
  readonly #vector: QueryVector;
  readonly #scorer: HybridScorer;

  constructor(
    { model, hybrid }: { readonly model: IntentModel; readonly hybrid: HybridModel },
    intents: readonly string[],
    texts: readonly string[],
  ) {
    this.#ngrams = new Ranker(model, intents, texts);
    this.#model = model;
    this.#hybrid = hybrid;
    this.#intents = intents;
    this.#texts = texts;
    this.dimensions = hybrid.tables.vectors.dimensions;
    this.threshold = intents.length === 0 ? 1 : this.#similarity(hybrid.threshold);
    this.#vector = new QueryVector(model.vocabulary);
    this.#scorer = new HybridScorer(hybrid.tables, model.tables);
  }

  /** @param vector - unit vector of the text; undefined if the embeddings returned none */
  rank(text: string, vector: Float32Array | undefined, max: number): NearExample[] {
    if (vector === undefined) return this.#rankByNgrams(text, max);
    const scorer = this.#scorer;
    scorer.rank(this.#vector.read(this.#features.read(text)), vector, max);
    const isExact = this.#isExact();
    return scorer.labels.slice(0, Math.max(0, max)).map((label, at) => {
      const score = at === 0 && isExact ? 1 : this.#similarity(scorer.scores[label] as number);
      const { classStarts, textOf } = this.#model.tables;
      const near = scorer.nearest[label] as number;
      const row = near === -1 ? (classStarts[label] as number) : near;
      return { intent: this.#intents[label] as string, score, text: this.#texts[textOf[row] as number] as string };
    });
  }

  /** Scores of n-grams, bent so that both share a threshold. */
  #rankByNgrams(text: string, max: number): NearExample[] {
    const [from, to] = [this.#ngrams.threshold, this.threshold];
    return this.#ngrams.rank(text, max).map((near) => {
      const { score } = near;
      const bent =
        score < from ? (score / from) * to : 1 - ((1 - score) / Math.max(1 - from, Number.EPSILON)) * (1 - to);
      return { ...near, score: Math.max(0, Math.min(1, bent)) };
    });
  }

  /** Returns true if the text has the direction of an example of the best intent only. */
  #isExact(): boolean {
    const { labels, cosines } = this.#scorer;
    const exact = labels.filter((label) => withoutRounding(cosines[label] as number) === 1);
    return exact.length === 1 && exact[0] === labels[0];
  }

  #similarity(score: number): number {
    const { slope, offset } = this.#hybrid.line;
    const value = slope * score + offset;
    if (value > 1 - BEND) return 1 - BEND * Math.exp((1 - BEND - value) / BEND);
    return value < BEND ? BEND * Math.exp((value - BEND) / BEND) : value;
  }
}
