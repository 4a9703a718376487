import { type AbortSource, onAbortOf } from "../engine/async.js";
import { type StartTimer, startTimer } from "../engine/events.js";
import { overloaded } from "./errors.js";

/** Limits of the requests that a server accepts. */
export interface AdmissionLimits {
  /** Maximum number of concurrent requests, streams included. Default: 1,024. */
  readonly concurrent: number;
  /** Maximum number of requests that wait for a slot. Default: 256. */
  readonly queued: number;
  /** Maximum wait of a request in milliseconds. Default: 5,000. */
  readonly queueMs: number;
}

/** Releases the slot; later calls do nothing. */
export type Release = () => void;

interface Waiting {
  readonly enter: () => void;
  readonly refuse: () => void;
}

/** Maximum `Retry-After`, in seconds. */
const MAX_RETRY = 5;

/**
 * The request slots of a server. A request gets a slot before its body is read. A refusal costs almost nothing, so a full server
 * keeps its capacity for the requests that it has accepted.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #startTimer: StartTimer;
  readonly #queue = new Set<Waiting>();
  readonly #idle: (() => void)[] = [];
  readonly #onFull: (() => void) | undefined;
  #active = 0;
  #arrived = 0;
  #hasRefused = false;

  /** @param onFull - called at the first refusal, and again only after the queue was empty */
  constructor(limits: AdmissionLimits, onFull?: () => void, timers: StartTimer = startTimer) {
    this.#limits = limits;
    this.#startTimer = timers;
    this.#onFull = onFull;
  }

  get active(): number {
    return this.#active;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** True if a request that arrives now would find no free slot after the requests that arrived before it. */
  get isFull(): boolean {
    const { concurrent, queued } = this.#limits;
    return this.#active + this.#queue.size + this.#arrived >= concurrent + queued;
  }

  /** Counts a request that will ask for a slot shortly. The returned function stops counting it. */
  arrive(): () => void {
    this.#arrived += 1;
    return () => (this.#arrived -= 1);
  }

  /** @throws ApiError 503 if the server is full, or the wait was too long */
  enter(signal?: AbortSource): Release | Promise<Release> {
    if (this.#active < this.#limits.concurrent) return this.#take();
    if (this.#queue.size >= this.#limits.queued) throw overloaded(this.refuse());
    return this.#wait(signal);
  }

  /** Counts a refusal; returns the seconds after which the caller should retry. */
  refuse(): number {
    if (!this.#hasRefused) this.#onFull?.();
    this.#hasRefused = true;
    const share = this.#queue.size / Math.max(1, this.#limits.concurrent);
    return Math.min(MAX_RETRY, 1 + Math.floor(share));
  }

  #take(): Release {
    this.#active += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#active -= 1;
      const [next] = this.#queue;
      if (next === undefined) {
        if (this.#arrived === 0) this.#hasRefused = false;
        if (this.#active === 0) for (const notify of this.#idle.splice(0)) notify();
        return;
      }
      this.#queue.delete(next);
      next.enter();
    };
  }

  #wait(signal: AbortSource | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#queue.delete(waiting);
        stopTimer();
        stopListening?.();
      };
      const onAbort = (): void => {
        leave();
        reject(signal?.reason as Error);
      };
      const waiting: Waiting = {
        enter: () => {
          leave();
          resolve(this.#take());
        },
        refuse: () => {
          leave();
          reject(overloaded(this.refuse()));
        },
      };
      const stopTimer = this.#startTimer(this.#limits.queueMs, waiting.refuse);
      const stopListening = signal === undefined ? undefined : onAbortOf(signal, onAbort);
      this.#queue.add(waiting);
    });
  }

  /** Waits until no request is active, for at most `milliseconds`. */
  async idle(milliseconds: number): Promise<void> {
    if (this.#active === 0) return;
    await new Promise<void>((resolve) => {
      const stopTimer = this.#startTimer(milliseconds, resolve);
      this.#idle.push(() => {
        stopTimer();
        resolve();
      });
    });
  }

  /** Refuses all waiting requests when the server stops. */
  clear(): void {
    for (const waiting of this.#queue) waiting.refuse();
  }
}
