import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createGuardrailsApp,
  type GuardrailsAppOptions,
  type RunningServer,
  serve,
} from "../../../src/server/index.js";
import { RAILS, textActions, type Version } from "../langchain/real-guardrails.js";

/** A request that the upstream server received. */
export interface UpstreamRequest {
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** Response of the upstream server: an object as JSON, events of a stream, or whatever the function writes. */
export type UpstreamReply = (request: UpstreamRequest, response: ServerResponse) => unknown;

export interface Upstream extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly UpstreamRequest[];
  /** Resolves when the client of the last request has gone before its response was complete. */
  readonly aborted: () => Promise<void>;
  /** Writes the responses to the next requests. */
  reply: UpstreamReply;
}

/** An upstream server whose responses a test writes byte by byte. */
export async function openUpstream(reply: UpstreamReply = () => completion("Hello!")): Promise<Upstream> {
  const requests: UpstreamRequest[] = [];
  let onAbort: () => void = () => undefined;
  let aborted = new Promise<void>((resolve) => (onAbort = resolve));
  const server = createServer((incoming, response) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (part: string) => (text += part));
    incoming.on("end", () => {
      const request = { headers: incoming.headers, body: JSON.parse(text) as UpstreamRequest["body"] };
      requests.push(request);
      aborted = new Promise<void>((resolve) => (onAbort = resolve));
      const notify = onAbort;
      response.on("close", () => {
        if (!response.writableFinished) notify();
      });
      void answer(upstream.reply, request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    aborted: () => aborted,
    reply,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}

async function answer(reply: UpstreamReply, request: UpstreamRequest, response: ServerResponse): Promise<void> {
  const value = await reply(request, response);
  if (value === undefined) return;
  if (Array.isArray(value)) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of value) response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    response.end("data: [DONE]\n\n");
    return;
  }
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

export const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

/** A whole completion with this text. */
export function completion(content: string | null, message: object = {}, choice: object = {}): object {
  return {
    id: "chatcmpl-upstream",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "upstream-model-2026",
    system_fingerprint: "fp_upstream",
    service_tier: "default",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, ...message },
        logprobs: null,
        finish_reason: "stop",
        ...choice,
      },
    ],
    usage: USAGE,
  };
}

/** A chunk of a streamed completion. */
export function chunk(delta: object, finish_reason: string | null = null, more: object = {}): object {
  return {
    id: "chatcmpl-upstream",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "upstream-model-2026",
    system_fingerprint: "fp_upstream",
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...more,
  };
}

/** The chunks of a text, a word each. */
export function chunks(text: string, finish_reason = "stop"): object[] {
  const words = text.match(/\s*\S+/g) ?? [];
  return [
    chunk({ role: "assistant", content: "" }),
    ...words.map((content) => chunk({ content })),
    chunk({}, finish_reason),
  ];
}

/** Responds with a text, as a stream if requested. */
export function answering(text: string): UpstreamReply {
  return ({ body }) => (body["stream"] === true ? chunks(text) : completion(text));
}

export interface GuardedServer extends AsyncDisposable {
  readonly upstream: Upstream;
  readonly running: RunningServer;
  /** Sends a request to the server. */
  send(path: string, init?: RequestInit & { readonly json?: unknown }): Promise<Response>;
  /** Sends a chat request with a user's text, and more fields. */
  chat(text: string, fields?: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

const YAML = (url: string): string => `
models:
  - type: main
    engine: vllm_openai
    model: gpt-test
    parameters:
      base_url: ${url}
      api_key: upstream-secret-key
rails:
  input:
    flows: [check words, hide digits]
  output:
    flows: [check answer, hide digits of words]
    streaming:
      chunk_size: 4
      context_size: 2
`;

/** Options of the server, the first reply of the upstream server, more lines of the configuration, its version of Colang, and an observer of what its rails check. */
export type GuardedServerOptions = Omit<GuardrailsAppOptions, "configs"> & {
  readonly reply?: UpstreamReply;
  readonly yaml?: string;
  readonly version?: Version;
  readonly onCheck?: Parameters<typeof textActions>[0];
};

/** A server with the configuration \`demo\`, whose rails block texts with \`bad\` and hide digits, before an upstream server. */
export async function guardedServer(options: GuardedServerOptions = {}): Promise<GuardedServer> {
  const { reply, yaml = "", version = "1.0", onCheck, ...others } = options;
  const upstream = await openUpstream(reply);
  const path = await mkdtemp(join(tmpdir(), "guarded-server-"));
  await writeFile(join(path, "config.yml"), `colang_version: "${version}"\n${YAML(upstream.url)}${yaml}`);
  await writeFile(join(path, "rails.co"), RAILS[version]);
  const configs = { demo: { path, options: { actions: { ...textActions(onCheck), sly: () => true } } } };
  const dispose = async (): Promise<void> => {
    await upstream[Symbol.asyncDispose]();
    await rm(path, { recursive: true });
  };
  const app = await createGuardrailsApp({ configs, logger: false, ...others }).catch(async (error: unknown) => {
    await dispose();
    throw error;
  });
  const running = await serve(app, { port: 0, graceMs: 100 });
  const send: GuardedServer["send"] = (target, { json, ...init } = {}) =>
    fetch(`${running.url}${target}`, {
      ...init,
      ...(json === undefined
        ? {}
        : {
            method: "POST",
            body: typeof json === "string" ? json : JSON.stringify(json),
            headers: { "content-type": "application/json", ...init.headers },
          }),
    });
  return {
    upstream,
    running,
    send,
    chat: (text, fields = {}, headers = {}) => {
      const json = { model: "gpt-test", messages: [{ role: "user", content: text }], ...fields };
      return send("/v1/chat/completions", { json, headers });
    },
    [Symbol.asyncDispose]: async () => {
      await running.close();
      await dispose();
    },
  };
}

/** The events of a stream: parsed data, with comments and the end as texts. */
export function readEvents(text: string): unknown[] {
  return text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => {
      if (!event.startsWith("data: ")) return event;
      const data = event.slice("data: ".length);
      return data === "[DONE]" ? data : (JSON.parse(data) as unknown);
    });
}
