import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ChatOpenAI } from "@langchain/openai";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import type { Runnable } from "@langchain/core/runnables";
import { Guardrails } from "../../src/index.js";
import { createGuardrailsApp, type GuardrailsServer } from "../../src/server/index.js";
import { answering, openUpstream, type Upstream } from "../support/server/guarded-server.js";

let upstream: Upstream;
let app: GuardrailsServer;

const YAML = `
rails:
  input:
    flows: [self check input]
prompts:
  - task: self_check_input
    content: "Judge: {{ user_input }}"
`;

beforeAll(async () => {
  upstream = await openUpstream(answering("No"));
  const configuration = { baseURL: upstream.url };
  const openai = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", temperature: 0.1, maxRetries: 0, configuration });
  const guard = (llm: Runnable, yaml = ""): Promise<Guardrails> => Guardrails.fromConfig({ colang: "", yaml }, { llm });
  app = await createGuardrailsApp({
    configs: {
      openai: await guard(openai, YAML),
      bound: await guard(openai.withConfig({ stop: ["END"] })),
      fake: await guard(new FakeListChatModel({ responses: ["Fine."] })),
    },
    logger: false,
  });
});

afterAll(async () => {
  await app.close(0);
  await upstream[Symbol.asyncDispose]();
});

async function ask(model: string, parameters: object) {
  const before = upstream.requests.length;
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...parameters });
  const headers = { "content-type": "application/json" };
  const request = new Request("http://localhost/v1/chat/completions", { method: "POST", headers, body });
  const response = await app.fetch(request);
  const text = await response.text();
  return { response, text, sent: upstream.requests.slice(before).map((each) => each.body) };
}

describe("parameters of a request for a model of LangChain", () => {
  const sampling = { temperature: 1.5, top_p: 0.5, frequency_penalty: 0.25, presence_penalty: 0.75 };

  it.each([true, false])("reach the model and not the rails, streamed: %s", async (stream) => {
    const { response, sent } = await ask("openai", { ...sampling, max_tokens: 7, seed: 3, stop: "END", stream });
    expect(response.status).toBe(200);
    const [judged, answered] = sent;
    expect(answered).toMatchObject({ ...sampling, seed: 3, stop: ["END"] });
    expect(answered?.["max_tokens"] ?? answered?.["max_completion_tokens"]).toBe(7);
    expect(judged).not.toMatchObject({ temperature: 1.5 });
    expect([judged?.["top_p"], judged?.["seed"], judged?.["stop"]]).toEqual([undefined, undefined, undefined]);
    expect(judged?.["max_tokens"] ?? judged?.["max_completion_tokens"]).not.toBe(7);
  });

  it("reach the model however long they are", async () => {
    const bias = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [String(index + 1000), 1]));
    const { response, sent } = await ask("bound", { logit_bias: bias });
    expect([response.status, sent[0]?.["logit_bias"]]).toEqual([200, bias]);
  });

  it("are those of their request alone", async () => {
    const temperatures = [0.2, 0.4, 0.6, undefined, 0.8];
    const asked = await Promise.all(temperatures.map((temperature) => ask("bound", { temperature })));
    expect(asked.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200]);
    const sent = upstream.requests.slice(-5).map(({ body }) => [body["temperature"], body["stop"]]);
    expect(sent.toSorted()).toEqual([0.1, 0.2, 0.4, 0.6, 0.8].map((each) => [each, ["END"]]));
  });

  it.each([
    ["a model that does not take them", "fake", { temperature: 1 }, "temperature"],
    ["names that models of LangChain have no field for", "openai", { logprobs: true, top_p: 1 }, "logprobs"],
    [
      "tools that only OpenAI's protocol chooses among",
      "openai",
      {
        tools: [{ type: "function", function: { name: "find" } }],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "find" } }] },
        },
      },
      "tool_choice.allowed_tools",
    ],
    ["one of several", "fake", { stop: ["x"], seed: 3 }, "seed"],
  ])("are refused for %s", async (_title, model, parameters, param) => {
    const { response, text, sent } = await ask(model, parameters);
    expect(response.status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: { param, code: "unsupported_parameter" } });
    expect(sent).toEqual([]);
  });
});
