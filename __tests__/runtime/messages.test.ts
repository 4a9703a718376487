import { runStage } from "../support/language-models/one-shot.js";
import { describe, expect, it } from "@jest/globals";
import type { ActionContext } from "../../src/actions/action.js";
import type { RailSelection, TurnMessage, TurnOptions } from "../../src/turn/options.js";
import { openBench } from "./bench.js";

const user = (content: string): TurnMessage => ({ role: "user", content });
const bot = (content: string): TurnMessage => ({ role: "assistant", content });

const RAILS = `
define bot deny
  "Not that."
define subflow no bad
  $ok = execute judge
  if not $ok
    bot deny
    stop
define subflow shout
  $user_message = $user_message + "!"
define subflow star
  $bot_message = "*" + $bot_message
define subflow no bad answer
  $fine = execute judge answer
  if not $fine
    bot deny
    stop
define subflow trim
  $relevant_chunks = "trimmed " + $relevant_chunks
`;
const actions = {
  judge: (_params: unknown, { context }: ActionContext) => context["user_message"] !== "bad",
  "judge answer": (_params: unknown, { context }: ActionContext) => !String(context["bot_message"]).includes("bad"),
};
const YAML =
  "rails: {input: {flows: [no bad, shout]}, output: {flows: [no bad answer, star]}, retrieval: {flows: [trim]}}";

describe("messages of every role", () => {
  it("the context is visible to flows and templates, wherever its message is", async () => {
    const { runtime } = await openBench({
      colang: 'define bot hello\n  "Hello $name from $city."\ndefine flow\n  event UserMessage\n  bot hello',
    });
    const messages: TurnMessage[] = [
      { role: "context", content: { name: "Mina", city: "Rome" } },
      user("hi"),
      { role: "context", content: { city: "Oslo" } },
    ];
    expect((await runtime.turn(messages)).text).toBe("Hello Mina from Oslo.");
  });

  it.each(["config", "event", "__proto__", "constructor", "two words", "a-b", ""])(
    "a variable cannot be named %j",
    async (name) => {
      const { runtime } = await openBench({ answers: ["x"] });
      const values = JSON.parse(`{${JSON.stringify(name)}: 1}`) as Record<string, unknown>;
      const refused = { code: "RL-101", message: expect.stringContaining(`\`${name}\``) };
      await expect(runtime.turn([{ role: "context", content: values }, user("hi")])).rejects.toMatchObject(refused);
      await expect(runtime.turn([user("hi")], { context: values })).rejects.toMatchObject(refused);
      await expect(runtime.canonicalForm("hi", [], { context: values })).rejects.toMatchObject(refused);
    },
  );

  it("system messages precede the general instructions, for the dialog and not for the rails", async () => {
    const { runtime, model } = await openBench({
      yaml: `instructions: [{type: general, content: "Talk about bikes."}]
rails: {input: {flows: [self check input]}}
prompts: [{task: self_check_input, content: "{{ general_instructions }} Block? {{ user_input }}"}]`,
      answers: ["no", "Hello."],
    });
    await runtime.turn([{ role: "system", content: "Speak like a pirate." }, user("hi")]);
    expect(model.calls[0]?.text).not.toContain("pirate");
    expect(model.calls[1]?.text).toContain("Speak like a pirate.\nTalk about bikes.");
  });

  it.each<[string, string, TurnMessage[], string]>([
    [
      "an event that drives the turn",
      "event UserSilent",
      [{ role: "event", event: { type: "UserSilent" } }],
      "Still there?",
    ],
    [
      "an old name of an event",
      "event UserMessage",
      [{ role: "event", event: { type: "user_said", content: "hey" } }],
      "Still there?",
    ],
    [
      "a user's text and then an event",
      "event UserSilent",
      [user("hi"), { role: "event", event: { type: "UserSilent" } }],
      "echo hi\nStill there?",
    ],
  ])("%s", async (_title, trigger, messages, expected) => {
    const { runtime } = await openBench({
      colang: `define bot ask\n  "Still there?"\ndefine flow\n  ${trigger}\n  bot ask`,
    });
    const generator = async ({ userMessage }: { userMessage: string }) => ({ text: `echo ${userMessage}` });
    expect((await runtime.turn(messages, { generator })).text).toBe(expected);
  });

  it("an event before the text reaches flows, and only the text gets a response", async () => {
    const { runtime } = await openBench({
      colang: `define flow note\n  event Arrived\n  $seen = $event.place\ndefine flow\n  event UserMessage\n  bot $seen`,
    });
    const messages: TurnMessage[] = [{ role: "event", event: { type: "Arrived", place: "door" } }, user("hi")];
    expect((await runtime.turn(messages)).text).toBe("door");
  });

  it("no event makes a user's text bypass the input rails", async () => {
    const { runtime } = await openBench({
      colang: `${RAILS}\ndefine flow\n  event UserSilent\n  bot say something`,
      yaml: YAML,
      actions,
    });
    let asked = 0;
    const generator = async () => ({ text: `asked ${(asked += 1)}` });
    const messages: TurnMessage[] = [user("bad"), { role: "event", event: { type: "UserSilent" } }];
    const result = await runtime.turn(messages, { generator });
    expect([result.status, result.text, asked]).toEqual(["blocked", "Not that.", 0]);
  });

  it.each<[string, unknown]>([
    ["no type", {}],
    ["a type that is empty", { type: "" }],
    ["a list", []],
  ])("an event with %s is refused", async (_title, event) => {
    const { runtime } = await openBench({});
    const messages = [{ role: "event", event }] as unknown as TurnMessage[];
    await expect(runtime.turn(messages)).rejects.toMatchObject({ code: "RL-101" });
  });
});

