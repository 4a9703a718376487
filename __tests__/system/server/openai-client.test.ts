import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { HumanMessage, SystemMessage, ToolMessage, type AIMessageChunk } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import OpenAI6 from "openai";
import { zodResponseFormat as zodFormat6 } from "openai/helpers/zod";
import OpenAI7 from "openai-7";
import { zodResponseFormat as zodFormat7 } from "openai-7/helpers/zod";
import * as z from "zod/v4";
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

let server: GuardedServer;
let model: ChatOpenAI;

beforeAll(async () => {
  server = await guardedServer({ keys: [{ id: "tests", key: KEY }] });
  const baseURL = `${server.running.url}/v1`;
  model = new ChatOpenAI({ model: "gpt-test", apiKey: KEY, configuration: { baseURL }, maxRetries: 0 });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

beforeEach(() => {
  server.upstream.reply = answering("one two three four five six seven");
});

const messages = [{ role: "user" as const, content: "hi" }];
const request = { model: "gpt-test", messages };
const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const tools = [
  { type: "function" as const, function: { name: "find", description: "Finds a bike", parameters, strict: true } },
];
const toolCall = { id: "call_1", type: "function", function: { name: "find", arguments: '{"city":"Bern"}' } };

/** A tool call, as a stream if requested. */
const calling: UpstreamReply = ({ body }) =>
  body["stream"] === true
    ? [
        chunk({
          role: "assistant",
          content: null,
          tool_calls: [{ index: 0, ...toolCall, function: { name: "find", arguments: "" } }],
        }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] }),
        chunk({}, "tool_calls"),
      ]
    : completion(null, { tool_calls: [toolCall] }, { finish_reason: "tool_calls" });

