import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver, Send } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { z } from "zod/v4";
import { guardedMiddleware, guardrailsMiddleware } from "langchain-guardrails/middleware";
import type { Guardrails } from "../../../src/index.js";
import { scriptedModel, type ScriptedReply } from "../../../src/testing/index.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { toolGuardrails, type ToolSetup } from "../../support/langchain/tool-guardrails.js";

const RAILS: ToolSetup = { output: ["check answer"], calls: ["check call"], results: ["check result"] };
const CALL = { name: "look_up", args: { q: "x" }, id: "c1", type: "tool_call" as const };
const asks = (...calls: object[]): AIMessage => new AIMessage({ content: "", tool_calls: calls as never });

const lookUp = (answer: (args: { q?: string }) => unknown, fields: object = {}) =>
  tool(answer as never, {
    name: "look_up",
    description: "d",
    schema: z.object({ q: z.string().optional() }),
    ...fields,
  });

const STREAM_MODES = ["values", "updates", "messages", "custom"] as const;

/** All visible parts of a run: its result, every stream, and its checkpoints. */
async function seenOf(
  guardrails: Guardrails,
  {
    replies,
    run,
    middleware = [],
    returnDirect,
  }: {
    readonly replies: readonly ScriptedReply[];
    readonly run: (args: { q?: string }) => unknown;
    readonly middleware?: readonly unknown[];
    readonly returnDirect?: boolean;
  },
): Promise<{ readonly seen: string; readonly messages: readonly BaseMessage[] }> {
  const checkpointer = new MemorySaver();
  const agent = createAgent({
    model: scriptedModel([...replies]),
    tools: [lookUp(run, returnDirect === true ? { returnDirect } : {}) as never],
    checkpointer,
    middleware: [guardrailsMiddleware(guardrails), ...middleware] as never,
  });
  const config = { configurable: { thread_id: "t" } };
  const input = { messages: [new HumanMessage("hello")] };
  let seen = visibleJson(
    await drain(await agent.stream(input as never, { ...config, streamMode: STREAM_MODES } as never)),
  );
  const { values } = (await agent.graph.getState(config)) as { values: { messages: BaseMessage[] } };
  for await (const state of checkpointer.list(config)) seen += visibleJson(state);
  // Times of checkpoints contain digits that do not come from a tool.
  return { seen: seen.replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, ""), messages: values.messages };
}

const result = (fields: object): ToolMessage =>
  new ToolMessage({ content: "fine", tool_call_id: "c1", name: "look_up", ...fields } as never);

