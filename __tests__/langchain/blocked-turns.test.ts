import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatPromptTemplate, MessagesPlaceholder } from "@langchain/core/prompts";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import { FakeTracer } from "@langchain/core/utils/testing";
import { withoutBlockedTurns } from "../../src/langchain/verdict.js";
import { scriptedModel } from "../../src/testing/index.js";
import { realGuardrails } from "../support/langchain/real-guardrails.js";
import { applyBlock, refusalOf, violation } from "../../src/langchain/blocked.js";
import { GuardrailViolationError } from "../../src/index.js";
import type { Block, RailDecision } from "../../src/turn/decision.js";
import { callbackTracker, quarantineConfig } from "../../src/langchain/callbacks.js";

describe("turns after a block", () => {
  const HIDDEN = "(this message is hidden)";
  const refusal = (stage: string): AIMessage =>
    new AIMessage({ content: "no", response_metadata: { guardrails: { blocked: true, stage, decisions: [] } } });
  const asks = new AIMessage({ content: "", tool_calls: [{ name: "f", args: {}, id: "1" }] });
  const texts = (messages: readonly BaseMessage[]): string[] => messages.map(({ text }) => text);

  describe("a conversation as models read it", () => {
    it.each<[string, BaseMessage[], string[]]>([
      [
        "what input rails blocked",
        [new HumanMessage("bad"), refusal("input"), new HumanMessage("hi")],
        [HIDDEN, "no", "hi"],
      ],
      ["all of it", [new HumanMessage("bad"), new HumanMessage("worse"), refusal("input")], [HIDDEN, HIDDEN, "no"]],
      [
        "a tool's result, but not the question before it",
        [new HumanMessage("q"), asks, new ToolMessage({ content: "bad", tool_call_id: "1" }), refusal("input")],
        ["q", "", HIDDEN, "no"],
      ],
      [
        "nothing that the application itself emits",
        [new SystemMessage("be nice"), new HumanMessage("bad"), refusal("input")],
        ["be nice", HIDDEN, "no"],
      ],
      ["nothing before a blocked response", [new HumanMessage("q"), refusal("output")], ["q", "no"]],
      ["nothing before an ordinary response", [new HumanMessage("q"), new AIMessage("a")], ["q", "a"]],
    ])("hides %s", (_what, messages, expected) => {
      const read = withoutBlockedTurns(messages);
      expect(texts(read)).toEqual(expected);
      expect(read === messages).toBe(!expected.includes(HIDDEN));
    });
  });

  describe("a guarded turn after one that was blocked", () => {
    it("shows the model nothing of it if the caller sends the whole conversation", async () => {
      const llm = scriptedModel(["fine"]);
      const model = (await realGuardrails()).wrap(llm);
      const messages: BaseMessage[] = [new HumanMessage("a bad thing")];
      messages.push(await model.invoke(messages), new HumanMessage("hi"));
      expect((await model.invoke(messages)).text).toBe("fine");
      expect(llm.calls.map(({ prompt }) => prompt)).toEqual([`human: ${HIDDEN}\nai: REFUSED\nhuman: hi`]);
      // The caller's own messages are not changed.
      expect(messages[0]?.text).toBe("a bad thing");
    });

    it("shows a chain nothing of it if the history is next to the question", async () => {
      const llm = scriptedModel(["fine"]);
      const prompt = ChatPromptTemplate.fromMessages([new MessagesPlaceholder("history"), ["human", "{input}"]]);
      const chain = (await realGuardrails()).wrap(prompt.pipe(llm));
      const refused = (await chain.invoke({ input: "a bad thing", history: [] })) as BaseMessage;
      const history = [new HumanMessage("a bad thing"), refused];
      expect(((await chain.invoke({ input: "hi", history })) as BaseMessage).text).toBe("fine");
      expect(llm.calls.map(({ prompt: asked }) => asked)).toEqual([`human: ${HIDDEN}\nai: REFUSED\nhuman: hi`]);
    });
  });
});

