import { ActionError, GuardrailsError, LimitError, ModelError } from "./errors.js";

/** Facts about an error and its causes, without texts of users or models. */
export interface ErrorFacts {
  /** Class of the first error from another package, such as `AuthenticationError`. */
  readonly name?: string;
  /** HTTP status of a provider or a service. */
  readonly status?: number;
  /** Machine-readable code of a provider or of the platform, such as `ECONNREFUSED`. */
  readonly reason?: string;
  /** Engine and name of the failed model. */
  readonly model?: string;
  readonly task?: string;
  readonly action?: string;
  readonly timeoutMs?: number;
  readonly limit?: { readonly name: string; readonly maximum: number };
  /** Advice of the failed action. */
  readonly hint?: string;
  /** File, line and column of the throw, outside this package and its dependencies. */
  readonly place?: string;
}

const MAX_CAUSES = 8;

/**
 * Reads an error and its causes without their messages, which may quote text that a rail checked.
 *
 * @example
 * ```ts
 * readErrorFacts(error); // { name: "AuthenticationError", status: 401, model: "openai/gpt-4o-mini" }
 * ```
 */
export function readErrorFacts(error: unknown): ErrorFacts {
  let facts: ErrorFacts = {};
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof current === "object" && current !== null; depth += 1) {
    const failed: object = current;
    const isOurs = GuardrailsError.isInstance(failed);
    const read = Object.entries(isOurs ? factsOfOurs(failed) : factsOfOthers(failed));
    const found: ErrorFacts = Object.fromEntries(read.filter(([, value]) => value !== undefined));
    facts = isOurs ? { ...facts, ...found } : { ...found, ...facts };
    current = member(current, "cause");
  }
  return facts;
}

type Facts = { readonly [Key in keyof ErrorFacts]: ErrorFacts[Key] | undefined };

function factsOfOurs(error: GuardrailsError): Facts {
  if (LimitError.isInstance(error)) return { limit: { name: error.limit, maximum: error.maximum } };
  if (ActionError.isInstance(error)) {
    const { action, timeoutMs, status, hint } = error;
    return { action, timeoutMs, status, hint };
  }
  return ModelError.isInstance(error) ? { task: error.task, model: error.model } : {};
}

function factsOfOthers(error: object): Facts {
  const status = [member(error, "status"), member(error, "statusCode")].find(Number.isInteger) as number | undefined;
  const [name, reason] = [wordOf(member(error, "name")), wordOf(member(error, "code"))];
  return { name, status, reason, place: placeOf(error) };
}

/** An identifier; anything longer or with spaces may be text. */
function wordOf(value: unknown): string | undefined {
  return typeof value === "string" && /^[A-Za-z][\w.-]{0,60}$/.test(value) && value !== "Error" ? value : undefined;
}

const FRAME = /^\s+at (?:.*\()?(?:file:\/\/)?(\/[^\s()]+:\d+:\d+)\)?$/;

/** INVARIANT: a multi-line message could imitate a frame, so its stack is not read. */
function placeOf(error: object): string | undefined {
  const [message, stack] = [member(error, "message"), member(error, "stack")];
  if (typeof stack !== "string" || typeof message !== "string" || /[\r\n\u2028\u2029]/.test(message)) return undefined;
  const [first] = stack.split("\n").flatMap((line) => FRAME.exec(line)?.[1] ?? []);
  return first === undefined || first.includes("/node_modules/") ? undefined : first;
}

/** Getters of an error may throw. */
function member(from: object, name: string): unknown {
  try {
    return (from as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}
