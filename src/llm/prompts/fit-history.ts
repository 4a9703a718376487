import type { GuardrailsEvent } from "../../engine/events.js";

/** A conversation this short is rendered whole before anything is dropped. */
const SHORT = 200;
const FIRST_TRY = 8;

/**
 * Renders with as many of the last turns as the limit allows; whole turns go, the last one stays. The number of turns is
 * found from the end by doubling and then halving, so the work depends on what fits and not on the length of the
 * conversation.
 *
 * @returns the longest rendering that fits, or undefined when the last turn alone is too long
 */
export function fitHistory<Rendered>(
  events: readonly GuardrailsEvent[],
  render: (events: readonly GuardrailsEvent[]) => Rendered,
  fits: (rendered: Rendered) => boolean,
): Rendered | undefined {
  if (events.length <= SHORT) {
    const whole = render(events);
    if (fits(whole)) return whole;
  }
  const starts: number[] = [];
  const backwards = turnStartsBackwards(events);
  const startOf = (turns: number): number | undefined => {
    while (starts.length < turns) {
      const next = backwards.next();
      if (next.done) return undefined;
      starts.push(next.value);
    }
    return starts[turns - 1];
  };
  const attempt = (turns: number): { readonly rendered: Rendered; readonly isWhole: boolean } | undefined => {
    const start = startOf(turns);
    // Events before the first turn, such as a greeting, count as its part.
    const rendered = render(start === undefined || startOf(turns + 1) === undefined ? events : events.slice(start));
    return fits(rendered) ? { rendered, isWhole: start === undefined || startOf(turns + 1) === undefined } : undefined;
  };

  let low = 0;
  let best: Rendered | undefined;
  let high = FIRST_TRY;
  for (let found = attempt(high); found; found = attempt(high)) {
    if (found.isWhole) return found.rendered;
    [low, best, high] = [high, found.rendered, high * 2];
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const found = attempt(middle);
    if (found) [low, best] = [middle, found.rendered];
    else high = middle;
  }
  if (best === undefined && startOf(1) !== undefined && startOf(2) === undefined) {
    const only = render(events.slice(startOf(1)));
    return fits(only) ? only : undefined;
  }
  return best;
}

/**
 * Yields the places where turns of a conversation begin, from the last one back. A turn begins with the user's utterance, or with the
 * `UserMessage` when there is no utterance before it, or, in an interaction log, with the first action of the user.
 */
function* turnStartsBackwards(events: readonly GuardrailsEvent[]): Generator<number> {
  let pending: number | undefined;
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const type = events[index]?.type;
    if (type === "UtteranceUserActionFinished") {
      pending = undefined;
      yield index;
    } else if (type === "UserMessage") {
      if (pending !== undefined) yield pending;
      pending = index;
    } else if (type === "UserActionLog" && events[index - 1]?.type !== "UserActionLog") yield index;
  }
  if (pending !== undefined) yield pending;
}