describe("several user messages without a response", () => {
  it("are all checked, and reach the generator as the rails left them", async () => {
    const { runtime } = await openBench({ colang: RAILS, yaml: YAML, actions });
    const seen: unknown[] = [];
    const generator = async (request: { userMessage: string; userMessages?: readonly string[] }) => {
      seen.push(request.userMessage, request.userMessages);
      return { text: "ok" };
    };
    const result = await runtime.turn([user("old"), bot("answer"), user("one"), user("two")], { generator });
    expect(seen).toEqual(["two!", ["one!", "two!"]]);
    expect([result.text, result.userMessage]).toEqual(["*ok", "two!"]);
  });

  it.each([
    [true, "blocked", 0],
    [false, "answered", 1],
  ])("check_all_user_messages %p: %s", async (checkAll, status, calls) => {
    const { runtime } = await openBench({
      colang: RAILS,
      yaml: `${YAML}\nsecurity: {check_all_user_messages: ${checkAll}}`,
      actions,
    });
    let asked = 0;
    const generator = async () => ({ text: `${(asked += 1)}` });
    const result = await runtime.turn([user("bad"), user("good")], { generator });
    expect([result.status, asked]).toEqual([status, calls]);
  });

  it("keep the details of rails about the earlier ones", async () => {
    const { runtime } = await openBench({
      colang: 'define subflow spot\n  if $user_message == "one"\n    $spotted = True',
      yaml: "rails: {input: {flows: [spot]}}",
      answers: ["ok"],
    });
    const result = await runtime.turn([user("one"), user("two")], { outputVars: ["spotted", "user_message"] });
    expect(result.outputData).toEqual({ spotted: true, user_message: "two" });
  });

  it("are part of the prompt and of the history of the next turn", async () => {
    const { runtime, model } = await openBench({
      colang: RAILS,
      yaml: "rails: {input: {flows: [shout]}}",
      answers: ["ok", "ok"],
    });
    const first = await runtime.turn([user("I am Mina"), user("who am I")], { state: {} });
    await runtime.turn([user("and now")], { state: first.state });
    for (const call of model.calls) {
      expect(call.text).toContain("I am Mina!");
      expect(call.text).toContain("who am I!");
    }
  });
});

describe("messages that start no turn", () => {
  it.each<[string, TurnMessage[], TurnOptions]>([
    ["none", [], {}],
    ["only context", [{ role: "context", content: { a: 1 } }], {}],
    ["only a system message", [{ role: "system", content: "Be nice." }], {}],
    ["a response at the end", [user("hi"), bot("hello")], {}],
    ["a response at the end, with the output rails requested", [bot("hello")], { rails: { output: true } }],
  ])("%s", async (_title, messages, options) => {
    const { runtime } = await openBench({ answers: ["x"] });
    await expect(runtime.turn(messages, options)).rejects.toMatchObject({ code: "RL-101" });
  });
});

describe("a stateless call", () => {
  it("uses the given messages", async () => {
    const { runtime, model } = await openBench({ answers: ["fine"] });
    await runtime.turn([user("my name is Mina"), bot("Hello Mina."), user("what is my name?")]);
    const text = model.calls[0]?.text ?? "";
    const order = ["my name is Mina", "Hello Mina.", "what is my name?"].map((part) => text.indexOf(part));
    expect(order.every((at) => at >= 0)).toBe(true);
    expect(order).toEqual([...order].sort((left, right) => left - right));
  });

  it("does not check messages with a response again", async () => {
    const { runtime } = await openBench({ colang: RAILS, yaml: YAML, actions });
    const generator = async () => ({ text: "ok" });
    const result = await runtime.turn([user("bad"), bot("No."), user("good")], { generator });
    expect([result.status, result.decisions.length]).toEqual(["answered", 4]);
  });

  it("of a stored conversation processes only new messages", async () => {
    const { runtime, model } = await openBench({ answers: ["Hello.", "Bye."] });
    const config = { configurable: { thread_id: "a" } };
    await runtime.turn([user("first words")], { config });
    await runtime.turn([user("first words"), bot("Hello."), user("second words")], { config });
    expect(model.calls[1]?.text.split("first words").length).toBe(2);
  });
});

