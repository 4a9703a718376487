import { splitActionEvent } from "../../colang2/action-events.js";
import { isInternalEvent } from "../../colang2/internal-events.js";
import { modalityOf } from "../../colang2/modalities.js";
import { InputShapeError } from "../../diagnostics/errors.js";
import { formatTimestamp, type Clock } from "../../engine/clock.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import type { IdSource } from "../../engine/ids.js";
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

/** Completes an event to what is on the wire (spec 5.1); what it has already is kept. */
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

/** Fields that are texts wherever they are there (spec 5.1). */
const TEXTS = ["script", "final_script", "interim_script", "final_transcript", "interim_transcript"] as const;

/**
 * An event of the world outside, as far as it may come from there.
 *
 * @throws InputShapeError for what is no event, and for events of the engine itself (spec 5.3.4)
 */
export function admitEvent(value: unknown, source: EventSource): GuardrailsEvent {
  const draft = readEvent(value);
  if (isInternalEvent(draft.type)) {
    throw new InputShapeError(`\`${draft.type}\` is an event of the engine itself and cannot come from outside`);
  }
  const parts = splitActionEvent(draft.type);
  const uid = draft["action_uid"];
  if (parts !== undefined && uid !== undefined && typeof uid !== "string") {
    throw new InputShapeError(`\`action_uid\` of \`${draft.type}\` must be a text`);
  }
  const wrong = parts === undefined ? undefined : TEXTS.find((name) => isNoText(draft[name]));
  if (wrong !== undefined) throw new InputShapeError(`\`${wrong}\` of \`${draft.type}\` must be a text`);
  return completeEvent(draft, source);
}

function isNoText(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "string";
}
