import type { BuildJob, BuiltModel, MatcherProgress } from "../build-job.js";
import { chooseThreshold, leaveOutSome } from "../calibration.js";
import { angularScore } from "../../embedding-index.js";
import { createHybridTables, type DenseRows, joinRows, type SimilarityLine } from "./hybrid-model.js";
import { type HybridLeftOut, HybridScorer } from "./hybrid-scorer.js";
import type { ClassOrder, ScoringTables } from "../intent-model.js";
import { type DualWeights, trainSvm, type TrainingSet } from "../linear-svm.js";
import { packModel, unpackModel } from "../matcher-cache.js";

interface HybridJob {
  readonly job: BuildJob;
  readonly vectors: DenseRows;
  /** The training set of the n-grams, its result and its tables. */
  readonly set: TrainingSet;
  readonly dual: DualWeights;
  readonly ngrams: ScoringTables;
  readonly order: ClassOrder;
}

/** Progress of the training with vectors: nearly all of the last phase, which the n-grams have started. */
const PROGRESS: Omit<MatcherProgress, "share"> = { phase: "calibrating", total: 1 - 1e-3 };

/** Learns n-grams and vectors together. */
export function* buildHybrid(
  input: HybridJob,
): Generator<MatcherProgress, Required<Pick<BuiltModel, "hybrid">> & Pick<BuiltModel, "learntHybrid">> {
  const { job, set, ngrams } = input;
  const vectors = vectorsByRow(input);
  const { classes, width } = set;
  const rows = joinRows(set.rows, vectors, width);
  const joint: TrainingSet = { ...set, rows, width: width + vectors.dimensions };
  const known = unpackModel(job.knownHybrid, joint);
  const dual = known?.dual ?? (yield* report(trainSvm(joint)));
  const tables = createHybridTables({ joint, dual, ngrams, vectors, width });
  if (known !== undefined) {
    const { logistic, threshold } = known.calibration;
    return { hybrid: { tables, line: logistic, threshold }, learntHybrid: undefined };
  }
  const scorer = new HybridScorer(tables, ngrams);
  const duals = { joint: dual, ngrams: input.dual };
  const candidates = Int32Array.from({ length: job.examples }, (_, text) => set.order[text] as number);
  const leave = (row: number): HybridLeftOut => scorer.leaveOut(row, set.classOf[row] as number, duals);
  const leftOut = yield* report(leaveOutSome(leave, scorer.workPerRow, candidates));
  const nothing = classes === 0 ? 0 : scorer.scoreOfNothing();
  const [line, threshold] = [fitLine(leftOut, nothing), thresholdOf(leftOut, nothing)];
  const learntHybrid = job.isKept ? packModel({ dual, calibration: { logistic: line, threshold } }, joint) : undefined;
  return { hybrid: { tables, line, threshold }, learntHybrid };
}

/** Vectors in row order; the names of intents have none. */
function vectorsByRow({ vectors: { values, dimensions }, order, job }: HybridJob): DenseRows {
  const ordered = new Float32Array(order.textOf.length * dimensions);
  for (const [row, text] of order.textOf.entries()) {
    if (text >= job.examples) continue;
    ordered.set(values.subarray(text * dimensions, (text + 1) * dimensions), row * dimensions);
  }
  return { values: ordered, dimensions };
}

/** Share of the left-out examples that must be recognised for them to determine the threshold. */
const RECOGNISED_SHARE = 0.1;
/** Otherwise, share of rivals below the threshold. */
const RIVALS_BELOW = 0.75;

/** Score from which a text is accepted; if intents have no second example, it lies above most rivals. */
function thresholdOf(leftOut: readonly HybridLeftOut[], nothing: number): number {
  const recognised = leftOut.filter(
    ({ own, rival, ownCosine }) => ownCosine !== undefined && own > Math.max(rival, nothing),
  );
  const rivals = leftOut.map(({ rival }) => rival).filter(Number.isFinite);
  rivals.sort((a, b) => a - b);
  const most = rivals[Math.floor(rivals.length * RIVALS_BELOW)];
  if (most === undefined || recognised.length >= RECOGNISED_SHARE * leftOut.length)
    return chooseThreshold(leftOut, nothing);
  return most;
}

/** Weight of the assumptions made before leaving anything out. */
const PRIOR = 4;
/** Minimum slope: a flat or falling line would invert the ranking. */
const MIN_SLOPE = 0.05;

/**
 * Fits a line from scores to similarities by least squares: 1 for an example itself, otherwise the angular score of the
 * nearest example of the intent. So thresholds mean the same as with embeddings.
 */
function fitLine(leftOut: readonly HybridLeftOut[], nothing: number): SimilarityLine {
  const points: { readonly x: number; readonly y: number; readonly weight: number }[] = [];
  for (const { kept, own, rival, ownCosine, rivalCosine } of leftOut) {
    points.push({ x: kept, y: 1, weight: PRIOR / leftOut.length });
    if (ownCosine !== undefined) points.push({ x: own, y: angularScore(ownCosine), weight: 1 });
    if (Number.isFinite(rival)) points.push({ x: rival, y: angularScore(rivalCosine), weight: 1 });
  }
  points.push({ x: nothing, y: 0, weight: 1 });
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  const x = points.reduce((sum, point) => sum + point.weight * point.x, 0) / total;
  const y = points.reduce((sum, point) => sum + point.weight * point.y, 0) / total;
  const variance = points.reduce((sum, point) => sum + point.weight * (point.x - x) ** 2, 0);
  const covariance = points.reduce((sum, point) => sum + point.weight * (point.x - x) * (point.y - y), 0);
  const slope = variance > 0 ? Math.max(MIN_SLOPE, covariance / variance) : 1;
  return { slope, offset: y - slope * x };
}

function* report<Result>(steps: Generator<number, Result>): Generator<MatcherProgress, Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    yield { ...PROGRESS, share: Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, value)) };
  }
}
