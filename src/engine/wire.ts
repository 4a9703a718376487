import { InputShapeError } from "../diagnostics/errors.js";
import type { EventDraft } from "./events.js";
import type { DataLimits } from "./limits.js";
import { expectPlainData } from "./plain-data.js";
import { isMap } from "./variables.js";

/**
 * Reads an event that comes from outside: a caller, a server request, an action. The result is a fresh copy of plain
 * JSON values under current names, so that later changes have no effect and only own properties are read.
 *
 * @throws InputShapeError when the value is not an event, or holds what has no JSON form
 * @throws LimitError when it is too deep or too large
 *
 * @example
 * ```ts
 * readEvent({ type: "user_said", content: "hi" });
 * // { type: "UtteranceUserActionFinished", final_transcript: "hi" }
 * ```
 */
export function readEvent(value: unknown, limits?: DataLimits): EventDraft {
  if (!isMap(value)) throw new InputShapeError("an event must be a map with a `type`");
  const copy = expectPlainData(value, { at: "event", ...(limits && { limits }) });
  const type = isMap(copy) ? copy["type"] : undefined;
  if (!isMap(copy) || typeof type !== "string" || type === "") {
    throw new InputShapeError("an event needs a `type` that is a text and not empty");
  }
  return translateLegacyEvent({ ...copy, type });
}

interface CurrentName {
  readonly type: string;
  /** Old property name to current one. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Event names of the first generation. They are understood on input and never sent. */
const CURRENT_NAMES: ReadonlyMap<string, CurrentName> = new Map([
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

/** The current name of a property of an event of the first generation; other names come back unchanged. */
export function currentPropertyName(oldType: string, property: string): string {
  const properties = CURRENT_NAMES.get(oldType)?.properties;
  return properties && Object.hasOwn(properties, property) ? (properties[property] ?? property) : property;
}

/**
 * The same event under its current name. Events that already have one come back as they are.
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
