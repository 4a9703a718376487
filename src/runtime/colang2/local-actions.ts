import type { Cancellation } from "../../engine/async.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";

/** Outcome of an action. */
export interface LocalOutcome {
  /** In the order in which they are fed in. */
  readonly events: readonly EventDraft[];
  /** True if the caller receives the events too, as for utterances. */
  readonly isEmitted?: boolean;
  /** Set if the caller performs the action after all. */
  readonly request?: GuardrailsEvent;
  /** Reported to the flows as a `ColangError` after the events. */
  readonly error?: { readonly type: string; readonly message: string };
}

/** An action that runs in this process. */
export interface LocalAction {
  /**
   * INVARIANT: it rejects only with what ends the whole call, as a failing model does; problems of the action itself are
   * part of its outcome.
   */
  readonly done: Promise<LocalOutcome>;
  /** True if a call that does not block continues without it. */
  readonly isAsync?: boolean;
  /** Events to process immediately after the request. */
  readonly first?: readonly EventDraft[];
  /** Cancels it; `done` is ignored from now on. */
  stop(): void;
}

/** Which actions run here, and how. */
export interface LocalActions {
  /** Undefined for an action that the host outside performs. */
  launch(request: GuardrailsEvent): LocalAction | undefined;
}

/**
 * Begins an action that a stop cancels.
 *
 * @param reason - of the cancellation
 */
export function startLocal(
  run: { readonly cancellation: Cancellation },
  reason: string,
  work: (cancellation: Cancellation) => Promise<LocalOutcome>,
  isAsync = true,
): LocalAction {
  const cancellation = run.cancellation.child();
  return {
    isAsync,
    done: work(cancellation).finally(() => cancellation.release()),
    stop: () => cancellation.abort(new DOMException(reason, "AbortError")),
  };
}
