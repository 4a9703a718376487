import { omitUndefined } from "../../engine/variables.js";
import type { GuardrailsMetadata, RailDecision } from "../../turn/decision.js";
import { isMessage, isObject, isPromptValue, type PlainObject } from "../values/message-kinds.js";
import { bareDecision, bareVerdict, nameOf, REDACTED, redactMessage } from "./redact-message.js";

/** Parameters of models that are names; others are kept only if they are numbers or switches. */
const NAMED = new Set(["model", "model_name", "modelName", "_type", "tool_choice"]);
const STATUSES = new Set<unknown>(["passed", "modified", "blocked", "error", "cancelled"]);
const MAX_DEPTH = 3;

/** The value without what it says: kinds of messages, names of keys, how many there are of something, verdicts. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (value === undefined || value === null) return value;
  if (isMessage(value)) return redactMessage(value);
  if (isPromptValue(value)) return { messages: value.toChatMessages().map(redactMessage) };
  if (Array.isArray(value)) {
    return depth < MAX_DEPTH ? value.map((each: unknown) => redactValue(each, depth + 1)) : REDACTED;
  }
  if (!isObject(value) || depth >= MAX_DEPTH) return REDACTED;
  return depth === 0 ? redactRecord(value) : redactNested(value, depth);
}

/** Inputs and outputs of a run, of which the keys are names that a chain gave to its values. */
function redactRecord(record: PlainObject): PlainObject {
  if (isDecision(record)) return { ...bareDecision(record) };
  const entries = Object.entries(record).map(([key, value], index) => {
    const name = nameOf(key) ?? `key ${index + 1}`;
    if (key === "status" && STATUSES.has(value)) return [name, value] as const;
    return [name, redactValue(value, 1)] as const;
  });
  return Object.fromEntries(entries);
}

/** Below that a key may be a word of the user: only messages and verdicts are looked for. */
function redactNested(value: PlainObject, depth: number): unknown {
  if (isDecision(value)) return bareDecision(value);
  if (isVerdict(value)) return bareVerdict(value);
  const { messages } = value;
  return Array.isArray(messages) ? { messages: redactValue(messages, depth + 1) } : REDACTED;
}

/** Returns an error with its kind alone: messages of errors quote their input. */
export function redactError(error: unknown): Error {
  const redacted = new Error(REDACTED);
  redacted.stack = REDACTED;
  if (!isObject(error)) return redacted;
  const { name, code, lc_error_code } = error;
  redacted.name = nameOf(name) ?? "Error";
  for (const [key, value] of Object.entries({ code, lc_error_code })) {
    const name = nameOf(value);
    if (name !== undefined) Object.assign(redacted, { [key]: name });
  }
  return redacted;
}

/** The name of a runnable, without its prompts and schemas. */
export function redactSerialized(serialized: unknown): unknown {
  if (!isObject(serialized)) return serialized;
  const { lc, type, id, name } = serialized;
  return { lc, type, id, ...omitUndefined({ name }) };
}

/** How a model was asked. */
export function redactExtra(extra: unknown): unknown {
  if (!isObject(extra)) return extra;
  const { batch_size, cached, invocation_params } = extra;
  const parameters = isObject(invocation_params) ? redactParameters(invocation_params) : undefined;
  return omitUndefined({ batch_size, cached, options: {}, invocation_params: parameters });
}

function redactParameters(parameters: PlainObject): PlainObject {
  return Object.fromEntries(
    Object.entries(parameters).filter(
      ([key, value]) =>
        typeof value === "number" ||
        typeof value === "boolean" ||
        (NAMED.has(key) && typeof value === "string" && nameOf(value) !== undefined),
    ),
  );
}

/** Result of a model without its texts. */
export function redactResult(result: unknown): unknown {
  if (!isObject(result)) return REDACTED;
  const { generations, llmOutput } = result;
  const lists = Array.isArray(generations) ? (generations as unknown[]) : [];
  return {
    generations: lists.map((list) => (Array.isArray(list) ? (list as unknown[]).map(redactGeneration) : [])),
    ...(isObject(llmOutput) ? { llmOutput: countsOf(llmOutput) } : {}),
  };
}

function redactGeneration(generation: unknown): unknown {
  const { message } = isObject(generation) ? generation : {};
  return { text: REDACTED, generationInfo: {}, ...(isMessage(message) ? { message: redactMessage(message) } : {}) };
}

/** The numbers in it, under their names. */
function countsOf(value: PlainObject, depth = 0): PlainObject {
  const entries = Object.entries(value).flatMap(([key, inner]): (readonly [string, unknown])[] => {
    if (typeof inner === "number") return [[key, inner]];
    return isObject(inner) && depth < MAX_DEPTH ? [[key, countsOf(inner, depth + 1)]] : [];
  });
  return Object.fromEntries(entries);
}

/** As many documents as there were. */
export function redactDocuments(documents: unknown): unknown {
  const all = Array.isArray(documents) ? documents : [];
  return all.map(() => ({ pageContent: REDACTED, metadata: {} }));
}

export function redactEvent(data: unknown): unknown {
  return isObject(data) && isDecision(data) ? bareDecision(data) : REDACTED;
}

function isDecision(value: unknown): value is RailDecision & PlainObject {
  return (
    isObject(value) &&
    STATUSES.has(value["status"]) &&
    typeof value["stage"] === "string" &&
    typeof value["rail"] === "string" &&
    typeof value["durationMs"] === "number"
  );
}

function isVerdict(value: unknown): value is GuardrailsMetadata & PlainObject {
  return (
    isObject(value) &&
    typeof value["blocked"] === "boolean" &&
    Array.isArray(value["decisions"]) &&
    value["decisions"].every(isDecision)
  );
}
