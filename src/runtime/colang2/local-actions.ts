import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";

/** An action that runs in this process. */
export interface LocalAction {
  /**
   * What follows from it, in the order in which it is fed in. INVARIANT: it rejects only with what ends the whole call, as
   * a failing model does; problems of the action itself are events.
   */
  readonly done: Promise<readonly EventDraft[]>;
  /** What is fed in at once, beside the request. */
  readonly first?: readonly EventDraft[];
  /** Calls it off; nobody waits for `done` any more. */
  stop(): void;
}

/** Which actions run here, and how (spec colang-2 8.2). */
export interface LocalActions {
  /** Undefined for an action that the host outside performs. */
  launch(request: GuardrailsEvent): LocalAction | undefined;
}

export const NO_LOCAL_ACTIONS: LocalActions = { launch: () => undefined };

/** The end of an action that was stopped (spec colang-2 8.2). */
export function stoppedEvents(action: string, uid: string): EventDraft[] {
  return [
    {
      type: `${action}Finished`,
      action_uid: uid,
      is_success: false,
      was_stopped: true,
      failure_reason: "stopped",
    },
  ];
}
