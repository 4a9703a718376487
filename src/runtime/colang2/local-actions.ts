import type { Cancellation } from "../../engine/async.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";

/** Outcome of an action. */
export interface LocalOutcome {
  /** In feeding order. */
  readonly events: readonly EventDraft[];
  /** True if the caller also receives the events, as for utterances. */
  readonly isEmitted?: boolean;
  /** Set if the caller must perform the action after all. */
  readonly request?: GuardrailsEvent;
  /** Reported to the flows as a `ColangError` after the events. */
  readonly error?: { readonly type: string; readonly message: string };
}

/** An action running in this process. */
export interface LocalAction {
  /**
   * INVARIANT: rejects only with errors that end the whole call, such as a failing model; problems of the action itself
   * are part of its outcome.
   */
  readonly done: Promise<LocalOutcome>;
  /** True if a non-blocking call continues without it. */
  readonly isAsync?: boolean;
  /** Events to process immediately after the request. */
  readonly first?: readonly EventDraft[];
  /** Cancels it; `done` is ignored afterwards. */
  stop(): void;
}

/** Actions that run in this process. */
export interface LocalActions {
  /** Returns undefined for an action that the application performs. */
  launch(request: GuardrailsEvent): LocalAction | undefined;
}

/**
 * Starts an action that `stop` cancels.
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
