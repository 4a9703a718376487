import type { BaseMessage } from "@langchain/core/messages";
import type { PseudonymTable } from "../../actions/pseudonym-table.js";
import { copyOf, isMessage, isObject, type PlainObject } from "../values/message-kinds.js";
import { changeTexts, restoreText } from "../values/restore.js";
import { registeredVerdict, withVerdict } from "../verdict.js";
import { messageFingerprint } from "./tool-calls.js";
import { assignParts, isCommand, visitCommand } from "./tool-output.js";

/** Returns a value in which pseudonyms replace the values in the table. */
export function hide<Value>(value: Value, table: PseudonymTable): Value {
  return changed(value, (text) => table.hide(text));
}

/** Returns a message or other value with its values restored; unchanged if it has no pseudonym. */
export function restore<Value>(value: Value, table: PseudonymTable | undefined): Value {
  if (table === undefined) return value;
  const restored = changed(value, (text, json) => restoreText(text, json, table));
  if (restored === value || !isMessage(restored) || !isMessage(value)) return restored;
  const verdict = registeredVerdict(value);
  // INVARIANT: the verdict is about this message, in which only pseudonyms changed.
  if (verdict?.fingerprint === undefined) return restored;
  return withVerdict(restored, { ...verdict, fingerprint: messageFingerprint(restored) }) as Value & BaseMessage;
}

/**
 * Restores the output of a tool or of a node, which may be a command.
 *
 * @param stays - returns true for a message that is kept unchanged. Default: none
 */
export async function restoreOutput(
  output: unknown,
  table: PseudonymTable | undefined,
  stays: (message: BaseMessage) => boolean = () => false,
): Promise<unknown> {
  if (table === undefined) return output;
  const visit = (message: BaseMessage): BaseMessage => (stays(message) ? message : restore(message, table));
  if (!isCommand(output)) return restoreParts(output, table, visit);
  const parts = await visitCommand(
    output,
    (message) => Promise.resolve(visit(message)),
    (text) => Promise.resolve(table.restore(text)),
  );
  return Object.keys(parts).length === 0 ? output : assignParts(copyOf(output, {}), parts);
}

/** Restores messages separately in a message, a list of messages or an update with such lists; all else as a whole. */
function restoreParts(value: unknown, table: PseudonymTable, visit: (message: BaseMessage) => BaseMessage): unknown {
  if (isMessage(value)) return visit(value);
  if (Array.isArray(value)) return value.map((item: unknown) => restoreParts(item, table, visit));
  const prototype: unknown = isObject(value) ? Object.getPrototypeOf(value) : undefined;
  if (prototype !== Object.prototype) return restore(value, table);
  const entries = Object.entries(value as PlainObject);
  return Object.fromEntries(entries.map(([key, item]) => [key, restoreParts(item, table, visit)]));
}

/** Returns a tool's error with values restored in its text. */
export function restoreError(error: unknown, table: PseudonymTable | undefined): unknown {
  if (table === undefined || !(error instanceof Error)) return error;
  const message = table.restore(error.message);
  return message === error.message ? error : new Error(message);
}

function changed<Value>(value: Value, change: (text: string, json: boolean) => string): Value {
  let isChanged = false;
  const copy = changeTexts(value, (text, json) => {
    const after = change(text, json);
    isChanged ||= after !== text;
    return after;
  });
  // The shape is unchanged: only texts change.
  return isChanged ? (copy as Value) : value;
}
