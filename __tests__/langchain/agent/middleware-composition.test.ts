import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
  modelCallLimitMiddleware,
  modelFallbackMiddleware,
  modelRetryMiddleware,
  piiMiddleware,
  summarizationMiddleware,
  toolRetryMiddleware,
} from "langchain";
import { z } from "zod/v4";
import { guardrailsMiddleware } from "langchain-guardrails/middleware";
import { scriptedModel, type ScriptedReply } from "../../../src/testing/scripted-model.js";
import { scriptedServer } from "../../../src/testing/scripted-server.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";

const RAILS = { input: ["check words"], output: ["check answer"], calls: ["check call"], results: ["check result"] };

const asks = (args: object, id = "c1"): AIMessage =>
  new AIMessage({ content: "", tool_calls: [{ name: "look_up", args: args as never, id }] });

let loaded: ReturnType<typeof toolGuardrails> | undefined;
const guardrails = (): ReturnType<typeof toolGuardrails> => (loaded ??= toolGuardrails(RAILS));

const failing = (): Error => new Error("no connection");

interface Case {
  readonly other: () => AgentMiddleware;
  readonly replies: readonly ScriptedReply[];
  readonly said: string;
  readonly text?: string;
  readonly tool?: () => unknown;
}

const noWait = { initialDelayMs: 0, maxDelayMs: 0, jitter: false } as const;

function flaky(answer: string): () => string {
  let tries = 0;
  return () => {
    tries += 1;
    if (tries === 1) throw failing();
    return answer;
  };
}

const CASES: readonly (readonly [string, () => Case])[] = [
  [
    "a retry of the model, whose second response is blocked",
    () => ({
      other: () => modelRetryMiddleware({ maxRetries: 2, ...noWait }) as never,
      replies: [failing(), "a bad answer"],
      said: "REFUSED",
    }),
  ],
  [
    "a retry of the model, which a block does not set off",
    () => ({
      other: () => modelRetryMiddleware({ maxRetries: 2, ...noWait }) as never,
      replies: ["a bad answer"],
      said: "REFUSED",
    }),
  ],
  [
    "a fallback model, whose response is blocked",
    () => ({
      other: () => modelFallbackMiddleware(scriptedModel("another bad answer")) as never,
      replies: [failing()],
      said: "REFUSED",
    }),
  ],
  [
    "a fallback model, whose response passes",
    () => ({
      other: () => modelFallbackMiddleware(scriptedModel("another answer")) as never,
      replies: [failing()],
      said: "another answer",
    }),
  ],
  [
    "a fallback model, whose call is blocked",
    () => ({
      other: () => modelFallbackMiddleware(scriptedModel([asks({ q: "bad" }), "sorry"])) as never,
      replies: [failing(), failing()],
      said: "sorry",
    }),
  ],
  [
    "a filter of personal data on user messages",
    () => ({
      other: () => piiMiddleware("email", { strategy: "redact", applyToInput: true }) as never,
      replies: ["a bad answer"],
      text: "I am ada@example.org",
      said: "REFUSED",
    }),
  ],
  [
    "a filter of personal data on responses",
    () => ({
      other: () => piiMiddleware("email", { strategy: "redact", applyToOutput: true }) as never,
      replies: ["write to ada@example.org"],
      said: "write to [REDACTED_EMAIL]",
    }),
  ],
  [
    "a retry of tools, whose second result is blocked",
    () => ({
      other: () => toolRetryMiddleware({ maxRetries: 2, ...noWait }) as never,
      replies: [asks({ q: "x" }), "sorry"],
      tool: flaky("bad words"),
      said: "sorry",
    }),
  ],
  [
    "a summary of the conversation",
    () => ({
      other: () =>
        summarizationMiddleware({
          model: scriptedModel("a summary"),
          trigger: { messages: 2 },
          keep: { messages: 1 },
        } as never) as never,
      replies: [asks({ q: "x" }), "a bad answer"],
      said: "REFUSED",
    }),
  ],
  [
    "one that responds itself",
    () => ({
      other: () =>
        createMiddleware({ name: "own", wrapModelCall: async () => new AIMessage("my own bad answer") }) as never,
      replies: [],
      said: "REFUSED",
    }),
  ],
];

const ORDERS = ["outside", "inside"] as const;

