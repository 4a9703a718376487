import { describe, expect, it } from "@jest/globals";
import { AIMessage, type AIMessageChunk } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { type Runnable, RunnableLambda, RunnableMap, RunnableSequence } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { GuardrailViolationError } from "../../../src/langchain/blocked.js";
import { verdictOf } from "../../../src/langchain/verdict.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { fakeGuardrails, strictRail } from "../../support/langchain/fake-runtime.js";

const prompt = ChatPromptTemplate.fromMessages([["human", "{q}"]]);
const rails = { input: strictRail, output: strictRail };

async function drain<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

async function* pieces<T>(...values: T[]): AsyncGenerator<T> {
  yield* values;
}

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === "id" || key === "lc_kwargs" ? undefined : inner)));

describe("every way of calling agrees", () => {
  const { guardrails } = fakeGuardrails(rails);
  const chain = prompt.pipe(scriptedModel("call 5")).pipe(new StringOutputParser());
  const objects = RunnableLambda.from((_input: { q: string }) => ({ answer: "call 5", other: [1] }));

  it.each<[string, Runnable]>([
    ["a guarded model", prompt.pipe(guardrails.wrap(scriptedModel("call 5")))],
    ["a guarded chain of text", guardrails.wrap(chain, { inputKey: "q" })],
    ["a guarded chain of objects", guardrails.wrap(objects, { inputKey: "q" })],
    ["an output step after text", chain.pipe(guardrails.output())],
    ["an output step after a message", prompt.pipe(scriptedModel("call 5")).pipe(guardrails.output())],
    ["an output step after objects", objects.pipe(guardrails.output())],
    ["guardrails in a pipe", chain.pipe(guardrails)],
  ])("%s", async (_, runnable) => {
    const input = { q: "hi" };
    const invoked: unknown = await runnable.invoke(input);
    expect(plain(invoked)).not.toEqual(expect.stringContaining("5"));
    const [batched] = (await runnable.batch([input])) as unknown[];
    const streamed = await drain(await runnable.stream(input));
    const transformed = await drain(runnable.transform(pieces(input), {}));
    const events = await drain(runnable.streamEvents(input, { version: "v2" }));
    const last = events.findLast(({ event }) => event === "on_chain_end" || event === "on_chat_model_end");
    const text = (value: unknown): unknown => {
      const message = value as AIMessage;
      return AIMessage.isInstance(value) ? [message.content, verdictOf(message)?.blocked] : value;
    };
    for (const other of [batched, join(streamed), join(transformed), last?.data.output]) {
      expect(text(other)).toEqual(text(invoked));
    }
  });

  const join = (chunks: unknown[]): unknown => chunks.reduce((whole, chunk) => concat(whole as never, chunk as never));
});

describe("LangChain's own wrappers around ours", () => {
  const { guardrails } = fakeGuardrails(rails);

  it("binds configuration, maps, and becomes a tool", async () => {
    const step = guardrails.output<string>().withConfig({ tags: ["x"], runName: "moderation" });
    expect(await step.invoke("bad")).toBe("REFUSED");
    const map = RunnableMap.from({
      verdict: guardrails.rail("output rail"),
      text: RunnableLambda.from((text: string) => text),
    });
    expect(await map.invoke("bad")).toMatchObject({ verdict: { status: "blocked" }, text: "bad" });
    const sequence = RunnableSequence.from([
      guardrails.input<{ q: string }>({ inputKey: "q" }),
      prompt,
      scriptedModel("ok"),
    ]);
    expect(await sequence.invoke({ q: "pin 1" })).toMatchObject({ content: "ok" });
  });

  it("is not retried after a violation when the retry looks at it (T3)", async () => {
    let calls = 0;
    const { guardrails: counted } = fakeGuardrails({
      input: (text) => {
        calls += 1;
        return strictRail(text, undefined as never);
      },
    });
    const retried = counted.input<string>().withRetry({
      stopAfterAttempt: 3,
      onFailedAttempt: (error: unknown) => {
        if (GuardrailViolationError.isInstance(error)) throw error;
      },
    });
    await expect(retried.invoke("bad")).rejects.toThrow(GuardrailViolationError);
    expect(calls).toBe(1);
  });

  it("falls back inside the rails, so that the fallback's answer is checked too (T4)", async () => {
    const failing = scriptedModel([new Error("down")]);
    const inner = prompt.pipe(failing.withFallbacks([scriptedModel("bad answer")])).pipe(new StringOutputParser());
    expect(await guardrails.wrap(inner, { inputKey: "q" }).invoke({ q: "hi" })).toBe("REFUSED");
  });

  it("puts the verdict on exactly one chunk, so that joining adds up nothing (T10)", async () => {
    const chunks = await drain(
      await prompt.pipe(scriptedModel("a longer answer")).pipe(guardrails.output<AIMessageChunk>()).stream({ q: "hi" }),
    );
    expect(chunks.filter((chunk) => verdictOf(chunk) !== undefined)).toHaveLength(1);
  });

  it("does not change what it wraps, nor what wraps it (D11)", async () => {
    const model = new FakeListChatModel({ responses: ["a", "b"] });
    const before = JSON.stringify(Object.keys(model).sort());
    const first = guardrails.wrap(model);
    const second = guardrails.wrap(model);
    expect(first).not.toBe(second);
    expect(typeof first.bindTools).toBe("function");
    expect(JSON.stringify(Object.keys(model).sort())).toBe(before);
    await first.invoke("hi");
    expect((await model.invoke("hi")).content).toBe("b");
  });

  it("keeps a judge from ever seeing the bound tools", async () => {
    const model = scriptedModel(["judged", "answered"]);
    const { guardrails: judging, calls } = fakeGuardrails();
    await judging
      .wrap(model)
      .bindTools([{ type: "function", function: { name: "look", parameters: {} } }])
      .invoke("hi");
    await calls[0]?.options?.main?.generate({ kind: "text", text: "is this fine?" }, {}, {});
    expect(model.calls.map(({ options }) => options.tools !== undefined)).toEqual([true, false]);
  });
});
