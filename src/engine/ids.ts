/** The only source of identifiers. Tests pass one that counts. */
export interface IdSource {
  next(): string;
}

export const randomIds: IdSource = { next: () => globalThis.crypto.randomUUID() };

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