describe.each(ORDERS)("guardrails %s of", (order) => {
  // A response that a middleware outside the guard creates is not guarded.
  it.each(order === "outside" ? CASES : CASES.slice(0, -1))(
    "%s: nothing that was blocked is in state, checkpoints or streams",
    async (_, make) => {
      for (const how of ["invoke", "stream", "events"] as const) {
        const { other, replies, said, text = "hello", tool: run = () => "found" } = make();
        const guard = guardrailsMiddleware(await guardrails());
        const checkpointer = new MemorySaver();
        const agent = createAgent({
          model: scriptedModel([...replies]),
          tools: [
            tool(run as never, { name: "look_up", description: "d", schema: z.object({ q: z.string() }) }) as never,
          ],
          checkpointer,
          middleware: order === "outside" ? [guard, other()] : [other(), guard],
        });
        const config = { configurable: { thread_id: "t" } };
        const input = { messages: [new HumanMessage(text)] };
        let seen = "";
        if (how === "invoke") seen = JSON.stringify(await agent.invoke(input as never, config as never));
        else if (how === "events") {
          const stream = agent.streamEvents(input as never, { ...config, version: "v2" } as never);
          const events = await drain(stream as unknown as AsyncIterable<{ event: string; name: string }>);
          seen = JSON.stringify(events);
        } else
          seen = JSON.stringify(
            await drain(
              await agent.stream(
                input as never,
                { ...config, streamMode: ["values", "updates", "messages", "custom"] } as never,
              ),
            ),
          );
        expect([how, /\bbad\b/.exec(seen)?.[0]]).toEqual([how, undefined]);
        const { values } = (await agent.graph.getState(config)) as { values: { messages: BaseMessage[] } };
        expect([how, values.messages.at(-1)?.text]).toEqual([how, said]);
        const saved = [];
        for await (const state of checkpointer.list(config)) saved.push(state);
        expect(JSON.stringify(saved)).not.toMatch(/\bbad\b/);
      }
    },
  );

  it("a person who approves calls sees no blocked call, and edited calls are reviewed", async () => {
    const seen: unknown[] = [];
    const guard = guardrailsMiddleware(await guardrails());
    const human = humanInTheLoopMiddleware({ interruptOn: { look_up: true } } as never);
    const search = tool((args: unknown) => (seen.push(args), "found"), {
      name: "look_up",
      description: "d",
      schema: z.object({ q: z.string().optional() }),
    });
    const agent = createAgent({
      model: scriptedModel([
        asks({ q: "fine" }),
        "done",
        asks({ q: "fine" }, "c2"),
        "sorry",
        asks({ q: "bad" }, "c3"),
        "no",
      ]),
      tools: [search as never],
      checkpointer: new MemorySaver(),
      middleware: (order === "outside" ? [guard, human] : [human, guard]) as never,
    });
    const config = { configurable: { thread_id: "t" } } as never;
    const turn = async (
      decision: object,
    ): Promise<{ asked: boolean; last: string | undefined; result: string | undefined }> => {
      const stopped = await agent.invoke({ messages: [new HumanMessage("look up")] } as never, config);
      const asked = Object.hasOwn(stopped, "__interrupt__");
      const resume = new Command({ resume: { decisions: [decision] } }) as never;
      const { messages } = (asked ? await agent.invoke(resume, config) : stopped) as { messages: BaseMessage[] };
      return { asked, last: messages.at(-1)?.text, result: messages.at(-2)?.text };
    };
    expect(await turn({ type: "approve" })).toEqual({ asked: true, last: "done", result: "found" });
    expect(await turn({ type: "edit", editedAction: { name: "look_up", args: { q: "bad" } } })).toMatchObject({
      last: "sorry",
      result: "REFUSED",
    });
    expect(await turn({ type: "approve" })).toEqual({ asked: false, last: "no", result: "REFUSED" });
    expect(seen).toEqual([{ q: "fine" }]);
  });
});

