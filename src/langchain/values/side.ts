import {
  isMessage,
  isMessageLike,
  isObject,
  isPromptValue,
  type PlainObject,
  roleOf,
  toMessage,
} from "./message-kinds.js";
import { shapeError } from "../shape-error.js";

export type Side = "user" | "bot";

export interface SideOptions {
  /** Key of the response in an object. */
  readonly outputKey?: string | undefined;
}

const RESPONSE_KEYS = ["answer", "output", "result", "text"] as const;

const SIDE_HINT =
  "pass a string, a message, a list of messages, a prompt value, `{ messages }` or an object with a response key " +
  "(`answer`, `output`, `result`, `text`, or name yours with `outputKey`)";

/** Shapes in which a response can be read. */
export const RESPONSE_HINT =
  "return a string, a message, a list of messages, or an object with a response key (`answer`, `output`, `result`, `text`, " +
  "`messages`, or name yours with `outputKey`)";

/**
 * Returns the side of the conversation that a value belongs to: prompts and lists that end with the user are the
 * user's; answers and strings are the bot's.
 *
 * @throws InputShapeError with the type, the keys found and a hint
 */
export function sideOf(value: unknown, options: SideOptions = {}): Side {
  if (typeof value === "string") return "bot";
  if (Array.isArray(value)) return sideOfList(value);
  if (isPromptValue(value)) return "user";
  if (isMessage(value)) return sideOfMessages([value], value);
  if (isObject(value)) {
    if (responseKeyOf(value, options) !== undefined) return "bot";
    if (Array.isArray(value["messages"])) return sideOfList(value["messages"]);
  }
  throw shapeError("expected messages, a prompt value or a string", value, SIDE_HINT);
}

/** Key of the response in an object: the named one, otherwise the first common one present. */
export function responseKeyOf(value: PlainObject, options: SideOptions = {}): string | undefined {
  if (options.outputKey !== undefined) return Object.hasOwn(value, options.outputKey) ? options.outputKey : undefined;
  const keys = RESPONSE_KEYS.filter((key) => Object.hasOwn(value, key));
  const readable = keys.filter((key) => {
    const candidate = value[key];
    return (
      (typeof candidate === "string" && candidate !== "") ||
      isMessage(candidate) ||
      isMessageList(candidate) ||
      isObject(candidate)
    );
  });
  // INVARIANT: if two keys could hold the response, guessing would leave one of them unchecked.
  if (readable.length > 1) {
    const shown = readable.map((key) => `\`${key}\``).join(" and ");
    throw shapeError(`expected one answer, found both ${shown}`, value, "say which with `outputKey`");
  }
  return readable[0] ?? keys[0];
}

/** Returns true for a list of messages in any form; a list of strings alone is not one. */
export function isMessageList(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  let hasMessage = false;
  for (const item of value) {
    if (!isMessageLike(item)) return false;
    hasMessage ||= typeof item !== "string";
  }
  return hasMessage;
}

function sideOfList(list: readonly unknown[]): Side {
  refuseSteering(list);
  if (!isMessageList(list)) throw shapeError("expected a list of messages", list, SIDE_HINT);
  return sideOfMessages(list, list);
}

/** The side of the last message that is not a system message. */
function sideOfMessages(messages: readonly unknown[], value: unknown): Side {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const role = roleOf(toMessage(messages[index]));
    if (role !== "system") return role === "assistant" ? "bot" : "user";
  }
  throw shapeError("expected a message of the user or the bot", value, SIDE_HINT);
}

/** @throws InputShapeError for messages that set variables or send events to the engine */
export function refuseSteering(list: readonly unknown[]): void {
  const steering = list.find((item) => isObject(item) && !isMessage(item) && STEERING_ROLES.has(item["role"]));
  if (steering === undefined) return;
  const { role } = steering as { readonly role: string };
  const option = role === "context" ? "allowContextMessages" : "allowEventMessages";
  const hint = `pass it to \`generate\`, or allow it for \`invoke\` with the option \`${option}: true\``;
  throw shapeError(`expected no message of the role \`${role}\``, list, hint);
}

const STEERING_ROLES: ReadonlySet<unknown> = new Set(["context", "event"]);
