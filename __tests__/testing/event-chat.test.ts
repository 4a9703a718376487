import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../src/index.js";
import { eventChat } from "../../src/testing/index.js";

const COLANG = `import core
import timing

flow specific
  user said "hi"
  bot say "Hi, you"

flow general
  user said something
  bot say "Hm"

flow broken
  user said "break"
  $x = 1 / 0

flow bowing
  user said "bow"
  await GestureBotAction(gesture="bow")
  bot say "There"

flow reminding
  user said "later"
  wait 90
  bot say "Now"

flow main
  activate specific and general and broken and bowing and reminding
  wait indefinitely
`;

const open = async () => eventChat(await Guardrails.fromConfig({ colang: COLANG, config: { colang_version: "2.x" } }));

describe("eventChat", () => {
  it("plays a dialogue with timers and with actions of others", async () => {
    const talk = await open();
    expect(await talk.user("hi")).toBe("Hi, you");
    talk.bot(/you$/);
    expect(() => talk.bot("no")).toThrow(/expected the bot to say no, but it went\n> hi\n< Hi, you/);
    await talk.user("bow");
    await talk.finish("GestureBotAction", { is_success: true });
    talk.bot("There");
    await expect(talk.finish("DanceBotAction")).rejects.toThrow(/no `DanceBotAction` was emitted/);
    await talk.user("later");
    expect(talk.timers).toEqual([90]);
    expect(await talk.ring()).toBe("Now");
    await expect(talk.ring()).rejects.toThrow(/no timer runs/);
    talk.close();
    expect(talk.transcript).toContain("! StartGestureBotAction\n< There");
  });

  it("sends what the user types as one utterance, from its start to its end", async () => {
    const colang = `import core

flow main
  while True
    match UtteranceUserAction.Started() as $begun
    match $begun.action.Finished() as $said
    bot say "{$said.final_transcript} {$said.action_uid == $begun.action_uid}"
`;
    const talk = await eventChat(await Guardrails.fromConfig({ colang, config: { colang_version: "2.x" } }));
    expect(await talk.user("one")).toBe("one True");
    expect(await talk.user("two")).toBe("two True");
    talk.close();
  });

  it("explains why a flow won, lost or failed", async () => {
    const talk = await open();
    await talk.user("hi");
    expect([talk.why("specific").outcome, talk.why("general").outcome]).toEqual(["decided", "lost"]);
    expect(talk.why("general").reasons.join("\n")).toMatch(
      /\(main\.co:\d+\), but `specific` fitted better: 1 over 0\.9/,
    );
    await talk.user("break");
    expect(talk.why("broken").reasons.join("\n")).toMatch(/division/);
    expect(() => talk.why("specifc")).toThrow(/unknown flow `specifc`/);
    talk.close();
  });
});