describe("the effect of a block", () => {
  const decision = (rail: string, status: RailDecision["status"], more: Partial<RailDecision> = {}): RailDecision => ({
    status,
    stage: "input",
    rail,
    durationMs: 1,
    ...more,
  });
  const block = (decisions: readonly RailDecision[], more: Partial<Block> = {}): Block => ({
    refusal: "No.",
    verdict: { blocked: true, stage: "output", rail: "named", decisions },
    ...more,
  });
  const exception = { type: "InputRailException", message: "Not allowed." };

  describe("the decision in an error and for a function", () => {
    it.each<[string, Block, Partial<RailDecision>]>([
      [
        "the one that blocked",
        block([decision("a", "passed"), decision("b", "blocked")]),
        { rail: "b", status: "blocked" },
      ],
      ["the first of two", block([decision("a", "blocked"), decision("b", "blocked")]), { rail: "a" }],
      ["a block before a failure", block([decision("a", "error"), decision("b", "blocked")]), { rail: "b" }],
      ["a failure", block([decision("a", "passed"), decision("b", "error")]), { rail: "b", status: "error" }],
      ["what the verdict names", block([]), { rail: "named", stage: "output", status: "blocked", durationMs: 0 }],
      [
        "an exception without a rail",
        block([], { exception, verdict: { blocked: true, decisions: [] } }),
        { rail: "InputRailException", stage: "dialog", metadata: { exception } },
      ],
      [
        "without a decision",
        block([], { verdict: { blocked: true, decisions: [] } }),
        { rail: "guardrails", stage: "dialog" },
      ],
      [
        "an exception next to the rail's details",
        block([decision("b", "blocked", { metadata: { note: 1 } })], { exception }),
        { rail: "b", metadata: { note: 1, exception } },
      ],
      [
        "the exception that its rail noted",
        block([decision("b", "blocked", { metadata: { exception: "own" } })], { exception }),
        { metadata: { exception: "own" } },
      ],
    ])("is %s", async (_title, given, expected) => {
      const { decision, decisions, refusal } = violation(given);
      expect(decision).toMatchObject(expected);
      expect([decisions, refusal]).toEqual([given.verdict.decisions, "No."]);
      const seen: unknown[] = [];
      const own = await applyBlock(
        given,
        "value",
        (...args) => (seen.push(...args), "mine"),
        () => "refused",
      );
      expect([own, seen]).toEqual(["mine", [decision, "value"]]);
    });
  });

  describe("a block", () => {
    it.each<[string, Block, string]>([
      ["the refusal of the rail", block([], { exception }), "No."],
      ["the message of the exception", block([], { refusal: "", exception }), "Not allowed."],
      ["the default", block([], { refusal: "" }), "I'm sorry, I can't respond to that."],
      [
        "the default for an exception without text",
        block([], { refusal: "", exception: { type: "X", message: "" } }),
        "I'm sorry, I can't respond to that.",
      ],
    ])("emits %s", async (_title, given, expected) => {
      expect(refusalOf(given)).toBe(expected);
      expect(await applyBlock(given, "value", "refuse", (refusal) => [refusal])).toEqual([expected]);
      const thrown: unknown = await applyBlock(given, "value", "throw", () => "refused").catch(
        (error: unknown) => error,
      );
      expect(GuardrailViolationError.isInstance(thrown) && thrown.refusal).toBe(expected);
    });
  });
});

describe("callbacks", () => {
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

    it("opens runs with separate tags and metadata, and nests below them", async () => {
      const tracer = new FakeTracer();
      const config = { callbacks: [tracer], metadata: { tenant: "a" } };
      const outer = await callbackTracker.start(config, {
        name: "rail:x",
        tags: ["guardrails:input"],
        metadata: { guardrails_rail: "x" },
        input: "in",
      });
      const inner = await callbackTracker.start(outer.config, {
        name: "inner",
        tags: [],
        metadata: {},
        input: { a: 1 },
      });
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
    ])("removes streaming consumers from %s and silences tokens, not runs", async (_, wrap) => {
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

    it("is skipped if raw tokens are allowed or no handler is given", () => {
      const config = { callbacks: [new Pusher()] };
      expect(quarantineConfig(config, "allow")).toBe(config);
      expect(quarantineConfig({})).toEqual({});
    });
  });
});
