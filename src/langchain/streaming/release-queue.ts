import { startTask } from "../../engine/events.js";
import type { PartVerdict } from "../../turn/response.js";

/** A window under review. */
export interface QueuedWindow {
  readonly verdict: Promise<PartVerdict>;
}

/** Steps of a window after its review. */
export interface Release<Window extends QueuedWindow> {
  /** Called when all earlier windows have been released. */
  reach(window: Window): void;
  /** Applies a verdict and waits for the reader; returns false on a block. */
  pass(window: Window, verdict: PartVerdict): Promise<boolean>;
}

/**
 * Windows between their source and their reader. Reviews may run concurrently; windows are released in order.
 *
 * INVARIANT: the source is read at most `limit` windows ahead, not while a window waits for its reader, and only during
 * asynchronous reviews: if windows are judged synchronously, the source produces no more than is read.
 */
export class ReleaseQueue<Window extends QueuedWindow> {
  readonly #limit: number;
  readonly #release: Release<Window>;
  readonly #windows: Window[] = [];
  #isReleasing = false;
  #isOver = false;
  /** Wakes the source. */
  #wake: (() => void) | undefined;
  #onEnd: () => void = () => undefined;
  #onError: (reason: unknown) => void = () => undefined;
  /** Fulfilled on a block, rejected when a review or the reader fails; otherwise pending. */
  readonly over: Promise<void>;

  /** @param limit - maximum number of windows in flight */
  constructor(limit: number, release: Release<Window>) {
    this.#limit = limit;
    this.#release = release;
    this.over = new Promise<void>((resolve, reject) => {
      this.#onEnd = resolve;
      this.#onError = reject;
    });
    // The failure belongs to the stream, which may end without awaiting it.
    this.over.catch(() => undefined);
  }

  /** True once a block or failure has ended the stream. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** True while the source must not be read further. */
  get isFull(): boolean {
    return !this.#isOver && (this.#isReleasing || this.#windows.length >= this.#limit);
  }

  add(window: Window): void {
    // After a block, later verdicts are not awaited.
    window.verdict.catch(() => undefined);
    this.#windows.push(window);
    if (this.#windows.length === 1) this.#run().catch((reason: unknown) => this.#end(() => this.#onError(reason)));
  }

  /** Waits until the source may be read further; synchronous reviews are awaited. */
  async room(): Promise<void> {
    if (this.#limit > 1 && this.#windows.length > 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        const stop = startTask(resolve);
        const wake = (): void => (stop(), resolve());
        this.#wake = wake;
      });
    }
    while (this.isFull) await this.#change();
  }

  /** Waits until all windows are released; returns false if the stream ends before. */
  async drain(): Promise<boolean> {
    while (!this.#isOver && this.#windows.length > 0) await this.#change();
    return !this.#isOver;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  async #run(): Promise<void> {
    for (let head = this.#windows[0]; head !== undefined; head = this.#windows[0]) {
      this.#release.reach(head);
      const verdict = await head.verdict;
      this.#isReleasing = true;
      if (!(await this.#release.pass(head, verdict))) return this.#end(this.#onEnd);
      this.#isReleasing = false;
      this.#windows.shift();
      this.#wake?.();
    }
  }

  #end(settle: () => void): void {
    this.#isOver = true;
    settle();
    this.#wake?.();
  }
}
