import type { OptionTable } from "../diagnostics/options.js";
import type { StartTimer, GuardrailsEvent } from "../engine/events.js";
import type { FlowExplanation } from "../engine/explain.js";

/** A dropped event, and the reason. */
export interface DroppedEvent {
  readonly event: unknown;
  readonly message: string;
}

export interface SessionOptions {
  /** Actions that finish as soon as they start. Default: those of the configuration, else `UtteranceBotAction`. */
  readonly instantActions?: readonly string[] | undefined;
  /** Global variables to start with. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** `state` of an earlier session, to continue it. Its timers start again. */
  readonly state?: unknown;
  /** Receives every event that was dropped. */
  readonly onDropped?: ((dropped: DroppedEvent) => void) | undefined;
  /** Starts timers. Default: the platform's timers, which keep the process alive only while a reader waits for events. */
  readonly startTimer?: StartTimer | undefined;
  /** Ends the session. */
  readonly signal?: AbortSignal | undefined;
}

export const SESSION_OPTIONS: OptionTable<SessionOptions> = {
  instantActions: "object",
  context: "object",
  state: "any",
  onDropped: "function",
  startTimer: "function",
  signal: "any",
};

/**
 * A conversation event by event, for more than text in turns: streamed speech, gestures, timers, interruptions. Iterate
 * to read events; those of actions and timers arrive on their own.
 *
 * @example
 * ```ts
 * const session = guardrails.events();
 * session.send({ type: "UtteranceUserActionFinished", final_transcript: "hello" });
 * for await (const event of session) if (event.type === "UtteranceBotActionFinished") say(event.final_script);
 * ```
 */
export interface EventSession extends AsyncIterable<GuardrailsEvent> {
  /** Sends an event. An event that may not come from outside is dropped and reported to `onDropped`. */
  send(event: unknown): void;
  /** Resolves when everything sent has been processed and only timers are still running. */
  settled(): Promise<void>;
  /** Returns the conversation as plain JSON, to continue in another session. */
  state(): Promise<unknown>;
  /**
   * Explains why a flow acted since the session was opened or did not: which flow won, and how well the awaited event
   * matched.
   *
   * @throws DiagnosticError `CO-204` if no flow has that name
   */
  why(flow: string): FlowExplanation;
  /** Cancels timers and actions. Unread events can still be read. */
  close(): void;
}
