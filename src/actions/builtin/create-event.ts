import type { ActionDefinition } from "../action.js";
import { actionResult } from "../dispatcher.js";
import { defineAction } from "../define-action.js";

const VARIABLE = /^\$([A-Za-z_]\w*)$/;

/**
 * Sends an event given as a map, for flows that compute their events; `create event` in a flow needs no action. Values
 * of the form `"$name"` are replaced by that variable.
 */
export const createEventAction: ActionDefinition = defineAction(
  { name: "create_event", system: true, parameters: ["event"] },
  ({ event }, { context }) => {
    if (typeof event !== "object" || event === null || Array.isArray(event)) {
      throw new TypeError("`create_event` needs a map `event`");
    }
    const { type, _type, ...properties } = event as Record<string, unknown>;
    const name = type ?? _type;
    if (typeof name !== "string" || name === "") throw new TypeError("the event has no `type`");
    const resolved = Object.entries(properties).map(([key, value]) => [key, resolve(value, context)] as const);
    return actionResult({ events: [{ ...Object.fromEntries(resolved), type: name }] });
  },
);

function resolve(value: unknown, context: Readonly<Record<string, unknown>>): unknown {
  const name = typeof value === "string" ? VARIABLE.exec(value)?.[1] : undefined;
  if (name === undefined) return value;
  return Object.hasOwn(context, name) ? context[name] : null;
}
