import { isMetaField } from "./event.js";
import type { Value } from "../../../expressions/values/value.js";

/** A pattern whose expressions are evaluated (spec 5.4.3): plain values, ready to be compared with any event. */
export interface ReadyPattern {
  /** Names of the events that can match; only `activate` waits for two. */
  readonly names: readonly string[];
  /** The instance or action it is bound to. */
  readonly bound?: { readonly kind: "flow" | "action"; readonly uid: string };
  /** `flow_id` must be this. */
  readonly flowId?: string;
  /** Fields of internal events: they must match, and change no score. */
  readonly fields: readonly (readonly [name: string, expected: Value])[];
  /** Payload, or the user part of an internal event. */
  readonly constraints: readonly (readonly [name: string, expected: Value])[];
  /** Of an action: must be included in its start arguments. */
  readonly startArguments: readonly (readonly [name: string, expected: Value])[] | undefined;
  /** The events that make the wait impossible (spec 5.5); only of bound patterns. */
  readonly impossibleBy: readonly string[];
  /** The event comes once, so another outcome of it makes the wait impossible too. */
  readonly isOnce: boolean;
}

/** A key under which a waiting head is found (spec 14). */
export function keysOf(pattern: ReadyPattern): string[] {
  const { bound } = pattern;
  if (bound !== undefined) {
    const names = new Set([...pattern.names, ...pattern.impossibleBy]);
    return [...names].map((name) => boundKey(name, bound.uid));
  }
  return pattern.names.map((name) => nameKey(name, pattern));
}

function nameKey(name: string, pattern: ReadyPattern): string {
  if (pattern.flowId !== undefined) return flowKey(name, pattern.flowId);
  for (const [field, expected] of pattern.constraints) {
    // The index looks into the payload only.
    const key = isMetaField(field) ? undefined : fieldKey(name, field, expected);
    if (key !== undefined) return key;
  }
  for (const [field, expected] of pattern.fields) {
    if (field === "flow_id" && typeof expected === "string") return flowKey(name, expected);
  }
  return anyKey(name);
}

export function boundKey(name: string, uid: string): string {
  return `${name}\nu${uid}`;
}

export function flowKey(name: string, flowId: string): string {
  return `${name}\nf${flowId}`;
}

export function anyKey(name: string): string {
  return name;
}

/** Only of values that are equal to nothing but themselves; undefined for all others. */
export function fieldKey(name: string, field: string, value: Value): string | undefined {
  switch (typeof value) {
    case "string":
      return value.length > 256 ? undefined : `${name}\np${field}\ns${value}`;
    case "number":
      return `${name}\np${field}\nn${value}`;
    case "boolean":
      return `${name}\np${field}\nb${value}`;
    default:
      return value === null ? `${name}\np${field}\n` : undefined;
  }
}
