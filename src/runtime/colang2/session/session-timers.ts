import { ActionError } from "../../../diagnostics/errors.js";
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

interface TimerHost {
  readonly startTimer: StartTimer;
  /** Receives the error of a timer whose duration is not a number of seconds. */
  readonly onFailure: (error: ActionError) => void;
}

/**
 * Performs `TimerBotAction` locally: started at once, finished after `duration` seconds, cancelled by `Stop`. All other
 * actions go to `others`.
 */
export function withTimers(others: LocalActions, host: TimerHost): LocalActions {
  return {
    launch: (request) => (request.type === TIMER ? startCountdown(request, host) : others.launch(request)),
  };
}

function startCountdown(request: GuardrailsEvent, { startTimer, onFailure }: TimerHost): LocalAction {
  const { action_uid: uid, timer_name: name, duration } = request;
  const timer = { action_uid: uid, timer_name: name ?? null };
  const finished: EventDraft = { type: "TimerBotActionFinished", ...timer, is_success: true };
  const first = [{ type: "TimerBotActionStarted", ...timer }];
  const isAsync = true;
  const isTime = typeof duration === "number" && duration >= 0;
  if (!isTime) {
    const message = `expected \`duration\` to be a number of seconds from 0, got ${nameOf(duration)}`;
    const hint = "the flows `wait` and `user was silent` pass on the time they get: convert a text with `float($text)`";
    onFailure(new ActionError(`\`TimerBotAction\`: ${message}`, { action: "TimerBotAction", hint }));
    const events = [{ ...finished, is_success: false, failure_reason: message }];
    const error = { type: "ActionError", message: `the action \`TimerBotAction\` failed: ${message}` };
    return { isAsync, first, done: Promise.resolve({ events, error }), stop: () => undefined };
  }
  // A platform timer of zero still takes time.
  if (duration === 0) return { isAsync, first, done: Promise.resolve({ events: [finished] }), stop: () => undefined };
  let stop = (): void => undefined;
  const done = new Promise<LocalOutcome>((resolve) => {
    stop = startTimer(duration * 1000, () => resolve({ events: [finished] }));
  });
  return { isAsync, first, done, stop };
}

/** Names a value by its type, since it may be text of the user. */
function nameOf(value: unknown): string {
  if (typeof value === "number") return "a negative number";
  if (value === undefined || value === null) return "`None`";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "a dictionary";
  return typeof value === "string" ? "a text" : "a boolean";
}
