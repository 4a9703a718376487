import type { EventDraft, GuardrailsEvent } from "../engine/events.js";

/** An event to take in: fed to the engine, or only written down because it speaks of what a rail did. */
export interface Entry {
  readonly draft: EventDraft;
  readonly feed: boolean;
  /** True for a marker of the pipeline: unless it is fed, only a log of all events shows it. */
  readonly marks?: boolean;
}

export function fed(draft: EventDraft): Entry {
  return { draft, feed: true };
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
