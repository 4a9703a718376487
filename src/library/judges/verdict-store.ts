import { LRUCache } from "lru-cache";
import type { MaybePromise } from "../../engine/async.js";
import type { Clock } from "../../engine/events.js";

/**
 * Store of judges' replies, in memory or in a service. Keys and values are opaque: they reveal no text of a conversation or prompt.
 * A failing store counts as empty.
 *
 * @example
 * ```ts
 * const entries = new Map<string, string>();
 * const store: VerdictStore = { get: (key) => entries.get(key), set: (key, value) => void entries.set(key, value) };
 * ```
 */
export interface VerdictStore {
  /** Returns the value of a key; undefined if there is none. */
  get(key: string): MaybePromise<string | undefined>;
  /** @param ttlMs - lifetime of the value in milliseconds */
  set(key: string, value: string, ttlMs: number): MaybePromise<void>;
}

/** Length limit of a stored reply in characters: verdicts are short. */
export const LONGEST_REPLY = 4_000;

/** Store in memory; removes the least recently used reply if it is full. */
export class MemoryVerdictStore implements VerdictStore {
  readonly #kept: LRUCache<string, { readonly value: string; readonly until: number }>;
  readonly #clock: Clock;

  constructor(size: number, clock: Clock) {
    this.#kept = new LRUCache({ max: size });
    this.#clock = clock;
  }

  get size(): number {
    return this.#kept.size;
  }

  get(key: string): string | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    if (this.#clock.now() < found.until) return found.value;
    this.#kept.delete(key);
    return undefined;
  }

  set(key: string, value: string, ttlMs: number): void {
    this.#kept.set(key, { value, until: this.#clock.now() + ttlMs });
  }
}
