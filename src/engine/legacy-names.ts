import type { EventDraft } from "./events.js";

interface CurrentName {
  readonly type: string;
  /** Old property name to current one. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Event names of the first generation (spec 7.1). They are understood on input and never sent. */
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
