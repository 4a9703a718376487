import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import { FakeTracer } from "@langchain/core/utils/testing";
import { callbackTracker, quarantineConfig } from "../../src/langchain/callbacks.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";

class Pusher extends BaseCallbackHandler {
  readonly name = "pusher";
  readonly tokens: string[] = [];
  readonly ended: string[] = [];
  readonly #prefix = "got ";

  override handleLLMNewToken(token: string): void {
    this.tokens.push(token);
  }

  override handleLLMEnd(): void {
    this.ended.push(`${this.#prefix}end`);
  }
}

describe("the tracker", () => {
  it("costs nothing without a handler", async () => {
    const config = { tags: ["a"] };
    expect(callbackTracker.listens(config)).toBe(false);
    const scope = await callbackTracker.start(config, { name: "r", tags: [], metadata: {}, input: "x" });
    expect(scope.config).toBe(config);
  });

  it("opens runs with their own tags and metadata, and nests below them", async () => {
    const tracer = new FakeTracer();
    const config = { callbacks: [tracer], metadata: { tenant: "a" } };
    const outer = await callbackTracker.start(config, {
      name: "rail:x",
      tags: ["guardrails:input"],
      metadata: { guardrails_rail: "x" },
      input: "in",
    });
    const inner = await callbackTracker.start(outer.config, { name: "inner", tags: [], metadata: {}, input: { a: 1 } });
    inner.end("out");
    outer.fail(new Error("broken"));
    await awaitAllCallbacks();
    expect(tracer.runs).toHaveLength(1);
    const [run] = tracer.runs;
    expect(run).toMatchObject({ name: "rail:x", tags: ["guardrails:input"], inputs: { input: "in" } });
    expect(run?.extra?.["metadata"]).toMatchObject({ tenant: "a", guardrails_rail: "x" });
    expect(run?.child_runs[0]).toMatchObject({ name: "inner", inputs: { a: 1 }, outputs: { output: "out" } });
    expect(run?.child_runs[0]?.tags).not.toContain("guardrails:input");
    expect(run?.error).toContain("broken");
  });
});

describe("the quarantine (B1.9)", () => {
  const streaming = { name: "stream", lc_prefer_streaming: true, handleLLMNewToken: () => undefined } as never;

  it.each([
    ["a list", (handlers: BaseCallbackHandler[]) => handlers],
    [
      "a manager",
      (handlers: BaseCallbackHandler[]) => {
        const manager = new CallbackManager();
        manager.setHandlers(handlers);
        return manager;
      },
    ],
  ])("takes streaming consumers out of %s and silences tokens, not runs", async (_, wrap) => {
    const [pusher, tracer] = [new Pusher(), new FakeTracer()];
    const config = { callbacks: wrap([streaming, pusher, tracer]) };
    const quiet = quarantineConfig(config);
    for await (const _chunk of await scriptedModel("some answer").stream("hi", quiet)) void _chunk;
    await awaitAllCallbacks();
    expect(pusher.tokens).toEqual([]);
    expect(pusher.ended).toEqual(["got end"]);
    expect(tracer.runs).toHaveLength(1);
    const handlers = Array.isArray(config.callbacks) ? config.callbacks : config.callbacks.handlers;
    expect(handlers).toHaveLength(3);
  });

  it("is skipped where raw tokens are allowed or no handler is given", () => {
    const config = { callbacks: [new Pusher()] };
    expect(quarantineConfig(config, "allow")).toBe(config);
    expect(quarantineConfig({})).toEqual({});
  });
});
