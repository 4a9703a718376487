import type { EngineEvent, Head, PlacedHead } from "../state/records.js";

/** Effect of the default handler of an event. */
export interface Handling {
  /** The loops in which the event counts as handled. */
  readonly handled: "all" | ReadonlySet<string>;
  /** The head of the instance that the event made. */
  readonly entry?: PlacedHead;
  /** Events that paused heads missed, to be given to them now. */
  readonly deliveries?: readonly Delivery[];
  /** Heads of resumed flows that have stood on an act or a merge since before the pause. */
  readonly standing?: readonly Head[];
}

/** An event for one head alone. */
export interface Delivery extends PlacedHead {
  readonly event: EngineEvent;
}

export const HANDLED: Handling = { handled: "all" };
export const UNHANDLED: Handling = { handled: new Set() };
