import type { EventDraft } from "./events.js";
import type { TraceEvent } from "./explain.js";

/** Result of one event. `events` are the drafts the engine asks for; the run loop completes and feeds them back. */
export interface Advance<State> {
  readonly state: State;
  readonly events: readonly EventDraft[];
  readonly trace: readonly TraceEvent[];
}
