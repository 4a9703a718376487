// Copies of values for traces: kinds, names, counts and verdicts stay, texts do not.
import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { ChatPromptValue } from "@langchain/core/prompt_values";
import {
  bareDecision,
  bareVerdict,
  nameOf,
  redactMessage,
  redactDocuments,
  redactError,
  redactEvent,
  redactExtra,
  redactResult,
  redactSerialized,
  redactValue,
} from "../../../src/langchain/redaction/redacted-handler.js";

const REDACTED = "[redacted]";
const USAGE: never = { input_tokens: 1, output_tokens: 2, total_tokens: 3 } as never;
const FULL = {
  status: "blocked",
  stage: "input",
  rail: "judge",
  flow: "judge",
  categories: ["S1"],
  score: 0.4,
  threshold: 0.5,
  durationMs: 7,
  usage: USAGE,
  about: "reasoning",
} as const;
const WORDS = { reason: "walnut", refusal: "pecan", metadata: { text: "hazel" } };
const LEAST = { status: "passed", stage: "output", rail: "other", durationMs: 1 } as const;
/** Parameters of a call that a trace may show. */
const KEPT = {
  model: "m",
  model_name: "m",
  modelName: "m",
  _type: "t",
  tool_choice: "auto",
  temperature: 0,
  stream: false,
};
const VERDICT = { blocked: true, stage: "input", rail: "judge", decisions: [{ ...FULL, ...WORDS }, LEAST] } as const;
const BARE = { ...VERDICT, decisions: [FULL, LEAST] };

describe("a name", () => {
  it.each<[unknown, boolean]>([
    ["gpt-4.1", true],
    ["org/model:tag@2", true],
    ["a_b", true],
    ["a".repeat(80), true],
    ["a".repeat(81), false],
    ["", false],
    ["two words", false],
    ["line\n", false],
    [7, false],
    [undefined, false],
    [null, false],
  ])("%j: %p", (value, isName) => {
    expect(nameOf(value)).toBe(isName ? value : undefined);
  });
});

describe("a decision in a trace", () => {
  it.each<readonly [string, object, object]>([
    ["all fields", { ...FULL, ...WORDS }, FULL],
    ["the least fields", { ...LEAST, ...WORDS }, LEAST],
    ...(["flow", "categories", "score", "threshold", "usage", "about"] as const).map(
      (key) => [`only ${key}`, { ...LEAST, ...WORDS, [key]: FULL[key] }, { ...LEAST, [key]: FULL[key] }] as const,
    ),
  ])("keeps %s and no text", (_title, decision, expected) => {
    expect(bareDecision(decision as never)).toStrictEqual(expected);
  });

  it.each<[string, object, object?]>([
    ["that blocked", VERDICT, BARE],
    ["without stage and rail", { blocked: false, decisions: [LEAST] }, { blocked: false, decisions: [LEAST] }],
    ["with a stage alone", { blocked: true, stage: "output", decisions: [] }],
    ["with a rail alone", { blocked: true, rail: "judge", decisions: [] }],
  ])("stays in a verdict %s", (_title, verdict, expected = verdict) => {
    expect(bareVerdict(verdict as never)).toStrictEqual(expected);
  });
});

