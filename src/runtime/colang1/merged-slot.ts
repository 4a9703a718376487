import type { MergedSlot } from "./generation/merged-call.js";
import type { Cancellation } from "../../engine/cancellation.js";
import type { Turn } from "../../turn/turn.js";

/** The model call that the dialog stages of a turn share; it ends with the turn. */
export function mergedSlotOf(turn: Turn): MergedSlot {
  // The turn holds the slot itself: a weak map would cost each call more than all that it keeps.
  const known = turn.slots?.get(SharedCall);
  if (known !== undefined) return known as MergedSlot;
  const slot = new SharedCall(turn.cancellation);
  (turn.slots ??= new Map()).set(SharedCall, slot);
  turn.atEnd(() => slot.call?.cancelRest());
  return slot;
}

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
