import { describe, expect, it } from "@jest/globals";
import { actionResult } from "../../src/actions/dispatcher.js";
import type { ActionContext } from "../../src/actions/action.js";
import type { TurnMessage } from "../../src/turn/options.js";
import type { TurnResult } from "../../src/turn/result.js";
import { openBench, type BenchInput } from "./bench.js";
import { ScriptedLanguageModel } from "../support/language-models/scripted-language-model.js";
import { Guardrails } from "../../src/index.js";
import { eventChat, scriptedModel } from "../../src/testing/index.js";

const user = (content: string): TurnMessage[] => [{ role: "user", content }];

const COLANG = `
define user ask
  "ask"
define bot deny
  "Not that."
define bot hi
  "Hi."
define subflow closed
  $ok = execute judge
  if not $ok
    bot deny
    stop
define subflow looks at chunks
  $seen = execute look
define subflow star
  $bot_message = execute star
define flow answer
  user ask
  $item = execute fetch(name="x")
  bot hi
  bot say more
`;
const YAML = `
rails:
  input: {flows: [closed]}
  retrieval: {flows: [looks at chunks]}
  output: {flows: [star]}
  dialog: {single_call: {enabled: false}}
`;
const actions = {
  judge: (_params: unknown, { context }: ActionContext) => context["user_message"] !== "bad",
  look: () => true,
  fetch: ({ name }: { name: string }) => `item ${name}`,
  star: (_params: unknown, { context }: ActionContext) => `*${String(context["bot_message"])}`,
};

/** A clock that shows another time at every read. */
function tickingClock(): { now(): number } {
  let time = 0;
  return { now: () => (time += 1) };
}

async function answered(input: BenchInput = {}): Promise<TurnResult> {
  const { runtime } = await openBench({
    colang: COLANG,
    yaml: YAML,
    actions,
    answers: ["ask", '"More."'],
    clock: tickingClock(),
    ...input,
  });
  return runtime.turn(user("1"), {
    log: { activatedRails: true, llmCalls: true, internalEvents: true, colangHistory: true },
  });
}

