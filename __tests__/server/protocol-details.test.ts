import { beforeEach, describe, expect, it } from "@jest/globals";
import {
  answering,
  chunk,
  chunks,
  completion,
  readEvents,
  type UpstreamReply,
  USAGE,
} from "../support/server/guarded-server.js";
import { serverOfFile } from "../support/server/server-of-file.js";

const server = serverOfFile({ models: ["gpt-other"] });

const tools = [
  {
    type: "function",
    function: { name: "find", description: "Finds a bike", parameters: { type: "object" }, strict: true },
  },
];
const call = { id: "call_1", type: "function", function: { name: "find", arguments: '{ "city":  "Bern" }' } };
const token = (text: string) => ({
  token: text,
  logprob: -0.25,
  bytes: [...Buffer.from(text)],
  top_logprobs: [{ token: "Hi", logprob: -2, bytes: [72, 105] }],
});
const logprobs = (...texts: string[]) => ({ content: texts.map(token), refusal: null });

interface Received {
  readonly response: Response;
  readonly text: string;
  readonly body: Record<string, unknown>;
  readonly choice: Record<string, unknown>;
  readonly message: Record<string, unknown>;
}

async function ask(
  text: string,
  fields: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const response = await server.chat(text, fields, headers);
  const received = await response.text();
  const body = JSON.parse(received) as Record<string, unknown>;
  const [choice = {}] = (body["choices"] ?? []) as Record<string, unknown>[];
  return { response, text: received, body, choice, message: (choice["message"] ?? {}) as Record<string, unknown> };
}

type Row = readonly [name: string, reply: UpstreamReply, fields: object, check: (received: Received) => void];