describe("no text of a tool in an agent bypasses its rails", () => {
  it.each<[string, () => unknown]>([
    ["fields next to the content", () => result({ additional_kwargs: { note: "a bad note" } })],
    ["metadata", () => result({ response_metadata: { note: "a bad note" } })],
    ["a title of a block", () => result({ content: [{ type: "text", text: "fine", title: "a bad title" }] })],
    ["a command with one message", () => new Command({ update: { messages: result({ content: "bad" }) } as never })],
    ["a command with pairs", () => new Command({ update: [["messages", [result({ content: "bad" })]]] })],
    [
      "a command with a response",
      () => new Command({ update: { messages: [result({}), new AIMessage("a bad answer")] } }),
    ],
    [
      "a command with data",
      () => new Command({ update: { messages: [result({}), { role: "assistant", content: "a bad answer" }] } }),
    ],
    ["a command with a string", () => new Command({ update: { messages: [result({}), "a bad question"] } })],
    [
      "a command with a pair of role and text",
      () => new Command({ update: { messages: [result({}), ["ai", "a bad answer"]] } }),
    ],
    [
      "a command whose response calls a tool",
      () => new Command({ update: { messages: [result({}), asks({ ...CALL, id: "c9", args: { q: "bad thing" } })] } }),
    ],
    [
      "an error",
      () => {
        throw new Error("a bad error");
      },
    ],
    [
      "an error with a cause",
      () => {
        throw new Error("a bad error", { cause: new Error("a bad cause") });
      },
    ],
    ["a message with an artifact", () => result({ content: "bad", artifact: { rows: ["bad"] } })],
  ])("%s", async (_, run) => {
    const { seen, messages } = await seenOf(await toolGuardrails(RAILS), { replies: [asks(CALL), "sorry"], run });
    expect(seen).not.toMatch(/\bbad\b/);
    expect(messages.at(-1)?.text).toBe("sorry");
    expect(messages.find((message) => ToolMessage.isInstance(message))).toMatchObject({
      content: "REFUSED",
      status: "error",
    });
  });

  it("masked text does not remain next to the result", async () => {
    const guardrails = await toolGuardrails({ results: ["hide digits of result"] });
    const run = () =>
      result({
        content: "pin 12",
        artifact: { pin: "12" },
        additional_kwargs: { pin: "it was 12", code: "12" },
        response_metadata: { raw: "pin 12" },
      });
    const { seen, messages } = await seenOf(guardrails, { replies: [asks(CALL), "done"], run });
    expect(messages.find((message) => ToolMessage.isInstance(message))?.text).toBe("pin **");
    expect(seen).not.toMatch(/\b12\b/);
  });

  it("other channels that a command writes, and values that it sends to other nodes, are reviewed", async () => {
    const guardrails = await toolGuardrails({ results: ["check result", "hide digits of result"] });
    const guarded = guardrails.tool(
      lookUp(({ q }) =>
        q === "bad"
          ? new Command({ update: { notes: "a bad note" } })
          : new Command({
              update: { notes: ["call 12 now", "fine"], count: 12, messages: [result({ content: "pin 3" })] },
              goto: [new Send("other", { text: "and 45 more", messages: [new HumanMessage("say 6")] })],
            }),
      ),
    );
    const passed = (await guarded.invoke({ ...CALL })) as unknown as Command;
    expect(passed).toBeInstanceOf(Command);
    expect(passed.update).toMatchObject({
      notes: ["call ** now", "fine"],
      count: 12,
      messages: [{ content: "pin *" }],
    });
    expect((passed.goto as Send[])[0]).toMatchObject({
      node: "other",
      args: { text: "and ** more", messages: [{ content: "say *" }] },
    });
    expect(await guarded.invoke({ ...CALL, args: { q: "bad" } })).toMatchObject({
      content: "REFUSED",
      status: "error",
    });
  });

  it("does not change commands that pass", async () => {
    const guardrails = await toolGuardrails(RAILS);
    const given = { notes: "a fine note", messages: [result({})], n: 1 };
    const guarded = guardrails.tool(lookUp(() => new Command({ update: given, goto: "next" })));
    const passed = (await guarded.invoke({ ...CALL })) as unknown as Command;
    expect(passed.update).toMatchObject({ notes: "a fine note", n: 1, messages: [{ content: "fine" }] });
    expect(passed.goto).toEqual(["next"]);
  });
});

describe("errors of tools that the caller catches", () => {
  const failing = (error: Error) =>
    lookUp(() => {
      throw error;
    });

  it.each<[string, Error, string]>([
    ["a fine message", new Error("no connection"), "no connection"],
    ["a fine message and cause", new Error("no connection", { cause: new Error("timeout") }), "no connection"],
    ["a message that is masked", new Error("row 12 is broken"), "row ** is broken"],
    ["a cause that would be masked", new Error("broken", { cause: new Error("row 12") }), "broken"],
  ])("%s", async (_, error, said) => {
    const guardrails = await toolGuardrails({ results: ["check result", "hide digits of result"] });
    const thrown: unknown = await guardrails
      .tool(failing(error))
      .invoke({ ...CALL })
      .catch((caught: unknown) => caught);
    expect((thrown as Error).message).toBe(said);
    expect(String((thrown as Error).cause ?? "")).not.toContain("12");
    expect(thrown === error).toBe(said === error.message && !String(error.cause ?? "").includes("12"));
  });

  it("a cause that is blocked becomes the refusal", async () => {
    const guardrails = await toolGuardrails({ results: ["check result"] });
    const guarded = guardrails.tool(failing(new Error("fine", { cause: new Error("a bad cause") })));
    expect(await guarded.invoke({ ...CALL })).toMatchObject({ content: "REFUSED", status: "error" });
  });
});

