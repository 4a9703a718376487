/** Error object of OpenAI's API. */
export interface ApiErrorObject {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** Parts of an error other than its status and message. */
interface ApiErrorDetails {
  readonly type?: string;
  readonly param?: string | undefined;
  readonly code?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error response. INVARIANT: its message and headers are sent, so they hold no text that rails have not checked. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly object: ApiErrorObject;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, details: ApiErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    const { type = status < 500 ? "invalid_request_error" : "server_error", param = null, code = null } = details;
    this.status = status;
    this.object = { message, type, param, code };
    this.headers = details.headers ?? {};
  }
}

/** Stops OpenAI clients from retrying if the same request would fail again. */
export const NO_RETRY = { "x-should-retry": "false" } as const;

export function badRequest(message: string, param?: string, code?: string): ApiError {
  return new ApiError(400, message, { param, code });
}

/** A request for something that the caller is not permitted to use. */
export function notPermitted(message: string, param: string): ApiError {
  return new ApiError(403, message, { type: "permission_error", param, code: "not_permitted" });
}

export function serverError(cause?: unknown): ApiError {
  const message = "The server had an error while processing your request; the operator finds it under its request id";
  return new ApiError(500, message, { cause });
}

/** A request that exceeds the server's capacity. */
export function overloaded(retryAfterSeconds: number, code = "server_overloaded"): ApiError {
  const message = "The server has too many requests at the moment; try again after the time in `Retry-After`";
  return new ApiError(503, message, {
    type: "service_unavailable_error",
    code,
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

/** A request beyond the rate limits of its key. */
export function rateLimited(retryAfterSeconds: number): ApiError {
  return new ApiError(429, "This key has reached its limit of requests; try again after the time in `Retry-After`", {
    type: "requests",
    code: "rate_limit_exceeded",
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

export function timedOut(seconds: number): ApiError {
  const message = `The request was cancelled because it took longer than ${seconds} s`;
  return new ApiError(504, message, { type: "timeout_error", code: "request_timeout" });
}

/** A turn that was not stored because a concurrent request of its thread was stored. The caller may send it again. */
export function threadConflict(isGone = false): ApiError {
  const message = isGone
    ? "This thread expired or was deleted during the request."
    : "Another request has changed this thread meanwhile.";
  return new ApiError(409, message, { code: "thread_conflict", headers: { "x-should-retry": "true" } });
}

/** A thread that cannot be read or stored. `isRepeatable` is false if a retry could run the turn twice. */
export function storeUnavailable(isRepeatable: boolean, cause: unknown): ApiError {
  const message = "The store of threads does not respond; the operator finds the reason under the request id";
  return new ApiError(503, message, {
    type: "service_unavailable_error",
    code: "thread_store_unavailable",
    headers: { "retry-after": "1", "x-should-retry": String(isRepeatable) },
    cause,
  });
}

/** A thread written by another release, or changed externally. */
export function threadUnreadable(cause: unknown): ApiError {
  const message =
    "This thread cannot be read: it was stored by another release, or changed from outside. Start a new thread.";
  return new ApiError(500, message, { code: "thread_unreadable", param: "thread_id", headers: NO_RETRY, cause });
}
