import { startTask } from "../../engine/events.js";
import type { PartVerdict } from "../../turn/answer.js";

/** A window under review. */
export interface QueuedWindow {
  readonly verdict: Promise<PartVerdict>;
}

/** Steps of a window behind its review. */
export interface Release<Window extends QueuedWindow> {
  /** All windows before this one have left. */
  reach(window: Window): void;
  /** Takes in a verdict, and waits for the reader; false at a block. */
  pass(window: Window, verdict: PartVerdict): Promise<boolean>;
}

/**
 * Windows between their source and their reader. Their reviews may run at the same time; they leave one after the other.
 *
 * INVARIANT: the source is read no further ahead than the limit, not while a window waits for its reader, and only beside
 * reviews that take time: a source whose windows are judged at once makes no more than is read.
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
  /** Fulfilled at a block, rejected when a review or its reader fails; pending otherwise. */
  readonly over: Promise<void>;

  /** @param limit - how many windows may be on their way at once */
  constructor(limit: number, release: Release<Window>) {
    this.#limit = limit;
    this.#release = release;
    this.over = new Promise<void>((resolve, reject) => {
      this.#onEnd = resolve;
      this.#onError = reject;
    });
    // The failure is that of the stream, which may end without asking for it.
    this.over.catch(() => undefined);
  }

  /** True once a block or a failure has ended the stream. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** True while the source must not be read on. */
  get isFull(): boolean {
    return !this.#isOver && (this.#isReleasing || this.#windows.length >= this.#limit);
  }

  add(window: Window): void {
    // Behind a block no window is asked for its verdict.
    window.verdict.catch(() => undefined);
    this.#windows.push(window);
    if (this.#windows.length === 1) this.#run().catch((reason: unknown) => this.#end(() => this.#onError(reason)));
  }

  /** Waits until the source may be read on; reviews that take no time are waited for. */
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

  /** Waits until all windows have left; false if the stream is over before. */
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
