import { describe, expect, it } from "@jest/globals";
import type { TaskPrompt } from "../../src/config/settings.js";
import { formatDiagnostics } from "../../src/diagnostics/code-frame.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { createSpan, spanText } from "../../src/diagnostics/span.js";
import { PROMPT_CATALOG } from "../../src/llm/catalog/catalog.js";
import { checkPrompts } from "../../src/llm/prompts/check-prompts.js";

function prompt(content: string, fields: Partial<TaskPrompt> = {}): TaskPrompt {
  const base = { task: "t", messages: null, models: null, mode: "standard", output_parser: null };
  return { ...base, content, max_length: 16000, max_prompt_tokens: null, stop: null, max_tokens: null, ...fields };
}

describe("checking prompts", () => {
  it.each<[string, string, string, string, string | undefined]>([
    ["t", "PR-101", "a {{ b", "`{{` is never closed", "{{"],
    ["t", "PR-103", "{{ history | colangg }}", "unknown filter `colangg`", "colangg"],
    ["t", "PR-101", "{{ cycler('a') }}", "calls are not allowed in templates", "cycler"],
    ["self_check_input", "PR-102", "{{ user_imput }} {{ user_input }}", "unknown variable `user_imput`", "user_imput"],
    [
      "self_check_output",
      "PR-102",
      "is {{ user_input }} fine?",
      "the prompt of `self_check_output` never reads what it checks",
      undefined,
    ],
    ["generate_bot_message", "PR-102", "{{ example }}", "unknown variable `example`", "example"],
  ])("of %s finds %s in %j", async (task, code, text, message, underlined) => {
    const [first, ...others] = await checkPrompts([prompt(text, { task })]);
    expect([first?.code, first?.message, others]).toEqual([code, message, []]);
    expect(first?.span && spanText(first.span)).toBe(underlined);
  });

  it("accepts variables of flows, and any other variable only if `promptContext` is not given", async () => {
    const prompts = [prompt("{{ user_input }} {{ company }} {{ x.y | upper }}", { task: "self_check_input" })];
    expect(await checkPrompts(prompts)).toEqual([]);
    expect(await checkPrompts(prompts, { contextVariables: ["company", "x"] })).toEqual([]);
    expect(await checkPrompts(prompts, { contextVariables: ["company"] })).toHaveLength(1);
    expect(await checkPrompts(prompts, { contextVariables: ["company"], promptContext: ["x"] })).toEqual([]);
  });

  it("accepts filters and parsers that code registered", async () => {
    const prompts = [prompt("{{ x | mine }}", { output_parser: "own" })];
    expect((await checkPrompts(prompts)).map(({ code }) => code)).toEqual(["PR-103", "PR-106"]);
    expect(await checkPrompts(prompts, { filters: ["mine"], parsers: ["own"] })).toEqual([]);
  });

  it("shows the template's line and where the prompt was written", async () => {
    const source = createSourceFile("prompts.yml", "prompts:\n  - task: t\n");
    const found = await checkPrompts([prompt("one\n{{ a | uper }}\n")], { spanOf: () => createSpan(source, 13, 20) });
    expect(formatDiagnostics(found)).toBe(
      [
        "error[PR-103]: unknown filter `uper`",
        "  ┌ prompt t:2:8",
        "2 │ {{ a | uper }}",
        "  │        ^^^^",
        "  ┌ prompts.yml:2:5",
        "2 │   - task: t",
        "  │     ------- written here",
        "  hint: did you mean `upper`?",
      ].join("\n"),
    );
  });

  it("finds nothing wrong with our own", async () => {
    expect(await checkPrompts(PROMPT_CATALOG, { contextVariables: [] })).toEqual([]);
  });
});

describe("prompts of the tasks of Colang 2.x", () => {
  const TASKS = [
    ["generate_user_intent_from_user_action", "user_action"],
    ["generate_user_intent_and_bot_action_from_user_action", "user_action"],
    ["generate_value_from_instruction", "instructions"],
    ["generate_flow_from_instructions", "instructions"],
    ["generate_flow_from_name", "flow_name"],
    ["generate_flow_continuation", "examples"],
    ["generate_flow_continuation_from_flow_nld", "flow_nld"],
  ] as const;
  const codes = async (task: string, content: string) =>
    (await checkPrompts([prompt(content, { task })], { contextVariables: [] })).map(({ code }) => code);

  it.each(TASKS)("%s", async (task, own) => {
    expect(await codes(task, `{{ ${own} }} {{ context.x }} {{ history | colang | to_messages_v2 }}`)).toEqual([]);
    expect(await codes(task, `{{ ${own}x }}`)).toEqual(["PR-102"]);
    expect(await codes(task, `{{ ${own} | no_such_filter }}`)).toEqual(["PR-103"]);
    for (const family of ["chat", "text"]) {
      expect(PROMPT_CATALOG.filter((one) => one.task === task && one.family === family)).toHaveLength(1);
    }
  });
});
