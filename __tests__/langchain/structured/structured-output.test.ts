import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  type AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { RunnableBinding } from "@langchain/core/runnables";
import { ChatOpenAI } from "@langchain/openai";
import { z as z3 } from "zod";
import * as z4 from "zod/v4";
import {
  type GuardedChatModel,
  GuardrailViolationError,
  InputShapeError,
  OutputParseError,
  verdictOf,
} from "../../../src/index.js";
import {
  type ScriptedModel,
  scriptedModel,
  type ScriptedServer,
  scriptedServer,
  type ServerReply,
} from "../../../src/testing/index.js";
import { fakeGuardrails, type FakeRail, strictRail } from "../../support/langchain/fake-runtime.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

const v4 = z4.object({ dish: z4.string(), minutes: z4.number().optional() });
const v3 = z3.object({ dish: z3.string() });
const json = {
  title: "extract",
  type: "object",
  properties: { dish: { type: "string", maxLength: 40 }, minutes: { type: "number" } },
  required: ["dish"],
};
const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };

/** A response that calls the tool of a bound schema. */
const calls = (args: object, content = ""): AIMessage =>
  new AIMessage({
    content,
    id: "m",
    usage_metadata: usage,
    tool_calls: [{ name: "extract", args: { ...args }, id: "c" }],
  } as unknown as AIMessageFields);
const rails = { input: strictRail, output: strictRail };
const guard = (model: ScriptedModel, output: FakeRail = strictRail): GuardedChatModel =>
  fakeGuardrails({ input: strictRail, output }).guardrails.wrap(model);
/** The text that the output rail received. */
const spying =
  (seen: string[], rail: FakeRail = strictRail): FakeRail =>
  (text, call) => (seen.push(text), rail(text, call));
const openAI = (server: ScriptedServer): GuardedChatModel =>
  fakeGuardrails(rails).guardrails.wrap(
    new ChatOpenAI({ model: "gpt-4o", apiKey: "none", configuration: { baseURL: server.url } }),
  );