describe("a completion", () => {
  it.each<Row>([
    ["keeps the usage", answering("Hello!"), {}, ({ body }) => expect(body["usage"]).toEqual(USAGE)],
    [
      "keeps the details of the usage",
      () => ({ ...completion("Hello!"), usage: { ...USAGE, prompt_tokens_details: { cached_tokens: 4 } } }),
      {},
      ({ body }) => expect(body["usage"]).toEqual({ ...USAGE, prompt_tokens_details: { cached_tokens: 4 } }),
    ],
    [
      "keeps the fingerprint of the system",
      answering("Hello!"),
      {},
      ({ body }) => expect(body["system_fingerprint"]).toBe("fp_upstream"),
    ],
    [
      "keeps the tier of the service",
      answering("Hello!"),
      {},
      ({ body }) => expect(body["service_tier"]).toBe("default"),
    ],
    ["keeps the time", answering("Hello!"), {}, ({ body }) => expect(body["created"]).toBe(1_700_000_000)],
    [
      "keeps the name of the model",
      answering("Hello!"),
      {},
      ({ body }) => expect(body["model"]).toBe("upstream-model-2026"),
    ],
    ["has its own id", answering("Hello!"), {}, ({ body }) => expect(body["id"]).toMatch(/^chatcmpl-[\da-f]{32}$/)],
    ["is a chat.completion", answering("Hello!"), {}, ({ body }) => expect(body["object"]).toBe("chat.completion")],
    ["has a refusal of null", answering("Hello!"), {}, ({ message }) => expect(message["refusal"]).toBeNull()],
    [
      "keeps a refusal of the provider",
      () => completion(null, { refusal: "I cannot help with it." }),
      {},
      ({ message }) => expect(message).toEqual({ role: "assistant", content: null, refusal: "I cannot help with it." }),
    ],
    [
      "reviews a refusal of the provider",
      () => completion(null, { refusal: "No bad words." }),
      {},
      ({ text, choice }) => {
        expect(text).not.toContain("bad words");
        expect(choice["finish_reason"]).toBe("content_filter");
      },
    ],
    [
      "keeps log probabilities",
      () => completion("Hello!", {}, { logprobs: logprobs("Hello", "!") }),
      { logprobs: true, top_logprobs: 1 },
      ({ choice }) => expect(choice["logprobs"]).toEqual(logprobs("Hello", "!")),
    ],
    [
      "drops log probabilities of a text that a rail rewrote",
      () => completion("Room 12", {}, { logprobs: logprobs("Room ", "12") }),
      { logprobs: true },
      ({ choice, text }) => {
        expect(choice["logprobs"]).toBeNull();
        expect(text).not.toContain('"12"');
      },
    ],
    [
      "drops log probabilities that spell another text",
      () => completion("Hello!", {}, { logprobs: logprobs("something ", "bad") }),
      { logprobs: true },
      ({ choice }) => expect(choice["logprobs"]).toBeNull(),
    ],
    [
      "keeps tool calls as the model wrote them",
      () => completion(null, { tool_calls: [call] }, { finish_reason: "tool_calls" }),
      { tools },
      ({ message, choice }) => {
        expect(message).toMatchObject({ content: null, tool_calls: [call] });
        expect(choice["finish_reason"]).toBe("tool_calls");
      },
    ],
    [
      "keeps the reason `length`",
      () => completion("Hel", {}, { finish_reason: "length" }),
      {},
      ({ choice }) => expect(choice["finish_reason"]).toBe("length"),
    ],
    [
      "keeps the reason `content_filter`",
      () => completion("", {}, { finish_reason: "content_filter" }),
      {},
      ({ choice }) => expect(choice["finish_reason"]).toBe("content_filter"),
    ],
    [
      "has one choice of the index 0",
      answering("Hello!"),
      {},
      ({ body, choice }) => {
        expect(body["choices"]).toHaveLength(1);
        expect(choice["index"]).toBe(0);
      },
    ],
    [
      "reports its duration",
      answering("Hello!"),
      {},
      ({ response }) => expect(response.headers.get("openai-processing-ms")).toMatch(/^\d+$/),
    ],
    [
      "has an id of the request",
      answering("Hello!"),
      {},
      ({ response }) => expect(response.headers.get("x-request-id")).toMatch(/^req_[\da-f]{32}$/),
    ],
    [
      "passes limits of the provider on",
      (_request, response) =>
        void response
          .writeHead(200, {
            "x-ratelimit-remaining-requests": "7",
            "set-cookie": "a=b",
            "content-type": "application/json",
          })
          .end(JSON.stringify(completion("Hi"))),
      {},
      ({ response: { headers } }) => {
        expect(headers.get("x-ratelimit-remaining-requests")).toBe("7");
        expect(headers.get("set-cookie")).toBeNull();
      },
    ],
  ])("%s", async (_name, reply, fields, check) => {
    server.upstream.reply = reply;
    const received = await ask("hi", fields);
    expect(received.response.status).toBe(200);
    check(received);
  });

  it("reports usage without tokens for a message that no model has read", async () => {
    const { body, message } = await ask("something bad");
    expect(body["usage"]).toEqual({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
    expect(message["refusal"]).toBeNull();
  });

  it("repeats the id that the caller gave the request", async () => {
    const { response } = await ask("hi", {}, { "x-request-id": "mine-7" });
    expect(response.headers.get("x-request-id")).toBe("mine-7");
    const other = await ask("hi", {}, { "x-request-id": "<script>" });
    expect(other.response.headers.get("x-request-id")).toMatch(/^req_/);
  });
});

const PARAMETERS: Readonly<Record<string, unknown>> = {
  frequency_penalty: 0.5,
  logit_bias: { "50256": -100 },
  logprobs: true,
  max_completion_tokens: 12,
  metadata: { team: "bikes" },
  modalities: ["text"],
  parallel_tool_calls: false,
  prediction: { type: "content", content: "Hello" },
  presence_penalty: -0.5,
  prompt_cache_key: "bikes",
  reasoning_effort: "low",
  response_format: { type: "json_schema", json_schema: { name: "bike", schema: { type: "object" }, strict: true } },
  safety_identifier: "user-1",
  seed: 42,
  service_tier: "auto",
  stop: ["\n"],
  store: false,
  temperature: 0,
  tool_choice: { type: "function", function: { name: "find" } },
  tools,
  top_logprobs: 2,
  top_p: 0.9,
  user: "ann",
  verbosity: "low",
};

describe("the upstream request", () => {
  it("has every parameter of the caller", async () => {
    server.upstream.reply = answering("{}");
    await ask("hi", PARAMETERS);
    expect(server.upstream.requests.at(-1)?.body).toEqual({
      model: "gpt-test",
      messages: [{ role: "user", content: "hi" }],
      ...PARAMETERS,
    });
  });

  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ["prompt_cache_options", { prompt_cache_options: { mode: "explicit", ttl: "30m" } }],
    ["prompt_cache_retention", { prompt_cache_retention: "in_memory" }],
    ["prompt_cache_retention of older clients", { prompt_cache_retention: "in-memory" }],
    ["the most reasoning", { reasoning_effort: "max" }],
    ["the fastest tier", { service_tier: "fast" }],
    [
      "allowed tools",
      {
        tools,
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "find" } }] },
        },
      },
    ],
    [
      "ends of cached prompts",
      {
        messages: [
          {
            role: "system",
            content: [{ type: "text", text: "Be brief.", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } }],
          },
          {
            role: "user",
            content: [{ type: "text", text: "hi", prompt_cache_breakpoint: { mode: "explicit" } }],
          },
        ],
      },
    ],
  ])("has %s", async (_name, fields) => {
    server.upstream.reply = answering("{}");
    expect((await ask("hi", fields)).response.status).toBe(200);
    expect(server.upstream.requests.at(-1)?.body).toMatchObject(fields);
  });

  it("omits parameters that OpenAI's clients send as null without effect", async () => {
    server.upstream.reply = answering("{}");
    expect((await ask("hi", { audio: null, moderation: null })).response.status).toBe(200);
    expect(server.upstream.requests.at(-1)?.body).not.toHaveProperty("audio");
  });

  it("has the model that the caller requests, if it is allowed", async () => {
    await ask("hi", { model: "gpt-other" });
    expect(server.upstream.requests.at(-1)?.body["model"]).toBe("gpt-other");
    await ask("hi", { model: "demo" });
    expect(server.upstream.requests.at(-1)?.body["model"]).toBe("gpt-test");
  });

  it("has the messages as the caller wrote them, except texts that rails rewrote", async () => {
    const messages = [
      { role: "developer", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Look:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0=", detail: "low" } },
        ],
      },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", content: "two bikes", tool_call_id: "call_1" },
      { role: "assistant", content: "Two bikes." },
      { role: "user", content: "My number is 42" },
    ];
    server.upstream.reply = answering("Fine.");
    await ask("", { messages, tools });
    const sent = server.upstream.requests.at(-1)?.body["messages"];
    expect(sent).toEqual([...messages.slice(0, -1), { role: "user", content: "My number is **" }]);
  });
});