describe("a message in a trace", () => {
  const identity = { model_name: "m-1", model: "m-2", model_provider: "p", finish_reason: "stop", stop_reason: "end" };
  const metadata = { ...identity, logprobs: "walnut", system_fingerprint: "walnut" };
  const tool = (fields: object = {}): ToolMessage =>
    new ToolMessage({ content: "walnut", tool_call_id: "c1", ...fields } as never);

  it.each<[string, BaseMessage, typeof BaseMessage.prototype.constructor, object]>([
    [
      "human",
      new HumanMessage({ content: "walnut", name: "walnut" }),
      HumanMessage,
      { id: undefined, name: undefined },
    ],
    ["human with an id", new HumanMessage({ content: "walnut", id: "i" }), HumanMessage, { id: "i" }],
    ["system", new SystemMessage("walnut"), SystemMessage, { id: undefined }],
    ["system with an id", new SystemMessage({ content: "walnut", id: "i" }), SystemMessage, { id: "i" }],
    ["chat", new ChatMessage({ content: "walnut", role: "judge", id: "i" }), ChatMessage, { role: "generic", id: "i" }],
    ["chat without an id", new ChatMessage("walnut", "judge"), ChatMessage, { id: undefined }],
    ["tool", tool(), ToolMessage, { tool_call_id: "c1", id: undefined, name: undefined, status: undefined }],
    [
      "tool with all",
      tool({ id: "i", name: "look_up", status: "error", response_metadata: metadata, artifact: "walnut" }),
      ToolMessage,
      { id: "i", name: "look_up", status: "error", response_metadata: identity, artifact: undefined },
    ],
    ["tool with a text as its name", tool({ name: "a walnut" }), ToolMessage, { name: undefined }],
    [
      "ai",
      new AIMessage({ content: "walnut", response_metadata: metadata }),
      AIMessage,
      { id: undefined, tool_calls: [], usage_metadata: undefined, response_metadata: identity },
    ],
    [
      "ai with all",
      new AIMessage({
        content: "walnut",
        id: "i",
        usage_metadata: USAGE,
        additional_kwargs: { refusal: "walnut" },
        tool_calls: [
          { id: "c1", name: "look_up", args: { q: "walnut" } },
          { name: "a walnut", args: {} },
        ],
        response_metadata: { guardrails: VERDICT, finish_reason: "a walnut" },
      }),
      AIMessage,
      {
        id: "i",
        usage_metadata: USAGE,
        additional_kwargs: {},
        tool_calls: [
          { id: "c1", name: "look_up", args: {}, type: "tool_call" },
          { name: REDACTED, args: {}, type: "tool_call" },
        ],
      },
    ],
  ])("of kind %s keeps its kind, id and names", (_title, message, kind, fields) => {
    const redacted = redactMessage(message);
    expect(redacted).toBeInstanceOf(kind);
    expect(redacted.content).toBe(REDACTED);
    for (const [key, value] of Object.entries(fields)) {
      expect([key, (redacted as unknown as Record<string, unknown>)[key]]).toStrictEqual([key, value]);
    }
    expect(JSON.stringify(redacted)).not.toContain("walnut");
  });

  it("of a response stays a chunk with the names of its calls", () => {
    const chunk = new AIMessageChunk({
      content: "walnut",
      id: "i",
      usage_metadata: USAGE,
      tool_call_chunks: [
        { id: "c1", name: "look_up", args: '{"q":"walnut"}', index: 0, type: "tool_call_chunk" },
        { id: "c2", name: "keep", args: "{}", index: 1, type: "tool_call_chunk" },
      ],
    });
    const redacted = redactMessage(chunk) as AIMessageChunk;
    expect(redacted).toBeInstanceOf(AIMessageChunk);
    expect(redacted).toMatchObject({ content: REDACTED, id: "i", usage_metadata: USAGE });
    expect(redacted.tool_call_chunks).toStrictEqual([
      { name: "look_up", args: "{}", type: "tool_call_chunk", id: "c1", index: 0 },
      { name: "keep", args: "{}", type: "tool_call_chunk", id: "c2", index: 1 },
    ]);
    expect(redacted.tool_calls).toEqual([
      { name: "look_up", args: {}, id: "c1", type: "tool_call" },
      { name: "keep", args: {}, id: "c2", type: "tool_call" },
    ]);
    expect(redactMessage(new AIMessageChunk("walnut"))).toMatchObject({ content: REDACTED, tool_call_chunks: [] });
  });
});