const extraction = (dish: string): ServerReply => ({ toolCalls: [{ name: "extract", args: { dish } }] });
const caught = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe("C6 structured output of a guarded model", () => {
  it.each([
    ["zod 3", v3],
    ["zod 4", v4],
    ["JSON Schema", json],
  ])("returns the parsed value of %s, in invoke, batch and stream", async (_, schema) => {
    const structured = guard(scriptedModel(calls({ dish: "bread" }))).withStructuredOutput(schema as typeof json);
    expect(await structured.invoke("hi")).toEqual({ dish: "bread" });
    expect(await structured.batch(["hi", "ho"])).toEqual([{ dish: "bread" }, { dish: "bread" }]);
    expect(await drain(await structured.stream("hi"))).toEqual([{ dish: "bread" }]);
    const piped = ChatPromptTemplate.fromTemplate("{q}").pipe(structured);
    expect(await drain(await piped.stream({ q: "hi" }))).toEqual([{ dish: "bread" }]);
  });

  it.each<[string, Parameters<GuardedChatModel["invoke"]>[0]]>([
    ["a string", "pin 1"],
    ["a message list", [new HumanMessage("pin 1")]],
    ["pairs", [["human", "pin 1"]]],
    ["strings", ["pin 1"]],
    ["roles", [{ role: "user", content: "pin 1" }]],
  ])("passes %s on as reviewed by the input rails", async (_, input) => {
    const model = scriptedModel(calls({ dish: "bread" }));
    await guard(model).withStructuredOutput(v4).invoke(input);
    expect(model.calls[0]?.prompt).toBe("human: pin *");
    expect(model.calls[0]?.options.tools).toMatchObject([{ function: { name: "extract" } }]);
  });

  it("shows rails the message, the arguments and the value, each once and as lines", async () => {
    const seen: string[] = [];
    const value = { dish: "rye bread", steps: ["mix\nwell", "bake"], by: { name: "Ann" }, done: true, note: null };
    const schema = z4.object({
      dish: z4.string(),
      steps: z4.array(z4.string()),
      by: z4.object({ name: z4.string() }),
      done: z4.boolean(),
      note: z4.null(),
    });
    await guard(scriptedModel(calls(value, "Here it is.")), spying(seen))
      .withStructuredOutput(schema)
      .invoke("hi");
    expect(seen).toEqual([
      "Here it is.\ndish: rye bread\nsteps: mix\nwell\nsteps: bake\nby.name: Ann\ndone: true\nnote:",
    ]);
  });

  it("never sends the model a blocked message", async () => {
    const model = scriptedModel([]);
    const error = await caught(guard(model).withStructuredOutput(v4).invoke("bad"));
    expect(GuardrailViolationError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ refusal: "REFUSED", decision: { stage: "input" } });
    expect(await guard(model).withStructuredOutput(v4, { includeRaw: true }).invoke("bad")).toMatchObject({
      raw: { content: "REFUSED" },
      parsed: null,
    });
    expect(model.calls).toHaveLength(0);
  });

  it.each<[string, AIMessage]>([
    ["in a field", calls({ dish: "bad bread" })],
    ["next to the call", calls({ dish: "bread" }, "a bad remark")],
    ["in a key that the schema drops", calls({ dish: "bread", more: "bad" })],
    ["as a key that the schema drops", calls({ dish: "bread", "bad words": null })],
    ["in arguments that the schema refuses", calls({ fish: "bad" })],
    [
      "in a call of another name",
      new AIMessage({ content: "", tool_calls: [{ name: "x", args: { a: "bad" }, id: "1" }] }),
    ],
    [
      "in a call that is not JSON",
      new AIMessage({ content: "", invalid_tool_calls: [{ name: "extract", args: "{bad", id: "1", error: "?" }] }),
    ],
    [
      "in a call only in the content",
      new AIMessage({ content: [{ type: "tool_use", name: "x", input: { a: "bad" }, id: "9" }] as never }),
    ],
    [
      "in a call in the provider's own field",
      new AIMessage({ content: "", additional_kwargs: { function_call: { name: "x", arguments: '{"a":"bad"}' } } }),
    ],
    ["under a duplicate key", new AIMessage('{"dish":"bad","dish":"bread"}')],
  ])("blocks what rails refuse %s, and returns nothing of it", async (_, answer) => {
    const guarded = guard(scriptedModel(answer));
    const error = await caught(guarded.withStructuredOutput(v4).invoke("hi"));
    expect(GuardrailViolationError.isInstance(error)).toBe(true);
    expect(visibleJson(error) + String(error)).not.toContain("bad");
    const { raw, parsed } = await guarded.withStructuredOutput(v4, { includeRaw: true }).invoke("hi");
    expect(parsed).toBeNull();
    expect(raw).toMatchObject({ content: "REFUSED", tool_calls: [] });
    expect(verdictOf(raw)).toMatchObject({ blocked: true, stage: "output" });
    expect(visibleJson(raw)).not.toContain("bad");
  });

  it("keeps the message with its calls, cost and verdict under includeRaw", async () => {
    const structured = guard(scriptedModel(calls({ dish: "bread" }))).withStructuredOutput(v4, { includeRaw: true });
    const { raw, parsed } = await structured.invoke("hi");
    expect(parsed).toEqual({ dish: "bread" });
    expect(raw).toMatchObject({ id: "m", usage_metadata: usage, tool_calls: [{ args: { dish: "bread" } }] });
    expect(verdictOf(raw)).toMatchObject({ blocked: false });
    expect(await drain(await structured.stream("hi"))).toMatchObject([{ parsed: { dish: "bread" } }]);
  });

  it("applies onBlocked", async () => {
    const { guardrails } = fakeGuardrails(rails);
    const model = scriptedModel(calls({ dish: "bad" }));
    const own = guardrails.wrap(model, { onBlocked: () => ({ dish: "nothing" }) }).withStructuredOutput(v4);
    expect(await own.invoke("hi")).toEqual({ dish: "nothing" });
    const strict = guardrails.wrap(model, { onBlocked: "throw" }).withStructuredOutput(v4, { includeRaw: true });
    await expect(strict.invoke("hi")).rejects.toThrow(GuardrailViolationError);
  });
});

