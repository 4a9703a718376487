import { ApiError, NO_RETRY } from "../errors.js";
import { isObject } from "../../langchain/values/message-kinds.js";

/** An error response of the upstream server, or a missing response. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Error object of the response. */
  readonly body: unknown;

  constructor(
    status: number,
    message: string,
    details: { headers?: Readonly<Record<string, string>>; body?: unknown; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = status;
    this.headers = details.headers ?? {};
    this.body = details.body;
  }
}

const MAX_CAUSES = 8;

/** Returns the upstream error, or that of a provider's client, that caused an error. */
export function upstreamErrorIn(error: unknown): UpstreamError | undefined {
  let at: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth += 1) {
    if (at instanceof UpstreamError) return at;
    const { status, headers, error: body } = at as { status?: unknown; headers?: unknown; error?: unknown };
    if (typeof status === "number" && status >= 400) {
      return new UpstreamError(status, "the provider refused the request", { headers: passedHeaders(headers), body });
    }
    at = at.cause;
  }
  return undefined;
}

/** Headers of an upstream response that clients understand. */
const PASSED = /^(?:retry-after(?:-ms)?|x-ratelimit-[a-z-]{1,40}|openai-(?:organization|project|version))$/;

/** Returns the headers of an upstream response that are passed on to the caller. */
export function passedHeaders(headers: unknown): Readonly<Record<string, string>> {
  const passed: Record<string, string> = {};
  const add = (value: unknown, name: string): void => {
    if (typeof value === "string" && value.length <= 256 && PASSED.test(name)) passed[name] = value;
  };
  if (headers instanceof Headers) headers.forEach(add);
  else if (isObject(headers)) for (const name of Object.keys(headers)) add(headers[name], name);
  return passed;
}

/** Maximum size of an upstream error to read, in bytes. */
export const MAX_ERROR = 65_536;

/** Reads the error object of a response body; undefined for a body without one. */
export function errorObjectIn(body: string | undefined): unknown {
  try {
    const parsed: unknown = JSON.parse(body ?? "");
    return isObject(parsed) ? (parsed["error"] ?? parsed) : undefined;
  } catch {
    return undefined;
  }
}

/** Pattern of codes and parameter names; other values could be conversation text. */
const PLAIN = /^[\w.[\]-]{1,100}$/;

/**
 * Returns the error as callers see it: with its status class, code and parameter. INVARIANT: its message is not passed on. It may
 * quote the key of the server, or text of the model that no rail has checked.
 */
export function toApiError(error: UpstreamError): ApiError {
  const { status, headers } = error;
  const { param, code, type } = (isObject(error.body) ? error.body : {}) as Record<string, unknown>;
  const plain = (value: unknown): string | undefined =>
    typeof value === "string" && PLAIN.test(value) ? value : undefined;
  const shown = plain(code) ?? plain(type);
  const about = `${shown === undefined ? "" : `, code \`${shown}\``}${plain(param) === undefined ? "" : `, parameter \`${plain(param)}\``}`;
  const details = { param: plain(param), code: plain(code), headers, cause: error };
  if (status === 429) {
    const message = `The upstream model is out of capacity for this server (status 429${about})`;
    return new ApiError(429, message, {
      ...details,
      type: plain(type) ?? "requests",
      code: details.code ?? "rate_limit_exceeded",
    });
  }
  // The credentials belong to the server, so callers see this as a server error.
  if (status === 401 || status === 403) {
    const message = "The upstream model refused the credentials of this server";
    return new ApiError(502, message, { code: "upstream_credentials", headers: NO_RETRY, cause: error });
  }
  if (status === 404) {
    const message = `The upstream server does not have this model or route (status 404${about})`;
    return new ApiError(404, message, { ...details, code: details.code ?? "model_not_found" });
  }
  if (status === 408 || status === 504) {
    return new ApiError(504, `The upstream model took too long (status ${status})`, {
      ...details,
      code: "upstream_timeout",
    });
  }
  if (status >= 400 && status < 500) {
    const message = `The upstream model refused the request (status ${status}${about})`;
    return new ApiError(status, message, { ...details, type: plain(type) ?? "invalid_request_error" });
  }
  if (status === 0) {
    return new ApiError(502, "The upstream model cannot be reached, or its response broke off", {
      code: "upstream_unavailable",
      cause: error,
    });
  }
  return new ApiError(
    status > 599 || status < 500 ? 502 : status,
    `The upstream model failed (status ${status}${about})`,
    details,
  );
}
