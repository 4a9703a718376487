import { InputShapeError, LimitError } from "../diagnostics/errors.js";
import type { EventDraft } from "./events.js";
import { translateLegacyEvent } from "./legacy-names.js";

/** How large and how deep an event from outside may be. */
export interface WireLimits {
  readonly depth: number;
  /** Values of all levels together: list items, map entries and single values. */
  readonly values: number;
  /** Characters of all texts and keys together. */
  readonly characters: number;
}

const DEFAULT_WIRE_LIMITS: WireLimits = { depth: 64, values: 100_000, characters: 16_777_216 };

/**
 * Reads an event that comes from outside: a caller, a server request, an action. The result is a fresh copy of plain
 * JSON values under current names, so that nobody can change it afterwards and nothing but own properties got in.
 *
 * @throws InputShapeError when the value is not an event
 * @throws LimitError when it is too deep or too large
 *
 * @example
 * ```ts
 * readEvent({ type: "user_said", content: "hi" });
 * // { type: "UtteranceUserActionFinished", final_transcript: "hi" }
 * ```
 */
export function readEvent(value: unknown, limits: WireLimits = DEFAULT_WIRE_LIMITS): EventDraft {
  if (!isMap(value)) throw new InputShapeError("an event must be a map with a `type`");
  const copy = toWire(value, limits);
  const type = isMap(copy) ? copy["type"] : undefined;
  if (!isMap(copy) || typeof type !== "string" || type === "") {
    throw new InputShapeError("an event needs a `type` that is a text and not empty");
  }
  return translateLegacyEvent({ ...copy, type });
}

/**
 * A copy of a value as JSON can carry it: functions, symbols, `undefined` and the key `__proto__` are left out of maps
 * and become null in lists, as do numbers JSON has no word for. Values with `toJSON` answer for themselves.
 */
export function toWire(value: unknown, limits: WireLimits = DEFAULT_WIRE_LIMITS): unknown {
  let budget = limits.values;
  let characters = limits.characters;
  const spend = (text: string): string => {
    if ((characters -= text.length) < 0) throw tooMuch("eventCharacters", limits.characters);
    return text;
  };
  const copy = (item: unknown, depth: number): unknown => {
    if (depth > limits.depth) throw tooMuch("eventDepth", limits.depth);
    if ((budget -= 1) < 0) throw tooMuch("eventValues", limits.values);
    if (typeof item === "string") return spend(item);
    if (typeof item === "boolean" || item === null) return item;
    // JSON has one zero.
    if (typeof item === "number") return Number.isFinite(item) ? item + 0 : null;
    if (typeof item !== "object") return undefined;
    if (Array.isArray(item)) return item.map((entry) => copy(entry, depth + 1) ?? null);
    if ("toJSON" in item && typeof item.toJSON === "function") return copy(item.toJSON(), depth + 1);
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(item)) {
      if (key === "__proto__") continue;
      const entry = copy((item as Record<string, unknown>)[key], depth + 1);
      if (entry !== undefined) result[spend(key)] = entry;
    }
    return result;
  };
  return copy(value, 0);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tooMuch(limit: string, maximum: number): LimitError {
  return new LimitError(`event exceeds the limit \`${limit}\` of ${maximum}`, { limit, maximum });
}