describe("the log of a turn", () => {
  it("has rails and flows in the order in which they ran, with their actions", async () => {
    const { log } = await answered();
    const generated = [
      [
        "generation",
        "generate bot message",
        ["execute retrieve_relevant_chunks", "execute generate_bot_message"],
        ["retrieve_relevant_chunks", "generate_bot_message"],
        false,
      ],
      ["retrieval", "looks at chunks", ["execute look"], ["look"], false],
    ];
    expect(
      log.activatedRails?.map(({ type, name, decisions, executedActions, stop }) => [
        type,
        name,
        decisions,
        executedActions.map(({ actionName }) => actionName),
        stop,
      ]),
    ).toEqual([
      ["input", "closed", ["execute judge"], ["judge"], false],
      ["dialog", "generate user intent", ["execute generate_user_intent"], ["generate_user_intent"], false],
      ["dialog", "answer", ["execute fetch", "hi"], ["fetch"], false],
      ...generated,
      ["dialog", "answer", ["say more"], [], false],
      ...generated,
      ["output", "star", ["execute star"], ["star"], false],
    ]);
    const fetched = log.activatedRails?.[2]?.executedActions[0];
    expect(fetched).toMatchObject({ actionParams: { name: "x" }, returnValue: "item x", llmCalls: [] });
    for (const { startedAt, finishedAt, durationMs } of log.activatedRails ?? []) {
      expect(finishedAt).toBeGreaterThan(startedAt);
      expect(durationMs).toBe(finishedAt - startedAt);
    }
  });

  it("names the rail that stopped the turn", async () => {
    const { runtime } = await openBench({ colang: COLANG, yaml: YAML, actions });
    const { log } = await runtime.turn(user("bad"), { log: { activatedRails: true } });
    expect(log.activatedRails).toEqual([
      expect.objectContaining({
        type: "input",
        name: "closed",
        decisions: ["execute judge", "deny", "stop"],
        stop: true,
      }),
    ]);
  });

  it("counts a response without an intent as generation", async () => {
    const { runtime } = await openBench({ answers: ["Hello."] });
    const { log } = await runtime.turn(user("hi"), { log: { activatedRails: true } });
    expect(log.activatedRails?.map(({ type, name }) => [type, name])).toEqual([["generation", "generate user intent"]]);
  });

  it("has the model calls, their tokens and their sums", async () => {
    const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
    const { runtime } = await openBench({
      colang: COLANG,
      yaml: YAML,
      actions,
      clock: tickingClock(),
      main: new ScriptedLanguageModel(["ask", '"More."'], usage),
    });
    const { log } = await runtime.turn(user("1"), { log: { llmCalls: true } });
    expect(log.llmCalls?.map(({ task, model, completion, usage: used }) => [task, model, completion, used])).toEqual([
      ["generate_user_intent", "scripted", "ask", usage],
      ["generate_bot_message", "scripted", '"More."', usage],
    ]);
    const { stats } = log;
    expect(stats).toMatchObject({
      llmCallsCount: 2,
      llmCallsTotalPromptTokens: 10,
      llmCallsTotalCompletionTokens: 4,
      llmCallsTotalTokens: 14,
    });
    expect(stats.llmCallsDurationMs).toBe((log.llmCalls ?? []).reduce((sum, call) => sum + call.durationMs, 0));
    expect(stats.generationRailsDurationMs).toBe(log.llmCalls?.[1]?.durationMs);
    const { inputRailsDurationMs, dialogRailsDurationMs, generationRailsDurationMs, outputRailsDurationMs } = stats;
    expect(inputRailsDurationMs + dialogRailsDurationMs + generationRailsDurationMs + outputRailsDurationMs).toBe(
      stats.totalDurationMs,
    );
    expect(Math.min(inputRailsDurationMs, outputRailsDurationMs)).toBeGreaterThan(0);
  });

  it("counts the time of parallel rails once", async () => {
    const time = { now: 0 };
    let waiting: (() => void)[] = [];
    const wait = (): Promise<boolean> =>
      new Promise((resolve) => {
        waiting.push(() => resolve(true));
        if (waiting.length < 2) return;
        time.now += 100;
        for (const open of waiting.splice(0)) open();
        waiting = [];
      });
    const { runtime } = await openBench({
      colang: "define subflow a\n  execute wait\ndefine subflow b\n  execute wait\n",
      yaml: "rails: {input: {parallel: true, flows: [a, b]}}",
      actions: { wait },
      clock: { now: () => time.now },
      answers: ["ok"],
    });
    expect((await runtime.turn(user("hi"))).log.stats.inputRailsDurationMs).toBe(100);
  });

  it("has events and history only on request", async () => {
    const { log } = await answered();
    expect(log.internalEvents?.map(({ type }) => type)).toEqual(expect.arrayContaining(["UserMessage", "Listen"]));
    expect(log.colangHistory).toBe(
      [
        'user "1"',
        "  ask",
        "execute fetch",
        "# The result was item x",
        "bot hi",
        '  "Hi."',
        "bot say more",
        '  "*More."',
      ].join("\n"),
    );
    const { runtime } = await openBench({ answers: ["x"] });
    const silent = await runtime.turn(user("hi"));
    expect(Object.keys(silent.log).sort()).toEqual(["errors", "stats", "warnings", "why"]);
  });
});

describe("why a flow did not run", () => {
  it.each([
    ["answer", "decided", "it started on `UserIntent`"],
    ["generate next step", "lost", "but `answer`"],
    ["closed", "decided", "it finished"],
  ])("%s: %s", async (flow, outcome, words) => {
    const { log } = await answered();
    const explanation = log.why(flow);
    expect([explanation.flow, explanation.outcome]).toEqual([flow, outcome]);
    expect(explanation.reasons.join("\n")).toContain(words);
  });

  it("names the flow that does not exist", async () => {
    const { log } = await answered();
    expect(() => log.why("anwser")).toThrow("did you mean `answer`?");
  });
});