describe("a tool that responds to the user (`returnDirect`)", () => {
  it.each<[string, string, string]>([
    ["passes", "all is fine", "all is fine"],
    ["is blocked by an output rail, and the model continues", "a bad answer", "sorry"],
  ])("%s", async (_, answer, said) => {
    const guardrails = await toolGuardrails({ output: ["check answer"] });
    const { seen, messages } = await seenOf(guardrails, {
      replies: [asks(CALL), "sorry"],
      run: () => answer,
      returnDirect: true,
    });
    expect(messages.at(-1)?.text).toBe(said);
    expect(seen).not.toMatch(/\bbad\b/);
  });

  it("is otherwise not reviewed by output rails, because a model responds after it", async () => {
    const guardrails = await toolGuardrails({ output: ["check answer"] });
    const { messages } = await seenOf(guardrails, { replies: [asks(CALL), "done"], run: () => "a bad result" });
    expect(messages.at(-2)?.text).toBe("a bad result");
  });
});

describe("several calls in one message", () => {
  const ran = (): { readonly seen: unknown[]; readonly run: (args: object) => string } => {
    const seen: unknown[] = [];
    return { seen, run: (args) => (seen.push(args), "found") };
  };

  it.each<[string, object[], object[]]>([
    ["of one id", [CALL, { ...CALL, args: { q: "bad" } }], [{ q: "x" }]],
    ["of one id, the other way round", [{ ...CALL, args: { q: "bad" } }, CALL], [{ q: "x" }]],
    [
      "of ids that look like none",
      [
        { ...CALL, id: "a|b?c" },
        { ...CALL, id: "d|e?f", args: { q: "bad" } },
      ],
      [{ q: "x" }],
    ],
    ["of very long ids", [{ ...CALL, id: "a".repeat(100), args: { q: "bad" } }], []],
  ])("%s: a blocked call does not run, not even without its arguments", async (_, calls, expected) => {
    const { seen: args, run } = ran();
    const agent = createAgent({
      model: scriptedModel([asks(...calls), "done"]),
      tools: [lookUp(run as never) as never],
      middleware: [guardrailsMiddleware(await toolGuardrails(RAILS))],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("hello")] });
    expect(args).toEqual(expected);
    expect(visibleJson(messages)).not.toMatch(/\bbad\b/);
  });

  it("unreadable calls stay unreadable when another call changes", async () => {
    const guardrails = await toolGuardrails({
      colang: "define subflow check other\n  $tool_args = execute lower_amount(args=$tool_args)\n",
    });
    expect(guardrails).toBeDefined();
    const narrow = await import("../../../src/langchain/tools/tool-calls.js");
    const message = new AIMessage({
      content: "",
      tool_calls: [{ ...CALL }],
      invalid_tool_calls: [{ name: "broken", args: "{", id: "c2", type: "invalid_tool_call" }],
    });
    const before = narrow.readToolCalls(message);
    const [first, second] = before;
    const changed = narrow.replaceToolCalls(message, before, [{ ...first!, args: { q: "y" } }, second!]);
    expect(changed.tool_calls).toMatchObject([{ id: "c1", args: { q: "y" } }]);
    expect(changed.invalid_tool_calls).toMatchObject([{ id: "c2", args: "{" }]);
    const stripped = narrow.replaceToolCalls(message, before, [
      first!,
      { name: "broken", args: {}, id: "c2", stripped: true },
    ]);
    expect(stripped.tool_calls).toMatchObject([{ id: "c1" }, { id: "c2", args: {} }]);
    expect(stripped.invalid_tool_calls).toEqual([]);
  });
});

