import type { EventDraft, GuardrailsEvent } from "./events.js";
import type { TraceEvent } from "./trace.js";

/** Result of one event. `events` are the drafts the engine asks for; the run loop completes and feeds them back. */
export interface Advance<State> {
  readonly state: State;
  readonly events: readonly EventDraft[];
  readonly trace: readonly TraceEvent[];
}

/**
 * The contract of both dialects' engines: a pure, synchronous fold. No clock, no random, no input or output; the state
 * is plain JSON and is never changed in place, so keeping an old one is a snapshot.
 *
 * @typeParam Program - the compiled flows
 * @typeParam State - the conversation as the engine knows it
 */
export interface FlowEngine<Program, State> {
  createState(program: Program, context?: Readonly<Record<string, unknown>>): State;
  advance(program: Program, state: State, event: GuardrailsEvent): Advance<State>;
}
