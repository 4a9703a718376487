import type { StartTimer, EventDraft, GuardrailsEvent } from "../../../engine/events.js";
import type { LocalAction, LocalActions, LocalOutcome } from "../local-actions.js";

/** Platforms treat longer delays as zero. */
const LONGEST = 2_147_483_647;

interface Countdown {
  handle: ReturnType<typeof setTimeout>;
}

/**
 * Timers of a session. They do not keep the process alive unless a reader waits for events; delays beyond the
 * platform's maximum are split.
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

  /** Set if a reader waits for the next event. */
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

const TIMER = "StartTimerBotAction";

/**
 * Performs `TimerBotAction` locally: started at once, finished after `duration` seconds, cancelled by `Stop`. All other
 * actions go to `others`.
 */
export function withTimers(others: LocalActions, startTimer: StartTimer): LocalActions {
  return {
    launch: (request) => (request.type === TIMER ? startCountdown(request, startTimer) : others.launch(request)),
  };
}

function startCountdown(request: GuardrailsEvent, startTimer: StartTimer): LocalAction {
  const { action_uid: uid, timer_name: name, duration } = request;
  const timer = { action_uid: uid, timer_name: name ?? null };
  const finished: EventDraft = { type: "TimerBotActionFinished", ...timer, is_success: true };
  const first = [{ type: "TimerBotActionStarted", ...timer }];
  const isAsync = true;
  const isTime = typeof duration === "number" && duration >= 0;
  if (!isTime) {
    const reason = "`duration` is a number of seconds from 0";
    return {
      isAsync,
      first,
      done: Promise.resolve({ events: [{ ...finished, is_success: false, failure_reason: reason }] }),
      stop: () => undefined,
    };
  }
  // A platform timer of zero still takes time.
  if (duration === 0) return { isAsync, first, done: Promise.resolve({ events: [finished] }), stop: () => undefined };
  let stop = (): void => undefined;
  const done = new Promise<LocalOutcome>((resolve) => {
    stop = startTimer(duration * 1000, () => resolve({ events: [finished] }));
  });
  return { isAsync, first, done, stop };
}
