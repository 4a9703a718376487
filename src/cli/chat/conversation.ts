import type { GuardrailsEvent } from "../../engine/events.js";
import type { FlowExplanation } from "../../turn/result.js";

/** A conversation at the terminal, in either dialect. It prints replies and decisions itself. */
export interface Conversation {
  /** Processes the user's input completely. */
  say(text: string, signal: AbortSignal): Promise<void>;
  /** Explains why a flow acted or did not act in the last turn. */
  why(flow: string): FlowExplanation | undefined;
  /** Events of the last turn. */
  readonly events: readonly GuardrailsEvent[];
  /** Returns the conversation as plain JSON, to be resumed later; undefined before the first turn. */
  state(): Promise<unknown>;
  /** Sends an event; Colang 2.x only. */
  send?(event: GuardrailsEvent): Promise<void>;
  /** Seconds after which timers fire; Colang 2.x only. */
  readonly timers?: readonly number[];
  /** Fires the next timer now. */
  ring?(): Promise<void>;
  close(): void;
}

/** Fields without information for users. */
const HIDDEN_FIELD =
  /^(?:uid|action_uid|source_uid|type|is_system_action|is_success|action_info_modality\w*)$|_at$|_key$/;

/** Maximum length of a displayed field value. */
const MAX_SHOWN = 120;

/** Returns an event as one line: its type and its fields, without ids and times. */
export function formatEvent(event: GuardrailsEvent): string {
  const fields = Object.entries(event).filter(([key, value]) => !HIDDEN_FIELD.test(key) && (value ?? null) !== null);
  return [event.type, ...fields.map(([key, value]) => `${key}=${shorten(JSON.stringify(value) ?? "")}`)].join(" ");
}

function shorten(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
