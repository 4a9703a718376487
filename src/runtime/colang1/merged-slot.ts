import type { MergedSlot } from "./generation/merged-call.js";
import type { Cancellation } from "../../engine/cancellation.js";
import type { Turn } from "../../turn/turn.js";

/** The model call that the dialog stages of a turn share; it ends with the turn. */
export function mergedSlotOf(turn: Turn): MergedSlot {
  const known = openedSlotOf(turn);
  if (known !== undefined) return known;
  const slot = new SharedCall(turn.cancellation);
  turn.slot = slot;
  turn.atEnd(() => slot.call?.cancelRest());
  return slot;
}

/** Returns the shared call of a turn, once a stage has asked for it. */
export function openedSlotOf({ slot }: Turn): MergedSlot | undefined {
  return slot instanceof SharedCall ? slot : undefined;
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
