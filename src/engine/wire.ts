import { InputShapeError } from "../diagnostics/errors.js";
import type { EventDraft } from "./events.js";
import { translateLegacyEvent } from "./legacy-names.js";
import type { DataLimits } from "./limits.js";
import { expectPlainData } from "./plain-data.js";
import { isMap } from "./variables.js";

/**
 * Reads an event that comes from outside: a caller, a server request, an action. The result is a fresh copy of plain
 * JSON values under current names, so that nobody can change it afterwards and nothing but own properties got in.
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
