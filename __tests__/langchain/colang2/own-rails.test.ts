import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { type GuardedChatModel, Guardrails, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { guardrails2 } from "./guardrails-2x.js";
import { defineAction } from "../../../src/langchain/rails.js";
import type { ScriptedReply } from "../../../src/testing/scripted-model.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { expectNoUnhandledRejections } from "../../support/unhandled-rejections.js";

describe("rails of the program", () => {
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

    it("keeps no text that they blocked", async () => {
      const guardrails = await guarded();
      const first = await guardrails.generate("plan the attack now", { state: {}, log: { internalEvents: true } });
      expect(JSON.stringify([first.state, first.log])).not.toContain("plan the attack");
      const second = await guardrails.generate("the secret recipe", { state: first.state });
      expect(JSON.stringify(second.state)).not.toContain("you said the secret");
      expect((await guardrails.generate("hello", { state: second.state })).response).toBe("you said hello!");
    });

    it("run as separate stages", async () => {
      const guardrails = await guarded();
      expect(await guardrails.check("an attack", { stage: "input" })).toMatchObject({
        status: "blocked",
        guardrails: { rail: "input rails" },
      });
      expect(await guardrails.check("fine", { stage: "output" })).toMatchObject({
        status: "modified",
        output: "fine!",
      });
    });

    it("can be turned off in a call", async () => {
      const guardrails = await guarded();
      const { response } = await guardrails.generate("an attack", { rails: { input: false, output: false } });
      expect(response).toBe("you said an attack");
      expect((await guardrails.generate("fine", { rails: { input: ["input rails"] } })).response).toBe(
        "you said fine!",
      );
    });

    it("exclude the setting that generates the same flow", async () => {
      const config = { ...settings, rails: { output: { flows: ["check answer"] } } };
      await expect(Guardrails.fromConfig({ colang: `import core\n${OWN}`, config })).rejects.toThrow(
        /`output rails` and `rails.output.flows` exclude each other/,
      );
    });
  });

  describe("rails over texts of which one is sent", () => {
    const EITHER = `
flow main
  user said "hi"
  bot say "one" or bot say "two"
  wait indefinitely
`;
    const EQUAL = `
flow answer
  user said "hi"
  bot say "one"

flow answer differently
  user said "hi"
  bot say "two"

flow main
  activate answer and answer differently
  wait indefinitely
`;
    const WAITING = `
flow output rails $output_text
  $allowed = await CheckAction(text=$output_text)
  if not $allowed
    abort
`;
    const NESTED = `
flow output rails $output_text
  check length $output_text

flow check length $text
  $allowed = await CheckAction(text=$text)
  if not $allowed
    abort
`;
    const rows = [EITHER, EQUAL].flatMap((dialog) => [WAITING, NESTED].map((rails) => ({ dialog, rails })));

    // The text is drawn by lot, so a dozen turns show either outcome.
    it.each(rows)("report no block for the other text $#", async ({ dialog, rails }) => {
      const colang = `import core\nimport guardrails\n${rails}\n${dialog}`;
      const options = { actions: { CheckAction: () => true }, logger: false } as const;
      const guardrails = await Guardrails.fromConfig({ colang, config: settings }, options);
      for (let turn = 0; turn < 12; turn++) {
        const { response, guardrails: verdict } = await guardrails.generate("hi");
        expect(response).toMatch(/^(one|two)$/);
        expect(verdict.decisions.map(({ status }) => status)).toEqual(["passed"]);
      }
    });

    it.each(rows)("report a block of the text that would be sent $#", async ({ dialog, rails }) => {
      const colang = `import core\nimport guardrails\n${rails}\n${dialog}`;
      const options = { actions: { CheckAction: () => false }, logger: false } as const;
      const { response, guardrails } = await (
        await Guardrails.fromConfig({ colang, config: settings }, options)
      ).generate("hi");
      expect(guardrails).toMatchObject({ blocked: true, rail: "output rails" });
      expect(response).not.toMatch(/one|two/);
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

    it("raises an exception instead of refusing if configured", async () => {
      const llm = scriptedModel(["Yes"]);
      const guardrails = await Guardrails.fromConfig(
        { config: config({ input: { flows: ["self check input"] } }, { enable_rails_exceptions: true }) },
        { llm },
      );
      const { response } = await guardrails.generate("hi");
      expect(response).toEqual([
        { role: "exception", content: expect.objectContaining({ type: "InputRailException" }) },
      ]);
    });

    it("uses the refusals of the configuration", async () => {
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

    it("checks facts against a wrapped chain's evidence", async () => {
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
      ["waiting", /waits for an event, but rails receive none/],
      ["gesturing", /waits for `GestureBotAction`, which nothing here performs/],
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
});

describe("speculation", () => {
  const JUDGE = `
import core

flow judge
  $allowed = await JudgeAction()
  if not $allowed
    bot say "REFUSED"
    abort
`;

  /** With a \`main\` the flows decide when the wrapped runnable responds. */
  const DIALOGS = {
    "rails alone": "",
    "a dialog": `
import passthrough

flow main
  global $asked
  user said something
  $asked = True
  $answer = await PassthroughLLMAction()
  await NoteAction()
  bot say $answer
`,
  } as const;

  expectNoUnhandledRejections();

  function gate<Value = void>() {
    let open = (_value: Value): void => undefined;
    const promise = new Promise<Value>((resolve) => (open = resolve));
    return { promise, open: (value: Value) => open(value) };
  }

  /** Rails whose verdict the test controls, and a record of the actions. */
  async function open(dialog: keyof typeof DIALOGS) {
    const verdict = gate<boolean>();
    const asked = gate();
    const done: string[] = [];
    const guardrails = await Guardrails.fromConfig(
      {
        colang: JUDGE + DIALOGS[dialog],
        config: { colang_version: "2.x", rails: { input: { flows: ["judge"], speculative: true } } },
      },
      {
        actions: {
          JudgeAction: defineAction({ name: "JudgeAction", verdict: true }, () => verdict.promise),
          NoteAction: () => void done.push("noted"),
        },
      },
    );
    const signals: AbortSignal[] = [];
    const reply: ScriptedReply = async (_messages, { signal }) => {
      if (signal !== undefined) signals.push(signal);
      asked.open();
      return "An answer.";
    };
    const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));
    return { guardrails, reply, signals, done, asked, decide: verdict.open, settle };
  }

  const textOf = (model: GuardedChatModel) => async (): Promise<string> => (await model.invoke("hi")).text;
  const streamOf = (model: GuardedChatModel) => async (): Promise<string> =>
    (await drain(await model.stream("hi"))).map((chunk) => (chunk as AIMessage).text).join("");

  describe.each(["rails alone", "a dialog"] as const)("speculation around a model, with %s of Colang 2.x", (dialog) => {
    it.each([
      ["invoke", textOf],
      ["stream", streamOf],
    ])("%s: the model is called once before the verdict, without other effects", async (_title, ask) => {
      const { guardrails, reply, asked, decide, done, settle } = await open(dialog);
      const inner = scriptedModel([reply]);
      const running = ask(guardrails.wrap(inner))();
      let isOver = false;
      void running.then(() => (isOver = true));
      await asked.promise;
      await settle();
      expect([isOver, done]).toEqual([false, []]);
      decide(true);
      expect(await running).toBe("An answer.");
      inner.assertDone();
    });

    it("a block ends the model's call, and nothing of its response is emitted", async () => {
      const { guardrails, signals, asked, decide, done } = await open(dialog);
      const inner = scriptedModel([
        (_messages, { signal }) => {
          if (signal !== undefined) signals.push(signal);
          asked.open();
          return new Promise<string>((resolve) =>
            signal?.addEventListener("abort", () => resolve("the secret answer")),
          );
        },
      ]);
      const running = guardrails.wrap(inner).invoke("hi");
      await asked.promise;
      decide(false);
      const message = await running;
      expect([message.text, verdictOf(message)?.blocked, signals[0]?.aborted, done]).toEqual([
        "REFUSED",
        true,
        true,
        [],
      ]);
      expect(visibleJson(message)).not.toContain("secret");
    });

    it("tool calls wait for the verdict", async () => {
      const { guardrails, asked, decide } = await open(dialog);
      const call = { id: "1", name: "pay", args: {} };
      const inner = scriptedModel([() => (asked.open(), new AIMessage({ content: "", tool_calls: [call] }))]);
      const running = guardrails.wrap(inner).invoke("hi");
      await asked.promise;
      decide(false);
      expect((await running).tool_calls).toEqual([]);
    });

    it("reports the model's own error, whenever it occurred", async () => {
      const { guardrails, asked, decide, settle } = await open(dialog);
      const failure = new RangeError("too long");
      const running = guardrails.wrap(scriptedModel([() => (asked.open(), failure)])).invoke("hi");
      await asked.promise;
      await settle();
      decide(true);
      await expect(running).rejects.toBe(failure);
    });

    it.each([
      ["waits unless the caller promises that running it changes nothing", {}, [0, 1]],
      ["begins early where that is promised", { speculative: true }, [1, 1]],
    ])("a wrapped chain %s", async (_title, options, runs) => {
      const { guardrails, decide, settle } = await open(dialog);
      let count = 0;
      const chain = RunnableLambda.from((input: { input: string }) => ((count += 1), `echo ${input.input}`));
      const running = guardrails.wrap(chain, options).invoke({ input: "hi" });
      for (let round = 0; round < 10; round += 1) await settle();
      const early = count;
      decide(true);
      await running;
      expect([early, count]).toEqual(runs);
    });
  });
});
