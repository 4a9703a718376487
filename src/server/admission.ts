import { type AbortSource, onAbortOf } from "../engine/async.js";
import { type StartTimer, startTimer } from "../engine/events.js";
import { overloaded } from "./errors.js";

/** How many requests a server takes. */
export interface AdmissionLimits {
  /** Requests at work at a time, streams included. Default: 1,024. */
  readonly concurrent: number;
  /** Requests that wait for one of these places. Default: 256. */
  readonly queued: number;
  /** Longest wait of a request in milliseconds. Default: 5,000. */
  readonly queueMs: number;
}

/** Gives the place back; calls after the first one do nothing. */
export type Release = () => void;

interface Waiting {
  readonly enter: () => void;
  readonly refuse: () => void;
}

/** Longest `Retry-After`, in seconds. */
const MAX_RETRY = 5;

/**
 * The places of a server. Requests get one before their body is read: one that is refused costs next to nothing, so that a
 * server that is full keeps its places for those that it has accepted.
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

  /** @param onFull - called at the first refusal, and again only after none had to wait */
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

  /** True while a request that arrives now would find no place, behind those that have arrived before it. */
  get isFull(): boolean {
    const { concurrent, queued } = this.#limits;
    return this.#active + this.#queue.size + this.#arrived >= concurrent + queued;
  }

  /** Counts a request that will ask for a place shortly. The function it returns ends that. */
  arrive(): () => void {
    this.#arrived += 1;
    return () => (this.#arrived -= 1);
  }

  /** @throws ApiError 503 when the server is full, or the wait was too long */
  enter(signal?: AbortSource): Release | Promise<Release> {
    if (this.#active < this.#limits.concurrent) return this.#take();
    if (this.#queue.size >= this.#limits.queued) throw overloaded(this.refuse());
    return this.#wait(signal);
  }

  /** Counts a refusal for want of places; returns the seconds after which its caller should try again. */
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

  /** Waits until no request is at work, at most this long. */
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

  /** Refuses all that wait, as the server ends. */
  clear(): void {
    for (const waiting of this.#queue) waiting.refuse();
  }
}
