import { GuardrailsError, InputShapeError } from "../diagnostics/errors.js";
import { STATE_LIMITS } from "../engine/limits.js";
import { isMap, type PlainData, toPlainData } from "../engine/plain-data.js";

/** Returns true for `{}`, which starts a new conversation. */
export function isNewState(stored: unknown): boolean {
  return isMap(stored) && Object.keys(stored).length === 0;
}

/**
 * Returns a stored conversation as plain data.
 *
 * @throws GuardrailsError `RL-402` for anything but plain data, or for too much of it
 */
export function readPlainState(stored: unknown): PlainData {
  const plain = toPlainData(stored, { at: "state", limits: STATE_LIMITS });
  if (plain.ok) return plain.value;
  throw unreadable(new InputShapeError(`\`${plain.problem.path}\`: ${plain.problem.message}`));
}

export function unreadable(cause: unknown): GuardrailsError {
  const message = "expected a conversation state of this version; start a new conversation with `state: {}`";
  return new GuardrailsError(message, { code: "RL-402", cause });
}