describe("rails that rewrite a structured response", () => {
  it("rewrite the fields, in the value and in the message", async () => {
    const answer = calls({ dish: "bread 12", minutes: undefined }, "see page 7");
    answer.additional_kwargs = {
      tool_calls: [{ id: "c", function: { name: "extract", arguments: '{"dish":"bread 12"}' } }],
    } as never;
    answer.response_metadata = { model_name: "m-1", output: "bread 12" };
    const structured = guard(scriptedModel(answer)).withStructuredOutput(v4, { includeRaw: true });
    const { raw, parsed } = await structured.invoke("hi");
    expect(parsed).toEqual({ dish: "bread **" });
    expect(raw).toMatchObject({
      content: "see page *",
      id: "m",
      usage_metadata: usage,
      tool_calls: [{ name: "extract", args: { dish: "bread **" }, id: "c" }],
      response_metadata: { model_name: "m-1", guardrails: { blocked: false } },
    });
    expect(visibleJson(raw)).not.toMatch(/12|page 7/);
    expect((raw as AIMessageChunk).tool_call_chunks).toMatchObject([{ args: '{"dish":"bread **"}' }]);
  });

  const rewriting =
    (fn: (text: string) => string): FakeRail =>
    (text) => ({ text: fn(text) });

  it.each<[string, object, FakeRail]>([
    ["a number", { dish: "bread", minutes: 40 }, strictRail],
    ["a label", { dish: "bread" }, rewriting((text) => text.replace("dish", "meal"))],
    ["the number of lines", { dish: "bread" }, rewriting((text) => `${text}\nAsk your doctor.`)],
    ["more than the schema allows", { dish: "bread" }, rewriting((text) => text.replace("bread", "b".repeat(41)))],
  ])("fail closed when they change %s", async (_, args, rail) => {
    const guarded = guard(scriptedModel(calls(args)), rail);
    for (const schema of [json, z4.object({ dish: z4.string().max(40), minutes: z4.number().optional() })]) {
      const error = await caught(guarded.withStructuredOutput(schema as typeof json).invoke("hi"));
      expect(GuardrailViolationError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ decision: { status: "error", stage: "output", rail: "output rail" } });
      const { raw, parsed } = await guarded
        .withStructuredOutput(schema as typeof json, { includeRaw: true })
        .invoke("hi");
      expect(parsed).toBeNull();
      expect(raw.text).not.toContain("bread");
      expect(verdictOf(raw)).toMatchObject({ blocked: true, stage: "output" });
    }
  });

  it("fail closed on a schema that transforms the value", async () => {
    const schema = z4.object({ dish: z4.string().transform((text) => [text]) });
    await using server = await scriptedServer([extraction("bread"), extraction("bread 1")]);
    const structured = openAI(server).withStructuredOutput(schema, { method: "functionCalling" });
    expect(await structured.invoke("hi")).toEqual({ dish: ["bread"] });
    await expect(structured.invoke("hi")).rejects.toThrow(GuardrailViolationError);
  });

  it("review the value that a schema transforms, too", async () => {
    const schema = z4.object({ dish: z4.string().transform((text) => atob(text)) });
    await using server = await scriptedServer([extraction(btoa("good")), extraction(btoa("bad"))]);
    const structured = openAI(server).withStructuredOutput(schema, { method: "functionCalling" });
    expect(await structured.invoke("hi")).toEqual({ dish: "good" });
    await expect(structured.invoke("hi")).rejects.toThrow(GuardrailViolationError);
  });
});

describe("responses that are not a structured value", () => {
  it("that do not fit the schema are an error that quotes nothing", async () => {
    const fish: ServerReply = { toolCalls: [{ name: "extract", args: { fish: "trout" } }] };
    await using server = await scriptedServer([fish, fish]);
    const guarded = openAI(server);
    const error = await caught(guarded.withStructuredOutput(v4, { method: "functionCalling" }).invoke("hi"));
    expect(OutputParseError.isInstance(error)).toBe(true);
    expect(String(error)).not.toContain("trout");
    const options = { method: "functionCalling", includeRaw: true } as const;
    const { raw, parsed } = await guarded.withStructuredOutput(v4, options).invoke("hi");
    expect(parsed).toBeNull();
    expect(raw).toMatchObject({ tool_calls: [{ args: { fish: "trout" } }] });
  });

  it("of a flow are returned only with includeRaw", async () => {
    const { guardrails } = fakeGuardrails({ says: { hi: "Hello from a flow" } });
    const guarded = guardrails.wrap(scriptedModel([]));
    await expect(guarded.withStructuredOutput(v4).invoke("hi")).rejects.toThrow(OutputParseError);
    expect(await guarded.withStructuredOutput(v4, { includeRaw: true }).invoke("hi")).toMatchObject({
      raw: { content: "Hello from a flow" },
      parsed: null,
    });
  });

  it("that no rail can read fail closed", async () => {
    let deep: unknown = "bottom";
    for (let depth = 0; depth < 100; depth += 1) deep = { deep };
    const structured = guard(scriptedModel(calls({ dish: "bread", deep }))).withStructuredOutput(json);
    await expect(structured.invoke("hi")).rejects.toThrow(InputShapeError);
  });

  it("report the model's own error", async () => {
    const failure = new Error("provider is down");
    await expect(
      guard(scriptedModel([failure]))
        .withStructuredOutput(v4)
        .invoke("hi"),
    ).rejects.toBe(failure);
    expect(() => guard(scriptedModel([])).withStructuredOutput(v4, { method: "jsonMode" })).toThrow(/functionCalling/);
  });
});

