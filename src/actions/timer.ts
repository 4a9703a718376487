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
