import { readBoundedText } from "../../actions/bounded-text.js";
import { runLimited } from "../../actions/dispatcher.js";
import { ActionError, type OnError } from "../../diagnostics/errors.js";
import { type AbortSource, type Cancellation, type MaybePromise, untilAborted } from "../../engine/async.js";
import { parseUniqueJson } from "../../engine/unique-json.js";
import { type Clock, startTimer as platformTimer, type StartTimer, systemClock } from "../../engine/events.js";

/** Connection to a service that a rail calls. */
export interface Connection {
  /** Title of the service, for errors. */
  readonly service: string;
  /** Name of the calling action, for errors. */
  readonly action: string;
  /** Headers with the key; a function if the key must be fetched first. */
  readonly headers: HeaderMap | ((signal: AbortSource) => MaybePromise<HeaderMap>);
  /** Time limit in milliseconds, including all attempts and pauses. */
  readonly timeoutMs: number;
  /** Number of retries after status 429 or 5xx, or if the service cannot be reached. */
  readonly retries: number;
  /** Size limit of a response in bytes; default: 2,000,000. */
  readonly maxBytes?: number | undefined;
  /** Policy for failures, if the settings state one. */
  readonly onError?: OnError | undefined;
  /** Dispatcher of undici with the certificates of the settings; ignored outside of Node.js. */
  readonly dispatcher?: unknown;
}

type HeaderMap = Readonly<Record<string, string>>;

/** A request to a service. */
export interface ServiceRequest {
  readonly url: string;
  /** HTTP method; default: `POST` with a body, `GET` without. */
  readonly method?: string;
  /** Body, sent as JSON; a `URLSearchParams` is sent as a form. */
  readonly body?: unknown;
  /** Further headers. */
  readonly headers?: HeaderMap;
  /** Format of the response: one JSON value, a list of the values of lines, or any text; default: `json`. */
  readonly format?: "json" | "ndjson" | "text";
}

/** Clock and network; tests pass their own. */
interface Platform {
  readonly clock: Clock;
  readonly startTimer: StartTimer;
  readonly fetch?: typeof globalThis.fetch;
}

const PLATFORM: Platform = { clock: systemClock, startTimer: platformTimer };

const MAX_BYTES = 2_000_000;
const FIRST_PAUSE_MS = 200;

/**
 * Sends a request over the platform's `fetch`, which keeps connections open, and returns the parsed response.
 * INVARIANT: no error contains a header, a body, a response or a message of the platform: each may contain a key or the text of a
 * user.
 *
 * @throws ActionError `RL-202` if there is no response in time, or not one of the format; the signal's reason when the
 * caller aborted
 *
 * @example
 * ```ts
 * const value = await sendRequest(connection, { url: `${base}/v1/check`, body: { text } }, context.signal);
 * ```
 */
export async function sendRequest(
  connection: Connection,
  request: ServiceRequest,
  signal: AbortSource,
  platform: Platform = PLATFORM,
): Promise<unknown> {
  const { timeoutMs } = connection;
  const outcome = await runLimited({
    run: (requestCancellation) => attemptAll(connection, request, requestCancellation, platform),
    timeoutMs,
    signal,
    startTimer: platform.startTimer,
    timeoutReason: () => serviceError(connection, `no response within ${timeoutMs} ms`, { timeoutMs }),
  });
  if (outcome.kind === "returned") return outcome.value;
  throw outcome.error;
}

/** Returns the error for a failed request. */
export function serviceError(
  { service, action, onError }: Pick<Connection, "service" | "action" | "onError">,
  text: string,
  facts: { readonly status?: number | undefined; readonly timeoutMs?: number } = {},
): ActionError {
  return new ActionError(`${service}: ${text}`, { action, code: "RL-202", onError, ...facts });
}

/** A response, or a failure that a retry may resolve. */
type Attempt =
  | { readonly value: unknown }
  | { readonly problem: string; readonly status?: number; readonly pauseMs?: number | undefined };

async function attemptAll(
  connection: Connection,
  request: ServiceRequest,
  requestCancellation: Cancellation,
  platform: Platform,
): Promise<unknown> {
  const { clock } = platform;
  const end = clock.now() + connection.timeoutMs;
  for (let attempt = 0; ; attempt += 1) {
    const result = await attemptOnce(connection, request, requestCancellation, platform);
    if ("value" in result) return result.value;
    const { problem, status, pauseMs = FIRST_PAUSE_MS * 2 ** attempt } = result;
    const isLast = attempt >= connection.retries || clock.now() + pauseMs >= end;
    if (isLast) throw serviceError(connection, problem, { status });
    await pause(pauseMs, requestCancellation, platform);
  }
}

async function pause(milliseconds: number, requestCancellation: Cancellation, { startTimer }: Platform): Promise<void> {
  if (milliseconds <= 0) return;
  let stop: (() => void) | undefined;
  const over = new Promise<void>((resolve) => (stop = startTimer(milliseconds, resolve)));
  await untilAborted(over, requestCancellation).finally(() => stop?.());
}

async function attemptOnce(
  connection: Connection,
  { url, method, body, headers, format }: ServiceRequest,
  requestCancellation: Cancellation,
  platform: Platform,
): Promise<Attempt> {
  const send = platform.fetch ?? globalThis.fetch;
  const known =
    typeof connection.headers === "function" ? await connection.headers(requestCancellation) : connection.headers;
  const { dispatcher, maxBytes = MAX_BYTES } = connection;
  const isForm = body instanceof URLSearchParams;
  const init = {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      accept: "application/json",
      ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
      ...known,
      ...headers,
    },
    // A redirect would send the key and the text to a server that is not configured.
    redirect: "error" as const,
    signal: requestCancellation.signal,
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
  };
  let text: string | undefined;
  let response: Response;
  try {
    response = await send(url, init);
    // Read the body of an error as well, so that the connection can be reused.
    text = await readBoundedText(response, maxBytes);
  } catch (error) {
    requestCancellation.throwIfAborted();
    return { problem: `it cannot be reached${codeOf(error)}` };
  }
  const { status } = response;
  if (status === 429 || status >= 500) {
    const pauseMs = retryAfter(response.headers.get("retry-after"), platform.clock);
    return { problem: `it responded with status ${status}`, status, pauseMs };
  }
  if (!response.ok) throw serviceError(connection, `it responded with status ${status}`, { status });
  if (text === undefined) throw serviceError(connection, `its response is longer than ${maxBytes} bytes`);
  if (format === "text") return { value: text };
  try {
    return { value: format === "ndjson" ? parseLines(text) : parseUniqueJson(text) };
  } catch {
    throw serviceError(
      connection,
      format === "ndjson" ? "its response is not JSON in lines" : "its response is not JSON",
    );
  }
}

function parseLines(text: string): readonly unknown[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [parseUniqueJson(line)]));
}

const CODE = /^[A-Z][A-Z0-9_]{2,40}$/;

/** Returns the code of a failed connection, such as ` (ECONNREFUSED)`. */
function codeOf(error: unknown): string {
  for (const cause of [error, (error as { readonly cause?: unknown } | undefined)?.cause]) {
    const code = (cause as { readonly code?: unknown } | null | undefined)?.code;
    if (typeof code === "string" && CODE.test(code)) return ` (${code})`;
  }
  return "";
}

/** Returns the pause that a service requests, in milliseconds; undefined without one. */
function retryAfter(header: string | null, clock: Clock): number | undefined {
  if (header === null) return undefined;
  const value = header.trim();
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = value.length > 40 ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now());
}