describe("other middleware next to the guard", () => {
  interface Setup {
    readonly middleware: readonly unknown[];
    readonly model: ReturnType<typeof scriptedModel>;
  }

  const look = tool(() => "found", { name: "look_up", description: "d", schema: z.object({ q: z.string() }) });
  interface Agent {
    invoke(input: unknown, config: object): Promise<unknown>;
    streamEvents(input: unknown, config: object): Promise<AsyncIterable<unknown>>;
    readonly graph: { getState(config: object): Promise<unknown> };
  }

  const open = ({ middleware, model }: Setup): Agent =>
    createAgent({
      model,
      tools: [look as never],
      checkpointer: new MemorySaver(),
      middleware: middleware as never,
    }) as unknown as Agent;
  const config = { configurable: { thread_id: "t" } };
  const hello = { messages: [new HumanMessage("hello")] } as never;
  const lastOf = (result: unknown): string | undefined =>
    (result as { readonly messages: readonly BaseMessage[] }).messages.at(-1)?.text;

  it("counts the calls of a model whose tool calls are all refused", async () => {
    const model = scriptedModel([asks({ q: "bad" }), asks({ q: "bad" }, "c2")]);
    const middleware = [guardrailsMiddleware(await guardrails()), modelCallLimitMiddleware({ runLimit: 1 } as never)];
    expect(lastOf(await open({ middleware, model }).invoke(hello, config))).toMatch(/limit/);
    expect(model.calls).toHaveLength(1);
  });

  it.each(["ChatAnthropic", "ChatOpenAI"])("knows the guarded model of its provider: %s", async (name) => {
    const seen: string[] = [];
    const reads = createMiddleware({
      name: "reads",
      wrapModelCall: (request, handler) => {
        seen.push(request.model.getName());
        return handler(request);
      },
    });
    const model = Object.assign(scriptedModel("fine"), { name });
    await open({ middleware: [guardrailsMiddleware(await guardrails()), reads], model }).invoke(hello, config);
    expect(seen).toEqual([name]);
  });

  it.each(["invoke", "v3"])("reviews each text once, and offers no refused call for approval (%s)", async (how) => {
    const reviewed: string[] = [];
    const rails = { ...RAILS, onCheck: (text: string): void => void reviewed.push(text) };
    const calls = [{ q: "bad" }, { q: "fine" }].map((args, at) => ({ name: "look_up", args, id: `c${at}` }));
    const model = scriptedModel([new AIMessage({ content: "I look", tool_calls: calls }), "done"]);
    const human = humanInTheLoopMiddleware({ interruptOn: { look_up: true } } as never);
    const agent = open({ middleware: [guardrailsMiddleware(await toolGuardrails(rails)), human], model });
    const send = async (input: unknown): Promise<void> => {
      if (how === "invoke") await agent.invoke(input, config);
      else await drain(await agent.streamEvents(input, { ...config, version: "v3" }));
    };
    await send(hello);
    const state = (await agent.graph.getState(config)) as unknown as {
      readonly tasks: readonly { readonly interrupts: readonly unknown[] }[];
    };
    const asked = JSON.stringify(state.tasks.flatMap(({ interrupts }) => interrupts));
    expect([asked.includes("fine"), asked.includes('"args":{}')]).toEqual([true, false]);
    await send(new Command({ resume: { decisions: [{ type: "approve" }] } }));
    const { values } = (await agent.graph.getState(config)) as { values: { messages: BaseMessage[] } };
    expect(values.messages.map(({ text }) => text)).toEqual(["hello", "I look", "REFUSED", "", "found", "done"]);
    expect(reviewed.filter((text) => text === "REFUSED")).toEqual([]);
    expect(reviewed.filter((text) => text === "I look")).toHaveLength(1);
  });
});

describe("an agent over HTTP", () => {
  it("streams only reviewed text (C10)", async () => {
    await using server = await scriptedServer([
      { toolCalls: [{ name: "look_up", args: { q: "x" } }] },
      { text: "this is a bad answer" },
    ]);
    const model = new ChatOpenAI({
      model: "m",
      apiKey: "k",
      configuration: { baseURL: server.url },
      maxRetries: 0,
      streaming: true,
    });
    const agent = createAgent({
      model,
      tools: [tool(() => "found", { name: "look_up", description: "d", schema: z.object({ q: z.string() }) }) as never],
      middleware: [guardrailsMiddleware(await guardrails())],
    });
    const stream = await agent.stream({ messages: [new HumanMessage("hello")] }, { streamMode: "messages" });
    const chunks = await drain(stream as unknown as AsyncIterable<[BaseMessage]>);
    expect(chunks.map(([message]) => message.text).join("|")).toContain("REFUSED");
    expect(JSON.stringify(chunks)).not.toMatch(/\bbad\b/);
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]?.body["messages"])).toContain("found");
  });
});
