/** The only source of time. Tests pass one that stands still. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC, with fractions where the platform has them. */
  now(): number;
}

/** The time of the platform; it never runs backwards within a process. */
export const systemClock: Clock = { now: () => performance.timeOrigin + performance.now() };

/**
 * ISO 8601 in UTC with milliseconds.
 *
 * @example
 * ```ts
 * formatTimestamp(0); // "1970-01-01T00:00:00.000Z"
 * ```
 */
export function formatTimestamp(milliseconds: number): string {
  return new Date(Math.floor(milliseconds)).toISOString();
}
