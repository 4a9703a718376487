// OpenAI's Python client against the server. It needs a Python with the package `openai`: the one that the variable
// OPENAI_PYTHON names, or `python3`.
import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  answering,
  chunk,
  chunks,
  completion,
  type GuardedServer,
  guardedServer,
  USAGE,
  type UpstreamReply,
} from "../../support/server/guarded-server.js";

const KEY = "key-of-the-tests-0123";
const SCRIPT = fileURLToPath(new URL("../../support/server/openai-client.py", import.meta.url));
const LOOK = "import sys; from importlib.util import find_spec; sys.exit(find_spec('openai') is None)";

const python = [process.env["OPENAI_PYTHON"] ?? "python3"].find(
  (command) => spawnSync(command, ["-c", LOOK]).status === 0,
);
if (python === undefined) {
  process.stderr.write("SKIPPED: no Python with `openai` is found; name one in the variable OPENAI_PYTHON\n");
}

const call = { id: "call_1", type: "function", function: { name: "find", arguments: '{"city":"Bern"}' } };
let tries = 0;
let cancelled: Promise<unknown>[] = [];

/** Responds as the user's text requests. */
const upstream: UpstreamReply = (request, response) => {
  const { messages, stream } = request.body as { readonly messages: { content: string }[]; readonly stream?: boolean };
  const text = messages.at(-1)?.content ?? "";
  const gone = (): Promise<unknown> => new Promise((resolve) => response.once("close", resolve));
  const refuse = (status: number, headers = {}): void =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end('{"error":{"code":"x"}}');
  if (text === "limit") return refuse(429);
  if (text === "failure") return refuse(500);
  if (text === "limit once") {
    tries += 1;
    return tries === 1 ? refuse(429, { "retry-after-ms": "1" }) : answering("fine")(request, response);
  }
  if (text === "hang") return void cancelled.push(gone());
  if (text === "break" || text === "wait") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of chunks("one two three four five six").slice(0, -1))
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    if (text === "break") return void response.end();
    return void cancelled.push(gone());
  }
  if (text === "json") return answering('{"city":"Bern"}')(request, response);
  if (text === "call") {
    const { name, arguments: args } = call.function;
    if (stream !== true) return completion(null, { tool_calls: [call] }, { finish_reason: "tool_calls" });
    return [
      chunk({
        role: "assistant",
        content: null,
        tool_calls: [{ index: 0, ...call, function: { name, arguments: "" } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] }),
      chunk({}, "tool_calls"),
    ];
  }
  if (stream !== true) return completion("one two three");
  return [...chunks("one two three"), { ...chunk({}), choices: [], usage: USAGE }];
};

(python === undefined ? describe.skip : describe)("the Python client of OpenAI", () => {
  let server: GuardedServer;
  let results: Record<string, unknown>;

  beforeAll(async () => {
    cancelled = [];
    server = await guardedServer({ keys: [{ id: "tests", key: KEY }], reply: upstream });
    const argv = [SCRIPT, `${server.running.url}/v1`, KEY];
    const { stdout } = await promisify(execFile)(python as string, argv, { timeout: 50_000 });
    results = JSON.parse(stdout) as Record<string, unknown>;
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it.each<[title: string, scenario: string, expected: unknown]>([
    [
      "completes",
      "complete",
      { content: "one two three", usage: USAGE, fingerprint: "fp_upstream", status: "passed", has_request_id: true },
    ],
    ["receives a block as a filtered completion", "blocked", ["content_filter", "REFUSED"]],
    ["streams with usage", "stream", { text: "one two three", role: "assistant", reasons: ["stop"], total: 10 }],
    ["streams with its helper", "helper", { deltas: "one two three", final: "one two three" }],
    [
      "calls tools, streamed or not",
      "tools",
      { reasons: ["tool_calls", "tool_calls"], arguments: [{ city: "Bern" }, { city: "Bern" }] },
    ],
    ["parses structured output", "structured", "Bern"],
    ["lists models", "models", ["demo", "gpt-test"]],
    [
      "raises errors of its own classes",
      "errors",
      {
        key: ["AuthenticationError", "invalid_api_key"],
        model: ["NotFoundError", "model_not_found"],
        value: ["BadRequestError", "decimal_above_max_value"],
        permission: ["PermissionDeniedError", "not_permitted"],
        limit: ["RateLimitError", "x"],
        server: ["InternalServerError", "x"],
        broken: ["APIError", "upstream_unavailable"],
      },
    ],
    ["tries again after a limit", "retries", "fine"],
    ["closes a stream after its first chunk", "leaves", "one"],
    ["aborts a request that takes too long", "gives_up", ["APITimeoutError", null]],
    ["sends requests at the same time", "concurrently", ["one two three"]],
  ])("%s", (_title, scenario, expected) => {
    expect(results[scenario]).toEqual(expected);
  });

  it("asks the model once for each try", () => {
    expect(tries).toBe(2);
  });

  it("cancels model calls that the client has abandoned", async () => {
    expect(cancelled).toHaveLength(2);
    await Promise.all(cancelled);
  });
});
