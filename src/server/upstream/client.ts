import { Pool, type Dispatcher } from "undici";
import { isObject } from "../../langchain/values/message-kinds.js";
import { passedHeaders, UpstreamError } from "./errors.js";
import { readEvents } from "./sse-reader.js";

/** Address and credentials of an OpenAI-compatible server. */
export interface UpstreamSettings {
  /** Base address, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Time until the first byte, and between two pieces of a response, in milliseconds. Default: 300,000. */
  readonly timeoutMs?: number | undefined;
}

/** Largest response that is not a stream, in bytes. */
const MAX_RESPONSE = 33_554_432;
const MAX_ERROR = 65_536;
const MAX_CONNECTIONS = 1024;

/** Connections to upstream servers, shared by all configurations of a server. */
export class UpstreamPools {
  readonly #pools = new Map<string, Pool>();

  /** Opens the connections of a server: one pool for each address and time limit. */
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

/** Response of an upstream server with its headers for the caller. */
interface UpstreamResponse<Body> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** Client of one OpenAI-compatible server. It never repeats a request: clients of the caller do. */
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

  /** @throws UpstreamError for a response that is an error or not a JSON object */
  async complete(
    request: object,
    signal: AbortSignal | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<UpstreamResponse<Readonly<Record<string, unknown>>>> {
    // A caller's stream is made of a whole answer where rails need one; `stream_options` would be refused.
    const response = await this.#request({ ...request, stream_options: undefined }, signal, headers);
    try {
      const body: unknown = JSON.parse(await readText(response.body, MAX_RESPONSE));
      if (isObject(body)) return { headers: passedHeaders(response.headers), body };
    } catch {
      signal?.throwIfAborted();
      // INVARIANT: the error of the parser quotes an answer that no rail has seen, so it is dropped.
      throw new UpstreamError(0, "the upstream response is not complete JSON");
    }
    throw new UpstreamError(0, "the upstream response is not a JSON object");
  }

  /** Opens a stream; its body yields the data of each event. */
  async stream(
    request: object,
    signal: AbortSignal | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<UpstreamResponse<AsyncGenerator<string>>> {
    const response = await this.#request({ ...request, stream: true }, signal, headers);
    return { headers: passedHeaders(response.headers), body: readEvents(response.body) };
  }

  async #request(
    request: object,
    signal: AbortSignal | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Dispatcher.ResponseData> {
    signal?.throwIfAborted();
    let response: Dispatcher.ResponseData;
    try {
      response = await this.#pool.request({
        path: this.#path,
        method: "POST",
        headers: { ...this.#headers, ...headers },
        body: JSON.stringify(request),
        signal: signal ?? null,
      });
    } catch (error) {
      signal?.throwIfAborted();
      const { code } = error as { code?: unknown };
      const isLate = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT";
      throw new UpstreamError(isLate ? 504 : 0, "the upstream server did not respond", { cause: error });
    }
    if (response.statusCode < 400) return response;
    const passed = passedHeaders(response.headers);
    const body = await readError(response.body);
    throw new UpstreamError(response.statusCode, `upstream status ${response.statusCode}`, { headers: passed, body });
  }
}

async function readError(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  try {
    const parsed: unknown = JSON.parse(await readText(body, MAX_ERROR));
    return isObject(parsed) ? (parsed["error"] ?? parsed) : undefined;
  } catch {
    return undefined;
  }
}

async function readText(body: AsyncIterable<Uint8Array>, maximum: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maximum) throw new UpstreamError(0, `the upstream response is larger than ${maximum} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
