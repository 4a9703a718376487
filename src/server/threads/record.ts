import { isMap } from "../../engine/plain-data.js";
import { unreadable } from "../../threads/store-access.js";
import { ThreadStoreError } from "../../threads/thread-store.js";
import type { ConversationMessage } from "../openai-format/messages.js";

/** Version of the format of stored conversations. A release that changes the format increments it and still reads this one. */
const FORM = 1;

/** A reply as it was sent: a JSON object, the events of a stream, or plain text. */
export interface StoredReply {
  readonly content: object | readonly object[] | string;
  readonly headers: Readonly<Record<string, string>>;
  /** Length of the content in characters. */
  readonly length: number;
}

/** A turn with an idempotency key of its caller. */
export interface StoredTurn {
  /** Digest of the key. */
  readonly key: string;
  /** Digest of the request. */
  readonly body: string;
  /** Time of the turn in milliseconds since 1970. */
  readonly at: number;
  readonly reply: StoredReply;
}

/** A conversation as the server stores it. All fields change in one write, so that they are always consistent. */
export interface ThreadRecord {
  readonly form: typeof FORM;
  /** Messages as rails left them. */
  readonly messages: readonly ConversationMessage[];
  /** State of the flows; absent if there is none. */
  readonly dialog?: unknown;
  readonly turns: readonly StoredTurn[];
}

export const EMPTY_RECORD: ThreadRecord = { form: FORM, messages: [], turns: [] };

const ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool"]);

/**
 * Reads a stored conversation, which may come from another release or may have been changed externally.
 *
 * @throws ThreadStoreError `RL-402` for a value that is not a conversation in this format
 */
export function readRecord(thread: string, state: unknown): ThreadRecord {
  if (!isMap(state)) throw unreadable(thread, undefined);
  const { form, messages, dialog, turns } = state as Partial<Record<keyof ThreadRecord, unknown>>;
  if (typeof form === "number" && form > FORM) throw newer(thread, form);
  const isRead =
    form === FORM &&
    Array.isArray(messages) &&
    messages.every(isMessage) &&
    Array.isArray(turns) &&
    turns.every(isTurn) &&
    (dialog === undefined || (typeof dialog === "object" && dialog !== null));
  if (!isRead) throw unreadable(thread, undefined);
  return state as unknown as ThreadRecord;
}

function newer(thread: string, form: number): ThreadStoreError {
  const message =
    `the conversation \`${thread}\` was stored by a newer release, in form ${form}; this one reads form ${FORM} and ` +
    "leaves it as it is";
  return new ThreadStoreError(message, { code: "RL-402", thread });
}

function isMessage(value: unknown): boolean {
  if (!isMap(value) || !ROLES.has(value["role"])) return false;
  const { content, tool_calls: calls } = value;
  const isContent =
    typeof content === "string" ||
    content === null ||
    content === undefined ||
    (Array.isArray(content) && content.every(isMap));
  return isContent && (calls === undefined || calls === null || (Array.isArray(calls) && calls.every(isCall)));
}

function isCall(value: unknown): boolean {
  if (!isMap(value)) return false;
  const { id, function: called } = value;
  return (
    typeof id === "string" &&
    isMap(called) &&
    typeof called["name"] === "string" &&
    typeof called["arguments"] === "string"
  );
}

function isTurn(value: unknown): boolean {
  if (!isMap(value)) return false;
  const { key, body, at, reply } = value;
  if (typeof key !== "string" || typeof body !== "string" || typeof at !== "number" || !isMap(reply)) return false;
  const { content, headers, length } = reply;
  const isContent = typeof content === "string" || (typeof content === "object" && content !== null);
  const isHeaders = isMap(headers) && Object.values(headers).every((header) => typeof header === "string");
  return isContent && isHeaders && typeof length === "number";
}