const failing =
  (status: number, headers: Readonly<Record<string, string>> = {}): UpstreamReply =>
  (_request, response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end('{"error":{"message":"no","code":"x"}}');

const CLIENTS = [
  { version: 6, OpenAI: OpenAI6, zodResponseFormat: zodFormat6 },
  // As far as these tests use it, both versions have the same types.
  { version: 7, OpenAI: OpenAI7 as unknown as typeof OpenAI6, zodResponseFormat: zodFormat7 as typeof zodFormat6 },
] as const;

describe.each(CLIENTS)("the client of OpenAI, version $version", ({ OpenAI, zodResponseFormat }) => {
  let client: OpenAI6;

  beforeAll(() => {
    client = new OpenAI({ apiKey: KEY, baseURL: `${server.running.url}/v1`, maxRetries: 0 });
  });

  it("completes", async () => {
    const { data, response, request_id } = await client.chat.completions.create(request).withResponse();
    expect(data.choices[0]?.message.content).toBe("one two three four five six seven");
    expect([data.usage, data.system_fingerprint]).toEqual([USAGE, "fp_upstream"]);
    expect(response.headers.get("x-guardrails-status")).toBe("passed");
    expect(request_id).toMatch(/^req_/);
  });

  it("receives a block as a filtered completion", async () => {
    const { choices } = await client.chat.completions.create({
      ...request,
      messages: [{ role: "user", content: "bad" }],
    });
    expect(choices[0]).toMatchObject({ finish_reason: "content_filter", message: { content: "REFUSED" } });
  });

  it("streams", async () => {
    const stream = await client.chat.completions.create({ ...request, stream: true });
    let text = "";
    for await (const part of stream) text += part.choices[0]?.delta.content ?? "";
    expect(text).toBe("one two three four five six seven");
  });

  it("streams with its helper, and with usage", async () => {
    server.upstream.reply = () => [...chunks("one two three"), { ...chunk({}), choices: [], usage: USAGE }];
    const runner = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
    const deltas: string[] = [];
    runner.on("content", (delta) => deltas.push(delta));
    const final = await runner.finalChatCompletion();
    expect(deltas.join("")).toBe("one two three");
    expect(final.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "one two three" },
    });
    expect(final.usage).toEqual(USAGE);
  });

  it("streams through comments that keep the connection open", async () => {
    await using slow = await guardedServer({ limits: { heartbeatMs: 1 } });
    let write = (): void => undefined;
    let arrived = (): void => undefined;
    const arriving = new Promise<void>((resolve) => (arrived = resolve));
    slow.upstream.reply = (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      write = () => {
        for (const event of chunks("one two")) response.write(`data: ${JSON.stringify(event)}\n\n`);
        response.end("data: [DONE]\n\n");
      };
      arrived();
    };
    const other = new OpenAI({ apiKey: "none", baseURL: `${slow.running.url}/v1`, maxRetries: 0 });
    const runner = other.chat.completions.stream(request);
    await Promise.all([arriving, runner.emitted("connect")]);
    write();
    expect(await runner.finalContent()).toBe("one two");
  });

  it("throws the error of a stream that breaks", async () => {
    server.upstream.reply = (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of chunks("one two three four five six").slice(0, -1))
        response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    };
    const stream = await client.chat.completions.create({ ...request, stream: true });
    const reading = (async () => {
      for await (const part of stream) void part;
    })();
    await expect(reading).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  it("calls tools, streamed or not", async () => {
    server.upstream.reply = calling;
    const { choices } = await client.chat.completions.create({ ...request, tools });
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: null, tool_calls: [toolCall] },
    });
    const runner = client.chat.completions.stream({ ...request, tools });
    const streamed = await runner.finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls).toMatchObject([toolCall]);
  });

  it("runs tools until the model answers", async () => {
    server.upstream.reply = (given, response) =>
      (given.body["messages"] as object[]).length > 1
        ? answering("There are two.")(given, response)
        : calling(given, response);
    const runner = client.chat.completions.runTools({
      ...request,
      tools: [
        {
          type: "function",
          function: {
            name: "find",
            description: "Finds a bike",
            parameters,
            parse: JSON.parse,
            function: () => "two bikes",
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("There are two.");
  });

  it("parses structured output", async () => {
    server.upstream.reply = answering('{"city":"Bern"}');
    const format = zodResponseFormat(z.object({ city: z.string() }), "place");
    const parsed = await client.chat.completions.parse({ ...request, response_format: format });
    expect(parsed.choices[0]?.message.parsed).toEqual({ city: "Bern" });
    expect(server.upstream.requests.at(-1)?.body["response_format"]).toMatchObject({ type: "json_schema" });
  });

  it("lists models", async () => {
    const names: string[] = [];
    for await (const { id } of client.models.list()) names.push(id);
    expect(names).toEqual(["demo", "gpt-test"]);
    expect((await client.models.retrieve("demo")).object).toBe("model");
  });

  it.each([
    ["AuthenticationError", { apiKey: "wrong" }, answering("x"), request],
    ["NotFoundError", {}, answering("x"), { ...request, model: "nothing" }],
    ["BadRequestError", {}, answering("x"), { ...request, temperature: 9 }],
    ["PermissionDeniedError", {}, answering("x"), { ...request, guardrails: { context: {} } }],
    ["RateLimitError", {}, failing(429), request],
    ["InternalServerError", {}, failing(500), request],
  ] as const)("throws %s", async (name, options, reply, body) => {
    server.upstream.reply = reply;
    const other = client.withOptions(options);
    await expect(other.chat.completions.create(body)).rejects.toBeInstanceOf(OpenAI[name]);
  });

  it("retries if that may help, and not for a block or a wrong key of the server", async () => {
    const retrying = client.withOptions({ maxRetries: 2 });
    let left = 1;
    server.upstream.reply = (...given) =>
      left-- > 0 ? failing(429, { "retry-after-ms": "1" })(...given) : answering("fine")(...given);
    const before = server.upstream.requests.length;
    expect((await retrying.chat.completions.create(request)).choices[0]?.message.content).toBe("fine");
    expect(server.upstream.requests.length - before).toBe(2);
    server.upstream.reply = failing(401);
    await expect(retrying.chat.completions.create(request)).rejects.toMatchObject({ status: 502 });
    expect(server.upstream.requests.length - before).toBe(3);
  });

  it("aborts, and the upstream call with it", async () => {
    let arrived = (): void => undefined;
    const arriving = new Promise<void>((resolve) => (arrived = resolve));
    server.upstream.reply = () => arrived();
    const controller = new AbortController();
    const sending = client.chat.completions.create(request, { signal: controller.signal });
    await arriving;
    controller.abort();
    await expect(sending).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await server.upstream.aborted();
  });
});

describe("ChatOpenAI", () => {
  it("completes, with the verdict in the raw response", async () => {
    const message = await model.invoke([new SystemMessage("Be brief."), new HumanMessage("hi")]);
    expect(message.text).toBe("one two three four five six seven");
    expect(message.usage_metadata).toMatchObject({ total_tokens: 10 });
    expect(message.response_metadata).toMatchObject({ finish_reason: "stop", system_fingerprint: "fp_upstream" });
  });

  it("receives a block as a filtered answer", async () => {
    const message = await model.invoke("bad");
    expect([message.text, message.response_metadata["finish_reason"]]).toEqual(["REFUSED", "content_filter"]);
  });

  it("streams with usage", async () => {
    server.upstream.reply = () => [...chunks("one two three"), { ...chunk({}), choices: [], usage: USAGE }];
    let whole: AIMessageChunk | undefined;
    for await (const part of await model.stream("hi")) whole = whole === undefined ? part : whole.concat(part);
    expect(whole?.text).toBe("one two three");
    expect(whole?.usage_metadata).toMatchObject({ total_tokens: 10 });
  });

  it("calls tools and reads their results", async () => {
    server.upstream.reply = (given, response) =>
      (given.body["messages"] as object[]).length > 1
        ? answering("There are two.")(given, response)
        : calling(given, response);
    const bound = model.bindTools(tools);
    const asked = await bound.invoke("hi");
    expect(asked.tool_calls).toMatchObject([{ id: "call_1", name: "find", args: { city: "Bern" } }]);
    const answer = await bound.invoke([
      new HumanMessage("hi"),
      asked,
      new ToolMessage({ content: "two bikes", tool_call_id: "call_1" }),
    ]);
    expect(answer.text).toBe("There are two.");
  });

  it.each(["jsonSchema", "functionCalling", "jsonMode"] as const)("returns structured output by %s", async (method) => {
    const called = { ...toolCall, function: { name: "place", arguments: '{"city":"Bern"}' } };
    server.upstream.reply = ({ body }) =>
      body["tools"] === undefined
        ? completion('{"city":"Bern"}')
        : completion(null, { tool_calls: [called] }, { finish_reason: "tool_calls" });
    const structured = model.withStructuredOutput(z.object({ city: z.string() }), { name: "place", method });
    expect(await structured.invoke("Where, in JSON?")).toEqual({ city: "Bern" });
  });

  it("throws errors with their status", async () => {
    server.upstream.reply = failing(429);
    await expect(model.invoke("hi")).rejects.toMatchObject({ status: 429 });
  });
});
