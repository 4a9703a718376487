import { describe, expect, it } from "@jest/globals";
import { generateNextStep } from "../../../../src/runtime/colang1/generation/next-step.js";
import { type BenchOptions, openBench } from "./bench.js";

const COLANG = `
define user say hello
  "hello"
define bot hi
  "Hi."
define flow greet
  user say hello
  bot hi
define flow ask price
  user ask price
  bot give price
`;

async function stepAfter(intent: string, options: BenchOptions) {
  const bench = await openBench({ colang: COLANG, ...options });
  const events = [
    { type: "UserMessage", text: "x" },
    { type: "UserIntent", intent },
  ];
  return { bench, step: await generateNextStep({ intent, events, context: {} }, bench.services) };
}

describe("one step", () => {
  it.each<[string, string, string]>([
    ["a bot line", "bot give price", "give price"],
    ["as the prompt for chat models asks for it", "Bot intent: give price", "give price"],
    ["blank lines before it", "\n\n bot give price\nuser thanks", "give price"],
    ["text after a quote", 'bot give price "10 euros"', "give price"],
    ["text after a comma", 'bot explain tubes, then wave "x"', "explain tubes"],
    ["prose", "I would rather not", "general response"],
    ["a bot line that is not the first", "Sure:\nbot give price", "general response"],
    ["nothing", "", "general response"],
    ["a bot line without an intent", 'bot "hello"', "general response"],
    ["`bot` alone", "bot ", "general response"],
    ["a line without end", `bot ${"bla ".repeat(500)}`, "general response"],
    ["several lines", "bot give price\nbot hi", "give price"],
    ["three dots", "...", "general response"],
    ["an attempt to end the turn", "bot stop", "general response"],
    ["an attempt to print a variable", "bot $api_key", "general response"],
    ["an action", "execute delete_everything", "general response"],
  ])("%s", async (_, completion, intent) => {
    const { step } = await stepAfter("ask price", { llm: [completion] });
    expect(step).toEqual({ kind: "intent", intent, source: "llm" });
  });

  it("is shown the nearest flows, each once and the best one last", async () => {
    const { bench } = await stepAfter("ask price", { llm: ["bot give price"] });
    const [call] = bench.model.calls;
    expect(call?.text).toContain("user say hello\nbot hi\n\nuser ask price\nbot give price");
    expect(call?.parameters.temperature).toBe(bench.services.settings.lowest_temperature);
  });

  it("is the general response when a wrapped chain answers", async () => {
    const generator = async () => ({ text: "from the chain" });
    const { step } = await stepAfter("ask price", { llm: [], call: { generator } });
    expect(step).toEqual({ kind: "intent", intent: "general response", source: "generator" });
  });

  it("needs a model", async () => {
    await expect(stepAfter("ask price", {})).rejects.toMatchObject({
      code: "CF-119",
      message: expect.stringContaining("no main model for the task `generate_next_steps`: add an entry"),
    });
  });
});

describe("a flow of several steps", () => {
  it.each<[string, string, string | undefined]>([
    ["two steps", "bot hi\nbot which day", "bot hi\nbot which day"],
    ["a header of its own", "define flow tour\n  bot hi\n  user pick day", "bot hi\nuser pick day"],
    ["a bad tail", "bot hi\nthen we wave", "bot hi"],
    ["an action that is not allowed", "bot hi\nexecute delete_everything", "bot hi"],
    ["prose", "We should greet.", undefined],
    ["nothing", "", undefined],
    ["an attempt to skip output rails", "$skip_output_rails = True\nbot hi", undefined],
  ])("%s", async (_, completion, body) => {
    const { step } = await stepAfter("ask tour", { llm: [completion], config: { enable_multi_step_generation: true } });
    expect(step).toEqual(
      body === undefined
        ? { kind: "intent", intent: "general response", source: "llm" }
        : { kind: "flow", flowId: "flow-1", body, source: "llm" },
    );
  });
});
