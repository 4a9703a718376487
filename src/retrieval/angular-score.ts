const ROUNDING = 1e-6;

/** Near 1 the angular score magnifies rounding; the same text must score 1. */
export function withoutRounding(cosine: number): number {
  return cosine > 1 - ROUNDING ? 1 : cosine;
}

/** Thresholds in configurations mean this score: 1 for the same direction, 0.5 at sixty degrees, 0 for the opposite. */
export function angularScore(cosine: number): number {
  const clamped = Math.max(-1, Math.min(1, cosine));
  return 1 - Math.sqrt(2 - 2 * clamped) / 2;
}