describe("a value in a trace", () => {
  const human = new HumanMessage("walnut");
  const named = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

  it.each<[string, unknown, unknown]>([
    ["undefined", undefined, undefined],
    ["null", null, null],
    ["a text", "walnut", REDACTED],
    ["a number", 7, REDACTED],
    ["a list", ["walnut", null, 7], [REDACTED, null, REDACTED]],
    ["lists three deep", [[["walnut"]]], [[[REDACTED]]]],
    ["lists four deep", [[[["walnut"]]]], [[[REDACTED]]]],
    ["a record", { question: "walnut", name: 1, id: null }, { question: REDACTED, name: REDACTED, id: null }],
    [
      "keys that may be texts",
      { "a walnut": 1, text: "x", "": 1, walnut: true },
      { "key 1": REDACTED, text: REDACTED, "key 3": REDACTED, "key 4": REDACTED },
    ],
    ["a record in a record", { output: { b: "walnut" } }, { output: REDACTED }],
    ["a record in a list", [{ b: "walnut" }], [REDACTED]],
    ["a list in a record", { output: ["walnut", ["walnut"]] }, { output: [REDACTED, [REDACTED]] }],
    ["lists in a record, too deep", { output: [[["walnut"]]] }, { output: [[REDACTED]] }],
    ["a decision", { ...FULL, ...WORDS }, FULL],
    ["a decision in a record", { output: { ...FULL, ...WORDS } }, { output: FULL }],
    ["a decision in lists", [[{ ...FULL, ...WORDS }]], [[FULL]]],
    ["a decision too deep", [[[{ ...FULL, ...WORDS }]]], [[[REDACTED]]]],
    ["a verdict", { output: VERDICT }, { output: BARE }],
    ["a verdict under its key", { guardrails: VERDICT, text: "walnut" }, { guardrails: BARE, text: REDACTED }],
    ["another thing under the key of a verdict", { guardrails: "walnut" }, { guardrails: REDACTED }],
    [
      "a verdict with another thing among its decisions",
      { guardrails: { blocked: true, decisions: [LEAST, "walnut"] } },
      { guardrails: REDACTED },
    ],
    ["a verdict without decisions", { output: { blocked: true, decisions: "walnut" } }, { output: REDACTED }],
    ["a verdict that only quotes", { output: { blocked: "walnut", decisions: [] } }, { output: REDACTED }],
    ...["passed", "modified", "blocked", "error", "cancelled"].map((status): [string, unknown, unknown] => [
      `the status ${status}`,
      { status },
      { status },
    ]),
    ["another status", { status: "walnut" }, { status: REDACTED }],
    ["a status under another key", { reason: "passed" }, { reason: REDACTED }],
    ...(["status", "stage", "rail", "durationMs"] as const).map((key): [string, unknown, unknown] => [
      `a decision with a wrong ${key}`,
      { output: { ...LEAST, [key]: key === "durationMs" ? "walnut" : 7 } },
      { output: REDACTED },
    ]),
    [
      "messages in a record in a record",
      { output: { messages: [human], text: "x" } },
      { output: { messages: [REDACTED] } },
    ],
    ["messages of another kind", { output: { messages: "walnut" } }, { output: REDACTED }],
  ])("%s", (_title, value, expected) => {
    const redacted = redactValue(value);
    const shown = JSON.parse(
      JSON.stringify(redacted ?? null, (_key, inner: unknown) =>
        typeof inner === "object" && inner !== null && "lc" in inner ? REDACTED : inner,
      ),
    ) as unknown;
    expect(shown).toEqual(named(expected));
    if (value === undefined) expect(redacted).toBeUndefined();
  });

  it("keeps messages and prompt values as redacted messages", () => {
    expect(redactValue(human)).toEqual(redactMessage(human));
    expect(redactValue(new ChatPromptValue([human]))).toEqual({ messages: [redactMessage(human)] });
    expect(redactValue({ messages: [human] })).toEqual({ messages: [redactMessage(human)] });
  });
});

