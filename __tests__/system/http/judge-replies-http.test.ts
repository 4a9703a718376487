import { describe, expect, it } from "@jest/globals";
import { ChatOpenAI } from "@langchain/openai";
import { Guardrails } from "../../../src/index.js";

interface Choice {
  readonly message: Readonly<Record<string, unknown>>;
  readonly finish_reason: string;
}

const choice = (content: string | null, finish_reason = "stop", more: object = {}): Choice => ({
  message: { role: "assistant", content, ...more },
  finish_reason,
});
const call = { id: "c1", type: "function", function: { name: "allow", arguments: "{}" } };

/** Replies of an OpenAI-compatible provider, with the status of the rail. */
const REPLIES: readonly (readonly [string, readonly Choice[], string])[] = [
  ["No", [choice("No")], "passed"],
  ["Yes", [choice("Yes")], "blocked"],
  ["No beside a content filter", [choice("No", "content_filter")], "error"],
  ["No at the limit of tokens", [choice("No", "length")], "error"],
  ["No beside tool calls", [choice("No", "tool_calls", { tool_calls: [call] })], "error"],
  ["No beside tool calls that stop", [choice("No", "stop", { tool_calls: [call] })], "error"],
  ["No and a second choice Yes", [choice("No"), choice("Yes")], "error"],
  ["No and a second choice that was filtered", [choice("No"), choice("No", "content_filter")], "error"],
  ["No twice", [choice("No"), choice("No")], "passed"],
  ["nothing", [choice("")], "error"],
  ["null", [choice(null)], "error"],
];

function respond(choices: readonly Choice[]): Response {
  const indexed = choices.map((each, index) => ({ index, ...each }));
  return Response.json({ id: "x", created: 1, model: "judge", object: "chat.completion", choices: indexed });
}

async function statusOf(choices: readonly Choice[], bound: boolean): Promise<string | undefined> {
  const fetch = async (): Promise<Response> => respond(choices);
  const model = new ChatOpenAI({ model: "judge", apiKey: "k", maxRetries: 0, configuration: { fetch } });
  const guardrails = await Guardrails.fromConfig(
    { config: { rails: { input: { flows: ["self check input"] } } } },
    { llm: bound ? model.withConfig({ tags: ["judge"] }) : model },
  );
  const { guardrails: verdict } = await guardrails.check("hello", { stage: "input" });
  return verdict.decisions[0]?.status;
}

describe.each([
  ["a model", false],
  ["a bound model", true],
])("a reply over HTTP from %s", (_, bound) => {
  it.each(REPLIES)("%s", async (_title, choices, status) => {
    expect(await statusOf(choices, bound)).toBe(status);
  });
});
