import { runRail } from "../../support/language-models/one-shot.js";
import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { RunnableLambda } from "@langchain/core/runnables";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { loadConfigFromContent } from "../../../src/config/load/load.js";
import { Guardrails } from "../../../src/index.js";
import { adaptModel } from "../../../src/langchain/models/chat-model.js";
import type { GuardrailsApp } from "../../../src/runtime/create/app.js";
import { createRuntime } from "../../../src/runtime/create/create-runtime.js";
import { engineLoadOptions } from "../../../src/runtime/create/runtime-input.js";
import { silentTracker } from "../../../src/turn/run-tracker.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/scripted-model.js";

const JUDGED = { config: { rails: { input: { flows: ["self check input"] } } } };

async function checkInput(replies: readonly ScriptedReply[], config: object = {}) {
  const judge = scriptedModel(replies);
  const guardrails = await Guardrails.fromConfig({ config: { ...JUDGED.config, ...config } }, { llm: judge });
  const { status, guardrails: verdict } = await guardrails.check("hello SECRET", { stage: "input" });
  return { status, decision: verdict.decisions[0], calls: judge.calls };
}

type Fields = NonNullable<ConstructorParameters<typeof AIMessage>[0]> & object;

/** Each with the text "No", which alone would pass. */
const DEFECTIVE: readonly (readonly [string, Partial<Fields>, RegExp])[] = [
  ...[
    ["finish_reason", "content_filter"],
    ["finishReason", "SAFETY"],
    ["finishReason", "PROHIBITED_CONTENT"],
    ["stopReason", "guardrail_intervened"],
    ["stop_reason", "content_filtered"],
    ["finish_reason", "sensitive"],
  ].map(
    ([key = "", reason]) =>
      [`${key} ${reason}`, { response_metadata: { [key]: reason } }, /the provider filtered it/] as const,
  ),
  ...["length", "max_tokens", "MAX_TOKENS", "model_context_window_exceeded"].map(
    (reason) =>
      [`finish_reason ${reason}`, { response_metadata: { finish_reason: reason } }, /limit of tokens/] as const,
  ),
  ["stop_reason refusal", { response_metadata: { stop_reason: "refusal" } }, /refused/],
  ["finish_reason tool_calls", { response_metadata: { finish_reason: "tool_calls" } }, /tool calls/],
  ["finish_reason error", { response_metadata: { finish_reason: "error" } }, /did not finish/],
  ["an unknown finish reason", { response_metadata: { finish_reason: "whatever" } }, /did not finish/],
  ["status incomplete", { response_metadata: { status: "incomplete" } }, /did not finish/],
  ["incomplete details", { response_metadata: { incomplete_details: { reason: "x" } } }, /did not finish/],
  ["a refusal next to it", { additional_kwargs: { refusal: "I cannot." } }, /refused/],
  [
    "a flag of the content filter",
    { response_metadata: { content_filter_results: { hate: { filtered: true } } } },
    /provider filtered/,
  ],
  ["a blocked prompt", { response_metadata: { promptFeedback: { blockReason: "SAFETY" } } }, /provider filtered/],
  [
    "a refusal of rails around the judge",
    { response_metadata: { guardrails: { blocked: true } } },
    /provider filtered/,
  ],
  ["a tool call", { tool_calls: [{ name: "allow", args: {}, id: "1" }] }, /tool calls/],
  ["an invalid tool call", { invalid_tool_calls: [{ name: "allow", args: "{", id: "1" }] }, /tool calls/],
  ["a raw tool call", { additional_kwargs: { tool_calls: [{ id: "1" }] as never } }, /tool calls/],
  ["a raw function call", { additional_kwargs: { function_call: { name: "f", arguments: "" } } }, /tool calls/],
  [
    "a block of a tool call",
    {
      content: [
        { type: "text", text: "No" },
        { type: "tool_use", id: "1", name: "f", input: {} },
      ],
    },
    /tool calls/,
  ],
  [
    "a block of a refusal",
    {
      content: [
        { type: "text", text: "No" },
        { type: "refusal", refusal: "" },
      ],
    },
    /refused/,
  ],
  [
    "an image",
    {
      content: [
        { type: "text", text: "No" },
        { type: "image_url", image_url: "https://a.example/b.png" },
      ],
    },
    /content other than text/,
  ],
  [
    "a second text",
    {
      content: [
        { type: "text", text: "No" },
        { type: "text", text: "Yes" },
      ],
    },
    /not a bare verdict/,
  ],
  ["nothing", { content: "" }, /it is empty/],
  ["no blocks", { content: [] }, /it is empty/],
];

