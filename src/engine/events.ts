import { formatTimestamp, systemClock, type Clock } from "./clock.js";

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

interface EventFactoryOptions {
  readonly clock?: Clock;
  readonly ids?: IdSource;
  /** Sender of the events, as `source_uid`. */
  readonly sourceUid?: string;
}

/** Completes drafts to events. */
export type EventFactory = (draft: EventDraft) => GuardrailsEvent;

const DEFAULT_SOURCE_UID = "langchain-guardrails";

/**
 * Makes the function that fills in the base fields of UMIM events. Fields the draft already has are
 * kept, so completing an event twice changes nothing.
 *
 * @example
 * ```ts
 * const createEvent = eventFactory({ clock: { now: () => 0 }, ids: countingIds("e") });
 * createEvent({ type: "UserIntent", intent: "greet" });
 * // { type: "UserIntent", uid: "e-1", event_created_at: "1970-01-01T00:00:00.000Z", source_uid: …, intent: "greet" }
 * ```
 */
export function eventFactory(options: EventFactoryOptions = {}): EventFactory {
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? randomIds;
  const sourceUid = options.sourceUid ?? DEFAULT_SOURCE_UID;
  // Most events of a turn fall into one millisecond, and formatting costs more than the rest of an event.
  let lastMillisecond = Number.NaN;
  let lastText = "";
  return (draft) => {
    const millisecond = Math.floor(clock.now());
    if (millisecond !== lastMillisecond) {
      lastMillisecond = millisecond;
      lastText = formatTimestamp(millisecond);
    }
    const event: Record<string, unknown> & { type: string } = {
      type: draft.type,
      uid: ids.next(),
      event_created_at: lastText,
      source_uid: sourceUid,
    };
    const isAction = draft.type.includes("Action");
    if (isAction) addActionFields(event, draft, { now: lastText, ids });
    // A loop over the keys themselves makes no list of them; a list for each event is much of what a turn leaves behind.
    for (const key in draft) {
      if (!Object.hasOwn(draft, key)) continue;
      const value = draft[key];
      // INVARIANT: no key of a draft reaches a prototype; `__proto__` is not a property of any event.
      if (value !== undefined && key !== "__proto__") event[key] = value;
    }
    if (isAction && event["is_success"] === true && event["failure_reason"] !== undefined)
      delete event["failure_reason"];
    return event;
  };
}

function addActionFields(
  event: Record<string, unknown>,
  draft: EventDraft,
  { now, ids }: { readonly now: string; readonly ids: IdSource },
): void {
  const { type } = draft;
  const isFinished = type.endsWith("Finished");
  if (isFinished) event["action_finished_at"] = now;
  else if (type.endsWith("Started")) event["action_started_at"] = now;
  else if (type.endsWith("Updated")) event["action_updated_at"] = now;
  // Only a start may invent the identity of an action; a later stage without one has an identity of its own.
  if (draft["action_uid"] === undefined) event["action_uid"] = ids.next();
  if (isFinished && draft["is_success"] === undefined) {
    event["is_success"] = draft["status"] === undefined || draft["status"] === "success";
  }
  if (!type.includes("Utterance")) return;
  event["action_info_modality"] = type.includes("UtteranceUser") ? "user_speech" : "bot_speech";
  event["action_info_modality_policy"] = "replace";
}

/** The only source of identifiers. Tests pass one that counts. */
export interface IdSource {
  next(): string;
}

const COUNTER_DIGITS = 12;

const LAST_DIGITS = 2;

const LAST_COUNTS = 16 ** LAST_DIGITS;

const LAST = Array.from({ length: LAST_COUNTS }, (_, count) => count.toString(16).padStart(LAST_DIGITS, "0"));

/** UUIDs whose last twelve digits count: unique like random ones, and several are made for every event of a turn. */
export const randomIds: IdSource = createRandomIds();

function createRandomIds(): IdSource {
  let prefix = "";
  let count = 0;
  // All but the last digits change rarely, and padding costs more than the rest of an id.
  let head = "";
  return {
    next() {
      if (prefix === "") prefix = globalThis.crypto.randomUUID().slice(0, -COUNTER_DIGITS);
      count += 1;
      const last = count % LAST_COUNTS;
      if (last === 0 || head === "") {
        head =
          prefix +
          Math.floor(count / LAST_COUNTS)
            .toString(16)
            .padStart(COUNTER_DIGITS - LAST_DIGITS, "0");
      }
      return head + (LAST[last] as string);
    },
  };
}

/**
 * Identifiers that are the same in every run.
 *
 * @example
 * ```ts
 * const ids = countingIds("t");
 * ids.next(); // "t-1"
 * ```
 */
export function countingIds(prefix = "id"): IdSource {
  let count = 0;
  return { next: () => `${prefix}-${(count += 1)}` };
}
