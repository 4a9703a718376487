import type { IncomingMessage, ServerResponse } from "node:http";
import { type StartTimer, startTimer } from "../engine/events.js";
import { ApiError, badRequest } from "./errors.js";

/** Limits of a request body. */
export interface BodyLimits {
  /** Maximum size of a body in bytes. Default: 4,194,304. */
  readonly maxBytes: number;
  /** Time limit for receiving a body, in milliseconds. Default: 10,000. */
  readonly timeoutMs: number;
}

/** The connection of a request on Node.js; absent on other platforms. */
export interface Connection {
  readonly incoming?: IncomingMessage;
}

/** Connection of a request that `nodeListener` passed on unchanged, so that its headers are those of `incoming`. */
export class NodeConnection implements Connection {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming;
    this.outgoing = outgoing;
  }
}

/** Reads a header of a request. (On Node.js, the `Headers` object of a request is created on first use.) */
export function headerOf(request: Request, connection: Connection, name: string): string | undefined {
  if (!(connection instanceof NodeConnection)) return request.headers.get(name) ?? undefined;
  const value = connection.incoming.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Refused requests close their connection, so that the rest of the body is not read. */
const CLOSE = { connection: "close" } as const;

/**
 * Reads the JSON of a request.
 *
 * @throws ApiError 400, 408, 413 or 415
 */
export async function readJson(request: Request, connection: Connection, limits: BodyLimits): Promise<unknown> {
  const header = (name: string): string | undefined => headerOf(request, connection, name);
  const type = header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    const message = `Unsupported content type: expected 'application/json'.`;
    throw new ApiError(415, message, { code: "unsupported_media_type", headers: CLOSE });
  }
  const encoding = header("content-encoding") ?? "identity";
  if (encoding !== "identity") {
    const message = "Unsupported content encoding: send the body without compression.";
    throw new ApiError(415, message, { code: "unsupported_content_encoding", headers: CLOSE });
  }
  if (Number(header("content-length") ?? 0) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  const { incoming } = connection;
  if (incoming?.readableEnded === true) {
    // An Express body parser has already read the body as JSON, text or bytes.
    const { body } = incoming as { readonly body?: unknown };
    if (typeof body === "string") return parse(encoder.encode(body));
    if (body instanceof Uint8Array) return parse(body);
    if (typeof body === "object" && body !== null) return body;
  }
  if (incoming === undefined || "rawBody" in incoming) return parse(await readWeb(request, limits));
  return parse(received(incoming, limits) ?? (await readNode(incoming, limits)));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    // INVARIANT: the parser's error quotes the body, so it is dropped.
    throw badRequest(
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The API expects a JSON payload.)",
    );
  }
}

function tooLarge(maximum: number): ApiError {
  const message = `The body of the request is larger than ${maximum} bytes.`;
  return new ApiError(413, message, { code: "request_too_large", headers: CLOSE });
}

function tooSlow(milliseconds: number): ApiError {
  const message = `The body of the request was not complete within ${milliseconds / 1000} s.`;
  return new ApiError(408, message, { type: "timeout_error", code: "request_timeout", headers: CLOSE });
}

/**
 * Returns a body that arrived with its headers, as most do; undefined if more of it may follow, or if it was partly read. It
 * needs no timer and no listeners.
 *
 * @throws ApiError 413
 */
function received(incoming: IncomingMessage, limits: BodyLimits): Uint8Array | undefined {
  const { complete, destroyed, readableLength, readableFlowing, readableEncoding, readableDidRead } = incoming;
  if (!complete || destroyed || readableLength === 0 || readableDidRead) return undefined;
  if (readableFlowing !== null || readableEncoding !== null) return undefined;
  if (readableLength > limits.maxBytes) throw tooLarge(limits.maxBytes);
  return incoming.read() as Buffer;
}

function readNode(incoming: IncomingMessage, limits: BodyLimits, timers: StartTimer = startTimer): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const end = (finish: () => void): void => {
      stopTimer();
      incoming.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
      finish();
    };
    const onData = (part: Buffer): void => {
      size += part.length;
      parts.push(part);
      if (size > limits.maxBytes) end(() => reject(tooLarge(limits.maxBytes)));
    };
    const onEnd = (): void => end(() => resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)));
    const onBroken = (): void => end(() => reject(new ClientGone()));
    const stopTimer = timers(limits.timeoutMs, () => end(() => reject(tooSlow(limits.timeoutMs))));
    incoming.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
    if (incoming.readableEnded) onEnd();
    else if (incoming.destroyed) onBroken();
  });
}

async function readWeb(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  let late: ApiError | undefined;
  const stopTimer = startTimer(limits.timeoutMs, () => {
    late = tooSlow(limits.timeoutMs);
    void reader.cancel().catch(() => undefined);
  });
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.length;
      if (size > limits.maxBytes) {
        void reader.cancel().catch(() => undefined);
        throw tooLarge(limits.maxBytes);
      }
      parts.push(next.value);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : (late ?? new ClientGone());
  } finally {
    stopTimer();
  }
  if (late !== undefined) throw late;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Reason for cancelling a request whose caller disconnected. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";

  constructor() {
    super("the client closed the connection");
  }
}