describe("every message of a response that calls tools is reviewed", () => {
  const done = new ToolMessage({ content: "fine", tool_call_id: "c0" });
  const earlier = asks({ ...CALL, id: "c0", args: { q: "bad but done" } });
  const lists: readonly [string, BaseMessage[], boolean][] = [
    ["the first of two", [asks({ ...CALL, args: { q: "bad" } }), asks({ ...CALL, id: "c2" })], true],
    ["the last of two", [asks(CALL), asks({ ...CALL, id: "c2", args: { q: "bad" } })], true],
    ["one before a text", [asks({ ...CALL, args: { q: "bad" } }), new AIMessage("done")], true],
    ["none", [asks(CALL), asks({ ...CALL, id: "c2" })], false],
    ["one that has run without a review", [earlier, done, new AIMessage("done")], true],
  ];

  it.each(lists)("%s", async (_, messages, isBlocked) => {
    const guardrails = await toolGuardrails({ calls: ["check call"] });
    const left = visibleJson(await guardrails.output().invoke([new HumanMessage("hello"), ...messages]));
    expect(left.includes("REFUSED")).toBe(isBlocked);
    if (isBlocked) expect(left).not.toContain("bad");
  });

  it("each keeps its position when arguments change", async () => {
    const guardrails = await toolGuardrails({ calls: ["lower amount"] });
    const pay = (id: string) => asks({ name: "pay", args: { amount: 500 }, id });
    const left = (await guardrails.output().invoke([new HumanMessage("hello"), pay("c1"), pay("c2")])) as AIMessage[];
    expect(left.map(({ tool_calls: calls = [] }) => calls.map(({ id, args }) => [id, args]))).toEqual([
      [],
      [["c1", { amount: 1 }]],
      [["c2", { amount: 1 }]],
    ]);
  });
});

describe("texts of other middleware", () => {
  type Wrap = (request: never, handler: (request: never) => Promise<AIMessage>) => Promise<unknown>;
  const own = (wrapModelCall: Wrap) => createMiddleware({ name: "own", wrapModelCall: wrapModelCall as never });
  const saying = (messages: unknown): Wrap => {
    return async (request, handler) => {
      await handler(request);
      return new Command({ update: { messages: messages as never } });
    };
  };

  it.each<[string, Wrap]>([
    ["a command after the model was called", saying([new AIMessage("a bad aside")])],
    ["a command with one message", saying(new AIMessage("a bad aside"))],
    ["a command with data", saying([{ role: "assistant", content: "a bad aside" }])],
    ["a command with a call", saying([asks({ ...CALL, args: { q: "a bad one" } })])],
    ["a command with two responses", saying([new AIMessage("fine"), new AIMessage("a bad aside")])],
    ["a forged response", async () => new AIMessage("a bad answer")],
    [
      "a response with other messages",
      async (request, handler) => {
        const answer = await handler(request);
        return new AIMessage({ content: answer.text, additional_kwargs: { note: "a bad note" } });
      },
    ],
  ])("%s, inside and outside the guard", async (_, wrap) => {
    const guardrails = await toolGuardrails(RAILS);
    for (const order of ["inside", "outside"] as const) {
      const checkpointer = new MemorySaver();
      const guard = guardrailsMiddleware(guardrails);
      const other = guardedMiddleware(guardrails, own(wrap));
      const agent = createAgent({
        model: scriptedModel(["fine", "fine", "fine"]),
        tools: [lookUp(() => "found") as never],
        checkpointer,
        middleware: order === "inside" ? [guard, other] : [other, guard],
      });
      const config = { configurable: { thread_id: "t" } };
      const input = { messages: [new HumanMessage("hello")] };
      const stream = await agent.stream(input, { ...config, streamMode: [...STREAM_MODES], recursionLimit: 12 });
      const seen = visibleJson(await drain(stream as AsyncIterable<unknown>).catch((error: unknown) => String(error)));
      expect([order, /\bbad\b/.exec(seen)?.[0]]).toEqual([order, undefined]);
      for await (const state of checkpointer.list(config)) expect(visibleJson(state)).not.toMatch(/\bbad\b/);
    }
  });

  it("is unchanged if it passes, and no rail reviews the model's response twice", async () => {
    const looked: string[] = [];
    const guardrails = await toolGuardrails({ output: ["check answer"], onCheck: (text) => looked.push(text) });
    const other = guardedMiddleware(
      guardrails,
      own(async (request, handler) => handler(request)),
    );
    const agent = createAgent({
      model: scriptedModel(["fine"]),
      tools: [],
      middleware: [guardrailsMiddleware(guardrails), other],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("hello")] });
    expect([messages.at(-1)?.text, looked]).toEqual(["fine", ["fine"]]);
    const plain = createMiddleware({ name: "plain" });
    expect(guardedMiddleware(guardrails, plain)).toBe(plain);
  });
});
