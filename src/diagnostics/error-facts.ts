import { ActionError, GuardrailsError, LimitError, ModelError } from "./errors.js";

/** Facts about an error and its causes that hold no text of a user or a model. */
export interface ErrorFacts {
  /** Class of the first error that is not of this package, such as `AuthenticationError`. */
  readonly name?: string;
  /** HTTP status of a provider. */
  readonly status?: number;
  /** Machine-readable code of a provider or of the platform, such as `ECONNREFUSED`. */
  readonly reason?: string;
  /** Engine and name of the model that failed. */
  readonly model?: string;
  readonly task?: string;
  readonly action?: string;
  readonly timeoutMs?: number;
  readonly limit?: { readonly name: string; readonly maximum: number };
  /** File, line and column that threw, outside this package and its dependencies. */
  readonly place?: string;
}

const MAX_CAUSES = 8;

/**
 * Reads an error and its causes without their messages: a message may quote the text that a rail looked at.
 *
 * @example
 * ```ts
 * readErrorFacts(error); // { name: "AuthenticationError", status: 401, model: "openai/gpt-4o-mini" }
 * ```
 */
export function readErrorFacts(error: unknown): ErrorFacts {
  const facts: { -readonly [Key in keyof ErrorFacts]: ErrorFacts[Key] } = {};
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && isObject(current); depth += 1) {
    if (GuardrailsError.isInstance(current)) Object.assign(facts, factsOfOurs(current));
    else Object.assign(facts, { ...factsOfOthers(current), ...facts });
    current = read(current, "cause");
  }
  return facts;
}

function factsOfOurs(error: GuardrailsError): ErrorFacts {
  if (LimitError.isInstance(error)) return { limit: { name: error.limit, maximum: error.maximum } };
  if (ActionError.isInstance(error)) {
    return { action: error.action, ...(error.timeoutMs === undefined ? {} : { timeoutMs: error.timeoutMs }) };
  }
  if (!ModelError.isInstance(error)) return {};
  return {
    ...(error.task === undefined ? {} : { task: error.task }),
    ...(error.model === undefined ? {} : { model: error.model }),
  };
}

function factsOfOthers(error: object): ErrorFacts {
  const name = wordOf(read(error, "name"));
  const status = [read(error, "status"), read(error, "statusCode")].find((value) => Number.isInteger(value));
  const reason = wordOf(read(error, "code"));
  const found = { name, status, reason, place: placeOf(error) };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** An identifier; anything longer or with spaces may be a text. */
function wordOf(value: unknown): string | undefined {
  return typeof value === "string" && /^[A-Za-z][\w.-]{0,60}$/.test(value) && value !== "Error" ? value : undefined;
}

const FRAME = /^\s+at (?:.*\()?(?:file:\/\/)?(\/[^\s()]+:\d+:\d+)\)?$/;

/** INVARIANT: a message with several lines could imitate a frame, so its stack is not read. */
function placeOf(error: object): string | undefined {
  const [message, stack] = [read(error, "message"), read(error, "stack")];
  if (typeof stack !== "string" || typeof message !== "string" || /[\r\n\u2028\u2029]/.test(message)) return undefined;
  const places = stack.split("\n").flatMap((line) => FRAME.exec(line)?.[1] ?? []);
  const [first] = places;
  return first === undefined || first.includes("/node_modules/") ? undefined : first;
}

/** Getters of an error may fail. */
function read(from: object, name: string): unknown {
  try {
    return (from as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