const OFF = { input: false, output: false, retrieval: false, dialog: false } as const;

describe("which rails run in a call", () => {
  const chunks = { relevant_chunks: "chunk" };
  it.each<[string, RailSelection, TurnMessage[], string, string, string[]]>([
    ["input only, passed", { ...OFF, input: true }, [user("hi")], "answered", "hi!", ["no bad", "shout"]],
    ["input only, blocked", { ...OFF, input: true }, [user("bad")], "blocked", "Not that.", ["no bad"]],
    ["output only", { ...OFF, output: true }, [user("hi"), bot("ok")], "answered", "*ok", ["no bad answer", "star"]],
    [
      "output only, blocked",
      { ...OFF, output: true },
      [user("hi"), bot("bad")],
      "blocked",
      "Not that.",
      ["no bad answer"],
    ],
    [
      "output only, without a user message",
      { ...OFF, output: true },
      [bot("ok")],
      "answered",
      "*ok",
      ["no bad answer", "star"],
    ],
    [
      "input and output",
      { ...OFF, input: true, output: true },
      [user("hi"), bot("ok")],
      "answered",
      "*ok",
      ["no bad", "shout", "no bad answer", "star"],
    ],
    [
      "input and output, blocked",
      { ...OFF, input: true, output: true },
      [user("bad"), bot("ok")],
      "blocked",
      "Not that.",
      ["no bad"],
    ],
    ["retrieval only", { ...OFF, retrieval: true }, [user("hi")], "answered", "hi", ["trim"]],
    ["nothing", OFF, [user("hi")], "answered", "hi", []],
    [
      "dialog off, the rest as configured",
      { dialog: false, output: false },
      [user("hi")],
      "answered",
      "hi!",
      ["no bad", "shout", "trim"],
    ],
    ["one rail by its name", { input: ["shout"], output: false }, [user("bad")], "answered", "echo bad!", ["shout"]],
    ["no rail by name", { input: [], output: [] }, [user("bad")], "answered", "echo bad", []],
  ])("%s", async (_title, rails, messages, status, text, ran) => {
    const { runtime } = await openBench({ colang: RAILS, yaml: YAML, actions });
    const generator = async ({ userMessage }: { userMessage: string }) => ({ text: `echo ${userMessage}` });
    const result = await runtime.turn(messages, { rails, generator, context: chunks });
    expect([result.status, result.text]).toEqual([status, text]);
    expect(result.decisions.map(({ rail }) => rail)).toEqual(ran);
  });

  it("retrieval only returns the chunks as rewritten by the rails", async () => {
    const { runtime } = await openBench({ colang: RAILS, yaml: YAML, actions });
    const rails = { ...OFF, retrieval: true };
    const result = await runtime.turn([user("hi")], {
      rails,
      context: chunks,
      outputVars: ["relevant_chunks", "none"],
    });
    expect(result.outputData).toEqual({ relevant_chunks: "trimmed chunk", none: null });
  });

  it("a name that is not a rail of the stage is refused, because it would guard nothing", async () => {
    const { runtime } = await openBench({ colang: RAILS, yaml: YAML, actions });
    const rails = { input: ["shuot"] };
    const refused = { code: "RL-101", message: expect.stringContaining("did you mean `shout`?") };
    await expect(runtime.turn([user("hi")], { rails })).rejects.toMatchObject(refused);
    await expect(runStage(runtime, "input", { userMessage: "hi" }, { rails })).rejects.toMatchObject(refused);
  });

  it("a check without dialog does not use an old response", async () => {
    const { runtime } = await openBench({ colang: RAILS, yaml: YAML, actions });
    const generator = async () => ({ text: "secret of before" });
    const first = await runtime.turn([user("hi")], { generator, state: {} });
    const rails = { ...OFF, input: true, output: true };
    const second = await runtime.turn([user("now")], { rails, state: first.state });
    expect(second.text).not.toContain("before");
  });

  it("flows see the options of the call, and not those of an earlier turn", async () => {
    const { runtime } = await openBench({
      colang: `define bot on\n  "on"\ndefine bot off\n  "off"
define flow
  event UserMessage
  if $generation_options
    bot on
  else
    bot off`,
    });
    const first = await runtime.turn([user("hi")], { state: {}, llmParams: { temperature: 1 } });
    const second = await runtime.turn([user("hi")], { state: first.state });
    expect([first.text, second.text]).toEqual(["on", "off"]);
  });
});
