import { describe, expect, it } from "@jest/globals";
import { ChatOpenAI } from "@langchain/openai";
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

  it("refuses what nobody scripted, and complains about what nobody asked", async () => {
    await using server = await scriptedServer([]);
    await expect(client(server).invoke("who asks?")).rejects.toThrow(/request 1 was not scripted.*who asks\?/);
    await using other = await scriptedServer(["left"]);
    expect(() => other.assertDone()).toThrow("1 scripted answers were not asked for");
  });

  it("gives scripted errors", async () => {
    await using server = await scriptedServer([{ status: 429, error: { message: "slow down" } }]);
    await expect(client(server).invoke("hi")).rejects.toThrow("slow down");
  });
});