describe("the variables of a result", () => {
  const vars = async (outputVars: true | readonly string[]) => {
    const { runtime } = await openBench({ colang: COLANG, yaml: YAML, actions, answers: ["ask", '"More."'] });
    return (await runtime.turn(user("1"), { outputVars, context: { given: 1, _private: 2 } })).outputData ?? {};
  };

  it("are the requested ones, null for missing ones", async () => {
    expect(await vars(["item", "_private", "nothing", "toString"])).toEqual({
      item: "item x",
      _private: 2,
      nothing: null,
      toString: null,
    });
  });

  it("are all but the private ones", async () => {
    const all = await vars(true);
    expect(all).toMatchObject({ item: "item x", given: 1, last_bot_message: "*More." });
    expect(Object.keys(all).filter((name) => name.startsWith("_"))).toEqual([]);
  });
});

describe("the raw output of the provider", () => {
  it("is returned on request, from the call that responded", async () => {
    const { runtime } = await openBench({
      colang: COLANG,
      yaml: `${YAML}`,
      actions,
      answers: ["ask", '"More."'],
    });
    const asked = await runtime.turn(user("1"), { llmOutput: true });
    expect(asked.llmOutput).toMatchObject({ text: '"More."' });
  });

  it("is null if no model was called", async () => {
    const { runtime } = await openBench({
      colang: "define flow\n  event UserMessage\n  bot hi\ndefine bot hi\n  'Hi.'\n",
    });
    expect((await runtime.turn(user("1"), { llmOutput: true })).llmOutput).toBeNull();
  });
});

describe("an empty reply", () => {
  it.each<[string, string, string, BenchInput, string]>([
    [
      "a rail that only stops",
      "define subflow check\n  stop\n",
      "rails: {input: {flows: [check]}}",
      {},
      "a rail blocked without saying anything",
    ],
    [
      "a flow that stops",
      "define flow quiet\n  event UserMessage\n  stop\n",
      "models: []",
      {},
      "a flow stopped the turn",
    ],
    [
      "a flow that only does something",
      "define flow quiet\n  event UserMessage\n  execute nothing\n",
      "models: []",
      { actions: { nothing: () => null } },
      "took the last step and said nothing",
    ],
  ])("has a reason: %s", async (_title, colang, yaml, input, reason) => {
    const { runtime } = await openBench({ colang, yaml, ...input });
    const { text, log } = await runtime.turn(user("hi"));
    expect([text, log.reason]).toEqual(["", expect.stringContaining(reason)]);
  });

  it("a reply that is not empty needs none", async () => {
    const { runtime } = await openBench({ answers: ["x"] });
    expect((await runtime.turn(user("hi"))).log.reason).toBeUndefined();
  });
});

describe("messages that retract others", () => {
  it.each([
    [["One.", "Two.", "(remove last message)"], "One."],
    [["(remove last message)", "One."], "One."],
    [["One.", "(remove last message)"], ""],
    [["One.", "Two."], "One.\nTwo."],
  ])("%j is %j", async (scripts, text) => {
    const { runtime } = await openBench({
      colang: "define flow\n  event UserMessage\n  execute say\n",
      actions: {
        say: () => actionResult({ events: scripts.map((script) => ({ type: "StartUtteranceBotAction", script })) }),
      },
    });
    expect((await runtime.turn(user("hi"))).text).toBe(text);
  });
});

const config = { colang_version: "2.x" };

