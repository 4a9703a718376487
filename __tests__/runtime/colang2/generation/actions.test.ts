import { describe, expect, it } from "@jest/globals";
import { COLANG2_ACTIONS, createColang2Actions } from "../../../../src/runtime/colang2/generation/actions.js";
import type { Colang2Generation } from "../../../../src/runtime/colang2/generation/services.js";
import { TestHost } from "./host.js";

const PROGRAM = 'import core\n\nflow main\n  match Knock(times=2)\n\nflow bot greet\n  bot say "Hello!"\n';
const ERROR = { messages: { internal_error: 'Oh "no" {x}.' } };

describe("the actions of Colang 2.x", () => {
  it("are those of the `llm` module and two of the library, as system actions", () => {
    expect(createColang2Actions({} as Colang2Generation).map(({ name, system }) => [name, system])).toEqual(
      COLANG2_ACTIONS.map((name) => [name, true]),
    );
    expect(COLANG2_ACTIONS).toHaveLength(18);
  });

  it.each([
    ["CheckFlowDefinedAction", { flow_id: "bot greet" }, true],
    ["CheckFlowDefinedAction", { flow_id: "bot dance" }, false],
    ["CheckFlowDefinedAction", { flow_id: null }, false],
    ["CheckValidFlowExistsAction", { flow_id: "bot greet" }, true],
    ["CheckValidFlowExistsAction", { flow_id: "toString" }, false],
    ["CheckForActiveEventMatchAction", { event_name: "Knock", times: 2 }, true],
    ["CheckForActiveEventMatchAction", { event_name: "Knock", times: 3 }, false],
    ["GetLastUserMessageAction", {}, null],
    ["RetrieveRelevantChunksAction", { is_colang_2: true }, ""],
  ])("%s(%j) is %j", async (name, params, expected) => {
    const host = await TestHost.open(PROGRAM);
    expect(await host.run(name, params)).toEqual(expected);
  });

  it.each(
    COLANG2_ACTIONS.filter((name) =>
      /^(?:GenerateFlowFrom|GenerateValue|GenerateFlowAction|CreateFlow|AddFlows)/.test(name),
    ),
  )("%s needs its text", async (name) => {
    const host = await TestHost.open(PROGRAM, { llm: [] });
    await expect(host.run(name)).rejects.toThrow("must be a text");
  });

  it.each(["GenerateUserIntentAndBotAction", "GenerateFlowContinuationAction", "PassthroughLLMAction"])(
    "%s needs a model",
    async (name) => {
      const host = await TestHost.open(PROGRAM);
      await expect(host.run(name, { user_action: "hi", user_message: "hi" })).rejects.toThrow("no main model");
    },
  );
});

describe("flows that are added", () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    ["one", 'flow bot dance\n  bot say "Dancing"', ["bot dance"], ["Dancing"]],
    ["two", 'flow bot dance\n  bot hop\n\nflow bot hop\n  bot say "Hop"', ["bot dance", "bot hop"], ["Hop"]],
    ["beside one that is known", "flow bot greet\n  abort\n\nflow bot dance\n  bot greet", ["bot dance"], ["Hello!"]],
    ["only known ones", "flow bot greet\n  abort", [], []],
    ["no Colang under a name that can be read", "flow bot dance\n  ((", ["bot dance"], ['Oh "no" {x}.']],
    ["the same with parameters and members", "flow bot dance $x -> $y\n  ((", ["bot dance"], ['Oh "no" {x}.']],
    ["what may not be run", "@active\nflow bot dance\n  PayAction()", ["bot dance"], ['Oh "no" {x}.']],
  ])("%s", async (_, config, names, said) => {
    const host = await TestHost.open(
      `${PROGRAM}\nflow calls\n  bot dance\n`.replace("match Knock(times=2)", "match Go()\n  calls"),
      {
        config: ERROR,
      },
    );
    expect(await host.run("AddFlowsAction", { config })).toEqual(names);
    if (names.includes("bot dance")) expect(await host.send({ type: "Go" } as never)).toEqual(said);
    expect(host.access.definitions.get("bot greet")?.sourceText).toContain("Hello!");
  });

  it.each([["%%%"], ["flow $x\n  pass"], ["no flow"]])("%j becomes `unknown flow`", async (config) => {
    const host = await TestHost.open(PROGRAM);
    expect(await host.run("AddFlowsAction", { config })).toEqual(["unknown flow"]);
  });

  it("logs why a text is not used, and nothing of the text", async () => {
    const host = await TestHost.open("import core\n\nflow main\n  match Go()\n  bot dance\n");
    await host.run("AddFlowsAction", { config: "flow bot dance\n  PayAction(secret=1)" });
    await host.send({ type: "Go" } as never);
    expect(host.logs.filter((text) => text.startsWith("the generated flow"))).toEqual([
      "the generated flow is not used: a statement that may not be there: Operation",
    ]);
  });

  it("may be 200 at a time", async () => {
    const host = await TestHost.open(PROGRAM);
    for (let at = 0; at < 200; at += 1) await host.run("AddFlowsAction", { config: `flow f${at}\n  pass` });
    await expect(host.run("AddFlowsAction", { config: "flow g\n  pass" })).rejects.toThrow("has added 200 flows");
    await host.run("RemoveFlowsAction", { flow_ids: ["f0"] });
    expect(await host.run("AddFlowsAction", { config: "flow g\n  pass" })).toEqual(["g"]);
  });

  it("are removed with what lives of them, those of the program never", async () => {
    const host = await TestHost.open(
      'import core\n\nflow main\n  match Go()\n  start helper\n  match FlowFailed(flow_id="helper") as $e\n  bot say "{$e.reason}"\n  match Never()\n',
    );
    await host.run("AddFlowsAction", { config: "flow helper\n  match Never()" });
    await host.send({ type: "Go" } as never);
    await host.run("RemoveFlowsAction", { flow_ids: ["helper", "main", 7] });
    await host.send();
    expect(host.access.history.map(({ parameter }) => parameter)).toEqual(["removed"]);
    expect(host.added).toEqual([]);
    expect(host.access.definitions.has("main")).toBe(true);
  });

  it("are made of statements with a name of their own", async () => {
    const host = await TestHost.open(PROGRAM);
    const create = (body: string, decorators?: string) =>
      host.run("CreateFlowAction", { name: "bot greets", body, decorators });
    const first = await create('bot say "a"', "@meta(bot_intent=True)");
    const second = await create('    bot say "a"\n    bot say "b"');
    expect(first).toMatch(/^_dynamic_[0-9a-z]{8} bot greets$/);
    expect(second).not.toBe(first);
    expect(host.added).toEqual([first, second]);
    expect(host.access.definitions.get(String(first))?.meta).toEqual({ bot_intent: true });
    const bad = await create("PayAction()", "@active");
    expect(host.access.definitions.get(String(bad))?.isActive).toBe(false);
    expect(host.access.definitions.get(String(bad))?.sourceText).not.toContain("PayAction");
  });
});
