import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { StringOutputParser } from "@langchain/core/output_parsers";
import type { Runnable } from "@langchain/core/runnables";
import { FakeTracer } from "@langchain/core/utils/testing";
import { ChatOpenAI } from "@langchain/openai";
import { scriptedServer, type ScriptedServer } from "../../../src/testing/scripted-server.js";
import { drain, realGuardrails, type RealOptions } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "./chunked-model.js";

class TokenPusher extends BaseCallbackHandler {
  name = "pusher";
  override awaitHandlers = true;
  tokens = "";
  starts = 0;

  override handleLLMNewToken(token: string): void {
    this.tokens += token;
  }

  override handleChatModelStart(): void {
    this.starts += 1;
  }
}

const usage = { prompt: 1, completion: 1 };
const guard = (options: RealOptions = {}) =>
  realGuardrails({ input: [], output: ["check answer"], streaming: { chunkSize: 1 }, ...options });
const openAI = (server: ScriptedServer, callbacks: BaseCallbackHandler[]) =>
  new ChatOpenAI({
    model: "gpt-4o",
    apiKey: "none",
    streaming: true,
    callbacks,
    configuration: { baseURL: server.url },
  });
const asks: [string, (model: ChatOpenAI) => Promise<Runnable>][] = [
  ["a model", async (model) => (await guard()).wrap(model as never) as Runnable],
  ["a model with tools", async (model) => (await guard()).wrap(model as never).bindTools([]) as Runnable],
  ["a bound model", async (model) => (await guard()).wrap(model.withConfig({ tags: ["t"] }) as Runnable)],
  ["a chain", async (model) => (await guard()).wrap(model.pipe(new StringOutputParser()) as Runnable)],
];

describe("handlers that were given to the constructor of a model", () => {
  it.each(asks)("see no token of %s, and still receive everything else", async (_, wrap) => {
    const server = await scriptedServer([{ text: "a bad secret", usage }]);
    try {
      const pusher = new TokenPusher();
      const guarded = await wrap(openAI(server, [pusher]));
      const said = JSON.stringify(await drain(await guarded.stream("hi")));
      expect(said).toContain("REFUSED");
      expect(pusher.tokens).toBe("");
      expect(pusher.starts).toBe(1);
    } finally {
      await server.close();
    }
  });

  it('are left alone with `rawTokens: "allow"`, and the model itself always', async () => {
    const server = await scriptedServer([
      { text: "fine", usage },
      { text: "fine", usage },
    ]);
    try {
      const pusher = new TokenPusher();
      const model = openAI(server, [pusher]);
      const before = model.callbacks;
      await drain(await (await guard()).wrap(model as never).stream("hi"));
      expect(model.callbacks).toBe(before);
      await drain(await (await guard({ rawTokens: "allow" })).wrap(model as never).stream("hi"));
      expect(pusher.tokens).toBe("fine");
    } finally {
      await server.close();
    }
  });

  it("are no reason to copy a model where they see no tokens", async () => {
    const model = new ChunkedModel(["fine"]);
    const tracer = new FakeTracer();
    model.callbacks = [tracer];
    await (await guard()).wrap(model).invoke("hi");
    expect(tracer.runs.length).toBe(1);
  });

  it("are a reason to refuse a model that cannot be copied", async () => {
    const model = new ChunkedModel(["fine"]);
    model.callbacks = [new TokenPusher()];
    const guardrails = await guard();
    await expect(guard({ llm: model })).rejects.toThrow("handlers of its own");
    expect(() => guardrails.wrap(model)).toThrow(/a model without handlers of its own.*rawTokens/s);
  });

  it("receive no contents with `redactTraces`", async () => {
    const model = new ChunkedModel(["fine"]);
    model.callbacks = [new FakeTracer()];
    const guardrails = await guard({ redactTraces: true });
    expect(() => guardrails.wrap(model)).toThrow("handlers of its own");
  });
});
