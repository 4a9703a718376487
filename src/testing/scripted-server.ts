import { checkOptions } from "../diagnostics/options.js";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ServerToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** One scripted response of the server. */
export interface ServerReply {
  readonly text?: string;
  readonly toolCalls?: readonly ServerToolCall[];
  /** Pieces of a streamed response. Default: one per word. */
  readonly pieces?: readonly string[];
  readonly status?: number;
  readonly error?: Readonly<Record<string, unknown>>;
  /** The response waits for this promise: before it starts, or in a stream before the piece with that index. */
  readonly gate?: Promise<unknown>;
  readonly gateAt?: number;
  readonly usage?: { readonly prompt: number; readonly completion: number };
}

export type ServerScript =
  | readonly (string | ServerReply)[]
  | ((request: ServerRequest) => string | ServerReply | Promise<string | ServerReply>);

export interface ServerOptions {
  /** The response of `/embeddings`: vectors by text, or a function of the texts. Without it every such request is refused. */
  readonly embeddings?: EmbeddingScript;
}

export interface ScriptedServer extends AsyncDisposable {
  /** Base URL, for `configuration.baseURL`. */
  readonly url: string;
  readonly requests: readonly ServerRequest[];
  /** Requests for embeddings; they take nothing from the script. */
  readonly embeddingRequests: readonly ServerRequest[];
  /** How many answers were cut off because the client went away. */
  readonly aborted: number;
  assertDone(): void;
  close(): Promise<void>;
}

const LIMIT = 4_000_000;

/**
 * An OpenAI-compatible server on the loopback interface that responds from a script, as JSON or as a stream, and
 * rejects every unscripted request. It never waits for time: delays are promises given by the test.
 *
 * @example
 * ```ts
 * await using server = await scriptedServer(["Hello!"]);
 * const model = new ChatOpenAI({ model: "any", apiKey: "none", configuration: { baseURL: server.url } });
 * ```
 *
 * @example
 * ```ts
 * await using server = await scriptedServer([], { embeddings: { hello: [1, 0], bye: [0, 1] } });
 * const embeddings = new OpenAIEmbeddings({ apiKey: "none", configuration: { baseURL: server.url } });
 * ```
 */
