import type { StartTimer } from "../../../engine/timer.js";

/** Platforms take longer delays for no delay at all. */
const LONGEST = 2_147_483_647;

interface Countdown {
  handle: ReturnType<typeof setTimeout>;
}

/**
 * The timers of a session. The process may end before they ring unless somebody waits for what they lead to, and the longest
 * ones ring when their time has come.
 */
export class SessionTimers {
  readonly #running = new Set<Countdown>();
  #isAwaited = false;

  readonly start: StartTimer = (milliseconds, onTimeout) => {
    const countdown: Countdown = { handle: this.#wait(milliseconds, () => ring(milliseconds)) };
    const ring = (left: number): void => {
      const rest = left - LONGEST;
      if (rest > 0) countdown.handle = this.#wait(rest, () => ring(rest));
      else {
        this.#running.delete(countdown);
        onTimeout();
      }
    };
    this.#running.add(countdown);
    return () => {
      clearTimeout(countdown.handle);
      this.#running.delete(countdown);
    };
  };

  /** Whether somebody waits for what comes next. */
  setAwaited(isAwaited: boolean): void {
    if (isAwaited === this.#isAwaited) return;
    this.#isAwaited = isAwaited;
    for (const { handle } of this.#running) {
      if (isAwaited) handle.ref();
      else handle.unref();
    }
  }

  #wait(milliseconds: number, onEnd: () => void): ReturnType<typeof setTimeout> {
    const handle = setTimeout(onEnd, Math.min(milliseconds, LONGEST));
    if (!this.#isAwaited) handle.unref();
    return handle;
  }
}
