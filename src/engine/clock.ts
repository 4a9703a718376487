/** The only source of time. Tests pass one that stands still. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC, with fractions where the platform has them. */
  now(): number;
}

/** The time of the platform; it never runs backwards within a process. */
export const systemClock: Clock = { now: () => performance.timeOrigin + performance.now() };

/**
 * ISO 8601 in UTC with milliseconds.
 *
 * @example
 * ```ts
 * formatTimestamp(0); // "1970-01-01T00:00:00.000Z"
 * ```
 */
export function formatTimestamp(milliseconds: number): string {
  return new Date(Math.floor(milliseconds)).toISOString();
}

/** Starts a countdown and gives back what stops it. Tests bring one that runs out on command. */
export type StartTimer = (milliseconds: number, onTimeout: () => void) => () => void;

/** Platforms take longer delays for no delay at all. */
const LONGEST = 2_147_483_647;

/** The platform's timer. Zero, negative and infinite times never run out. */
export const startTimer: StartTimer = (milliseconds, onTimeout) => {
  const handle = startPlatformTimer(milliseconds, onTimeout);
  return () => clearTimeout(handle);
};

/** The same without keeping the process alive. */
export const startIdleTimer: StartTimer = (milliseconds, onTimeout) => {
  const handle = startPlatformTimer(milliseconds, onTimeout);
  handle?.unref?.();
  return () => clearTimeout(handle);
};

function startPlatformTimer(milliseconds: number, onTimeout: () => void): PlatformTimer | undefined {
  if (!(milliseconds > 0) || milliseconds === Infinity) return undefined;
  return setTimeout(onTimeout, Math.min(milliseconds, LONGEST));
}

/** A timer of the platform. Only Node.js and its like can let a process exit before it has run out. */
type PlatformTimer = ReturnType<typeof setTimeout> & { ref?(): unknown; unref?(): unknown };

/** A countdown that begins anew again and again. */
export interface Watch {
  /** Begins anew. */
  restart(): void;
  /** Nothing runs out until it begins anew, and the process may exit meanwhile. */
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
  let timer: PlatformTimer | undefined;
  const look = (): void => {
    timer = undefined;
    if (since === undefined) return;
    const left = since + milliseconds - clock.now();
    if (left > 0) timer = startPlatformTimer(left, look);
    else onTimeout();
  };
  return {
    restart: () => {
      since = clock.now();
      if (timer === undefined) timer = startPlatformTimer(milliseconds, look);
      else timer.ref?.();
    },
    pause: () => {
      since = undefined;
      timer?.unref?.();
    },
    end: () => {
      since = undefined;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
