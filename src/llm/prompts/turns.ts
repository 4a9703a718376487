import type { GuardrailsEvent } from "../../engine/events.js";

/**
 * Where the turns of a conversation begin, from the last one back. A turn begins with the user's utterance, or with the
 * `UserMessage` when there is no utterance before it, or in a log of what was done with the first action of the user.
 */
export function* turnStartsBackwards(events: readonly GuardrailsEvent[]): Generator<number> {
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
