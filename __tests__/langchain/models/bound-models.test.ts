import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { RunnableBinding, type Runnable } from "@langchain/core/runnables";
import { FakeLLM } from "@langchain/core/utils/testing";
import { MessagesAnnotation, StateGraph, START } from "@langchain/langgraph";
import { GuardedChatModel } from "../../../src/langchain/guarded-chat-model.js";
import { guardrailsNode } from "../../../src/langchain/langgraph.js";
import { scriptedModel, type ScriptedModel } from "../../../src/testing/scripted-model.js";
import { drain, realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";

const VERSIONS: readonly Version[] = ["1.0", "2.x"];
const TOOL = { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } } as const;

/** Ways in which a chat model is bound to options. */
const BINDINGS: Readonly<Record<string, (model: ScriptedModel) => Runnable>> = {
  "withConfig, tags": (model) => model.withConfig({ tags: ["mine"] }),
  "withConfig, options": (model) => model.withConfig({ stop: ["END"] }),
  "withConfig twice": (model) => model.withConfig({ tags: ["a"] }).withConfig({ metadata: { b: 1 } }),
  "a binding with tools": (model) =>
    new RunnableBinding({ bound: model, kwargs: { tools: [TOOL] } as object, config: {} }) as never,
};

describe.each(VERSIONS)("Colang %s: a bound model", (version) => {
  it.each(Object.entries(BINDINGS))("stays a chat model when wrapped: %s", async (_title, bind) => {
    const guardrails = await realGuardrails({ version, output: ["check answer"] });
    const model = scriptedModel(["fine", "a bad one", "fine"]);
    const guarded = guardrails.wrap(bind(model) as ScriptedModel);
    expect(guarded).toBeInstanceOf(GuardedChatModel);
    expect((await guarded.invoke("hi")).content).toBe("fine");
    expect((await guarded.invoke([new HumanMessage("hi")])).content).toBe("REFUSED");
    const chunks = await drain(await guarded.stream("hi"));
    expect(chunks.map(({ content }) => content).join("")).toBe("fine");
  });

  it("gets its options, and takes tools", async () => {
    const guardrails = await realGuardrails({ version, output: ["check answer"] });
    const model = scriptedModel(["fine", "fine"]);
    const guarded = guardrails.wrap(model.withConfig({ stop: ["END"] }) as never) as GuardedChatModel;
    await guarded.bindTools([TOOL]).invoke("hi");
    expect(model.calls[0]?.options).toMatchObject({ stop: ["END"], tools: [TOOL] });
    const structured = guarded.withStructuredOutput({ title: "t", type: "object", properties: {} });
    expect(structured).toBeDefined();
  });

  it("of texts stays a model of texts", async () => {
    const guardrails = await realGuardrails({ version, output: ["check answer"] });
    const ask = (response: string): Promise<unknown> =>
      guardrails.wrap(new FakeLLM({ response }).withConfig({ tags: ["a"] })).invoke("hi");
    expect([await ask("fine"), await ask("bad")]).toEqual(["fine", "REFUSED"]);
  });
});

describe.each(VERSIONS)("Colang %s: a node around a model", (version) => {
  const models: Readonly<Record<string, (reply: string) => Runnable>> = {
    "chat model": (reply) => scriptedModel([reply]),
    "bound chat model": (reply) => scriptedModel([reply]).withConfig({ tags: ["a"] }),
    "text model": (reply) => new FakeLLM({ response: reply }),
    "bound text model": (reply) => new FakeLLM({ response: reply }).withConfig({ tags: ["a"] }),
  };
  const rows = Object.keys(models).flatMap((model) => (["output", "turn"] as const).map((stage) => ({ model, stage })));

  it.each(rows)("gives the $model the messages of the state ($stage)", async ({ model, stage }) => {
    const guardrails = await realGuardrails({ version });
    const run = async (reply: string): Promise<readonly BaseMessage[]> => {
      const around = (models[model] as (reply: string) => Runnable)(reply) as never;
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("answer", guardrailsNode<typeof MessagesAnnotation.State>(guardrails, stage, { around }))
        .addEdge(START, "answer")
        .compile();
      return (await graph.invoke({ messages: [new HumanMessage("hi")] })).messages;
    };
    const [, passed] = await run("number 5");
    expect(passed).toBeInstanceOf(AIMessage);
    expect(passed?.content).toBe("number *");
    expect((await run("a bad one")).at(-1)?.content).toBe("REFUSED");
  });

  it.each(rows)("writes texts to the channel of answers ($model, $stage)", async ({ model, stage }) => {
    const guardrails = await realGuardrails({ version });
    const run = (reply: string): Promise<unknown> => {
      const around = (models[model] as (reply: string) => Runnable)(reply) as never;
      const options = { around, inputKey: "question", outputKey: "answer" };
      return guardrailsNode<{ question: string; answer?: string }>(guardrails, stage, options).invoke({
        question: "hi",
      });
    };
    expect(await run("number 5")).toMatchObject({ answer: "number *" });
    expect(await run("a bad one")).toMatchObject({ answer: "REFUSED" });
  });
});