describe("explanations of why a flow acted or did not", () => {
  it("in a dialogue that is interrupted: places in the user's files, pauses, and awaited events", async () => {
    const guardrails = await Guardrails.fromPath("examples/colang2-interruption/config");
    const talk = await eventChat(guardrails);
    await talk.user("some flowers");
    expect(talk.why("ordering flowers").reasons).toEqual([
      "it was started by `main`",
      "it did `StartUtteranceBotAction` through `bot ask` (main.co:9)",
      "it waits for `user said` (main.co:10)",
    ]);
    expect(talk.why("asking back")).toEqual({
      flow: "asking back",
      outcome: "ran",
      reasons: ["it was started by `main`", "it waits for `user said something unexpected` (main.co:53)"],
    });
    await talk.user("where are you?");
    expect(talk.why("ordering flowers").reasons.slice(-2)).toEqual([
      "it was paused while `telling the way` went on",
      "it is paused until `telling the way` is over",
    ]);
    talk.close();
  });

  it("where flows compete, fail and wait for undefined flows", async () => {
    const colang = `import core

flow exact
  user said "hi"
  bot say "A"

flow any
  user said something
  bot say "B"

flow broken
  user said "hi"
  $x = 1 / 0

flow stuck
  dance

flow main
  activate exact and any
  start broken
  start stuck
  wait indefinitely

flow twin
  user said "yo"
  bot say "C"

flow other twin
  user said "yo"
  bot say "D"

@active
flow twins
  activate twin and other twin
  wait indefinitely
`;
    const { explain } = await (await Guardrails.fromConfig({ colang, config })).generate("hi");
    expect(explain.why("exact").reasons).toContain(
      "it did `StartUtteranceBotAction` through `bot say` (main.co:5); `any` fitted worse: 0.9 under 1",
    );
    expect(explain.why("any")).toMatchObject({ outcome: "lost" });
    expect(explain.why("any").reasons).toContain(
      "it wanted `StartUtteranceBotAction` through `bot say` (main.co:9), but `exact` fitted better: 1 over 0.9",
    );
    expect(explain.why("broken")).toMatchObject({ outcome: "failed" });
    expect(explain.why("broken").reasons).toContain("an error (main.co:13): division by zero");
    expect(explain.why("stuck").reasons).toContain("it waits for `dance`, which is not defined (main.co:16)");
    expect(explain.why("main").reasons).toContain("it waits for `stuck` (main.co:21)");
    expect(() => explain.why("exakt")).toThrow("did you mean `exact`?");

    const said = await (await Guardrails.fromConfig({ colang, config })).generate("yo");
    const both = ["twin", "other twin"].map((flow) => said.explain.why(flow));
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(["decided", "lost"]);
    for (const { reasons } of both) {
      expect(reasons.join("\n")).toMatch(/`(?:other )?twin` fitted as well, and the choice was left to chance/);
    }
  });

  it("with a model and a rail: the decision of the rail, and the task of the model", async () => {
    const colang = `import core
import llm

flow no digits
  global $bot_message
  if search("[0-9]", $bot_message)
    bot say "No numbers."
    abort

flow user asked price
  user said "how much"

flow price
  user asked price
  bot say "It is 8 euros"

flow main
  activate llm continuation and price
  wait indefinitely
`;
    const rails = { output: { flows: ["no digits"] } };
    const llm = scriptedModel(["user intent: user asked price"]);
    const guardrails = await Guardrails.fromConfig({ colang, config: { ...config, rails } }, { llm });
    const { explain, response } = await guardrails.generate("what does it cost");
    expect(response).toBe("No numbers.");
    expect(explain.why("no digits")).toEqual({
      flow: "no digits",
      outcome: "decided",
      reasons: ["it ran as a rail of the stage `output`: blocked"],
    });
    expect(explain.why("price").reasons).toContain("it failed: it could not go on after `FlowFailed` of `bot say`");
    expect(explain.why("generating user intent for unhandled user utterance").reasons.join("\n")).toMatch(
      /it did `StartGenerateUserIntentAction` \(llm:\d+\)/,
    );
    expect(
      JSON.stringify(["no digits", "price", "main", "output rails"].map((flow) => explain.why(flow))),
    ).not.toContain("euros");
  });
});
