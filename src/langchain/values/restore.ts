import type { BaseMessage } from "@langchain/core/messages";
import type { PseudonymTable } from "../../actions/pseudonym-table.js";
import {
  cloneMessage,
  copyOf,
  isMessage,
  isObject,
  isPromptValue,
  type MessageChanges,
  type PlainObject,
  roleOf,
} from "./message-kinds.js";

/** Maximum nesting of arrays and objects in which texts are changed. */
const MOST_LEVELS = 100;

/** Path of a text in a value. An array item has the `index` and `type` by which chunks are joined. */
export type TextPath = readonly (string | { readonly index: unknown; readonly type?: unknown })[];

/** Changes a text; `json` for a text that holds JSON. */
export type ChangeText = (text: string, json: boolean, path: TextPath) => string;

/** Message fields with texts of a conversation. Metadata keep the verdict and the provider's facts. */
const FIELDS = ["content", "tool_calls", "invalid_tool_calls", "tool_call_chunks", "additional_kwargs", "artifact"];

/** Keys whose texts are JSON in providers' messages. */
const JSON_KEYS: ReadonlySet<string> = new Set(["args", "arguments", "input_json", "partial_json"]);

/** Keys whose texts are identifiers. */
const NAME_KEYS: ReadonlySet<string> = new Set(["type", "id", "role", "tool_call_id"]);

/**
 * Returns a copy of a value with the call's pseudonyms replaced by their values; the same value if the call has none.
 * Reads texts, messages (all content blocks, tool arguments), documents, arrays and plain objects.
 */
export function restoreValue<Value>(value: Value, table: PseudonymTable | undefined): Value {
  if (table === undefined) return value;
  // The shape is unchanged: only texts change.
  return changeTexts(value, (text, json) => restoreText(text, json, table)) as Value;
}

/** Returns a text with values restored; set `json` for a text that holds JSON. */
export function restoreText(text: string, json: boolean, table: PseudonymTable): string {
  if (!json) return table.restore(text);
  const restoring = table.restoreStream({ json });
  return restoring.push(text) + restoring.finish();
}

/**
 * Returns a value whose assistant messages have pseudonyms for the values in the table. Rails have reviewed all other
 * messages; assistant messages hold restored values, also in tool arguments.
 */
export function hideValues(value: unknown, table: PseudonymTable, level = 0): unknown {
  if (typeof value !== "object" || value === null || level > MOST_LEVELS) return value;
  if (Array.isArray(value)) return value.map((item) => hideValues(item, table, level + 1));
  if (isMessage(value)) {
    return roleOf(value) === "assistant" ? changeMessage(value, (text) => table.hide(text), []) : value;
  }
  if (isPromptValue(value)) {
    if (!("messages" in value)) return value;
    const changes = { messages: hideValues(value.messages, table, level + 1) };
    return copyOf(value, { ...changes, lc_kwargs: changes });
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideValues(item, table, level + 1)]));
}

/** Returns a copy of a value with all its texts changed. */
export function changeTexts(value: unknown, change: ChangeText, path: TextPath = [], json = false): unknown {
  if (typeof value === "string") return change(value, json, path);
  if (typeof value !== "object" || value === null || path.length >= MOST_LEVELS) return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) => {
      const { index = `at ${at}`, type } = isObject(item) ? item : ({} as PlainObject);
      return changeTexts(item, change, [...path, { index, type }]);
    });
  }
  if (isMessage(value)) return changeMessage(value, change, path);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return changeEntries(value as PlainObject, change, path);
  // A document.
  if (!isObject(value) || typeof value["pageContent"] !== "string") return value;
  const pageContent = change(value["pageContent"], false, [...path, "pageContent"]);
  return copyOf(value, { pageContent, metadata: changeTexts(value["metadata"], change, [...path, "metadata"]) });
}

function changeEntries(value: PlainObject, change: ChangeText, path: TextPath): unknown {
  const entries = Object.entries(value).map(([key, item]) => {
    const isName = NAME_KEYS.has(key) && typeof item === "string";
    return [key, isName ? item : changeTexts(item, change, [...path, key], JSON_KEYS.has(key))] as const;
  });
  // INVARIANT: `fromEntries` defines properties, so no key reaches a setter such as `__proto__`.
  return Object.fromEntries(entries);
}

function changeMessage<M extends BaseMessage>(message: M, change: ChangeText, path: TextPath): M {
  const fields = message as unknown as PlainObject;
  const changes = FIELDS.filter((field) => fields[field] !== undefined).map(
    (field) => [field, changeTexts(fields[field], change, [...path, field])] as const,
  );
  return cloneMessage(message, Object.fromEntries(changes) as MessageChanges);
}
