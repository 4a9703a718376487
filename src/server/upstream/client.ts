import { Pool } from "undici";
import { isObject } from "../../langchain/values/message-kinds.js";
import { errorObjectIn, MAX_ERROR, passedHeaders, UpstreamError } from "./errors.js";
import { NO_HEADERS } from "./exchange.js";
import { EventStream } from "./event-stream.js";
import { requestWhole, type WholeResponse } from "./whole-response.js";

/** Address and credentials of an OpenAI-compatible server. */
export interface UpstreamSettings {
  /** Base URL, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum wait for the first byte, and between two parts of a response, in milliseconds. Default: 300,000. */
  readonly timeoutMs?: number | undefined;
}

/** Maximum size of a response that is not a stream, in bytes. */
const MAX_RESPONSE = 33_554_432;
const MAX_CONNECTIONS = 1024;

/** Connections to upstream servers, shared by all configurations of a server. */
export class UpstreamPools {
  readonly #pools = new Map<string, Pool>();

  /** Returns the connections to a server: one pool for each address and time limit. */
  open(origin: string, timeoutMs: number): Pool {
    const key = `${origin} ${timeoutMs}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, keepAliveTimeout: 10_000 };
      pool = new Pool(origin, { connections: MAX_CONNECTIONS, ...timeouts });
      this.#pools.set(key, pool);
    }
    return pool;
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

/** Response of an upstream server with the headers to pass on to the caller. */
interface UpstreamResponse<Body> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** Client of one OpenAI-compatible server. It never retries a request, because the caller's client does. */
export class UpstreamClient {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(pools: UpstreamPools, { baseUrl, apiKey, headers, timeoutMs = 300_000 }: UpstreamSettings) {
    const url = new URL(baseUrl);
    this.#pool = pools.open(url.origin, timeoutMs);
    this.#path = `${url.pathname.replace(/\/$/, "")}/chat/completions${url.search}`;
    this.#headers = {
      "content-type": "application/json",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...headers,
    };
  }

  /** @throws UpstreamError for an error response, or a response that is not a JSON object */
  async complete(
    request: object,
    signal: AbortSignal | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<UpstreamResponse<Readonly<Record<string, unknown>>>> {
    // A caller's stream may be generated from this complete response. Upstream servers would refuse `stream_options`.
    const sent = "stream_options" in request ? { ...request, stream_options: undefined } : request;
    const { status, headers: received, text } = await this.#whole(sent, signal, headers);
    const passed = passedHeaders(received);
    if (status >= 400) throw refused(status, passed, errorObjectIn(text));
    let body: unknown;
    try {
      if (text !== undefined) body = JSON.parse(text);
    } catch {
      // INVARIANT: the parser's error quotes a response that no rail has checked, so it is dropped.
    }
    if (body === undefined) throw new UpstreamError(0, "the upstream response is not complete JSON");
    if (!isObject(body)) throw new UpstreamError(0, "the upstream response is not a JSON object");
    return { headers: passed, body };
  }

  async #whole(
    request: object,
    signal: AbortSignal | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<WholeResponse> {
    try {
      return await requestWhole(this.#pool, this.#post(request, headers), signal, (status) =>
        status < 400 ? MAX_RESPONSE : MAX_ERROR,
      );
    } catch (error) {
      signal?.throwIfAborted();
      throw unreachable(error);
    }
  }

  /** Opens an event stream. */
  async stream(
    request: object,
    signal: AbortSignal | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<EventStream> {
    signal?.throwIfAborted();
    try {
      return await EventStream.open(this.#pool, this.#post({ ...request, stream: true }, headers), signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof UpstreamError ? error : unreachable(error);
    }
  }

  #post(request: object, headers: Readonly<Record<string, string>>) {
    return {
      path: this.#path,
      method: "POST" as const,
      headers: headers === NO_HEADERS ? this.#headers : { ...this.#headers, ...headers },
      body: JSON.stringify(request),
    };
  }
}

function unreachable(error: unknown): UpstreamError {
  const { code } = error as { code?: unknown };
  const isLate = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT";
  return new UpstreamError(isLate ? 504 : 0, "the upstream server did not respond", { cause: error });
}

function refused(status: number, headers: Readonly<Record<string, string>>, body: unknown): UpstreamError {
  return new UpstreamError(status, `upstream status ${status}`, { headers, body });
}