const oddContent = (isStream: boolean): unknown =>
  isStream ? [chunk({ content: { text: "bad" } })] : completion(null, { content: { text: "bad" } });

const failing =
  (
    status: number,
    headers: Readonly<Record<string, string>> = {},
    error: object = { message: "the secret sk-123 is wrong", type: "t", code: "some_code", param: null },
  ): UpstreamReply =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify({ error }));

describe("an upstream failure", () => {
  it.each([
    ["400", failing(400), 400, "some_code"],
    ["404", failing(404), 404, "some_code"],
    ["401", failing(401), 502, "upstream_credentials"],
    ["403", failing(403), 502, "upstream_credentials"],
    ["429", failing(429, { "retry-after": "3" }), 429, "some_code"],
    ["500", failing(500), 500, "some_code"],
    ["503", failing(503, { "retry-after": "2" }), 503, "some_code"],
    [
      "a closed connection",
      ((_request, response) => void response.destroy()) as UpstreamReply,
      502,
      "upstream_unavailable",
    ],
    [
      "a response that is not JSON",
      ((_request, response) => void response.end("<html>bad</html>")) as UpstreamReply,
      502,
      "upstream_unavailable",
    ],
    [
      "content that is neither text nor parts",
      (({ body }) => oddContent(body["stream"] === true)) as UpstreamReply,
      502,
      "upstream_unavailable",
    ],
    ["a response without a choice", (() => ({ choices: [] })) as UpstreamReply, 502, "upstream_unavailable"],
  ] as const)("%s is reported once, and without its texts", async (_name, reply, status, code) => {
    const messages = [{ role: "user", content: "hi" }];
    const requests = [
      ["/v1/chat/completions", { model: "gpt-test", messages }],
      ["/nemo/v1/chat/completions", { messages }],
    ] as const;
    for (const [path, body] of requests) {
      for (const stream of [false, true]) {
        server.upstream.reply = reply;
        const before = server.upstream.requests.length;
        const response = await server.send(path, { json: { ...body, stream } });
        const text = await response.text();
        const { error } = (text.startsWith("data:") ? readEvents(text)[0] : JSON.parse(text)) as {
          error: Record<string, unknown>;
        };
        expect([path, response.status, error["code"]]).toEqual([path, status, code]);
        expect(text).not.toMatch(/sk-123|html/);
        expect(server.upstream.requests.length - before).toBe(1);
        if (status === 429) expect(response.headers.get("retry-after")).toBe("3");
      }
    }
  });
});

