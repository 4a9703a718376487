import type { EventDraft, GuardrailsEvent } from "../engine/events.js";

/** An event to take in: fed to the engine, or only written down because it speaks of what a rail did. */
export interface Entry {
  readonly draft: EventDraft;
  readonly feed: boolean;
  /** It only tells where the pipeline stands: unless it is fed, nobody but a log of all events wants it. */
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
  /** Markers and what the rails said, in order. */
  readonly entries: readonly Entry[];
  /** Index of the pending user text that was blocked. */
  readonly textAt?: number;
  readonly refusal?: string;
  readonly exception?: GuardrailsEvent;
}