export async function scriptedServer(script: ServerScript, options: ServerOptions = {}): Promise<ScriptedServer> {
  checkOptions("scriptedServer", options, { embeddings: "any" });
  const { createServer } = await import("node:http");
  const state = new ServerState(script, options.embeddings);
  const server = createServer((request, response) => {
    handle(state, request, response).catch((error: unknown) => sendError(response, 500, String(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
    });
  };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: state.requests,
    embeddingRequests: state.embeddingRequests,
    get aborted() {
      return state.aborted;
    },
    assertDone: () => state.assertDone(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

class ServerState {
  readonly requests: ServerRequest[] = [];
  readonly embeddingRequests: ServerRequest[] = [];
  readonly embeddings: EmbeddingScript | undefined;
  aborted = 0;
  readonly #script: ServerScript;

  constructor(script: ServerScript, embeddings: EmbeddingScript | undefined) {
    this.#script = script;
    this.embeddings = embeddings;
  }

  async replyTo(request: ServerRequest): Promise<ServerReply> {
    const index = this.requests.push(request) - 1;
    const reply = typeof this.#script === "function" ? await this.#script(request) : this.#script[index];
    if (typeof reply === "string") return { text: reply };
    if (reply !== undefined) return reply;
    const message = `request ${index + 1} was not scripted; its messages: ${JSON.stringify(request.body["messages"])}`;
    return { status: 400, error: { message, type: "unscripted", code: "unscripted" } };
  }

  assertDone(): void {
    const left = typeof this.#script === "function" ? 0 : this.#script.length - this.requests.length;
    if (left > 0) throw new Error(`${left} scripted answers were not asked for`);
  }
}

async function handle(state: ServerState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readBody(request);
  const body = JSON.parse(text === "" ? "{}" : text) as Record<string, unknown>;
  response.on("close", () => {
    if (!response.writableFinished) state.aborted += 1;
  });
  const path = request.url ?? "";
  const received = { path, headers: request.headers, body };
  if (path.endsWith("/embeddings")) {
    await sendEmbeddings(state, received, response);
    return;
  }
  const reply = await state.replyTo(received);
  if (reply.error !== undefined || (reply.status ?? 200) >= 400) {
    sendJson(response, reply.status ?? 500, { error: reply.error ?? { message: "scripted error" } });
    return;
  }
  if (!path.endsWith("/chat/completions")) {
    sendError(response, 404, `only /chat/completions and /embeddings are served, not ${path}`);
    return;
  }
  if (body["stream"] === true) await sendStream(response, reply, body);
  else {
    await reply.gate;
    sendJson(response, 200, completion(reply, body));
  }
}

async function sendEmbeddings(state: ServerState, request: ServerRequest, response: ServerResponse): Promise<void> {
  state.embeddingRequests.push(request);
  const { vectors = [], status = 200, error, gate } = await replyWithEmbeddings(state.embeddings, request);
  await gate;
  if (error === undefined && status < 400) sendJson(response, 200, embeddingsBody(vectors, request.body));
  else sendJson(response, status < 400 ? 500 : status, { error: error ?? { message: "scripted error" } });
}

function completion(reply: ServerReply, body: Readonly<Record<string, unknown>>): object {
  return {
    ...envelope(body, "chat.completion"),
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: reply.text ?? null, ...toolCallsOf(reply) },
        finish_reason: reply.toolCalls === undefined ? "stop" : "tool_calls",
      },
    ],
    usage: usageOf(reply),
  };
}

async function sendStream(
  response: ServerResponse,
  reply: ServerReply,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  const pieces = reply.pieces ?? (reply.text ?? "").match(/\s*\S+\s*$|\s*\S+/g) ?? [];
  const send = (delta: object, finish: string | null = null): void => {
    const chunk = { ...envelope(body, "chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason: finish }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  for (const [index, piece] of pieces.entries()) {
    if (index === (reply.gateAt ?? 0)) await reply.gate;
    if (response.destroyed) return;
    send(index === 0 ? { role: "assistant", content: piece } : { content: piece });
  }
  if (pieces.length === 0) await reply.gate;
  // Clients take a first piece without a role for a message of no side.
  if (reply.toolCalls !== undefined)
    send({ ...(pieces.length === 0 ? { role: "assistant" } : {}), ...toolCallsOf(reply) });
  send({}, reply.toolCalls === undefined ? "stop" : "tool_calls");
  const usage = { ...envelope(body, "chat.completion.chunk"), choices: [], usage: usageOf(reply) };
  response.write(`data: ${JSON.stringify(usage)}\n\n`);
  response.end("data: [DONE]\n\n");
}

function toolCallsOf(reply: ServerReply): object {
  if (reply.toolCalls === undefined) return {};
  return {
    tool_calls: reply.toolCalls.map((call, index) => ({
      index,
      id: `call_${index + 1}`,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.args) },
    })),
  };
}

function envelope(body: Readonly<Record<string, unknown>>, object: string): object {
  return { id: "chatcmpl-scripted", object, created: 0, model: body["model"] ?? "scripted" };
}

function usageOf(reply: ServerReply): object {
  const { prompt, completion: written } = reply.usage ?? { prompt: 10, completion: 5 };
  return { prompt_tokens: prompt, completion_tokens: written, total_tokens: prompt + written };
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendError(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy();
  else sendJson(response, status, { error: { message } });
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request as AsyncIterable<string>) {
    text += chunk;
    if (text.length > LIMIT) throw new Error("the request is too large for a test server");
  }
  return text;
}

/** Vectors of texts, in order; null represents NaN, as in JSON. */
export type ScriptedVectors = readonly (readonly (number | null)[])[];

/** One scripted response to a request for embeddings. */
export interface EmbeddingReply extends Pick<ServerReply, "status" | "error" | "gate"> {
  readonly vectors?: ScriptedVectors;
}

/** Vectors of texts, or a function of all texts of a request. */
export type EmbeddingScript =
  | Readonly<Record<string, readonly number[]>>
  | ((texts: readonly string[], request: ServerRequest) => EmbeddingReply | Promise<EmbeddingReply>);

/** Answers a request for embeddings; texts that are not scripted are refused. */
async function replyWithEmbeddings(
  script: EmbeddingScript | undefined,
  request: ServerRequest,
): Promise<EmbeddingReply> {
  const { input } = request.body;
  const texts = (Array.isArray(input) ? input : [input]).map(String);
  if (typeof script === "function") return script(texts, request);
  const vectors = texts.map((text) => (script !== undefined && Object.hasOwn(script, text) ? script[text] : undefined));
  const unknown = texts.find((_, index) => vectors[index] === undefined);
  if (unknown === undefined) return { vectors: vectors as ScriptedVectors };
  const message = `the embedding of ${JSON.stringify(unknown)} was not scripted`;
  return { status: 400, error: { message, type: "unscripted", code: "unscripted" } };
}

/** The response body, in the encoding requested by the client. */
function embeddingsBody(vectors: ScriptedVectors, body: Readonly<Record<string, unknown>>): object {
  const isPacked = body["encoding_format"] === "base64";
  return {
    object: "list",
    model: body["model"] ?? "scripted",
    data: vectors.map((vector, index) => {
      return { object: "embedding", index, embedding: isPacked ? pack(vector) : vector };
    }),
    usage: { prompt_tokens: vectors.length, total_tokens: vectors.length },
  };
}

/** Little-endian numbers of 32 bits in Base64, as the protocol has them. */
function pack(vector: readonly (number | null)[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * Float32Array.BYTES_PER_ELEMENT));
  for (const [at, value] of vector.entries()) {
    view.setFloat32(at * Float32Array.BYTES_PER_ELEMENT, value ?? Number.NaN, true);
  }
  return btoa(String.fromCharCode(...new Uint8Array(view.buffer)));
}

/** A request of the protocol, as received. */
export interface ServerRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}