describe("a judge's reply passes only as a whole", () => {
  it.each(DEFECTIVE)("%s together with a pass is unclear", async (_, fields, problem) => {
    const reply = new AIMessage({ content: "No", ...fields } as Fields);
    const { status, decision, calls } = await checkInput([reply, reply]);
    expect(status).toBe("blocked");
    expect(decision).toMatchObject({ status: "error", reason: expect.stringMatching(problem) });
    expect(decision?.reason).toMatch(/the judge's reply for the task `self_check_input` is unclear/);
    expect(JSON.stringify(decision)).not.toContain("SECRET");
    expect(calls).toHaveLength(2);
  });

  it.each(DEFECTIVE.map(([name, fields]) => [name, fields] as const))("%s is requested again", async (_, fields) => {
    const reply = new AIMessage({ content: "No", ...fields } as Fields);
    expect(await checkInput([reply, "No"])).toMatchObject({ status: "passed", decision: { status: "passed" } });
  });

  it.each<[string, Partial<Fields>]>([
    ["stop", { response_metadata: { finish_reason: "stop" } }],
    ["STOP", { response_metadata: { finishReason: "STOP" } }],
    ["a joined stream", { response_metadata: { finish_reason: "stopstop" } }],
    ["end_turn", { response_metadata: { stop_reason: "end_turn", stop_sequence: null } }],
    ["stop_sequence", { response_metadata: { stop_reason: "stop_sequence" } }],
    ["COMPLETE", { response_metadata: { finishReason: "COMPLETE" } }],
    ["completed", { response_metadata: { status: "completed", error: null, incomplete_details: null } }],
    ["a clean filter", { response_metadata: { content_filter_results: { hate: { filtered: false } } } }],
    [
      "reasoning",
      {
        content: [
          { type: "thinking", thinking: "Yes" },
          { type: "text", text: "No" },
        ],
      },
    ],
    [
      "pieces of a text",
      {
        content: [
          { type: "text", text: "No" },
          { type: "text", text: "." },
        ],
      },
    ],
  ])("with %s passes at once", async (_, fields) => {
    const { status, calls } = await checkInput([new AIMessage({ content: "No", ...fields } as Fields)]);
    expect([status, calls.length]).toEqual(["passed", 1]);
  });

  it("blocks on a clear block that was truncated", async () => {
    const reply = new AIMessage({ content: "Yes", response_metadata: { finish_reason: "length" } });
    expect(await checkInput([reply])).toMatchObject({ decision: { status: "blocked" } });
  });
});

/** A provider that sends several choices, of which LangChain returns the first. */
class ChoosyModel extends FakeListChatModel {
  readonly #choices: readonly AIMessage[];

  constructor(choices: readonly AIMessage[]) {
    super({ responses: [""] });
    this.#choices = choices;
  }

  override async _generate(): Promise<ChatResult> {
    return { generations: this.#choices.map((message) => ({ text: String(message.content), message })) };
  }
}

describe("several choices of a judge", () => {
  const statusOf = async (choices: readonly AIMessage[], wrapped = false): Promise<string> => {
    const model = new ChoosyModel(choices);
    const judge = wrapped
      ? RunnableLambda.from((input: string, config) => model.withConfig({ tags: ["inner"] }).invoke(input, config))
      : model;
    const guardrails = await Guardrails.fromConfig(JUDGED, { llm: judge });
    return (await guardrails.check("hello", { stage: "input" })).status;
  };

  it.each<[string, readonly AIMessage[], string]>([
    ["a single one", [new AIMessage("No")], "passed"],
    ["the same twice", [new AIMessage("No"), new AIMessage("No")], "passed"],
    ["a second that stops", [new AIMessage("No"), new AIMessage("Yes")], "blocked"],
    ["a second that is empty", [new AIMessage("No"), new AIMessage("")], "blocked"],
    [
      "a second that was filtered",
      [new AIMessage("No"), new AIMessage({ content: "No", response_metadata: { finish_reason: "content_filter" } })],
      "blocked",
    ],
  ])("%s", async (_, choices, status) => {
    expect(await statusOf(choices)).toBe(status);
    expect(await statusOf(choices, true)).toBe(status);
  });
});

describe("the second reply of a judge", () => {
  it("counts towards the limit of calls", async () => {
    const { decision, calls } = await checkInput(["hm", "No"], { limits: { llm_calls_per_turn: 1 } });
    expect(decision).toMatchObject({ status: "error" });
    expect(calls).toHaveLength(1);
  });

  it("is seen by callbacks, the log and the usage", async () => {
    const usage = { input_tokens: 3, output_tokens: 1, total_tokens: 4 };
    const judge = scriptedModel(
      ["hm", "No"].map((content) => new AIMessage({ content, usage_metadata: usage } as Fields)),
    );
    const names: (string | undefined)[] = [];
    const handler = BaseCallbackHandler.fromMethods({
      handleChatModelStart: (...run) => void names.push(run[7]),
    });
    const guardrails = await Guardrails.fromConfig(JUDGED, {
      models: { self_check_input: judge },
      llm: scriptedModel("hi"),
    });
    const result = await guardrails.generate(
      "hello",
      { log: { llmCalls: true } } as never,
      { callbacks: [handler] } as never,
    );
    expect(names.filter((name) => name === "rail:self check input")).toHaveLength(2);
    expect(JSON.stringify(result)).toContain("Reply in exactly this format");
  });
});

describe("a judge that fails", () => {
  it.each([401, 403, 429, 500])("is an error of the rail with its cause: %i", async (code) => {
    const failure = Object.assign(new Error(`${code} status code (no body)`), { status: code });
    const { status, decision } = await checkInput([failure]);
    expect(status).toBe("blocked");
    expect(decision).toMatchObject({ status: "error", reason: expect.stringContaining(String(code)) });
    expect(decision?.metadata).toMatchObject({ code: "RL-301" });
  });
});

describe("an output parser of the configuration", () => {
  const prompts = [{ task: "self_check_input", content: "Block? {{ user_input }}", output_parser: "mine" }];
  const decide = async (parse: (text: string) => unknown, reply: ScriptedReply = "whatever") => {
    const judge = scriptedModel([reply]);
    const config = await loadConfigFromContent({ config: { ...JUDGED.config, prompts } }, engineLoadOptions());
    const init = (app: GuardrailsApp): void => app.registerOutputParser("mine", parse);
    const code = { ...config.code, inits: [{ path: "config.js", init }] };
    const runtime = await createRuntime({
      config: { ...config, code, spanOf: config.spanOf.bind(config) } as unknown as typeof config,
      models: { main: adaptModel(judge), byType: {} },
      tracker: silentTracker,
    });
    const decision = await runRail(runtime, "self check input", { userMessage: "hello SECRET" });
    expect(judge.calls).toHaveLength(1);
    return decision;
  };

  it.each<[string, unknown, string]>([
    ["true", true, "passed"],
    ["false", false, "blocked"],
    ["a list", [true], "passed"],
    ["a list with categories", [false, "S1"], "blocked"],
    ["a clear text", "No", "passed"],
    ["a clear stop", "Yes", "blocked"],
    ["an unclear text", "No, it's hate speech.", "error"],
    ["an empty text", "", "error"],
    ["nothing", undefined, "error"],
    ["null", null, "error"],
    ["a number", 1, "error"],
    ["an empty list", [], "error"],
    ["a list of texts", ["No"], "error"],
    ["an object", { safe: true }, "error"],
    ["a reading", { ok: true, verdict: "allow" }, "passed"],
    ["a reading that blocks", { ok: true, verdict: "block", categories: ["S2"] }, "blocked"],
    ["a failed reading", { ok: false }, "error"],
    ["a date", new Date(0), "error"],
  ])("decides alone, without a second call: %s", async (_, parsed, status) => {
    const decision = await decide(() => parsed);
    expect(decision).toMatchObject({ status });
    expect(JSON.stringify(decision)).not.toMatch(/SECRET|whatever|hate speech/);
  });

  it("sees the whole completion", async () => {
    expect(await decide((text) => text.endsWith("fine"), "I thought about it; all fine")).toMatchObject({
      status: "passed",
    });
  });

  it.each<[string, string]>([
    ["length", "passed"],
    ["content_filter", "error"],
    ["tool_calls", "error"],
  ])("passes a reply that ended by %s: %s", async (finish_reason, status) => {
    const reply = new AIMessage({ content: "No", response_metadata: { finish_reason } });
    expect(await decide(() => true, reply)).toMatchObject({ status });
  });
});