describe("structured output with other features", () => {
  it("works after tools were bound, also if binding returns no model", async () => {
    const tool = { type: "function", function: { name: "look", parameters: {} } };
    const model = scriptedModel(calls({ dish: "bread" }));
    expect(await guard(model).bindTools([tool]).withStructuredOutput(v4).invoke("hi")).toEqual({ dish: "bread" });
    const binding = new RunnableBinding({
      bound: model,
      kwargs: { tools: [tool], stop: ["END"] } as never,
      config: {},
    });
    const bindable = Object.assign(scriptedModel("unused"), { bindTools: () => binding });
    const bound = guard(bindable).bindTools([tool]);
    expect(await bound.withStructuredOutput(v4).invoke("hi")).toEqual({ dish: "bread" });
    expect(model.calls.at(-1)?.options).toMatchObject({ stop: ["END"], tools: [{ function: { name: "extract" } }] });
  });

  it("passes tool results of the conversation to their rails", async () => {
    const guardrails = await toolGuardrails({ results: ["check result", "hide digits of result"] });
    const conversation = (result: string): BaseMessage[] => [
      new HumanMessage("what is there?"),
      new AIMessage({ content: "", tool_calls: [{ name: "look", args: {}, id: "1" }] }),
      new ToolMessage({ content: result, tool_call_id: "1" }),
    ];
    const model = scriptedModel(calls({ dish: "bread" }));
    const structured = guardrails.wrap(model).withStructuredOutput(v4);
    expect(await structured.invoke(conversation("row 5"))).toEqual({ dish: "bread" });
    expect(model.calls[0]?.prompt).toContain("tool: row *");
    const error = await caught(structured.invoke(conversation("a bad row")));
    expect(GuardrailViolationError.isInstance(error)).toBe(true);
    expect(model.calls).toHaveLength(1);
  });

  it("passes call options, thread and metadata on, and skips rails on request", async () => {
    const model = scriptedModel(calls({ dish: "bad" }));
    const { guardrails, calls: recorded } = fakeGuardrails(rails);
    const config = {
      configurable: { thread_id: "t" },
      metadata: { tenant: "a" },
      stop: ["END"],
      rails: { output: false },
    };
    expect(await guardrails.wrap(model).withStructuredOutput(v4).invoke("hi", config)).toEqual({ dish: "bad" });
    expect(model.calls[0]?.options.stop).toEqual(["END"]);
    expect(recorded[0]?.options?.config).toMatchObject({ configurable: { thread_id: "t" }, metadata: { tenant: "a" } });
  });

  it("shows no token to handlers, and nests its runs", async () => {
    const runs: string[] = [];
    const parents = new Map<string, string | undefined>();
    const seen: string[] = [];
    const note = (name: string, id: string, parent?: string): void => {
      runs.push(name);
      parents.set(id, parent);
    };
    const callbacks = [
      {
        handleChainStart: (...args: unknown[]) => note(String(args[7]), args[2] as string, args[3] as string),
        handleChatModelStart: (...args: unknown[]) => note("model", args[2] as string, args[3] as string),
        handleLLMNewToken: (token: string) => void seen.push(token),
      },
    ];
    const structured = guard(scriptedModel(calls({ dish: "bad" }, "bad"))).withStructuredOutput(v4, {
      includeRaw: true,
    });
    await structured.invoke("hi", { callbacks: callbacks as never });
    expect(seen).toEqual([]);
    expect(runs[0]).toBe("GuardedStructuredOutput");
    expect(runs).toContain("model");
    expect([...parents.values()].filter((parent) => parent === undefined)).toHaveLength(1);
    const events = await drain(structured.streamEvents("hi", { version: "v2" }));
    expect(visibleJson(events)).not.toContain("bad");
    expect(events.at(-1)).toMatchObject({ event: "on_chain_end", data: { output: { parsed: null } } });
  });

  it("stops when the caller aborts", async () => {
    const controller = new AbortController();
    const model = scriptedModel(() => {
      controller.abort();
      return new Promise<never>(() => undefined);
    });
    const structured = guard(model).withStructuredOutput(v4);
    await expect(structured.invoke("hi", { signal: controller.signal })).rejects.toThrow();
    expect(model.calls[0]?.options.signal?.aborted).toBe(true);
  });

  it("returns the exceptions of a batch", async () => {
    const model = scriptedModel(calls({ dish: "bread" }));
    const results = await guard(model).withStructuredOutput(v4).batch(["hi", "bad"], {}, { returnExceptions: true });
    expect(results[0]).toEqual({ dish: "bread" });
    expect(GuardrailViolationError.isInstance(results[1])).toBe(true);
    expect(model.calls).toHaveLength(1);
  });
});

