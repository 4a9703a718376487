import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import type { Runnable } from "@langchain/core/runnables";
import { FakeTracer } from "@langchain/core/utils/testing";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { ChunkedModel } from "./chunked-model.js";

// The window with `secret` is blocked, so neither it nor what follows may be seen anywhere.
const PIECES = ["fi", "ne ", "bad ", "secret ", "more"];
const guard = () =>
  realGuardrails({ input: [], output: ["check answer"], streaming: { chunkSize: 2, contextSize: 1 } });
const guardedModel = async () => (await guard()).wrap(new ChunkedModel(PIECES));
const guardedChain = async () =>
  (await guard()).wrap(new ChunkedModel(PIECES).pipe(new StringOutputParser()) as Runnable) as Runnable;

const things: [string, () => Promise<Runnable>][] = [
  ["a model", guardedModel as () => Promise<Runnable>],
  ["a chain", guardedChain],
];

class TokenPusher extends BaseCallbackHandler {
  name = "pusher";
  override awaitHandlers = true;
  readonly tokens: string[] = [];

  override handleLLMNewToken(token: string): void {
    this.tokens.push(token);
  }
}

describe.each(things)("no consumer sees text of %s that no window has passed", (name, make) => {
  const isReleased = (seen: unknown): void => {
    const text = visibleJson(seen);
    expect(text).toContain("REFUSED");
    expect(text).not.toMatch(/bad|secret|more/);
  };

  it("in stream", async () => isReleased(await drain(await (await make()).stream("hi"))));

  it.each(["v1", "v2"] as const)("in streamEvents %s", async (version) => {
    isReleased(await drain((await make()).streamEvents("hi", { version })));
  });

  it("in streamLog", async () => isReleased(await drain((await make()).streamLog("hi"))));

  it("in handleLLMNewToken", async () => {
    const pusher = new TokenPusher();
    await drain(await (await make()).stream("hi", { callbacks: [pusher] }));
    expect(pusher.tokens.join("")).not.toMatch(/bad|secret|more/);
    if (name === "a model") expect(pusher.tokens).toEqual(["fi", "ne ", "REFUSED"]);
  });

  it("in LangGraph's messages, though the whole graph listens", async () => {
    const runnable = await make();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("say", async ({ messages }, config) => {
        const said: unknown = await runnable.invoke(messages, config);
        return { messages: typeof said === "string" ? [new AIMessage(said)] : [said as never] };
      })
      .addEdge("__start__", "say")
      .compile();
    isReleased(await drain(await graph.stream({ messages: [new HumanMessage("hi")] }, { streamMode: "messages" })));
  });

  it("but tracers see the run inside, and that it was broken off", async () => {
    const tracer = new FakeTracer();
    await drain(await (await make()).stream("hi", { callbacks: [tracer] }));
    const runs = JSON.stringify(tracer.runs);
    expect(runs).toContain("ChunkedModel");
  });
});

it("streamEvents of a model without a version gives what has left, and no more", async () => {
  const events = await drain((await guardedModel()).streamEvents("hi") as unknown as AsyncIterable<unknown>);
  const text = visibleJson(events);
  expect(text).toContain("REFUSED");
  expect(text).not.toMatch(/bad|secret|more/);
});
