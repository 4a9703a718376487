import { afterEach, describe, expect, it } from "@jest/globals";
import { inspect } from "node:util";
import { AIMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { type ConversationState, type GenerationOptions, type RailStage, Guardrails } from "langchain-guardrails";
import { scriptedModel, type ScriptedServer, scriptedServer, type ServerScript } from "langchain-guardrails/testing";
import { railFlows } from "../../support/rail-flows.js";

const clientOf = (server: ScriptedServer): ChatOpenAI =>
  new ChatOpenAI({ model: "m", apiKey: "none", maxRetries: 0, configuration: { baseURL: server.url } });

const COLANG = `
define user ask price
  "how much is it?"

define bot give price
  "It costs $price."

define flow give price
  user ask price
  $price = execute find_price
  bot give price
`;
const RAILS = railFlows(
  "1.0",
  {
    "check words": ["block", "user_message", "check_words"],
    "check answer": ["block", "bot_message", "check_words"],
  },
  { intent: "refuse words", text: "No." },
);
const YAML = "rails: {input: {flows: [check words]}, output: {flows: [check answer]}}";
const actions = {
  check_words: ({ text }: { text: string }) => !text.includes("bad"),
  find_price: () => 4711,
};

const servers: ScriptedServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function open(script: ServerScript, colang = COLANG + RAILS) {
  const server = await scriptedServer(script);
  servers.push(server);
  return {
    server,
    guardrails: await Guardrails.fromConfig({ colang, yaml: YAML }, { llm: clientOf(server), actions }),
  };
}

const ALL: GenerationOptions = {
  llmOutput: true,
  outputVars: true,
  log: { activatedRails: true, llmCalls: true, internalEvents: true, colangHistory: true },
  state: {},
};

describe("the stages of a `generate` call", () => {
  it.each([
    ["inputt", "`inputt` is not a rail stage; did you mean `input`?"],
    ["everything", "`everything` is not a rail stage; there are `input`, `dialog`, `retrieval`, `execution`, `output`"],
  ])("refuse %s, which would disable all rails", async (stage, message) => {
    const llm = scriptedModel([]);
    const config = { rails: { input: { flows: ["self check input"] } } };
    const guardrails = await Guardrails.fromConfig({ config }, { llm });
    await expect(guardrails.generate("hi", { rails: [stage as RailStage] })).rejects.toThrow(message);
  });

  const dialogue = (answer: string) => [
    { role: "user", content: "hello" },
    { role: "bot", content: answer },
  ];

  it.each<[string, GenerationOptions["rails"], string | object[], string]>([
    ["input only: the user's text", ["input"], "hello", "hello"],
    ["input only: the refusal", ["input"], "bad", "No."],
    ["output only: the bot's text", { input: false, dialog: false }, dialogue("fine"), "fine"],
    ["output only: the refusal", { input: false, dialog: false }, dialogue("bad"), "No."],
    ["output by list", ["output"], dialogue("bad"), "No."],
    ["input and output without dialog", { dialog: false }, dialogue("fine"), "fine"],
    ["no dialog and no output", { dialog: false, output: false }, "hello", "hello"],
    ["a rail by name", { input: ["check words"], dialog: false, output: false }, "bad", "No."],
  ])("%s", async (_title, rails, input, expected) => {
    const { server, guardrails } = await open([]);
    const { response } = await guardrails.generate(input, rails === undefined ? {} : { rails });
    expect(typeof response === "string" ? response : response[0]?.content).toBe(expected);
    expect(server.requests).toEqual([]);
  });
});

describe("the result of a `generate` call, over HTTP", () => {
  it("has every requested field, in camel case", async () => {
    const { guardrails } = await open([{ text: "ask price", usage: { prompt: 30, completion: 2 } }]);
    const result = await guardrails.generate("what would it cost?", ALL);
    expect(result.response).toBe("It costs 4711.");
    expect(result.outputData).toMatchObject({ price: 4711, last_user_message: "what would it cost?" });
    expect(result.log.activatedRails?.map(({ type, name }) => `${type} ${name}`)).toEqual(
      expect.arrayContaining(["input check words", "dialog give price"]),
    );
    expect(result.log.llmCalls).toMatchObject([
      {
        task: "generate_intent_steps_message",
        provider: "openai",
        model: "m",
        completion: "ask price",
        prompt: expect.stringContaining("what would it cost?"),
        usage: { input_tokens: 30, output_tokens: 2, total_tokens: 32 },
      },
    ]);
    expect(result.log.llmCalls?.[0]?.rawResponse?.id).toBe("chatcmpl-scripted");
    expect(result.log.stats).toMatchObject({
      llmCallsCount: 1,
      llmCallsTotalPromptTokens: 30,
      llmCallsTotalCompletionTokens: 2,
      llmCallsTotalTokens: 32,
    });
    expect(result.log.internalEvents?.length).toBeGreaterThan(3);
    expect(result.log.colangHistory).toContain("  ask price\nexecute find_price");
    expect(result.state).toMatchObject({ version: 1 });
  });

  it("has no field that was not requested, but always an explanation", async () => {
    const { guardrails } = await open([{ text: "ask price", usage: { prompt: 30, completion: 2 } }]);
    const result = await guardrails.generate("what would it cost?");
    expect(Object.keys(result).sort()).toEqual(["explain", "guardrails", "log", "response"]);
    expect(Object.keys(result.log).sort()).toEqual(["errors", "stats", "warnings", "why"]);
    const { explain } = result;
    expect(explain.summary()).toMatch(
      /^1 model call, \d+\.\d\d s, 32 tokens \(30 in, 2 out\)\n1\. generate_intent_steps_message: \d+\.\d\d s, 32 tokens$/,
    );
    expect(explain.usage).toEqual({ input_tokens: 30, output_tokens: 2, total_tokens: 32 });
    expect(explain.colangHistory).toContain("bot give price");
    expect(explain.why("give price")).toMatchObject({ outcome: "decided" });
    expect(() => explain.why("give prise")).toThrow("did you mean `give price`?");
  });

  it("has no tokens if no model was called", async () => {
    const { guardrails } = await open([]);
    const { explain } = await guardrails.generate("bad");
    expect([explain.usage, explain.summary()]).toEqual([undefined, "0 model calls, 0.00 s, 0 tokens"]);
  });

  it("has the provider's message with its metadata, unless a rail blocked it", async () => {
    const { guardrails } = await open(["fine", "bad"], RAILS);
    const answered = await guardrails.generate("hello", { llmOutput: true });
    expect(answered.llmOutput).toMatchObject({ content: "fine", id: "chatcmpl-scripted" });
    expect(answered.llmMetadata).toMatchObject({ model_name: "m", finish_reason: "stop" });
    expect([answered.toolCalls, answered.reasoningContent]).toEqual([undefined, undefined]);
    const blocked = await guardrails.generate("hello", { llmOutput: true });
    expect(blocked.response).toBe("No.");
    expect([blocked.llmOutput, blocked.llmMetadata]).toEqual([undefined, undefined]);
  });

  it("has tool calls and reasoning of the provider's message", async () => {
    const reply = { text: "fine", toolCalls: [{ name: "look", args: { at: "sky" } }] };
    const { guardrails } = await open([reply], RAILS);
    const { toolCalls } = await guardrails.generate("hello", { llmOutput: true });
    expect(toolCalls).toMatchObject([{ name: "look", args: { at: "sky" } }]);
  });

  it.each(["1.0", "2.x"] as const)("has no raw output with a call that rails block (Colang %s)", async (dialect) => {
    const colang = railFlows(
      dialect,
      { "check call": ["block", "tool_args", "check_args"], "check answer": ["block", "bot_message", "check_args"] },
      { intent: "refuse words", text: "No." },
    );
    const config = {
      colang_version: dialect,
      rails: { tool_output: { flows: ["check call"] }, output: { flows: ["check answer"] } },
    };
    const checks = {
      check_args: (given: { text?: unknown; args?: unknown }) => !JSON.stringify(given).includes("bad"),
    };
    const call = (at: string) => ({ name: "look", args: { at }, id: "c", type: "tool_call" as const });
    const replies = [
      new AIMessage({ content: "fine", tool_calls: [call("sky")] }),
      new AIMessage({ content: "fine", tool_calls: [call("bad place")] }),
      new AIMessage({ content: "fine", additional_kwargs: { parsed: { note: "bad" } } }),
    ];
    const guardrails = await Guardrails.fromConfig(
      { colang, config },
      { llm: scriptedModel(replies), actions: checks },
    );
    expect((await guardrails.generate("hello", ALL)).toolCalls).toMatchObject([{ args: { at: "sky" } }]);
    for (const _ of ["a call", "a copy of the answer"]) {
      const { log, ...result } = await guardrails.generate("hello", ALL);
      expect(result).toMatchObject({ response: "fine", guardrails: { blocked: false } });
      expect([result.llmOutput, result.toolCalls]).toEqual([undefined, undefined]);
      expect(inspect([result, log], { depth: null, showHidden: true })).not.toContain("bad");
    }
  });

  it("sends `llmParams` with the generating call only", async () => {
    const { server, guardrails } = await open(["fine"], RAILS);
    await guardrails.generate("hello", { llmParams: { temperature: 0.3, max_tokens: 7 } });
    expect(server.requests[0]?.body).toMatchObject({ temperature: 0.3, max_tokens: 7 });
  });

  it("reports the verdict in the log", async () => {
    const { guardrails } = await open([]);
    const { log } = await guardrails.generate("bad", { log: { activatedRails: true } });
    expect(log.activatedRails).toMatchObject([{ type: "input", name: "check words", stop: true }]);
  });

  it("continues with the state of the last turn, also after it was stored as JSON", async () => {
    const { guardrails } = await open(["ask price", "ask price"]);
    const first = await guardrails.generate("how much is it?", { state: {} });
    const stored = JSON.parse(JSON.stringify(first.state)) as ConversationState;
    const options = { state: stored, outputVars: ["price", "none"], rails: { dialog: false, output: false } } as const;
    const next = await guardrails.generate("thanks", options);
    expect(next.outputData).toEqual({ price: 4711, none: null });
    expect((await guardrails.generate("how much is it?", { state: first.state })).response).toBe("It costs 4711.");
    expect(first.explain.colangHistory.length).toBeGreaterThan(0);
  });
});

describe("options as flows see them", () => {
  it.each<[string, GenerationOptions, unknown]>([
    ["nothing requested", {}, null],
    [
      "everything",
      {
        rails: { output: false },
        llmParams: { temperature: 0.5 },
        llmOutput: true,
        outputVars: ["options"],
        log: { activatedRails: true, colangHistory: true },
      },
      {
        rails: { input: true, output: false, retrieval: true, dialog: true },
        llm_params: { temperature: 0.5 },
        llm_output: true,
        output_vars: ["options"],
        log: { activated_rails: true, llm_calls: false, internal_events: false, colang_history: true },
      },
    ],
    [
      "a log alone",
      { log: { llmCalls: true } },
      {
        rails: { input: true, output: true, retrieval: true, dialog: true },
        llm_params: null,
        llm_output: false,
        output_vars: null,
        log: { activated_rails: false, llm_calls: true, internal_events: false, colang_history: false },
      },
    ],
  ])("%s", async (_title, options, expected) => {
    const seen: unknown[] = [];
    const colang = "define subflow look\n  execute look(options=$generation_options)";
    const guardrails = await Guardrails.fromConfig(
      { colang, yaml: "rails: {input: {flows: [look]}}" },
      {
        llm: scriptedModel(["fine"]),
        actions: { look: (given: { options: unknown }) => void seen.push(given.options) },
      },
    );
    await guardrails.generate("hello", options);
    expect(seen).toEqual([expected]);
  });
});
