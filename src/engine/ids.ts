/** The only source of identifiers. Tests pass one that counts. */
export interface IdSource {
  next(): string;
}

const COUNTER_DIGITS = 12;
const LAST_DIGITS = 2;
const LAST_COUNTS = 16 ** LAST_DIGITS;
const LAST = Array.from({ length: LAST_COUNTS }, (_, count) => count.toString(16).padStart(LAST_DIGITS, "0"));

/** UUIDs whose last twelve digits count: unique like random ones, and several are made for every event of a turn. */
export const randomIds: IdSource = createRandomIds();

function createRandomIds(): IdSource {
  let prefix = "";
  let count = 0;
  // All but the last digits change rarely, and padding costs more than the rest of an id.
  let head = "";
  return {
    next() {
      if (prefix === "") prefix = globalThis.crypto.randomUUID().slice(0, -COUNTER_DIGITS);
      count += 1;
      const last = count % LAST_COUNTS;
      if (last === 0 || head === "") {
        head =
          prefix +
          Math.floor(count / LAST_COUNTS)
            .toString(16)
            .padStart(COUNTER_DIGITS - LAST_DIGITS, "0");
      }
      return head + (LAST[last] as string);
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
