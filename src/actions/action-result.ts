import type { EventDraft } from "../engine/events.js";
import type { ActionResult } from "./action.js";

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
    events: fields.events ?? [],
    contextUpdates: fields.contextUpdates ?? {},
  };
  // Not enumerable, so that copies made key by key lose the brand together with the guarantee.
  return Object.freeze(Object.defineProperty(result, BRAND, { value: true }));
}

/** Recognises results of any copy of this package, in any realm. */
export function isActionResult(value: unknown): value is ActionResult {
  return typeof value === "object" && value !== null && Object.hasOwn(value, BRAND);
}
