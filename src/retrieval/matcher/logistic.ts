/** A score, whether it was right, and how much that counts. */
export interface Observation {
  readonly score: number;
  readonly isRight: boolean;
  readonly weight: number;
}

/** Turns scores into probabilities: `1 / (1 + exp(-(slope * score + offset)))`. */
export interface Logistic {
  readonly slope: number;
  readonly offset: number;
}

const MAX_STEPS = 60;
const MAX_HALVINGS = 30;
const STILL = 1e-9;
/** Keeps the slope finite where one score parts right from wrong. */
const RIDGE = 1e-3;

/** The probability that belongs to a score. */
export function probability({ slope, offset }: Logistic, score: number): number {
  return 1 / (1 + Math.exp(-(slope * score + offset)));
}

/** The most likely logistic curve, by Newton's method; slope 0 when scores say nothing or the wrong thing. */
export function fitLogistic(observations: readonly Observation[]): Logistic {
  let curve: Logistic = { slope: 0, offset: 0 };
  let loss = lossOf(observations, curve);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const [slopeStep, offsetStep] = newtonStep(observations, curve);
    let [share, better, betterLoss] = [1, curve, loss];
    // A full step may overshoot where the curve is flat; some part of it always descends.
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

function lossOf(observations: readonly Observation[], curve: Logistic): number {
  let loss = (RIDGE / 2) * (curve.slope ** 2 + curve.offset ** 2);
  for (const { score, isRight, weight } of observations) {
    const exponent = (isRight ? -1 : 1) * (curve.slope * score + curve.offset);
    loss += weight * (Math.max(exponent, 0) + Math.log1p(Math.exp(-Math.abs(exponent))));
  }
  return loss;
}

function newtonStep(observations: readonly Observation[], curve: Logistic): readonly [number, number] {
  let [gradientSlope, gradientOffset, a, b, c] = [-RIDGE * curve.slope, -RIDGE * curve.offset, RIDGE, 0, RIDGE];
  for (const { score, isRight, weight } of observations) {
    const chance = probability(curve, score);
    const error = weight * ((isRight ? 1 : 0) - chance);
    const curvature = weight * chance * (1 - chance);
    gradientSlope += error * score;
    gradientOffset += error;
    a += curvature * score * score;
    b += curvature * score;
    c += curvature;
  }
  const determinant = a * c - b * b;
  return [(c * gradientSlope - b * gradientOffset) / determinant, (a * gradientOffset - b * gradientSlope) / determinant];
}
