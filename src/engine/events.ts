/**
 * An event as every engine sees it: a type and free properties in snake_case, as on the wire. Events of callers may
 * lack the base fields; events this package sends always carry them.
 */
export interface GuardrailsEvent {
  readonly type: string;
  readonly uid?: string;
  readonly event_created_at?: string;
  readonly source_uid?: string;
  readonly [property: string]: unknown;
}

/** An event without base fields, as an engine or an action asks for it. The run loop completes it. */
export interface EventDraft {
  readonly type: string;
  readonly [property: string]: unknown;
}
