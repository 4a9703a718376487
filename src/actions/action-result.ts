import { isMap } from "../engine/variables.js";
import type { EventDraft } from "../engine/events.js";
import type { ActionResult } from "./action.js";
import { ActionError } from "../diagnostics/errors.js";
import { describeValue } from "../engine/describe-value.js";
import { type PlainData, toPlainData } from "../engine/plain-data.js";

const NO_EVENTS: readonly EventDraft[] = Object.freeze([]);
const NO_UPDATES: ActionResult["contextUpdates"] = Object.freeze({});
const BRAND = Symbol.for("langchain-guardrails.action-result");

/**
 * Makes the result of an action that does more than yield a value: it may bring events and change context variables.
 * A plain object returned by an action is just a value, whatever its keys are.
 *
 * @example
 * ```ts
 * const remember = () => actionResult({ returnValue: "ok", contextUpdates: { bay: 7 } });
 * ```
 */
export function actionResult(fields: {
  readonly returnValue?: unknown;
  readonly events?: readonly EventDraft[];
  readonly contextUpdates?: Readonly<Record<string, unknown>>;
}): ActionResult {
  const result: ActionResult = {
    returnValue: fields.returnValue ?? null,
    events: fields.events ?? NO_EVENTS,
    contextUpdates: fields.contextUpdates ?? NO_UPDATES,
  };
  // Not enumerable, so that copies made key by key lose the brand together with the guarantee.
  return Object.freeze(Object.defineProperty(result, BRAND, { value: true }));
}

/** Recognises results of any copy of this package, in any realm. */
export function isActionResult(value: unknown): value is ActionResult {
  return typeof value === "object" && value !== null && Object.hasOwn(value, BRAND);
}

type Checked =
  | { readonly ok: true; readonly result: ActionResult }
  | { readonly ok: false; readonly error: ActionError };

/**
 * Makes what an action returned into a result of plain data. States, logs and threads keep these values, so one that has
 * no JSON form is refused with its place (CO-407) instead of being changed quietly.
 */
export function checkResult(action: string, returned: unknown): Checked {
  if (!isActionResult(returned)) {
    const value = plain(action, "", returned);
    if (!value.ok) return value;
    return { ok: true, result: { returnValue: value.value, events: NO_EVENTS, contextUpdates: NO_UPDATES } };
  }
  const value = plain(action, "returnValue", returned.returnValue);
  if (!value.ok) return value;
  let { contextUpdates, events } = returned;
  if (contextUpdates !== NO_UPDATES) {
    const updates = plain(action, "contextUpdates", contextUpdates);
    if (!updates.ok) return updates;
    if (!isMap(updates.value)) {
      return refuse(action, "contextUpdates", `${describeValue(contextUpdates)} is not a map of variables`);
    }
    contextUpdates = updates.value;
  }
  if (events !== NO_EVENTS) {
    const copied = plain(action, "events", events);
    if (!copied.ok) return copied;
    if (!Array.isArray(copied.value)) {
      return refuse(action, "events", `${describeValue(events)} is not a list of events`);
    }
    const odd = copied.value.findIndex((event: PlainData) => !isEvent(event));
    if (odd !== -1) return refuse(action, `events[${odd}]`, "an event is a map with a text `type`");
    events = copied.value as unknown as readonly EventDraft[];
  }
  return { ok: true, result: { returnValue: value.value, events, contextUpdates } };
}

function plain(
  action: string,
  field: string,
  value: unknown,
): { readonly ok: true; readonly value: PlainData } | { readonly ok: false; readonly error: ActionError } {
  const copied = toPlainData(value, { at: field });
  return copied.ok ? copied : refuse(action, copied.problem.path, copied.problem.message);
}

function refuse(action: string, path: string, message: string): { readonly ok: false; readonly error: ActionError } {
  const place = path === "" ? "" : ` at \`${path}\``;
  return {
    ok: false,
    error: new ActionError(`the result of \`${action}\` cannot be kept${place}: ${message}`, {
      action,
      code: "CO-407",
    }),
  };
}

function isEvent(value: PlainData): boolean {
  return isMap(value) && typeof value["type"] === "string" && value["type"] !== "";
}