describe("texts of an upstream server in fields for names and numbers", () => {
  const text = "a sentence that no rail has read";
  const hello = [...Buffer.from("Hello")];

  it.each([
    ["tokens next to their bytes", { token: text, logprob: -1, bytes: hello }, "Hello"],
    ["bytes", { token: "Hello", logprob: -1, bytes: [text] }, "Hello"],
    ["bytes of an alternative", { token: "Hello", logprob: -1, bytes: hello, top: { token: "a", bytes: [text] } }, "a"],
    [
      "an alternative next to its bytes",
      { token: "Hello", logprob: -1, bytes: hello, top: { token: text, bytes: [0xe2, 0x82] } },
      "bytes:\\\\xe2\\\\x82",
    ],
  ])("are not emitted as %s of log probabilities", async (_name, { top, ...token }: Record<string, unknown>, shown) => {
    const content = [{ ...token, top_logprobs: top === undefined ? [] : [top] }];
    const logprobs = { content, refusal: null };
    server.upstream.reply = ({ body }) =>
      body["stream"] === true
        ? [
            chunk({}, null, { choices: [{ index: 0, delta: { content: "Hello" }, logprobs, finish_reason: null }] }),
            chunk({}, "stop"),
          ]
        : completion("Hello", {}, { logprobs });
    for (const stream of [false, true]) {
      const received = await (await server.chat("hi", { logprobs: true, stream })).text();
      expect(received).not.toContain("sentence");
      expect(received).toContain(`"token":"${shown}"`);
    }
  });

  const odd = {
    model: text,
    system_fingerprint: `fp ${text}`,
    service_tier: "x".repeat(1000),
    usage: { ...USAGE, note: text, details: { [text]: 1, count: 2, deep: { count: 3 } } },
  };
  const asking = (index: number) => ({ tool_calls: [{ index, ...call, id: text }] });

  it.each([false, true])("are not emitted, streamed: %s", async (stream) => {
    server.upstream.reply = () =>
      stream
        ? [
            { ...chunk({ role: "assistant", ...asking(4_294_967_294) }), ...odd },
            { ...chunk({}, "tool_calls"), ...odd },
          ]
        : { ...completion(null, asking(0), { finish_reason: text }), ...odd };
    const fields = { tools, stream, ...(stream ? { stream_options: { include_usage: true } } : {}) };
    const received = await (await server.chat("hi", fields)).text();
    expect(received).not.toMatch(/sentence|xxxx/);
    expect(received).toContain('"id":"call_0"');
    expect(received).toContain('"model":"gpt-test"');
    expect(received).toContain('"finish_reason":"tool_calls"');
    expect(received).toContain(`"usage":${JSON.stringify({ ...USAGE, details: { count: 2 } })}`);
  });
});

interface StreamEvent {
  readonly id: string;
  readonly object: string;
  readonly choices: readonly {
    readonly delta: Record<string, unknown>;
    readonly finish_reason: string | null;
    readonly logprobs: unknown;
  }[];
  readonly usage?: unknown;
}

async function stream(fields: object = {}): Promise<{ events: StreamEvent[]; text: string; response: Response }> {
  const response = await server.chat("hi", { stream: true, ...fields });
  const text = await response.text();
  return { events: readEvents(text).filter((event) => typeof event === "object") as StreamEvent[], text, response };
}

