import { describe, expect, it } from "@jest/globals";
import type { TaskPrompt } from "../../src/config/settings.js";
import { PROMPT_CATALOG } from "../../src/llm/catalog/catalog.js";
import { selectPrompt, type CatalogPrompt, type PromptTarget } from "../../src/llm/prompts/task-prompts.js";

const GPT: PromptTarget = { engine: "openai", name: "gpt-4o", family: "chat" };

function prompt(content: string, fields: Partial<TaskPrompt> = {}): TaskPrompt {
  const base = { task: "t", messages: null, models: null, mode: "standard", output_parser: null };
  return { ...base, content, max_length: 16000, max_prompt_tokens: null, stop: null, max_tokens: null, ...fields };
}

function select(
  prompts: readonly TaskPrompt[],
  mode = "standard",
  model: PromptTarget = GPT,
): string | null | undefined {
  return selectPrompt([], prompts, { task: "t", model, mode })?.content;
}

describe("selecting a prompt", () => {
  it.each<[string, TaskPrompt[], string | undefined]>([
    [
      "exact beats suffix",
      [prompt("exact", { models: ["openai/gpt-4o"] }), prompt("suffix", { models: ["gpt-4o"] })],
      "exact",
    ],
    [
      "suffix beats provider",
      [prompt("suffix", { models: ["gpt-4o"] }), prompt("provider", { models: ["openai"] })],
      "suffix",
    ],
    [
      "provider beats substring",
      [prompt("provider", { models: ["openai"] }), prompt("part", { models: ["openai/gpt-4"] })],
      "provider",
    ],
    ["substring beats generic", [prompt("part", { models: ["openai/gpt-4"] }), prompt("generic")], "part"],
    [
      "a later name may beat a substring",
      [prompt("two", { models: ["gpt", "openai/gpt-4o"] }), prompt("x", { models: ["gpt-4o"] })],
      "two",
    ],
    ["of equal ones the last wins", [prompt("first"), prompt("last")], "last"],
    ["prompts for other models are dropped", [prompt("other", { models: ["cohere"] })], undefined],
    ["other tasks are not looked at", [prompt("x", { task: "u" })], undefined],
    ["an empty name matches nothing", [prompt("x", { models: [""] })], undefined],
  ])("%s", (_title, prompts, expected) => {
    expect(select(prompts)).toBe(expected);
  });

  it("halves the score of standard prompts in other modes, and drops other modes", () => {
    const exact = prompt("exact", { models: ["openai/gpt-4o"] });
    expect(select([exact, prompt("compact", { mode: "compact" })], "compact")).toBe("exact");
    expect(select([exact, prompt("compact", { mode: "compact", models: ["openai"] })], "compact")).toBe("compact");
    expect(select([prompt("compact", { mode: "compact" })])).toBeUndefined();
  });

  it("treats task names with arguments as names, and knows old names", () => {
    const one = prompt("one", { task: "check $model=a" });
    expect(selectPrompt([], [one], { task: "check $model=a", model: GPT, mode: "standard" })).toBe(one);
    expect(selectPrompt([], [one], { task: "check $model=b", model: GPT, mode: "standard" })).toBeUndefined();
    const facts = prompt("facts", { task: "fact_checking" });
    expect(selectPrompt([], [facts], { task: "self_check_facts", model: GPT, mode: "standard" })).toBe(facts);
  });

  it("gives models without a name the prompts of their engine", () => {
    const model: PromptTarget = { engine: "custom", name: "unknown", family: "text" };
    expect(select([prompt("custom", { models: ["custom"] }), prompt("generic")], "standard", model)).toBe("custom");
  });
});

describe("our own prompts", () => {
  const dialog = ["general", "generate_user_intent", "generate_next_steps", "generate_bot_message", "generate_value"];
  const checks = ["self_check_input", "self_check_output", "self_check_facts", "self_check_hallucination"];

  it.each(dialog)("%s has one for chat models and one for text models", (task) => {
    for (const family of ["chat", "text"] as const) {
      const found = selectPrompt(PROMPT_CATALOG, [], {
        task,
        model: { engine: "new", name: "x-9", family },
        mode: "standard",
      });
      expect((found as CatalogPrompt).family).toBe(family);
    }
  });

  it.each(checks)("%s has one for all models", (task) => {
    expect(selectPrompt(PROMPT_CATALOG, [], { task, model: GPT, mode: "standard" })).toBeDefined();
  });

  it("has a compact form where asked for, and falls back to the standard one", () => {
    const mode = "compact";
    expect(selectPrompt(PROMPT_CATALOG, [], { task: "generate_user_intent", model: GPT, mode })?.mode).toBe("compact");
    expect(selectPrompt(PROMPT_CATALOG, [], { task: "general", model: GPT, mode })?.mode).toBe("standard");
  });

  it("gives way to the configuration's", () => {
    const mine = prompt("mine", { task: "self_check_input" });
    expect(selectPrompt(PROMPT_CATALOG, [mine], { task: "self_check_input", model: GPT, mode: "standard" })).toBe(mine);
  });
});
