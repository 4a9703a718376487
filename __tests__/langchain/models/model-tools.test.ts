import { describe, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { type Runnable, RunnableBinding, RunnableLambda } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod/v4";
import { FakeLLM } from "@langchain/core/utils/testing";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { verdictOf } from "../../../src/index.js";
import { scriptedModel, type ScriptedModel } from "../../../src/testing/scripted-model.js";
import { scriptedServer } from "../../../src/testing/scripted-server.js";
import { drain, realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { GuardedChatModel } from "../../../src/langchain/guarded-chat-model.js";
import { guardrailsNode } from "../../../src/langchain/langgraph.js";

describe("tools of a model", () => {
  const asks = (args: object, more: object = {}): AIMessage =>
    new AIMessage({ content: "", id: "m", tool_calls: [{ name: "pay", args: args as never, id: "c1" }], ...more });

  const pay = tool(() => "paid", {
    name: "pay",
    schema: z.object({ amount: z.number().optional(), note: z.string().optional() }),
  });

  const loop = (result: string, id = "c1"): BaseMessage[] => [
    new HumanMessage("pay 5"),
    asks({ amount: 5 }),
    new ToolMessage({ content: result, tool_call_id: id }),
  ];

  describe("tool calls of a guarded model", () => {
    it("pass with all their fields when their rails pass (D9)", async () => {
      const guardrails = await toolGuardrails({ calls: ["check call"], output: ["check answer"] });
      const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
      const model = scriptedModel([asks({ note: "fine" }, { usage_metadata: usage })]);
      const answer = await guardrails.wrap(model).bindTools([pay]).invoke("pay");
      expect(answer).toMatchObject({
        content: "",
        id: "m",
        usage_metadata: usage,
        tool_calls: [{ name: "pay", args: { note: "fine" } }],
      });
      expect(verdictOf(answer)?.decisions.at(-1)).toMatchObject({
        stage: "execution",
        status: "passed",
        metadata: { checked: "call", tool: "pay", toolCallId: "c1" },
      });
    });

    it.each<[string, AIMessage]>([
      ["arguments a rail blocks", asks({ note: "bad" })],
      [
        "unreadable arguments",
        new AIMessage({ content: "", invalid_tool_calls: [{ name: "pay", args: "{bad", id: "c1" }] }),
      ],
      [
        "a call only in the content",
        new AIMessage({ content: [{ type: "tool_use", name: "pay", input: { note: "bad" }, id: "c1" }] } as never),
      ],
      [
        "a call in the provider's own field",
        new AIMessage({
          content: "",
          additional_kwargs: { function_call: { name: "pay", arguments: '{"note":"bad"}' } },
        }),
      ],
      [
        "a tool that was not offered",
        new AIMessage({ content: "", tool_calls: [{ name: "wipe", args: {}, id: "c1" }] }),
      ],
      ["arguments the tool would not take", asks({ amount: "all" })],
      [
        "one bad call of two",
        new AIMessage({
          content: "well",
          tool_calls: [
            { name: "pay", args: {}, id: "a" },
            { name: "pay", args: { note: "bad" }, id: "b" },
          ],
        }),
      ],
    ])("are refused with %s, in invoke and in a stream", async (_, message) => {
      const guardrails = await toolGuardrails({ calls: ["check call"] });
      const guarded = guardrails.wrap(scriptedModel(message)).bindTools([pay]);
      const answer = await guarded.invoke("pay");
      const chunks = await drain(await guarded.stream("pay"));
      const streamed = chunks.reduce((joined, chunk) => concat(joined, chunk));
      for (const refused of [answer, streamed]) {
        expect(refused.content).toMatch(/REFUSED|not allowed/);
        expect(refused).toMatchObject({ tool_calls: [], invalid_tool_calls: [] });
        expect(verdictOf(refused)).toMatchObject({ blocked: true, stage: "execution" });
        expect(JSON.stringify(refused)).not.toMatch(/\bbad\b/);
      }
    });

    it("never reach listeners before their review", async () => {
      const guardrails = await toolGuardrails({ calls: ["check call"] });
      const guarded = guardrails.wrap(scriptedModel(asks({ note: "bad" }))).bindTools([pay]);
      expect(JSON.stringify(await drain(guarded.streamEvents("pay", { version: "v2" })))).not.toMatch(/\bbad\b/);
    });

    it("are emitted with rewritten arguments, and without a trace of the old ones", async () => {
      const guardrails = await toolGuardrails({ calls: ["lower amount"] });
      const message = new AIMessage({
        content: [
          { type: "text", text: "I pay." },
          { type: "tool_use", id: "c1", name: "pay", input: { amount: 500, note: "five hundred" } },
        ],
        tool_calls: [{ name: "pay", args: { amount: 500, note: "five hundred" }, id: "c1" }],
        additional_kwargs: {
          tool_calls: [{ id: "c1", type: "function", function: { name: "pay", arguments: '{"amount":500}' } }],
        },
        response_metadata: {
          output: [{ type: "function_call", name: "pay", arguments: '{"amount": 500}' }],
          model_name: "x",
        },
      } as never);
      const answer = await guardrails
        .wrap(scriptedModel([message]))
        .bindTools([pay])
        .invoke("pay");
      expect(answer.tool_calls).toMatchObject([{ name: "pay", args: { amount: 1 }, id: "c1" }]);
      expect(answer.content).toMatchObject([
        { type: "text", text: "I pay." },
        { type: "tool_use", input: { amount: 1 } },
      ]);
      expect(answer.response_metadata).toMatchObject({ model_name: "x" });
      expect(visibleJson(answer)).not.toContain("500");
    });

    it("of a real provider's stream are emitted whole or not at all (D9)", async () => {
      const script = () => ({ toolCalls: [{ name: "pay", args: { note: "fine" } }] });
      await using server = await scriptedServer(script);
      const model = new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL: server.url }, maxRetries: 0 });
      const guardrails = await toolGuardrails({ calls: ["check call"] });
      const chunks = await drain(await guardrails.wrap(model).bindTools([pay]).stream("pay"));
      const whole = chunks.reduce((joined, chunk) => concat(joined, chunk));
      expect(whole.tool_calls).toMatchObject([{ name: "pay", args: { note: "fine" }, id: "call_1" }]);
      expect(AIMessageChunk.isInstance(whole)).toBe(true);
    });

    it("are not reviewed if no rail applies to them", async () => {
      const guardrails = await toolGuardrails({ output: ["check answer"] });
      const answer = await guardrails
        .wrap(scriptedModel([asks({ note: "bad" })]))
        .bindTools([pay])
        .invoke("pay");
      expect(answer.tool_calls).toMatchObject([{ args: { note: "bad" } }]);
    });

    it("of a chain are reviewed in its response", async () => {
      const guardrails = await toolGuardrails({ calls: ["check call"] });
      const chain = RunnableLambda.from(() => ({ messages: [new HumanMessage("pay"), asks({ note: "bad" })] }));
      const result = await guardrails.wrap(chain).invoke({ messages: [new HumanMessage("pay")] } as never);
      expect(JSON.stringify(result)).not.toMatch(/\bbad\b/);
      const output = await guardrails.output<AIMessage>().invoke(asks({ note: "bad" }));
      expect(output.content).toBe("REFUSED");
      expect((await guardrails.check(asks({ note: "bad" }))).status).toBe("blocked");
      expect((await guardrails.check(asks({ note: "good" }))).status).toBe("passed");
    });
  });

  describe("results of tools given to a guarded model", () => {
    it("pass the tool result rails, and not the input rails too (D4)", async () => {
      const seen: string[] = [];
      const guardrails = await toolGuardrails({
        input: ["check words"],
        results: ["check result", "hide digits of result"],
        onCheck: (text) => void seen.push(text),
      });
      const model = scriptedModel(["done"]);
      const answer = await guardrails.wrap(model).invoke(loop("paid 5 of 7"));
      expect(answer.content).toBe("done");
      expect(model.calls[0]?.prompt).toBe("human: pay 5\nai: \ntool: paid * of *");
      expect(seen).toEqual(["paid 5 of 7", "pay 5"]);
      expect(verdictOf(answer)?.decisions.map(({ stage }) => stage)).toEqual(["execution", "execution", "input"]);
    });

    it("block before any model is called", async () => {
      const guardrails = await toolGuardrails({ results: ["check result"] });
      const answer = await guardrails.wrap(scriptedModel([])).invoke(loop("bad words"));
      expect(answer.content).toBe("REFUSED");
      expect(verdictOf(answer)).toMatchObject({ blocked: true, stage: "execution" });
      expect(JSON.stringify(answer)).not.toMatch(/\bbad\b/);
    });

    it("are reviewed as input if no rail applies to them (D4)", async () => {
      const guardrails = await toolGuardrails({ input: ["check words"] });
      expect((await guardrails.wrap(scriptedModel([])).invoke(loop("bad words"))).content).toBe("REFUSED");
    });

    it("find their tool by the call, whatever name they claim", async () => {
      const rules = { tools: { pay: { forbiddenInResults: ["token"] } } };
      const guardrails = await toolGuardrails({ rules });
      const messages = [
        ...loop("x").slice(0, 2),
        new ToolMessage({ content: "a token", tool_call_id: "c1", name: "other" }),
      ];
      expect((await guardrails.wrap(scriptedModel([])).invoke(messages)).content).toBe(
        "The result of this tool was withheld.",
      );
    });

    it("are reviewed between messages of a user too", async () => {
      const guardrails = await toolGuardrails({ input: ["hide digits"], results: ["hide digits of result"] });
      const model = scriptedModel(["ok"]);
      await guardrails.wrap(model).invoke([...loop("paid 5"), new HumanMessage("and 7?")]);
      expect(model.calls[0]?.prompt).toBe("human: pay *\nai: \ntool: paid *\nhuman: and *?");
    });

    it("of earlier turns are not reviewed again", async () => {
      const guardrails = await toolGuardrails({ input: ["check words"], results: ["check result"] });
      const model = scriptedModel(["ok"]);
      const answer = await guardrails
        .wrap(model)
        .invoke([...loop("bad words"), new AIMessage("Paid."), new HumanMessage("thanks")]);
      expect(answer.content).toBe("ok");
    });

    it("reach a chain and an input step alike", async () => {
      const guardrails = await toolGuardrails({ results: ["check result", "hide digits of result"] });
      const said = RunnableLambda.from((messages: BaseMessage[]) => messages.map(({ text }) => text).join("|"));
      expect(await guardrails.wrap(said).invoke(loop("paid 5"))).toBe("pay 5||paid *");
      const step = guardrails.input<BaseMessage[]>();
      expect((await step.invoke(loop("paid 5"))).at(-1)?.content).toBe("paid *");
      await expect(step.invoke(loop("bad"))).rejects.toThrow("blocked by the execution rail");
    });
  });
});

describe("bound models", () => {
  const VERSIONS: readonly Version[] = ["1.0", "2.x"];
  const TOOL = {
    type: "function",
    function: { name: "look", parameters: { type: "object", properties: {} } },
  } as const;

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

    it("receives its options, and accepts tools", async () => {
      const guardrails = await realGuardrails({ version, output: ["check answer"] });
      const model = scriptedModel(["fine", "fine"]);
      const guarded = guardrails.wrap(model.withConfig({ stop: ["END"] }) as never) as GuardedChatModel;
      await guarded.bindTools([TOOL]).invoke("hi");
      expect(model.calls[0]?.options).toMatchObject({ stop: ["END"], tools: [TOOL] });
      const structured = guarded.withStructuredOutput({ title: "t", type: "object", properties: {} });
      expect(structured).toBeDefined();
    });

    it("for texts stays a text model", async () => {
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
    const rows = Object.keys(models).flatMap((model) =>
      (["output", "turn"] as const).map((stage) => ({ model, stage })),
    );

    it.each(rows)("passes the messages of the state to the $model ($stage)", async ({ model, stage }) => {
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

    it.each(rows)("writes texts to the response channel ($model, $stage)", async ({ model, stage }) => {
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
});