describe("a stream", () => {
  beforeEach(() => {
    server.upstream.reply = answering("one two three four five six seven");
  });

  it("has the headers of a stream", async () => {
    const { headers } = (await stream()).response;
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("cache-control")).toContain("no-cache");
    expect(headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("has one id, and chunks for objects", async () => {
    const { events } = await stream();
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    expect(new Set(events.map(({ object }) => object))).toEqual(new Set(["chat.completion.chunk"]));
  });

  it("names the role in the first delta, and in no other", async () => {
    const roles = (await stream()).events.map(({ choices }) => choices[0]?.delta["role"]);
    expect(roles[0]).toBe("assistant");
    expect(roles.slice(1).every((role) => role === undefined)).toBe(true);
  });

  it("has one finish reason, in the last chunk with a choice", async () => {
    const reasons = (await stream()).events.map(({ choices }) => choices[0]?.finish_reason);
    expect(reasons.at(-1)).toBe("stop");
    expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
  });

  it("ends with [DONE]", async () => {
    expect((await stream()).text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("has usage only on request, in a last chunk without choices", async () => {
    expect((await stream()).events.every((event) => !("usage" in event))).toBe(true);
    server.upstream.reply = ({ body }) => {
      expect(body["stream_options"]).toEqual({ include_usage: true });
      return [...chunks("one two three"), { ...chunk({}), choices: [], usage: USAGE }];
    };
    const { events } = await stream({ stream_options: { include_usage: true } });
    expect(events.at(-1)).toMatchObject({ choices: [], usage: USAGE });
    expect(events.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it("keeps log probabilities of each chunk", async () => {
    server.upstream.reply = () => [
      chunk({ role: "assistant", content: "Hello" }, null, {
        choices: [{ index: 0, delta: { content: "Hello" }, logprobs: logprobs("Hello"), finish_reason: null }],
      }),
      chunk({}, "stop"),
    ];
    const { events } = await stream({ logprobs: true });
    expect(events[0]?.choices[0]?.logprobs).toEqual(logprobs("Hello"));
  });

  it("has tool calls as deltas, with the id in the first one", async () => {
    const calls = (id: string | undefined, name: string | undefined, args: string) => ({
      tool_calls: [
        { index: 0, ...(id && { id, type: "function" }), function: { ...(name && { name }), arguments: args } },
      ],
    });
    server.upstream.reply = () => [
      chunk({ role: "assistant", content: null, ...calls("call_1", "find", "") }),
      chunk(calls(undefined, undefined, '{"city":')),
      chunk(calls(undefined, undefined, '"Bern"}')),
      chunk({}, "tool_calls"),
    ];
    const { events } = await stream({ tools });
    const deltas = events.flatMap(
      ({ choices }) =>
        (choices[0]?.delta["tool_calls"] ?? []) as {
          index: number;
          id?: string;
          function: { name?: string; arguments: string };
        }[],
    );
    expect(deltas[0]).toMatchObject({ index: 0, id: "call_1", type: "function", function: { name: "find" } });
    expect(deltas.map((delta) => delta.function.arguments).join("")).toBe('{"city":"Bern"}');
    expect(deltas.slice(1).every(({ id }) => id === undefined)).toBe(true);
    expect(events.at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
  });

  it.each<readonly [string, UpstreamReply]>([
    [
      "is truncated",
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const event of chunks("one two three four five six seven").slice(0, -1))
          response.write(`data: ${JSON.stringify(event)}\n\n`);
        response.end();
      },
    ],
    [
      "is destroyed",
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`data: ${JSON.stringify(chunk({ role: "assistant", content: "one" }))}\n\n`, () =>
          response.destroy(),
        );
      },
    ],
    [
      "holds an error",
      () => [
        chunk({ role: "assistant", content: "one two" }),
        { error: { message: "sk-123 overloaded", code: "busy" } },
      ],
    ],
  ])("ends with an error event, and not with [DONE], if the upstream stream %s", async (_name, reply) => {
    server.upstream.reply = reply;
    const { text } = await stream();
    expect(text).not.toContain("[DONE]");
    expect(text).toContain('"error"');
    expect(text).not.toContain("sk-123");
  });

  it("has a refusal with a role, one reason and the verdict", async () => {
    const response = await server.chat("something bad", { stream: true });
    expect(response.headers.get("x-guardrails-status")).toBe("blocked");
    const events = readEvents(await response.text()) as StreamEvent[];
    expect(events[0]?.choices[0]?.delta).toMatchObject({ role: "assistant", content: "REFUSED" });
    expect(events.at(-2)).toMatchObject({
      choices: [{ delta: {}, finish_reason: "content_filter" }],
      guardrails: { rail: "check words" },
    });
  });

  it("has no named events", async () => {
    expect((await stream()).text).not.toMatch(/^event:/m);
  });
});
