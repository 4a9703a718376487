import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { chat } from "../../src/testing/chat.js";
import { unmark } from "../../src/testing/mark.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { fakeGuardrails, strictRail } from "../support/langchain/fake-runtime.js";
import { Guardrails } from "../../src/index.js";
import { eventChat } from "../../src/testing/index.js";
import { type ScriptedServer, scriptedServer } from "../../src/testing/scripted-server.js";

describe("chat", () => {
  it("reads as a dialogue, in a thread of its own", async () => {
    const { guardrails, calls } = fakeGuardrails({ input: strictRail });
    const talk = chat(guardrails.wrap(scriptedModel(["Hello!"])));
    await talk.user("hi");
    talk.bot("Hello!");
    talk.bot(/^Hello/);
    await talk.user("bad words");
    talk.bot("REFUSED");
    talk.blockedBy("input rail");
    expect(talk.decisions).toMatchObject([{ status: "blocked" }]);
    expect(talk.transcript).toBe("> hi\n< Hello!\n> bad words\n! input rail\n< REFUSED");
    const threads = calls.map(({ options }) => options?.config?.configurable?.["thread_id"]);
    expect(threads[0]).toBe(threads[1]);
    expect(threads[0]).toBeDefined();
  });

  it("shows the dialogue when an expectation fails", async () => {
    const { guardrails } = fakeGuardrails();
    const talk = chat(guardrails.wrap(scriptedModel(["Hello!"])));
    expect(() => talk.bot("x")).toThrow("no message has been sent yet");
    await talk.user("hi");
    expect(() => talk.bot("Bye")).toThrow("> hi\n< Hello!");
    expect(() => talk.blockedBy("r")).toThrow("expected the rail `r` to block");
  });
});

describe("unmark", () => {
  it("returns the text between the marks", () => {
    expect(unmark("a «bc» d")).toEqual({ text: "a bc d", start: 2, end: 4, marked: "bc" });
  });

  it.each(["none", "«open", "»x«", "«a» «b»"])("refuses %j", (source) => {
    expect(() => unmark(source)).toThrow("mark exactly one part");
  });
});

const COLANG = `import core
import timing

flow specific
  user said "hi"
  bot say "Hi, you"

flow general
  user said something
  bot say "Hm"

flow broken
  user said "break"
  $x = 1 / 0

flow bowing
  user said "bow"
  await GestureBotAction(gesture="bow")
  bot say "There"

flow reminding
  user said "later"
  wait 90
  bot say "Now"

flow main
  activate specific and general and broken and bowing and reminding
  wait indefinitely
`;

const open = async () => eventChat(await Guardrails.fromConfig({ colang: COLANG, config: { colang_version: "2.x" } }));

describe("eventChat", () => {
  it("plays a dialogue with timers and with actions outside the engine", async () => {
    const talk = await open();
    expect(await talk.user("hi")).toBe("Hi, you");
    talk.bot(/you$/);
    expect(() => talk.bot("no")).toThrow(/expected the bot to say no, but it went\n> hi\n< Hi, you/);
    await talk.user("bow");
    await talk.finish("GestureBotAction", { is_success: true });
    talk.bot("There");
    await expect(talk.finish("DanceBotAction")).rejects.toThrow(/no `DanceBotAction` was emitted/);
    await talk.user("later");
    expect(talk.timers).toEqual([90]);
    expect(await talk.ring()).toBe("Now");
    await expect(talk.ring()).rejects.toThrow(/no timer runs/);
    talk.close();
    expect(talk.transcript).toContain("! StartGestureBotAction\n< There");
  });

  it("sends what the user types as one utterance, from its start to its end", async () => {
    const colang = `import core

flow main
  while True
    match UtteranceUserAction.Started() as $begun
    match $begun.action.Finished() as $said
    bot say "{$said.final_transcript} {$said.action_uid == $begun.action_uid}"
`;
    const talk = await eventChat(await Guardrails.fromConfig({ colang, config: { colang_version: "2.x" } }));
    expect(await talk.user("one")).toBe("one True");
    expect(await talk.user("two")).toBe("two True");
    talk.close();
  });

  it("explains why a flow won, lost or failed", async () => {
    const talk = await open();
    await talk.user("hi");
    expect([talk.why("specific").outcome, talk.why("general").outcome]).toEqual(["decided", "lost"]);
    expect(talk.why("general").reasons.join("\n")).toMatch(
      /\(main\.co:\d+\), but `specific` fitted better: 1 over 0\.9/,
    );
    await talk.user("break");
    expect(talk.why("broken").reasons.join("\n")).toMatch(/division/);
    expect(() => talk.why("specifc")).toThrow(/unknown flow `specifc`/);
    talk.close();
  });
});