describe("structured output of a guarded ChatOpenAI, over HTTP", () => {
  const value = { dish: "b\u00e4d bread 7" };
  const hidden = '{"dish":"\\u0062ad bread"}';
  const replies: [string, ServerReply, (text: string) => ServerReply][] = [
    [
      "functionCalling",
      { toolCalls: [{ name: "extract", args: value }] },
      () => ({ toolCalls: [{ name: "extract", args: { dish: "bad bread" } }] }),
    ],
    ["jsonSchema", { text: JSON.stringify(value) }, (text) => ({ text })],
    ["jsonMode", { text: `\n ${JSON.stringify(value, undefined, 1)}` }, (text) => ({ text })],
  ];

  it.each(
    replies.flatMap((row) =>
      (
        [
          ["zod 3", v3],
          ["zod 4", v4],
          ["JSON Schema", json],
        ] as const
      ).map((schema) => [...row, ...schema] as const),
    ),
  )("%1$s with %4$s", async (method, good, bad, _, schema) => {
    await using server = await scriptedServer(({ body }) => {
      const { messages } = body as { messages: { content: string }[] };
      return messages.at(-1)?.content === "evil" ? bad(hidden) : good;
    });
    const guarded = openAI(server);
    const structured = guarded.withStructuredOutput(schema as typeof json, { method, includeRaw: true });
    const { raw, parsed } = await structured.invoke("hi");
    expect(parsed).toEqual({ dish: "b\u00e4d bread *" });
    expect(JSON.stringify(raw)).not.toContain("bread 7");
    const blocked = await structured.invoke("evil");
    expect(blocked).toMatchObject({ raw: { content: "REFUSED" }, parsed: null });
    expect(JSON.stringify(blocked)).not.toMatch(/bread|u0062/);
    const plain = guarded.withStructuredOutput(schema as typeof json, { method });
    expect(await plain.invoke("hi")).toEqual({ dish: "b\u00e4d bread *" });
    expect(GuardrailViolationError.isInstance(await caught(plain.invoke("evil")))).toBe(true);
  });
});

it.each([
  ["in a block", { content: [{ type: "thinking", thinking: "THOUGHT" }] }],
  ["in additional_kwargs", { content: "", additional_kwargs: { reasoning_content: "THOUGHT" } }],
] as const)("returns no reasoning next to the call that is the response: %s", async (_, fields) => {
  const message = calls({ dish: "rye bread" });
  const model = scriptedModel([Object.assign(message, fields)]);
  const guardrails = await toolGuardrails({ output: ["check answer"] });
  const structured = guardrails.wrap(model).withStructuredOutput(v3 as never, { includeRaw: true });
  const { raw, parsed } = await structured.invoke("cook");
  expect(parsed).toEqual({ dish: "rye bread" });
  expect(JSON.stringify(raw)).not.toContain("THOUGHT");
});
