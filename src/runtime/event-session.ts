import type { OptionTable } from "../diagnostics/options.js";
import type { StartTimer, GuardrailsEvent } from "../engine/events.js";
import type { FlowExplanation } from "../engine/explain.js";

/** An event that was not taken in, and why. */
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
 * A conversation event by event, for everything that is more than text in turns: speech that comes in pieces, gestures,
 * timers, interruptions. Events are read by iterating; what actions and timers lead to comes by itself.
 *
 * @example
 * ```ts
 * const session = guardrails.events();
 * session.send({ type: "UtteranceUserActionFinished", final_transcript: "hello" });
 * for await (const event of session) if (event.type === "UtteranceBotActionFinished") say(event.final_script);
 * ```
 */
export interface EventSession extends AsyncIterable<GuardrailsEvent> {
  /** Takes an event in. One that may not come from outside is dropped, and given to `onDropped`. */
  send(event: unknown): void;
  /** Resolves when all that was sent has been processed, and nothing but timers runs here any more. */
  settled(): Promise<void>;
  /** The conversation as plain JSON, to go on with in another session. */
  state(): Promise<unknown>;
  /**
   * Why a flow acted since the session was opened, or why it did not: who came first, and how well what it waited for fits.
   *
   * @throws DiagnosticError `CO-204` when no flow has that name
   */
  why(flow: string): FlowExplanation;
  /** Calls off timers and actions. What was not read can still be read. */
  close(): void;
}
