import { describe, expect, it } from "@jest/globals";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { engineLoadOptions } from "../../src/runtime/create/load-options.js";

/** Loads settings in which `«»` stand around what must be underlined. */
async function problemsOf(marked: string): Promise<unknown> {
  try {
    await loadConfigFromContent({ yaml: marked.replaceAll(/[«»]/g, "") }, engineLoadOptions());
    return "loaded";
  } catch (error) {
    if (!ConfigError.isInstance(error)) throw error;
    return error.diagnostics.map(({ code, span, hint }) => [
      code,
      span?.source.text.slice(span.start, span.end),
      span?.source.text.slice(0, span.start).split("\n").length,
      hint,
    ]);
  }
}

const prompts = (task: string): string => `models: []\nprompts:\n  - task: ${task}\n    content: "{{ user_input }}?"\n`;

describe("a prompt for a task", () => {
  it.each([
    ["«self_check_inptu»", "self_check_input"],
    ["«self_check_outptu»", "self_check_output"],
    ["«self_check_fact»", "self_check_facts"],
    ["«generate_user_intnet»", "generate_user_intent"],
    ["«generate_bot_mesage»", "generate_bot_message"],
    ["«tool_safety_check_inptu»", "tool_safety_check_input"],
  ])("that nothing uses is an error with the near name: %s", async (task, near) => {
    const name = task.slice(1, -1);
    expect(await problemsOf(prompts(task))).toEqual([["PR-108", name, 3, `did you mean \`${near}\`?`]]);
  });

  it.each(["self_check_input", "general", "my_own_classifier", "zebra"])("is taken as it is: %s", async (task) => {
    expect(await problemsOf(prompts(task))).toBe("loaded");
  });

  it("is taken where a rail names it as its variant", async () => {
    const rails = "rails: {input: {flows: [self check input $variant=self_check_inputs]}}\n";
    expect(await problemsOf(`${rails}${prompts("self_check_inputs")}`)).toBe("loaded");
  });
});

describe("a model that a rail names", () => {
  const models = "models: [{type: guard, engine: openai, model: m}]\n";

  it.each([
    "rails: {input: {flows: [«check it $model=gaurd»]}}",
    "rails: {output: {flows: [«check it $model=gaurd»]}}",
    "rails: {retrieval: {flows: [«check it $model=gaurd»]}}",
    "rails: {tool_output: {flows: [«check it $model=gaurd»]}}",
    "rails: {tool_input: {flows: [«check it $model=gaurd»]}}",
    "rails: {tool_output: {per_tool: {pay: [«check it $model=gaurd»]}}}",
    "rails: {tool_input: {per_tool: {pay: [«check it $model=gaurd»]}}}",
  ])("is one of the configuration: %s", async (rails) => {
    const found = await problemsOf(`${models}${rails}`);
    expect(found).toEqual([["CF-111", "check it $model=gaurd", 2, "did you mean `guard`?"]]);
    expect(await problemsOf(`${models}${rails.replace("gaurd", "guard")}`)).toBe("loaded");
  });

  it("needs a prompt for its variant on tools, too", async () => {
    const found = await problemsOf("rails: {tool_output: {flows: [«tool safety check tool output $variant=nope»]}}");
    expect(found).toMatchObject([["PR-105", "tool safety check tool output $variant=nope", 1, expect.anything()]]);
  });
});
