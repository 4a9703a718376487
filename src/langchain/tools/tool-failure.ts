import { attempt } from "../../engine/walk.js";
import { everyTextIn, isPlainName } from "../../turn/redact-data.js";
import type { GuardedCall } from "../call.js";
import { joinLines, splitOff } from "../../turn/extra-text.js";
import { wordSet } from "../values/message-kinds.js";
import type { OutputReview, ReviewText } from "./tool-review.js";

/** Maximum number of values in an error that rails read; a larger error, such as an HTTP client's, leaves as a copy. */
const MAX_VALUES = 200;
const MAX_CHARACTERS = 20_000;

/**
 * Reviews an error thrown by a tool. The model reads its text, and the application all of it. INVARIANT: an error is
 * rethrown unchanged only if rails have read all of it; otherwise as a copy with only the reviewed text and the error's
 * codes.
 *
 * @throws the error as the rails left it
 */
export async function reviewFailure(error: unknown, review: ReviewText, guarded: GuardedCall): Promise<OutputReview> {
  // An abort is not a result.
  if (guarded.config.signal?.aborted === true) throw error;
  const message = messageOf(error);
  const around = textsAround(error, message);
  const extra = around?.join("\n") ?? "";
  const { text, ...reviewed } = await review({ text: message, extra, failed: true });
  if (reviewed.block !== undefined) return { ...reviewed, output: undefined };
  if (text !== joinLines(message, extra)) throw new Error(splitOff(message, extra, text).main);
  throw around === undefined ? bareError(error, message) : error;
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return String(error.message);
  return typeof error === "object" && error !== null ? "the tool failed" : String(error);
}

/** Texts of an error in addition to its message; undefined if there are too many or they cannot be read. */
function textsAround(error: unknown, message: string): readonly string[] | undefined {
  if (typeof error !== "object" || error === null) return [];
  const errors = errorsIn(error);
  const headers = new Set([...errors].map(({ name, message: text }) => `${name}: ${text}`));
  const found = attempt(() => everyTextIn(error, MAX_VALUES));
  const texts = found?.flatMap((text) => {
    const own = withoutFrames(text);
    return own === message || headers.has(own) || ERROR_NAMES.has(own) ? [] : [own];
  });
  const size = texts?.reduce((sum, { length }) => sum + length, 0) ?? 0;
  return size > MAX_CHARACTERS ? undefined : texts;
}

/** Standard error names, which carry no text. */
const ERROR_NAMES: ReadonlySet<string> = wordSet(
  "Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError AbortError TimeoutError",
);

/** Returns the error and its causes. */
function errorsIn(error: object): ReadonlySet<Error> {
  const errors = new Set<Error>();
  for (let at: unknown = error; at instanceof Error && !errors.has(at); at = at.cause) errors.add(at);
  return errors;
}

/** Text of a stack without its frames. */
function withoutFrames(text: string): string {
  return text.replace(/\n {4}at [^\n]*/g, "");
}

/** Copies an error with only its class, its message, and codes of one word or number. */
function bareError(error: unknown, message: string): Error {
  const given = error instanceof Error ? error : new Error(message);
  const copy = Object.create(Object.getPrototypeOf(given) as object) as Error;
  const name = isPlainName(given.name) ? given.name : "Error";
  for (const [key, value] of Object.entries({ name, message, stack: `${name}: ${message}` })) {
    Object.defineProperty(copy, key, { value, enumerable: false, configurable: true, writable: true });
  }
  for (const [key, value] of Object.entries(given)) {
    const isCode = typeof value === "boolean" || Math.abs(Number(value)) < MAX_CODE || isWord(value);
    if (isPlainName(key) && typeof value !== "object" && isCode) Object.assign(copy, { [key]: value });
  }
  return copy;
}

const MAX_CODE = 100_000;

function isWord(value: unknown): boolean {
  return typeof value === "string" && isPlainName(value);
}
