import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { guardrails2 } from "./guardrails-2x.js";

const OWN = `
import guardrails

flow input rails $input_text
  if search("attack", $input_text)
    bot say "Not that."
    abort

flow output rails $output_text
  global $bot_message
  if search("secret", $output_text)
    bot say "I keep that to myself."
    abort
  $bot_message = $output_text + "!"

flow parrot
  user said something as $heard
  bot say "you said {$heard.transcript}"

flow main
  activate parrot
`;

const settings = { colang_version: "2.x", rails: {} };

async function guarded(colang = OWN): Promise<Guardrails> {
  return Guardrails.fromConfig({ colang: `import core\n${colang}`, config: settings });
}

describe("rails that the program itself calls", () => {
  it.each([
    ["hello", "you said hello!", false, undefined],
    ["an attack", "Not that.!", true, "input rails"],
    ["the secret", "I keep that to myself.", true, "output rails"],
  ])("%s -> %s", async (text, expected, blocked, rail) => {
    const { response, guardrails: verdict } = await (await guarded()).generate(text);
    expect({ response, blocked: verdict.blocked, rail: verdict.rail }).toEqual({ response: expected, blocked, rail });
  });

  it("keeps nothing of what they blocked", async () => {
    const guardrails = await guarded();
    const first = await guardrails.generate("plan the attack now", { state: {}, log: { internalEvents: true } });
    expect(JSON.stringify([first.state, first.log])).not.toContain("plan the attack");
    const second = await guardrails.generate("the secret recipe", { state: first.state });
    expect(JSON.stringify(second.state)).not.toContain("you said the secret");
    expect((await guardrails.generate("hello", { state: second.state })).response).toBe("you said hello!");
  });

  it("run as stages of their own", async () => {
    const guardrails = await guarded();
    expect(await guardrails.check("an attack", { stage: "input" })).toMatchObject({
      status: "blocked",
      guardrails: { rail: "input rails" },
    });
    expect(await guardrails.check("fine", { stage: "output" })).toMatchObject({ status: "modified", output: "fine!" });
  });

  it("can be turned off in a call", async () => {
    const guardrails = await guarded();
    const { response } = await guardrails.generate("an attack", { rails: { input: false, output: false } });
    expect(response).toBe("you said an attack");
    expect((await guardrails.generate("fine", { rails: { input: ["input rails"] } })).response).toBe("you said fine!");
  });

  it("exclude the setting that would be the same flow", async () => {
    const config = { ...settings, rails: { output: { flows: ["check answer"] } } };
    await expect(Guardrails.fromConfig({ colang: `import core\n${OWN}`, config })).rejects.toThrow(
      /`output rails` and `rails.output.flows` exclude each other/,
    );
  });
});

describe("rails of the library", () => {
  const config = (rails: object, more: object = {}) => ({ colang_version: "2.x", rails, ...more });

  it.each([
    ["input", "self check input", ["Yes"], "I'm sorry, I can't respond to that."],
    ["input", "self check input", ["No", "Hello there."], "Hello there."],
    ["output", "self check output", ["Hello there.", "Yes"], "I'm sorry, I can't respond to that."],
    ["output", "self check output", ["Hello there.", "No"], "Hello there."],
  ])("%s: %s with %j", async (stage, rail, replies, expected) => {
    const llm = scriptedModel(replies);
    const guardrails = await Guardrails.fromConfig({ config: config({ [stage]: { flows: [rail] } }) }, { llm });
    const { response, guardrails: verdict } = await guardrails.generate("hi");
    expect([response, verdict.blocked]).toEqual([expected, expected.startsWith("I'm sorry")]);
    llm.assertDone();
  });

  it("raises an exception instead of refusing when the settings say so", async () => {
    const llm = scriptedModel(["Yes"]);
    const guardrails = await Guardrails.fromConfig(
      { config: config({ input: { flows: ["self check input"] } }, { enable_rails_exceptions: true }) },
      { llm },
    );
    const { response } = await guardrails.generate("hi");
    expect(response).toEqual([{ role: "exception", content: expect.objectContaining({ type: "InputRailException" }) }]);
  });

  it("words its refusals as the configuration does", async () => {
    const llm = scriptedModel(["Yes"]);
    const colang = 'import core\n@override\nflow bot refuse to respond\n  bot say "Nope."\n';
    const guardrails = await Guardrails.fromConfig(
      { colang, config: config({ input: { flows: ["self check input"] } }) },
      { llm },
    );
    expect((await guardrails.generate("hi")).response).toBe("Nope.");
  });

  it("can be called by flows of the configuration", async () => {
    const llm = scriptedModel(["Yes"]);
    const colang = `import core
import guardrails
import library.self_check_input

flow input rails $input_text
  self check input

flow main
  user said something
  bot say "Received."
`;
    const guardrails = await Guardrails.fromConfig({ colang, config: config({}) }, { llm });
    const { response, guardrails: verdict } = await guardrails.generate("hi");
    expect([response, verdict.rail]).toEqual(["I'm sorry, I can't respond to that.", "input rails"]);
  });

  it("checks facts of a wrapped chain's own evidence", async () => {
    const llm = scriptedModel(["No"]);
    const guardrails = await Guardrails.fromConfig(
      { config: config({ output: { flows: ["self check facts"] } }) },
      { llm },
    );
    const { RunnableLambda } = await import("@langchain/core/runnables");
    const chain = RunnableLambda.from((_question: { question: string }) => ({
      answer: "It is free.",
      context: ["It costs 5."],
    }));
    const answer = await guardrails.wrap(chain).invoke({ question: "price?" });
    expect(answer).toMatchObject({ answer: "I'm sorry, I can't respond to that." });
  });
});

describe("rails that fail", () => {
  const broken = (more: object = {}) =>
    guardrails2({
      input: ["broken"],
      output: [],
      colang: `
flow broken
  await BreakAction()

flow wrong
  $x = 1 / 0

flow waiting
  match Godot()

flow gesturing
  await GestureBotAction(gesture="bow")

flow forever
  while True
    pass
`,
      actions: {
        break: () => {
          throw new Error("no line");
        },
      },
      ...more,
    });

  it.each([
    ["broken", /the action `break` failed: no line/],
    ["wrong", /division/],
    ["waiting", /waits for an event, and a rail gets none/],
    ["gesturing", /waits for `GestureBotAction`, and nothing here performs it/],
    ["forever", /does not come to a wait within/],
  ])("%s blocks with an error", async (rail, reason) => {
    const guardrails = await broken({ input: [rail] });
    const decision = await guardrails.rail(rail).invoke("hi");
    expect(decision).toMatchObject({ status: "error", reason: expect.stringMatching(reason) });
    const answer = await guardrails.wrap(scriptedModel([])).invoke("hi");
    expect(answer.content).toBe("I'm sorry, I can't respond to that.");
  });

  it("passes or throws by `onError`", async () => {
    const lenient = await broken({ onError: "allow" });
    expect((await lenient.wrap(scriptedModel(["ok"])).invoke("hi")).content).toBe("ok");
    const strict = await broken({ onError: "throw" });
    await expect(strict.wrap(scriptedModel([])).invoke("hi")).rejects.toThrow(/no line/);
  });
});
