/** The only source of time. Tests pass one that stands still. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC, with fractions where the platform has them. */
  now(): number;
}

/** The time of the platform; it never runs backwards within a process. */
export const systemClock: Clock = { now: () => performance.timeOrigin + performance.now() };

const DAY = 86_400_000;

/**
 * ISO 8601 in UTC with milliseconds.
 *
 * @example
 * ```ts
 * formatTimestamp(0); // "1970-01-01T00:00:00.000Z"
 * ```
 */
export function formatTimestamp(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const days = Math.floor(whole / DAY);
  const rest = whole - days * DAY;
  // Days to a civil date by counting 400-year eras that begin on 1 March, so that leap days come last.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const pad = (value: number, width: number): string => String(value).padStart(width, "0");
  const time = `${pad(Math.floor(rest / 3_600_000), 2)}:${pad(Math.floor(rest / 60_000) % 60, 2)}:${pad(Math.floor(rest / 1000) % 60, 2)}.${pad(rest % 1000, 3)}`;
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${time}Z`;
}