describe("parts of runs in a trace", () => {
  it.each<[string, unknown, Record<string, unknown>]>([
    ["a text", "walnut", { name: "Error", message: REDACTED, stack: REDACTED }],
    ["nothing", undefined, { name: "Error", message: REDACTED }],
    [
      "an error",
      Object.assign(new TypeError("walnut"), { code: "RL-1", lc_error_code: "X_1", input: "walnut" }),
      { name: "TypeError", message: REDACTED, stack: REDACTED, code: "RL-1", lc_error_code: "X_1", input: undefined },
    ],
    [
      "an error whose names are texts",
      Object.assign(new Error("walnut"), { name: "a walnut", code: "a walnut", lc_error_code: 7 }),
      { name: "Error", code: undefined, lc_error_code: undefined },
    ],
  ])("an error from %s keeps its names", (_title, error, expected) => {
    const redacted = redactError(error);
    for (const [key, value] of Object.entries(expected)) {
      expect([key, (redacted as unknown as Record<string, unknown>)[key]]).toEqual([key, value]);
    }
    expect(Object.hasOwn(redacted, "code")).toBe(expected["code"] !== undefined);
  });

  it.each<[string, (value: unknown) => unknown, unknown, unknown]>([
    ["serialized text", redactSerialized, "walnut", "walnut"],
    [
      "serialized",
      redactSerialized,
      { lc: 1, type: "constructor", id: ["a"], name: "N", kwargs: { template: "walnut" } },
      { lc: 1, type: "constructor", id: ["a"], name: "N" },
    ],
    ["serialized without a name", redactSerialized, { lc: 1, type: "t", id: [] }, { lc: 1, type: "t", id: [] }],
    ["no extra", redactExtra, undefined, undefined],
    ["an empty extra", redactExtra, {}, { options: {} }],
    [
      "an extra",
      redactExtra,
      {
        batch_size: 2,
        cached: false,
        options: { stop: ["walnut"] },
        invocation_params: {
          ...KEPT,
          stop: ["walnut"],
          user: "walnut",
          prompt: "m",
        },
      },
      {
        batch_size: 2,
        cached: false,
        options: {},
        invocation_params: KEPT,
      },
    ],
    [
      "names of models that are texts",
      redactExtra,
      { invocation_params: { model: "a walnut", tool_choice: { name: "x" } } },
      { options: {}, invocation_params: {} },
    ],
    ["no parameters", redactExtra, { invocation_params: "walnut" }, { options: {} }],
    ["a result that is a text", redactResult, "walnut", REDACTED],
    ["a result without generations", redactResult, {}, { generations: [] }],
    [
      "a result",
      redactResult,
      {
        generations: [[{ text: "walnut", generationInfo: { logprobs: "walnut" } }, "walnut"], "walnut"],
        llmOutput: { tokenUsage: { total: 3, by: { deep: { deeper: 1, deepest: { n: 1 } } } }, text: "walnut", n: 1 },
      },
      {
        generations: [
          [
            { text: REDACTED, generationInfo: {} },
            { text: REDACTED, generationInfo: {} },
          ],
          [],
        ],
        llmOutput: { tokenUsage: { total: 3, by: { deep: { deeper: 1 } } }, n: 1 },
      },
    ],
    [
      "documents",
      redactDocuments,
      [{ pageContent: "walnut", metadata: { a: 1 } }, 1],
      [1, 2].map(() => ({ pageContent: REDACTED, metadata: {} })),
    ],
    ["no documents", redactDocuments, "walnut", []],
    ["an event", redactEvent, { text: "walnut" }, REDACTED],
    ["an event that is a text", redactEvent, "walnut", REDACTED],
    ["an event of a decision", redactEvent, { ...FULL, ...WORDS }, FULL],
  ])("%s", (_title, redact, value, expected) => {
    expect(redact(value)).toStrictEqual(expected);
  });

  it("keeps the message of a generation, redacted", () => {
    const message = new AIMessage("walnut");
    expect(redactResult({ generations: [[{ text: "walnut", message }]] })).toEqual({
      generations: [[{ text: REDACTED, generationInfo: {}, message: redactMessage(message) }]],
    });
  });
});