describe("scriptedModel", () => {
  it("answers in order and records the calls", async () => {
    const model = scriptedModel([
      "one",
      new AIMessage({ content: "two", id: "m" }),
      (messages) => `${messages.length}`,
    ]);
    expect((await model.invoke("a")).content).toBe("one");
    expect(await model.invoke("b")).toMatchObject({ content: "two", id: "m" });
    expect((await model.invoke([new HumanMessage("c"), new HumanMessage("d")])).content).toBe("2");
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["human: a", "human: b", "human: c\nhuman: d"]);
    model.assertDone();
  });

  it("refuses a call that is not scripted and shows its prompt", async () => {
    await expect(scriptedModel([]).invoke("who asks?")).rejects.toThrow(/call 1 was not scripted.*\nhuman: who asks\?/);
  });

  it("throws scripted errors and reports unused replies", async () => {
    const model = scriptedModel([new Error("down"), "left"]);
    await expect(model.invoke("a")).rejects.toThrow("down");
    expect(() => model.assertDone()).toThrow("1 of 2 scripted replies were not asked for");
  });

  it("streams in chunks that add up", async () => {
    const message = new AIMessage({
      content: "a long answer",
      id: "m",
      tool_calls: [{ name: "f", args: { a: 1 }, id: "t" }],
    });
    const chunks = [];
    for await (const chunk of await scriptedModel([message]).stream("hi")) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.reduce((whole, chunk) => concat(whole, chunk))).toMatchObject({
      content: "a long answer",
      id: "m",
      tool_calls: [{ name: "f", args: { a: 1 }, id: "t" }],
    });
  });

  it("binds tools to the same script", async () => {
    const model = scriptedModel(["ok"]);
    const tool = { type: "function", function: { name: "look", parameters: {} } };
    await model.bindTools([tool]).invoke("hi");
    expect(model.calls[0]?.options.tools).toEqual([tool]);
  });

  it("always returns a single reply", async () => {
    const model = scriptedModel("same");
    expect((await model.batch(["a", "b", "c"])).map(({ content }) => content)).toEqual(["same", "same", "same"]);
    model.assertDone();
  });
});

const client = (server: ScriptedServer): ChatOpenAI =>
  new ChatOpenAI({ model: "any", apiKey: "none", maxRetries: 0, configuration: { baseURL: server.url } });

describe("scriptedServer", () => {
  it("speaks JSON with a real client", async () => {
    await using server = await scriptedServer([{ toolCalls: [{ name: "look", args: { q: "x" } }] }, "Hello there!"]);
    const first = await client(server).invoke("hi");
    expect(first.tool_calls).toMatchObject([{ name: "look", args: { q: "x" }, id: "call_1" }]);
    expect((await client(server).invoke("hi")).content).toBe("Hello there!");
    expect(server.requests[1]).toMatchObject({ path: "/v1/chat/completions", body: { model: "any" } });
    server.assertDone();
  });

  it("streams chunks, tool calls and usage", async () => {
    await using server = await scriptedServer([
      { text: "one two  three", toolCalls: [{ name: "look", args: { q: "x" } }] },
    ]);
    const chunks = [];
    for await (const chunk of await client(server).stream("hi")) chunks.push(chunk);
    expect(chunks.filter(({ content }) => content !== "").map(({ content }) => content)).toEqual([
      "one",
      " two",
      "  three",
    ]);
    expect(chunks.reduce((whole, chunk) => concat(whole, chunk))).toMatchObject({
      content: "one two  three",
      tool_calls: [{ name: "look", args: { q: "x" } }],
      usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    });
  });

  it("waits only for the gates of a test", async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    await using server = await scriptedServer([{ pieces: ["a", "b"], gate, gateAt: 1 }]);
    const iterator = (await client(server).stream("hi"))[Symbol.asyncIterator]();
    expect((await iterator.next()).value?.content).toBe("a");
    open();
    expect((await iterator.next()).value?.content).toBe("b");
  });

  it("refuses requests that are not scripted, and reports responses that were not requested", async () => {
    await using server = await scriptedServer([]);
    await expect(client(server).invoke("who asks?")).rejects.toThrow(/request 1 was not scripted.*who asks\?/);
    await using other = await scriptedServer(["left"]);
    expect(() => other.assertDone()).toThrow("1 scripted answers were not asked for");
  });

  const embedder = (server: ScriptedServer, format?: "float") =>
    new OpenAIEmbeddings({
      model: "e",
      apiKey: "none",
      maxRetries: 0,
      ...(format === undefined ? {} : { encodingFormat: format }),
      configuration: { baseURL: server.url },
    });

  it.each([
    ["float", "float"],
    ["base64", undefined],
  ] as const)("embeds the texts it knows, as %s", async (sent, format) => {
    await using server = await scriptedServer([], { embeddings: { hello: [0.5, -1], bye: [0, 2] } });
    expect(await embedder(server, format).embedDocuments(["bye", "hello"])).toEqual([
      [0, 2],
      [0.5, -1],
    ]);
    expect(server.embeddingRequests).toMatchObject([
      { path: "/v1/embeddings", body: { model: "e", input: ["bye", "hello"], encoding_format: sent } },
    ]);
    expect(server.requests).toEqual([]);
    await expect(embedder(server, format).embedQuery("constructor")).rejects.toThrow(
      'the embedding of "constructor" was not scripted',
    );
  });

  it("embeds by a function, which may fail or wait", async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    await using server = await scriptedServer([], {
      embeddings: (texts) =>
        texts.includes("bad") ? { status: 503, error: { message: "away" } } : { vectors: [[1]], gate },
    });
    const waiting = embedder(server, "float").embedQuery("x");
    await expect(embedder(server, "float").embedQuery("bad")).rejects.toThrow("away");
    open();
    expect(await waiting).toEqual([1]);
    await using other = await scriptedServer(["chat only"]);
    await expect(embedder(other, "float").embedQuery("x")).rejects.toThrow('the embedding of "x" was not scripted');
    expect(() => other.assertDone()).toThrow("1 scripted answers were not asked for");
  });

  it("returns scripted errors", async () => {
    await using server = await scriptedServer([{ status: 429, error: { message: "slow down" } }]);
    await expect(client(server).invoke("hi")).rejects.toThrow("slow down");
  });
});
