import type { MaybePromise } from "../../engine/async.js";
import { type Clock, systemClock } from "../../engine/events.js";
import { type Logger, logOnce } from "../../diagnostics/logger.js";
import { StoreCalls } from "../../engine/store-calls.js";
import type { Caller } from "../access.js";
import type { Release } from "../admission.js";
import { rateLimited } from "../errors.js";

/**
 * Counts the requests of callers for several servers, in token buckets. Implemented by `RedisRateLimits`.
 *
 * @example
 * ```ts
 * const unlimited: RateLimitStore = { take: () => Promise.resolve(0) };
 * ```
 */
export interface RateLimitStore {
  /**
   * Takes one request from the token bucket of a caller, which holds `perMinute` and refills within a minute. Returns 0, or the
   * milliseconds until a request is available.
   */
  take(caller: string, perMinute: number): Promise<number>;
}

interface Usage {
  active: number;
  /** Requests left in this minute; the token bucket refills steadily. */
  tokens: number;
  filledAt: number;
}

/** Maximum number of tracked callers; the oldest one without an active request is removed first. */
const MAX_CALLERS = 10_000;

const MINUTE = 60_000;

/** Maximum wait for the store in milliseconds. */
const STORE_MS = 50;

export interface CallerLimitsOptions {
  readonly clock?: Clock | undefined;
  /** Store that several servers share. Default: none; requests are counted only in this process. */
  readonly shared?: RateLimitStore | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * Limits per caller. Requests are counted in this process first, then in the shared store. INVARIANT: if the store fails, the
 * limits of this process still apply.
 */
export class CallerLimits {
  readonly #usage = new Map<string, Usage>();
  readonly #clock: Clock;
  readonly #shared: RateLimitStore | undefined;
  readonly #calls: StoreCalls;

  constructor({ clock = systemClock, shared, logger }: CallerLimitsOptions = {}) {
    this.#clock = clock;
    this.#shared = shared;
    const message = "the shared limits of callers failed or were slow: each server counts by itself meanwhile";
    const onFailure = (): void => logOnce(logger, "warn", "shared limits", message);
    this.#calls = new StoreCalls({ timeoutMs: STORE_MS, onFailure, clock });
  }

  /** @throws ApiError 429 beyond the limits of the caller */
  enter(caller: Caller): MaybePromise<Release> {
    const { id, perMinute } = caller;
    const release = this.#enterHere(caller);
    const shared = this.#shared;
    if (shared === undefined || perMinute === undefined) return release;
    const taken = this.#calls.run(async () => waitOf(await shared.take(id, perMinute)));
    return taken.then((waitMs = 0) => {
      if (waitMs === 0) return release;
      release();
      throw rateLimited(Math.ceil(waitMs / 1_000));
    });
  }

  #enterHere({ id, concurrent, perMinute }: Caller): Release {
    if (concurrent === undefined && perMinute === undefined) return () => undefined;
    const now = this.#clock.now();
    const usage = this.#usage.get(id) ?? { active: 0, tokens: perMinute ?? 0, filledAt: now };
    if (!this.#usage.has(id)) this.#remember(id, usage);
    if (concurrent !== undefined && usage.active >= concurrent) throw rateLimited(1);
    if (perMinute !== undefined) {
      usage.tokens = Math.min(perMinute, usage.tokens + ((now - usage.filledAt) / MINUTE) * perMinute);
      usage.filledAt = now;
      if (usage.tokens < 1) throw rateLimited(Math.max(1, Math.ceil(((1 - usage.tokens) / perMinute) * 60)));
      usage.tokens -= 1;
    }
    usage.active += 1;
    let isOpen = true;
    return () => {
      if (isOpen) usage.active -= 1;
      isOpen = false;
    };
  }

  #remember(id: string, usage: Usage): void {
    if (this.#usage.size >= MAX_CALLERS) {
      for (const [known, { active }] of this.#usage) {
        if (active > 0) continue;
        this.#usage.delete(known);
        break;
      }
    }
    this.#usage.set(id, usage);
  }
}

/** @throws RangeError if the store returns an invalid time; this counts as a failure */
function waitOf(waitMs: unknown): number {
  if (typeof waitMs === "number" && waitMs >= 0 && waitMs < Number.MAX_SAFE_INTEGER) return waitMs;
  throw new RangeError("expected a store of limits to return milliseconds");
}
