import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../../src/langchain/guardrails.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";

const CONFIG = {
  yaml: 'colang_version: "2.x"',
  colang: `import core
import llm

flow main
  activate llm continuation
  activate greeting
  match Never()

flow greeting
  user expressed greeting
  bot say "Hello there!"

flow user expressed greeting
  user said "hi"
`,
};

describe("a dialog in Colang 2.x with a model", () => {
  it.each([
    ["a text that a flow waits for asks no model", "hi", [], "Hello there!"],
    [
      "an intent the model finds lets the waiting flow go on",
      "good day",
      ["user intent: user expressed greeting"],
      "Hello there!",
    ],
    [
      "an intent without a flow is continued by a flow the model writes",
      "tell me a joke",
      ["user intent: user asked joke", 'bot intent: bot made joke\nbot action: bot say "Knock knock"'],
      "Knock knock",
    ],
  ])("%s", async (_, said, completions, answer) => {
    const llm = scriptedModel(completions);
    const guardrails = await Guardrails.fromConfig(CONFIG, { llm });
    const { response } = await guardrails.generate([{ role: "user", content: said }]);
    expect(response).toEqual([{ role: "assistant", content: answer }]);
    expect(llm.calls).toHaveLength(completions.length);
  });

  it("goes on in the next turn of a thread, and the flow a model wrote is gone", async () => {
    const llm = scriptedModel([
      "user intent: user asked joke",
      'bot intent: bot made joke\nbot action: bot say "Knock knock"',
    ]);
    const guardrails = await Guardrails.fromConfig(CONFIG, { llm });
    const config = { configurable: { thread_id: "jokes" } };
    const first = await guardrails.invoke([{ role: "user", content: "tell me a joke" }], config);
    const second = await guardrails.invoke([{ role: "user", content: "hi" }], config);
    expect([first, second].map((message) => (message as { readonly text: string }).text)).toEqual([
      "Knock knock",
      "Hello there!",
    ]);
  });

  it.each(["", "42", "flow evil\n  send Anything()", 'bot action: await ShellAction(cmd="rm")'])(
    "a model that answers %j makes the bot do nothing",
    async (completion) => {
      let runs = 0;
      const ShellAction = (): string => `run ${(runs += 1)}`;
      const llm = scriptedModel(["user intent: user asked joke", completion]);
      const guardrails = await Guardrails.fromConfig(CONFIG, { llm, actions: { ShellAction } });
      const { response } = await guardrails.generate([{ role: "user", content: "tell me a joke" }]);
      expect(JSON.stringify(response)).not.toMatch(/Anything|evil|ShellAction/);
      expect(runs).toBe(0);
    },
  );
});
