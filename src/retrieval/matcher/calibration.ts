import type { Calibration, Logistic, ScoringTables } from "./intent-model.js";
import { IntentScorer, type LeftOut } from "./intent-scorer.js";
import type { DualWeights, TrainingSet } from "./linear-svm.js";

const MAX_LEFT_OUT = 1500;
const MIN_LEFT_OUT = 50;
/** Multiplications of a whole calibration; if scoring is more expensive, fewer examples are left out. */
const MAX_WORK = 3e9;
const ROWS_PER_REPORT = 100;
/** Share of the recognised left-out examples that must be accepted. */
const ACCEPTED_SHARE = 0.95;
/** Extra tolerance if few examples are recognised, since the lowest of a few is unreliable. */
const CAUTION = 0.5;
/** Scores that differ by less are equal. */
const ROUNDING = 1e-5;
/** Weight of the assumptions made before leaving anything out. */
const PRIOR = 4;

/**
 * Leaves examples out one at a time and scores them by the rest. From this follow curve and threshold: well separated
 * intents accept boldly, similar ones do not.
 *
 * @param candidates - the rows that may be left out
 */
export function* calibrate(
  tables: ScoringTables,
  { classOf }: TrainingSet,
  dual: DualWeights,
  candidates: Int32Array,
): Generator<number, Calibration> {
  const scorer = new IntentScorer(tables);
  const leave = (row: number): LeftOut => scorer.leaveOut(row, classOf[row] as number, dual);
  const leftOut = yield* leaveOutSome(leave, scorer.workPerRow, candidates);
  const nothing = scorer.scoreOfNothing();
  return { logistic: fitCurve(leftOut, nothing), threshold: chooseThreshold(leftOut, nothing) };
}

/** Leaves out as many rows as time allows, evenly spread over the candidates; yields the completed share. */
export function* leaveOutSome<Found>(
  leaveOut: (row: number) => Found,
  workPerRow: number,
  candidates: Int32Array,
): Generator<number, Found[]> {
  const leftOut: Found[] = [];
  const affordable = Math.max(MIN_LEFT_OUT, Math.floor(MAX_WORK / (2 * workPerRow)));
  const stride = Math.max(1, candidates.length / Math.min(MAX_LEFT_OUT, affordable));
  const count = Math.floor(candidates.length / stride);
  for (let at = 0; at < count; at += 1) {
    leftOut.push(leaveOut(candidates[Math.floor(at * stride)] as number));
    if (at % ROWS_PER_REPORT === ROWS_PER_REPORT - 1) yield at / count;
  }
  return leftOut;
}

/**
 * Own intents count as right and rivals as wrong; with little weight, so do the examples themselves and an empty text.
 */
function fitCurve(leftOut: readonly LeftOut[], nothing: number): Logistic {
  const right = leftOut.map(({ kept }) => ({ score: kept, weight: PRIOR / leftOut.length }));
  const wrong = [{ score: nothing, weight: PRIOR }];
  const rivals = leftOut.filter(({ rival }) => Number.isFinite(rival));
  const curve = fitLogistic(
    [...right, ...leftOut.map(({ own }) => ({ score: own, weight: 1 }))],
    [...wrong, ...rivals.map(({ rival }) => ({ score: rival, weight: 1 }))],
  );
  return curve.slope > 0 ? curve : fitLogistic(right, wrong);
}

/**
 * Accepts nearly all examples that the others of their intent recognise. If they recognise none, a text must be nearer
 * to an example than to anything wrong.
 */
export function chooseThreshold(leftOut: readonly LeftOut[], nothing: number): number {
  const recognised = leftOut
    .filter(({ own, rival }) => own > Math.max(rival, nothing) + ROUNDING)
    .map(({ own }) => own);
  recognised.sort((a, b) => a - b);
  const tolerated = Math.min(0.5, 1 - ACCEPTED_SHARE + CAUTION / Math.sqrt(recognised.length));
  const least = recognised[Math.floor(recognised.length * tolerated)];
  if (least !== undefined) return least;
  const wrong = leftOut.reduce((worst, { rival }) => Math.max(worst, rival), nothing);
  const right = leftOut.reduce((sum, { kept }) => sum + kept, 0) / Math.max(1, leftOut.length);
  return (wrong + right) / 2;
}

/** A score and its weight. */
interface Observation {
  readonly score: number;
  readonly weight: number;
}

/** An observation with the probability that the curve should give it. */
interface Target extends Observation {
  readonly chance: number;
}

const MAX_STEPS = 60;

const MAX_HALVINGS = 30;

const STILL = 1e-9;

/** Keeps the slope finite if one score separates right from wrong. */
const RIDGE = 1e-3;

/** Returns the probability of a score. */
export function probability({ slope, offset }: Logistic, score: number): number {
  return 1 / (1 + Math.exp(-(slope * score + offset)));
}

/**
 * Fits a logistic curve by Newton's method; slope 0 if scores carry no or reversed information. Few observations never
 * yield certainty, even if perfectly separated (Platt's targets).
 */
function fitLogistic(right: readonly Observation[], wrong: readonly Observation[]): Logistic {
  const [high, low] = [smoothed(right), 1 - smoothed(wrong)];
  const observations = [
    ...right.map((observation): Target => ({ ...observation, chance: high })),
    ...wrong.map((observation): Target => ({ ...observation, chance: low })),
  ];
  let curve: Logistic = { slope: 0, offset: 0 };
  let loss = lossOf(observations, curve);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const [slopeStep, offsetStep] = newtonStep(observations, curve);
    let [share, better, betterLoss] = [1, curve, loss];
    // A full step may overshoot where the curve is flat; a fraction of it always descends.
    for (let halving = 0; halving < MAX_HALVINGS && betterLoss >= loss; halving += 1) {
      better = { slope: curve.slope + share * slopeStep, offset: curve.offset + share * offsetStep };
      betterLoss = lossOf(observations, better);
      share /= 2;
    }
    if (betterLoss > loss - STILL) break;
    [curve, loss] = [better, betterLoss];
  }
  return curve.slope > 0 ? curve : { slope: 0, offset: 0 };
}

function smoothed(observations: readonly Observation[]): number {
  const total = observations.reduce((sum, { weight }) => sum + weight, 0);
  return (total + 1) / (total + 2);
}

function lossOf(observations: readonly Target[], curve: Logistic): number {
  let loss = (RIDGE / 2) * (curve.slope ** 2 + curve.offset ** 2);
  for (const { score, chance, weight } of observations) {
    const exponent = curve.slope * score + curve.offset;
    loss += weight * (Math.max(exponent, 0) + Math.log1p(Math.exp(-Math.abs(exponent))) - chance * exponent);
  }
  return loss;
}

function newtonStep(observations: readonly Target[], curve: Logistic): readonly [number, number] {
  let [gradientSlope, gradientOffset, a, b, c] = [-RIDGE * curve.slope, -RIDGE * curve.offset, RIDGE, 0, RIDGE];
  for (const { score, chance, weight } of observations) {
    const given = probability(curve, score);
    const error = weight * (chance - given);
    const curvature = weight * given * (1 - given);
    gradientSlope += error * score;
    gradientOffset += error;
    a += curvature * score * score;
    b += curvature * score;
    c += curvature;
  }
  const determinant = a * c - b * b;
  return [
    (c * gradientSlope - b * gradientOffset) / determinant,
    (a * gradientOffset - b * gradientSlope) / determinant,
  ];
}
