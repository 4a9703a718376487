import { InputShapeError } from "../diagnostics/errors.js";
import { suggest } from "../diagnostics/suggestion.js";
import type { DataLimits } from "./limits.js";
import { expectPlainData, isMap } from "./plain-data.js";

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

/** Completes drafts to events. */
export type EventFactory = (draft: EventDraft) => GuardrailsEvent;

/**
 * Creates the function that fills in the base fields of UMIM events. Existing fields are kept, so completing an event
 * twice changes nothing.
 *
 * @example
 * ```ts
 * const createEvent = eventFactory({ clock: { now: () => 0 }, ids: countingIds("e") });
 * createEvent({ type: "UserIntent", intent: "greet" });
 * // { type: "UserIntent", uid: "e-1", event_created_at: "1970-01-01T00:00:00.000Z", source_uid: …, intent: "greet" }
 * ```
 */
export function eventFactory({
  clock = systemClock,
  ids = randomIds,
  sourceUid = "langchain-guardrails",
}: { readonly clock?: Clock; readonly ids?: IdSource; readonly sourceUid?: string } = {}): EventFactory {
  return (draft) => {
    const now = formatTimestamp(clock.now());
    const event: Record<string, unknown> & { type: string } = {
      type: draft.type,
      uid: ids.next(),
      event_created_at: now,
      source_uid: sourceUid,
    };
    const isAction = draft.type.includes("Action");
    if (isAction) addActionFields(event, draft, { now, ids });
    // A loop over the keys allocates no list of them, which would be a large part of a turn's garbage.
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
  // Only a start may create the identity of an action; a later stage without one gets its own.
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

/**
 * Reads an event from outside: from a caller, a server request, or an action. Returns a fresh copy of plain JSON values
 * under current names, so that later mutations have no effect and only own properties are read.
 *
 * @throws InputShapeError if the value is not an event, or contains values without a JSON form
 * @throws LimitError if it is too deep or too large
 *
 * @example
 * ```ts
 * readEvent({ type: "user_said", content: "hi" });
 * // { type: "UtteranceUserActionFinished", final_transcript: "hi" }
 * ```
 */
export function readEvent(value: unknown, limits?: DataLimits): EventDraft {
  if (!isMap(value)) throw new InputShapeError("expected an event to be a map with a `type`");
  const copy = expectPlainData(value, { at: "event", ...(limits && { limits }) });
  const type = isMap(copy) ? copy["type"] : undefined;
  if (!isMap(copy) || typeof type !== "string" || type === "") {
    throw new InputShapeError("an event needs a `type` that is a text and not empty");
  }
  return translateLegacyEvent({ ...copy, type });
}

/** Event names of the first generation, and of their properties. They are understood on input and never sent. */
const CURRENT_NAMES: ReadonlyMap<
  string,
  { readonly type: string; readonly properties?: Readonly<Record<string, string>> }
> = new Map([
  ["user_said", { type: "UtteranceUserActionFinished", properties: { content: "final_transcript" } }],
  ["user_intent", { type: "UserIntent" }],
  ["bot_intent", { type: "BotIntent" }],
  ["bot_said", { type: "StartUtteranceBotAction", properties: { content: "script" } }],
  ["start_action", { type: "StartInternalSystemAction" }],
  ["action_finished", { type: "InternalSystemActionFinished" }],
  ["context_update", { type: "ContextUpdate" }],
  ["listen", { type: "Listen" }],
]);

/** The current name of an event type of the first generation; undefined for every other type. */
export function currentEventName(type: string): string | undefined {
  return CURRENT_NAMES.get(type)?.type;
}

/** Returns the current name of a first-generation event property; other names are unchanged. */
export function currentPropertyName(oldType: string, property: string): string {
  const properties = CURRENT_NAMES.get(oldType)?.properties;
  return properties && Object.hasOwn(properties, property) ? (properties[property] ?? property) : property;
}

/**
 * Returns the event under its current name; events that already have one are unchanged.
 *
 * @example
 * ```ts
 * translateLegacyEvent({ type: "user_said", content: "hi" });
 * // { type: "UtteranceUserActionFinished", final_transcript: "hi" }
 * ```
 */
export function translateLegacyEvent<Event extends EventDraft>(event: Event): Event | EventDraft {
  const current = CURRENT_NAMES.get(event.type);
  if (!current) return event;
  const translated: Record<string, unknown> & { type: string } = { type: current.type };
  for (const [key, value] of Object.entries(event)) {
    if (key !== "type" && key !== "__proto__") translated[currentPropertyName(event.type, key)] = value;
  }
  return translated;
}

/**
 * Converts a name to its registered spelling: without a trailing `Action`, in snake_case.
 *
 * @example
 * ```ts
 * toSnakeCaseName("CheckStockAction"); // "check_stock"
 * ```
 */
export function toSnakeCaseName(name: string): string {
  const stem = name.length > "Action".length && name.endsWith("Action") ? name.slice(0, -"Action".length) : name;
  return stem
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
}

/**
 * Converts the registered spelling of an action to its name in flows of Colang 2.x.
 *
 * @example
 * ```ts
 * toActionName("check_stock"); // "CheckStockAction"
 * ```
 */
export function toActionName(name: string): string {
  if (name.endsWith("Action")) return name;
  return `${name.replace(/(?:^|[\s_]+)(.)/g, (_, first: string) => first.toUpperCase())}Action`;
}

/** Blanks and underscores made one, for the last attempt at finding an action. */
export function foldBlanks(name: string): string {
  return name.trim().replace(/[\s_]+/g, "_");
}

/** `get_weather`, `getWeather` and `get weather` are one name. */
export function foldActionName(name: string): string {
  return foldBlanks(toSnakeCaseName(name));
}

/**
 * Returns the action most similar to a misspelt name, however each of them is written.
 *
 * @example
 * ```ts
 * suggestAction("chck_text", ["CheckTextAction"]); // "CheckTextAction"
 * ```
 */
export function suggestAction(written: string, names: Iterable<string>): string | undefined {
  const known = new Map<string, string>();
  for (const name of names) known.set(foldActionName(name), name);
  const folded = foldActionName(written);
  return known.get(folded) ?? known.get(suggest(folded, known.keys()) ?? "");
}

/** Returns the same as a sentence for `hint`. */
export function hintForAction(written: string, names: Iterable<string> = []): string {
  const near = suggestAction(written, names);
  return near === undefined ? "register it before it is used" : `did you mean \`${near}\`?`;
}

/** The only source of time. Tests pass one that stands still. */
export interface Clock {
  /** Returns milliseconds since 1970-01-01 UTC, with fractions if supported. */
  now(): number;
}

/** The time of the platform; it never runs backwards within a process. */
export const systemClock: Clock = { now: () => TIME_ORIGIN + performance.now() };

/** Read once: the property is a getter, and calls read the clock dozens of times. */
const TIME_ORIGIN = performance.timeOrigin;

/**
 * ISO 8601 in UTC with milliseconds.
 *
 * @example
 * ```ts
 * formatTimestamp(0); // "1970-01-01T00:00:00.000Z"
 * ```
 */
export function formatTimestamp(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  if (whole !== lastMillisecond) {
    lastText = new Date(whole).toISOString();
    lastMillisecond = whole;
  }
  return lastText;
}

// Most events of a turn fall into one millisecond, and formatting costs more than the rest of an event.
let lastMillisecond = Number.NaN;
let lastText = "";

/** Starts a timer and returns a function that stops it. Tests pass one they fire themselves. */
export type StartTimer = (milliseconds: number, onTimeout: () => void) => () => void;

/** Platforms take longer delays for no delay at all. */
const LONGEST = 2_147_483_647;

/** The platform's timer. Zero, negative and infinite times never run out. */
export const startTimer: StartTimer = (milliseconds, onTimeout) => {
  const handle = startPlatformTimer(milliseconds, onTimeout);
  return () => clearTimeout(handle);
};

/** Like `startTimer`, but does not keep the process alive. */
export const startIdleTimer: StartTimer = (milliseconds, onTimeout) => {
  const handle = startPlatformTimer(milliseconds, onTimeout);
  handle?.unref?.();
  return () => clearTimeout(handle);
};

/** Runs a task in a later turn of the event loop, and returns a function that cancels it. */
export function startTask(task: () => void): () => void {
  if (typeof setImmediate !== "function") {
    const handle = setTimeout(task, 0);
    return () => clearTimeout(handle);
  }
  const handle = setImmediate(task);
  return () => clearImmediate(handle);
}

function startPlatformTimer(milliseconds: number, onTimeout: () => void): PlatformTimer | undefined {
  if (!(milliseconds > 0) || milliseconds === Infinity) return undefined;
  return setTimeout(onTimeout, Math.min(milliseconds, LONGEST));
}

/** A timer of the platform. Only Node.js and its like can let a process exit before it has run out. */
type PlatformTimer = ReturnType<typeof setTimeout> & { ref?(): unknown; unref?(): unknown };

/** A timer that is restarted repeatedly. */
export interface Watch {
  /** Restarts the timer. */
  restart(): void;
  /** Pauses it until the next restart; the process may exit meanwhile. */
  pause(): void;
  /** Nothing runs out any more. */
  end(): void;
}

/**
 * A timer for frequent restarts. It keeps one platform timer, which checks the clock when it fires, so a restart costs
 * next to nothing.
 */
export function createWatch(milliseconds: number, onTimeout: () => void, clock: Clock = systemClock): Watch {
  let since: number | undefined;
  let timer: PlatformTimer | undefined;
  const look = (): void => {
    timer = undefined;
    if (since === undefined) return;
    const left = since + milliseconds - clock.now();
    if (left > 0) timer = startPlatformTimer(left, look);
    else onTimeout();
  };
  return {
    restart: () => {
      since = clock.now();
      if (timer === undefined) timer = startPlatformTimer(milliseconds, look);
      else timer.ref?.();
    },
    pause: () => {
      since = undefined;
      timer?.unref?.();
    },
    end: () => {
      since = undefined;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
