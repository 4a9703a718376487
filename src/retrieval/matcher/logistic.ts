/** A score, whether it was right, and how much that counts. */
export interface Observation {
  readonly score: number;
  readonly isRight: boolean;
  readonly weight: number;
}

/** An observation with the probability that the curve should give it. */
interface Target {
  readonly score: number;
  readonly chance: number;
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

/**
 * The most likely logistic curve, by Newton's method; slope 0 if scores carry no or reversed information. Few observations
 * make no certainty, even where one score parts them cleanly (Platt's targets).
 */
export function fitLogistic(all: readonly Observation[]): Logistic {
  const chances = {
    right: smoothed(all.filter(({ isRight }) => isRight)),
    wrong: smoothed(all.filter(({ isRight }) => !isRight)),
  };
  const observations = all.map(({ score, isRight, weight }): Target => {
    return { score, chance: isRight ? chances.right : 1 - chances.wrong, weight };
  });
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
