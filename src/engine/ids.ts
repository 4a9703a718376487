/** The only source of identifiers. Tests pass one that counts. */
export interface IdSource {
  next(): string;
}

const COUNTER_DIGITS = 12;

/** UUIDs whose last twelve digits count: unique like random ones, and several are made for every event of a turn. */
export const randomIds: IdSource = createRandomIds();

function createRandomIds(): IdSource {
  let prefix = "";
  let count = 0;
  return {
    next() {
      if (prefix === "") prefix = globalThis.crypto.randomUUID().slice(0, -COUNTER_DIGITS);
      count += 1;
      return prefix + count.toString(16).padStart(COUNTER_DIGITS, "0");
    },
  };
}

/**
 * Identifiers that are the same in every run.
 *
 * @example
 * ```ts
 * const ids = countingIds("t");
 * ids.next(); // "t-1"
 * ```
 */
export function countingIds(prefix = "id"): IdSource {
  let count = 0;
  return { next: () => `${prefix}-${(count += 1)}` };
}
