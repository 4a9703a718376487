import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";

/** What an action came to. */
export interface LocalOutcome {
  /** In the order in which they are fed in. */
  readonly events: readonly EventDraft[];
  /** Set when the world outside is told too: of what was said. */
  readonly isHandedOut?: boolean;
  /** Set when the world outside is to perform it after all; then it goes on there. */
  readonly request?: GuardrailsEvent;
  /** Told to the flows as a `ColangError` after the events. */
  readonly error?: { readonly type: string; readonly message: string };
}

/** An action that runs in this process. */
export interface LocalAction {
  /**
   * INVARIANT: it rejects only with what ends the whole call, as a failing model does; problems of the action itself are
   * part of its outcome.
   */
  readonly done: Promise<LocalOutcome>;
  /** A call that does not block goes on without it, and hears of its end later. */
  readonly isAsync?: boolean;
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
