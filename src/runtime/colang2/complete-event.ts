import { MAX_EVENT_NAME, splitActionEvent, isInternalEvent, modalityOf } from "../../colang2/event-names.js";
import { RAIL_VARIABLES } from "../../engine/context-variables.js";
import { InputShapeError } from "../../diagnostics/errors.js";
import { formatTimestamp, type Clock } from "../../engine/clock.js";
import type { EventDraft, GuardrailsEvent, IdSource } from "../../engine/events.js";
import { readEvent } from "../../engine/wire.js";

export interface EventSource {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly sourceUid: string;
}

const TIMES: ReadonlyMap<string, string> = new Map([
  ["Started", "action_started_at"],
  ["Finished", "action_finished_at"],
]);

/** Completes an event to what is on the wire; what it has already is kept. */
export function completeEvent(draft: EventDraft, { clock, ids, sourceUid }: EventSource): GuardrailsEvent {
  const now = formatTimestamp(clock.now());
  const parts = splitActionEvent(draft.type);
  const modality = parts === undefined ? undefined : modalityOf(parts.action);
  const time = parts === undefined || parts.isRequest ? undefined : (TIMES.get(parts.member) ?? "action_updated_at");
  return {
    uid: ids.next(),
    event_created_at: now,
    source_uid: sourceUid,
    ...(time === undefined ? {} : { [time]: now }),
    ...(parts?.member === "Finished" ? { is_success: true } : {}),
    ...(modality === undefined
      ? {}
      : { action_info_modality: modality.modality, action_info_modality_policy: modality.policy }),
    ...draft,
  };
}

/** Types of the fields of action events. */
const ACTION_FIELDS: ReadonlyMap<string, "string" | "boolean"> = new Map([
  ["action_uid", "string"],
  ["script", "string"],
  ["final_script", "string"],
  ["interim_script", "string"],
  ["final_transcript", "string"],
  ["interim_transcript", "string"],
  ["is_success", "boolean"],
  ["was_stopped", "boolean"],
  ["failure_reason", "string"],
] as const);

/** The same of every event. */
const FIELDS: ReadonlyMap<string, "string" | "boolean"> = new Map([
  ["uid", "string"],
  ["event_created_at", "string"],
  ["source_uid", "string"],
] as const);

/** The one event in which each of the user's words comes: rails look for them there. */
const SPOKEN: ReadonlyMap<string, string> = new Map([
  ["final_transcript", "UtteranceUserActionFinished"],
  ["interim_transcript", "UtteranceUserActionTranscriptUpdated"],
]);

/**
 * An event of the world outside, as far as it may come from there.
 *
 * @throws InputShapeError for what is no event, for events of the engine itself, for fields of another type
 *   than they have, and for what would go past the rails
 * @throws LimitError for what is too deep or too large
 */
export function admitEvent(value: unknown, source: EventSource): GuardrailsEvent {
  const draft = readEvent(value);
  const { type } = draft;
  if (type.length > MAX_EVENT_NAME) {
    throw new InputShapeError(`the \`type\` of an event has at most ${MAX_EVENT_NAME} characters, not ${type.length}`);
  }
  if (isInternalEvent(type)) {
    throw new InputShapeError(`\`${type}\` is an event of the engine itself and cannot come from outside`);
  }
  checkFields(draft, FIELDS);
  const parts = splitActionEvent(type);
  if (parts !== undefined) checkFields(draft, ACTION_FIELDS);
  if (parts?.action === "UtteranceUserAction") checkWords(draft);
  if (type === "ContextUpdate") checkContext(draft["data"]);
  return completeEvent(draft, source);
}

/** The variable among those that rails look at and rewrite which an event from outside would set. */
export function judgedVariable({ type, data }: GuardrailsEvent): string | undefined {
  if (type !== "ContextUpdate" || typeof data !== "object" || data === null) return undefined;
  return [...JUDGED].find((name) => Object.hasOwn(data, name));
}

/** Texts that rails check; where no rails stand, an event may set them. */
const JUDGED: ReadonlySet<string> = new Set(["user_message", "bot_message"]);

function checkFields(draft: EventDraft, fields: ReadonlyMap<string, "string" | "boolean">): void {
  for (const [name, type] of fields) {
    const value = draft[name];
    if (value === undefined || value === null || typeof value === type) continue;
    const wanted = type === "string" ? "a text" : "`true` or `false`";
    throw new InputShapeError(`\`${name}\` of \`${draft.type}\` must be ${wanted}`);
  }
}

function checkWords(draft: EventDraft): void {
  for (const [name, type] of SPOKEN) {
    if (typeof draft[name] !== "string" || draft.type === type) continue;
    throw new InputShapeError(`\`${name}\` belongs to \`${type}\`, not to \`${draft.type}\``);
  }
}

function checkContext(data: unknown): void {
  if (data === undefined || data === null) return;
  if (typeof data !== "object" || Array.isArray(data))
    throw new InputShapeError("`data` of `ContextUpdate` must be a map");
  const steering = Object.keys(data).find((name) => RAIL_VARIABLES.has(name));
  if (steering === undefined) return;
  throw new InputShapeError(`\`${steering}\` steers the rails and cannot be set from outside`);
}
