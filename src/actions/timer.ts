import { type Clock, systemClock } from "../engine/clock.js";

/** Starts a countdown and gives back what stops it. Tests bring one that runs out on command. */
export type StartTimer = (milliseconds: number, onTimeout: () => void) => () => void;

/** Platforms take longer delays for no delay at all. */
const LONGEST = 2_147_483_647;

/** The platform's timer. Zero, negative and infinite times never run out. */
export const startTimer: StartTimer = (milliseconds, onTimeout) => {
  if (!(milliseconds > 0) || milliseconds === Infinity) return () => undefined;
  const handle = setTimeout(onTimeout, Math.min(milliseconds, LONGEST));
  return () => clearTimeout(handle);
};

/** A countdown that begins anew again and again. */
export interface Watch {
  /** Begins anew. */
  restart(): void;
  /** Nothing runs out until it begins anew. */
  pause(): void;
  /** Nothing runs out any more. */
  end(): void;
}

/**
 * A countdown for waits that follow each other closely. It keeps to one timer of the platform, which looks at the clock when
 * it runs out, so that beginning anew costs next to nothing.
 */
export function createWatch(milliseconds: number, onTimeout: () => void, clock: Clock = systemClock): Watch {
  let since: number | undefined;
  let stop: (() => void) | undefined;
  const look = (): void => {
    stop = undefined;
    if (since === undefined) return;
    const left = since + milliseconds - clock.now();
    if (left > 0) stop = startTimer(left, look);
    else onTimeout();
  };
  return {
    restart: () => {
      since = clock.now();
      stop ??= startTimer(milliseconds, look);
    },
    pause: () => {
      since = undefined;
    },
    end: () => {
      since = undefined;
      stop?.();
      stop = undefined;
    },
  };
}
