import { startTimer } from "../engine/events.js";

/**
 * Starts a stream, so that an error before its first part can set the HTTP status. Resolves with the first part, or after
 * `milliseconds`.
 *
 * @param parts - a generator that has not started
 */
export async function withFirstStep<Part>(
  parts: AsyncGenerator<Part>,
  milliseconds: number,
): Promise<AsyncIterator<Part>> {
  const first = parts.next();
  // A later error is reported by the stream.
  first.catch(() => undefined);
  let stopTimer = (): void => undefined;
  const late = new Promise<void>((resolve) => (stopTimer = startTimer(milliseconds, resolve)));
  await Promise.race([first, late]).finally(stopTimer);
  let begun: Promise<IteratorResult<Part>> | undefined = first;
  return {
    next: () => {
      const next = begun ?? parts.next();
      begun = undefined;
      return next;
    },
    return: () => parts.return(undefined),
  };
}
