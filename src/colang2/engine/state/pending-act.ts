import type { ActionObject } from "./action-object.js";
import type { ValueRecord } from "./event.js";

/** An event a head is about to send. */
export interface OutgoingRequest {
  readonly name: string;
  readonly payload: ValueRecord;
  /** The action the event is for. */
  readonly action: ActionObject | undefined;
  readonly request: "Start" | "Stop" | "Change" | undefined;
  /** The `action_uid` that the program itself names. */
  readonly uid?: string;
}

/**
 * What a head that stands on an act is about to do, evaluated when it came there. Several requests are those of
 * `stop A(…)`, which stops every running action it fits.
 * INVARIANT: there is at least one request.
 */
export interface PendingAct {
  readonly requests: readonly OutgoingRequest[];
  /** Variable that gets the reference of the event. */
  readonly event: string | undefined;
}
