import type { MergedSlot } from "../generation/merged-call.js";
import type { Cancellation } from "../engine/cancellation.js";
import { TurnSlot } from "../turn/turn-slot.js";

/** The model call that the dialog stages of a turn share; it ends with the turn. */
export const mergedSlot = new TurnSlot<MergedSlot>((turn) => {
  const slot = new SharedCall(turn.cancellation);
  turn.atEnd(() => slot.call?.cut());
  return slot;
});

/** Creates the signal when it is first read. */
class SharedCall implements MergedSlot {
  call: MergedSlot["call"];
  retrieved: MergedSlot["retrieved"];
  isUnreadable = false;
  readonly #cancellation: Cancellation;

  constructor(cancellation: Cancellation) {
    this.#cancellation = cancellation;
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }
}
