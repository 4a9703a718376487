import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../../src/index.js";
import { eventChat, scriptedModel } from "../../../src/testing/index.js";

const config = { colang_version: "2.x" };

describe("why a flow acted or did not, as a user asks", () => {
  it("in a dialogue that is interrupted: places in the own files, pauses, and what is waited for", async () => {
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

  it("with a model and a rail: what the rail decided, and what the model was asked for", async () => {
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
