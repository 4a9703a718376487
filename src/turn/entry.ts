import type { EventDraft, GuardrailsEvent } from "../engine/events.js";

/** An event that is only written down because it describes what a rail did; the engine never sees it. */
interface Note {
  readonly type?: undefined;
  readonly note: EventDraft;
  /** True for a marker of the pipeline, which only a log of all events shows. */
  readonly isMarker?: true;
}

/** An event to take in: fed to the engine, or noted. */
export type Entry = EventDraft | Note;

/** Returns the events that the engine takes in. */
export function fedEvents(entries: readonly Entry[]): EventDraft[] {
  return entries.filter((entry) => entry.type !== undefined);
}

/** Result of the rails of one stage. */
export interface StageOutcome {
  readonly blocked: boolean;
  /** Variables the rails changed; absent when none. */
  readonly contextUpdates?: Readonly<Record<string, unknown>>;
  /** Markers and bot utterances of the rails, in order. */
  readonly entries: readonly Entry[];
  /** Index of the pending user text that was blocked. */
  readonly textAt?: number;
  readonly refusal?: string;
  readonly exception?: GuardrailsEvent;
}
