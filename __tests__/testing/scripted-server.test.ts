import { describe, expect, it } from "@jest/globals";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { concat } from "@langchain/core/utils/stream";
import { type ScriptedServer, scriptedServer } from "../../src/testing/scripted-server.js";

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

  it("streams pieces, tool calls and usage", async () => {
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

  it("waits only for the gates a test gives it", async () => {
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

  it("gives scripted errors", async () => {
    await using server = await scriptedServer([{ status: 429, error: { message: "slow down" } }]);
    await expect(client(server).invoke("hi")).rejects.toThrow("slow down");
  });
});
