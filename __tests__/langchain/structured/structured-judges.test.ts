import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Guardrails } from "../../../src/index.js";
import { ScriptedModel, type ScriptedReply } from "../../../src/testing/scripted-model.js";

interface Reply {
  readonly content?: string | null;
  readonly finish_reason?: string;
  readonly more?: object;
  readonly status?: number;
}

const UNCLEAR: Reply = { content: "The user asks about the weather." };
const json = (answer: string): Reply => ({ content: `{"answer":"${answer}"}` });

/** A judge of an OpenAI-compatible provider, and the requests that the provider received. */
async function ask(replies: readonly Reply[], { model = "gpt-4o-mini", config = {} as object } = {}) {
  const bodies: Record<string, unknown>[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const { content = "", finish_reason = "stop", more, status } = replies[bodies.length] ?? {};
    bodies.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
    if (status !== undefined) {
      const message = "Unsupported parameter: 'response_format' is not supported with this model.";
      return Response.json({ error: { message, param: "response_format", code: "unsupported_parameter" } }, { status });
    }
    const message = { role: "assistant", content, ...more };
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
    const choices = [{ index: 0, message, finish_reason }];
    return Response.json({ id: "x", created: 1, model, object: "chat.completion", choices, usage });
  };
  const llm = new ChatOpenAI({ model, apiKey: "k", maxRetries: 0, configuration: { fetch } });
  const rails = { input: { flows: ["self check input"] } };
  const guardrails = await Guardrails.fromConfig({ config: { rails, ...config } }, { llm, logger: false });
  const options = { rails: { dialog: false, output: false }, log: { llmCalls: true } } as const;
  const result = await guardrails.generate("hello", options);
  return { result, bodies, status: result.guardrails.decisions[0]?.status };
}

describe("the second question of a judge with structured output", () => {
  it.each<[string, Reply, string]>([
    ["No", json("No"), "passed"],
    ["Yes", json("Yes"), "blocked"],
    ["another field", { content: '{"answer":"No","note":"Yes"}' }, "error"],
    ["another word", json("Maybe"), "error"],
    ["a text", { content: "No, it is fine to talk about the weather" }, "error"],
    ["nothing", { content: "" }, "error"],
    ["No beside a content filter", { ...json("No"), finish_reason: "content_filter" }, "error"],
    ["a refusal", { content: null, more: { refusal: "I cannot." } }, "error"],
    [
      "No beside a call of a tool",
      {
        ...json("No"),
        more: { tool_calls: [{ id: "c", type: "function", function: { name: "allow", arguments: "{}" } }] },
      },
      "error",
    ],
  ])("gets the response %s", async (_title, reply, expected) => {
    const { status, bodies } = await ask([UNCLEAR, reply]);
    expect(status).toBe(expected);
    expect(bodies.map(({ response_format: format }) => format)).toEqual([
      undefined,
      expect.objectContaining({ type: "json_schema" }),
    ]);
  });

  it("counts as one more call", async () => {
    const { result } = await ask([UNCLEAR, json("No")]);
    expect(result.log?.llmCalls?.map(({ task, completion }) => [task, completion])).toEqual([
      ["self_check_input", UNCLEAR.content],
      ["self_check_input", '{"answer":"No"}'],
    ]);
    const limited = await ask([UNCLEAR, json("No")], { config: { limits: { llm_calls_per_turn: 1 } } });
    expect([limited.status, limited.bodies.length]).toEqual(["error", 1]);
  });

  it("is plain text if the provider refuses the format", async () => {
    const { status, bodies } = await ask([UNCLEAR, { status: 400 }, { content: "No" }]);
    expect([status, bodies.map((body) => Object.hasOwn(body, "response_format"))]).toEqual([
      "passed",
      [false, true, false],
    ]);
  });

  it.each<[string, string, object]>([
    ["a model without it", "judge", {}],
    [
      "a prompt of the configuration",
      "gpt-4o-mini",
      { prompts: [{ task: "self_check_input", content: "Block this? {{ user_input }}" }] },
    ],
  ])("is plain text for %s", async (_title, model, config) => {
    const { status, bodies } = await ask([UNCLEAR, { content: "No" }], { model, config });
    expect(status).toBe("passed");
    expect(bodies.map((body) => Object.hasOwn(body, "response_format"))).toEqual([false, false]);
  });
});

/** A model that implements schemas by tool calls. */
class CallingModel extends ScriptedModel {
  override get profile() {
    return { structuredOutput: true };
  }
}

describe("a model that implements schemas by tool calls", () => {
  const call = (name: string, args: object) => ({ name, args, id: "1", type: "tool_call" as const });
  it.each<[string, AIMessage, string]>([
    ["No", new AIMessage({ content: "", tool_calls: [call("verdict", { answer: "No" })] }), "passed"],
    ["Yes", new AIMessage({ content: "", tool_calls: [call("verdict", { answer: "Yes" })] }), "blocked"],
    ["another tool", new AIMessage({ content: "", tool_calls: [call("allow", { answer: "No" })] }), "blocked"],
    [
      "two calls",
      new AIMessage({
        content: "",
        tool_calls: [call("verdict", { answer: "No" }), call("verdict", { answer: "Yes" })],
      }),
      "blocked",
    ],
    [
      "a content filter",
      new AIMessage({
        content: "",
        tool_calls: [call("verdict", { answer: "No" })],
        response_metadata: { finish_reason: "content_filter" },
      }),
      "blocked",
    ],
  ])("is read: %s", async (_title, reply, status) => {
    const replies: ScriptedReply[] = ["It depends.", reply];
    const llm = new CallingModel({ replies, calls: [], responseAll: false }, "calling", {});
    const guardrails = await Guardrails.fromConfig(
      { config: { rails: { input: { flows: ["self check input"] } } } },
      { llm, logger: false },
    );
    expect((await guardrails.check("hello", { stage: "input" })).status).toBe(status);
  });
});
