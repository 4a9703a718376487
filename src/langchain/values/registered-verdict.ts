import type { BaseMessage } from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { cloneMessage } from "../models/clone-message.js";
import { isMessage, isObject, type PlainObject } from "./message-kinds.js";

/** The key of a verdict in the metadata of a message. */
export const VERDICT_KEY = "guardrails";

/** INVARIANT: a verdict is known by its identity, which no metadata of a provider and no result of a tool can copy. */
const made = new WeakSet<object>();

/** Marks a verdict as made by this process. */
export function registerVerdict<Verdict extends GuardrailsMetadata>(verdict: Verdict): Verdict {
  made.add(verdict);
  return verdict;
}

/**
 * The verdict on a message if this process made it. One that came from a store, over the network or from a provider is not
 * among these: it may only be believed where it restricts.
 */
export function registeredVerdict(message: BaseMessage): GuardrailsMetadata | undefined {
  const verdict: unknown = message.response_metadata?.[VERDICT_KEY];
  return isVerdict(verdict) && made.has(verdict) ? verdict : undefined;
}

/** Returns true if the value has the form of a verdict. */
export function isVerdict(value: unknown): value is GuardrailsMetadata & PlainObject {
  if (!isObject(value) || typeof value["blocked"] !== "boolean") return false;
  const { decisions } = value;
  return Array.isArray(decisions) && decisions.every(isObject);
}

function isForeign(value: unknown): boolean {
  return !(isObject(value) && made.has(value));
}

/** The message without a verdict that something behind the rails put on it. */
export function withoutForeignVerdict<M extends BaseMessage>(message: M): M {
  const { response_metadata: metadata, additional_kwargs: kwargs } = message;
  const [inMetadata, inKwargs] = [metadata, kwargs].map(
    (fields) => isObject(fields) && Object.hasOwn(fields, VERDICT_KEY) && isForeign(fields[VERDICT_KEY]),
  );
  if (inMetadata !== true && inKwargs !== true) return message;
  return cloneMessage(message, {
    ...(inMetadata === true ? { response_metadata: withoutKey(metadata, VERDICT_KEY) } : {}),
    ...(inKwargs === true ? { additional_kwargs: withoutKey(kwargs, VERDICT_KEY) } : {}),
  });
}

/** The same for each message of a result: one message, a list of them, or an object that holds messages. */
export function withoutForeignVerdicts(value: unknown, depth = 0): unknown {
  if (isMessage(value)) return withoutForeignVerdict(value);
  if (!Array.isArray(value) || depth > 1) return value;
  const items = value.map((item) => withoutForeignVerdicts(item, depth + 1));
  return items.every((item, index) => item === value[index]) ? value : items;
}

/**
 * The object without a verdict that something behind the rails wrote into it.
 *
 * @param verdictKey - the key under which the caller asked for the verdict
 */
export function withoutForeignKey<Holder extends PlainObject>(
  value: Holder,
  verdictKey: string | undefined,
  copy: (kept: PlainObject) => Holder,
): Holder {
  const gone = [VERDICT_KEY, ...(verdictKey === undefined ? [] : [verdictKey])].filter(
    (key) => Object.hasOwn(value, key) && isForeign(value[key]) && (key === verdictKey || isVerdict(value[key])),
  );
  if (gone.length === 0) return value;
  return copy(Object.fromEntries(Object.entries(value).filter(([key]) => !gone.includes(key))));
}

function withoutKey<Fields extends Record<string, unknown>>(fields: Fields, key: string): Fields {
  const { [key]: _gone, ...kept } = fields;
  return kept as Fields;
}
