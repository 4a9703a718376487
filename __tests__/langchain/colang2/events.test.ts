import { describe, expect, it } from "@jest/globals";
import { type EventSession, Guardrails, type GuardrailsEvent } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { guardrails2 } from "./guardrails-2x.js";

/** Timers that the test fires. */
function handTimers() {
  const timers: { readonly ms: number; isStopped: boolean; ring(): void }[] = [];
  return {
    timers,
    startTimer: (ms: number, ring: () => void) => {
      const timer = { ms, isStopped: false, ring };
      timers.push(timer);
      return () => {
        timer.isStopped = true;
      };
    },
  };
}

async function read(session: EventSession, count: number): Promise<GuardrailsEvent[]> {
  const events: GuardrailsEvent[] = [];
  const iterator = session[Symbol.asyncIterator]();
  while (events.length < count) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    events.push(value);
  }
  return events;
}

const said = (text: string) => ({ type: "UtteranceUserActionFinished", final_transcript: text });
const words = (events: readonly GuardrailsEvent[]) =>
  events.map(({ type, final_script: script }) => (script === undefined ? type : `${type}: ${String(script)}`));

const WAITING = `
import timing

flow main
  user said "remind me"
  bot say "I will"
  when wait 60
    bot say "It is time"
  or when user said "never mind"
    bot say "As you like"
  match Never()
`;

describe("a conversation event by event", () => {
  it("emits, waits, and continues when the timer rings", async () => {
    const { timers, startTimer } = handTimers();
    const session = (await guardrails2({ colang: WAITING, output: [] })).events({ startTimer });
    session.send(said("remind me"));
    expect(words(await read(session, 2))).toEqual(["UtteranceBotActionStarted", "UtteranceBotActionFinished: I will"]);
    await session.settled();
    expect(timers.map(({ ms }) => ms)).toEqual([60_000]);
    timers[0]?.ring();
    expect(words(await read(session, 2))[1]).toBe("UtteranceBotActionFinished: It is time");
    session.close();
    expect(await read(session, 1)).toEqual([]);
  });

  it("cancels timers", async () => {
    const { timers, startTimer } = handTimers();
    const session = (await guardrails2({ colang: WAITING, output: [] })).events({ startTimer });
    session.send(said("remind me"));
    session.send(said("never mind"));
    expect(words(await read(session, 4))[3]).toBe("UtteranceBotActionFinished: As you like");
    expect(timers.map(({ isStopped }) => isStopped)).toEqual([true]);
    session.close();
  });

  it("logs a timer whose time is not a number", async () => {
    const lines: string[] = [];
    const logger = { warn: () => undefined, error: (line: string) => void lines.push(line) };
    const colang =
      'import core\nimport timing\n\nflow main\n  $time = "later"\n  wait $time\n  bot say "on"\n  match Never()\n';
    const guardrails = await Guardrails.fromConfig({ colang, config: { colang_version: "2.x" } }, { logger });
    const session = guardrails.events();
    expect(words(await read(session, 2))[1]).toBe("UtteranceBotActionFinished: on");
    expect(lines).toEqual([
      expect.stringMatching(/^error\[RL-201\]: action `TimerBotAction` failed.*\n {2}hint: .*`wait`/s),
    ]);
    session.close();
  });

  it("continues from a state in another process, with new timers", async () => {
    const guardrails = await guardrails2({ colang: WAITING, output: [] });
    const first = guardrails.events({ startTimer: handTimers().startTimer });
    first.send(said("remind me"));
    const state: unknown = JSON.parse(JSON.stringify(await first.state()));
    first.close();
    const { timers, startTimer } = handTimers();
    const second = guardrails.events({ state, startTimer });
    await second.settled();
    timers[0]?.ring();
    expect(words(await read(second, 2))[1]).toBe("UtteranceBotActionFinished: It is time");
    second.close();
  });

  it("restarts an ended main with the next event, and not when continuing from a state", async () => {
    const colang = `
flow main
  send Begun()
  match Knock()
  send Ended()
`;
    const guardrails = await guardrails2({ colang, output: [] });
    const first = guardrails.events();
    first.send({ type: "Knock" });
    expect(words(await read(first, 2))).toEqual(["Begun", "Ended"]);
    const state: unknown = JSON.parse(JSON.stringify(await first.state()));
    for (const session of [first, guardrails.events({ state })]) {
      session.send({ type: "Knock" });
      await session.settled();
      expect(words(await read(session, 2))).toEqual(["Begun", "Ended"]);
      session.close();
      expect(await read(session, 1)).toEqual([]);
    }
  });

  it("delegates actions to the caller, and accepts their events", async () => {
    const colang = `
flow main
  user said something
  start GestureBotAction(gesture="wave") as $wave
  match $wave.Finished()
  bot say "done"
  match Never()
`;
    const session = (await guardrails2({ colang, output: [] })).events();
    session.send(said("hi"));
    const [start] = await read(session, 1);
    expect(start).toMatchObject({
      type: "StartGestureBotAction",
      gesture: "wave",
      action_info_modality: "bot_gesture",
    });
    session.send({ type: "GestureBotActionFinished", action_uid: start?.["action_uid"], is_success: true });
    expect(words(await read(session, 2))[1]).toBe("UtteranceBotActionFinished: done");
    session.close();
  });

  it("reviews an utterance before any flow receives it, also a partial one", async () => {
    const colang = `
flow main
  activate hearing
  activate overhearing

flow hearing
  match UtteranceUserAction.Finished() as $event
  send Received(text=$event.final_transcript)

flow overhearing
  match UtteranceUserAction.TranscriptUpdated() as $event
  send Overheard(text=$event.interim_transcript)
`;
    const session = (await guardrails2({ colang, output: [] })).events();
    session.send({ type: "UtteranceUserActionTranscriptUpdated", action_uid: "u", interim_transcript: "pin 12" });
    session.send({ ...said("a bad pin"), action_uid: "u" });
    session.send(said("pin 1234"));
    expect((await read(session, 4)).map(({ type, text, final_script: script }) => [type, text ?? script])).toEqual([
      ["Overheard", "pin **"],
      ["UtteranceBotActionStarted", undefined],
      ["UtteranceBotActionFinished", "REFUSED"],
      ["Received", "pin ****"],
    ]);
    expect(JSON.stringify(await session.state())).not.toContain("a bad pin");
    session.close();
  });

  it.each([
    [{ type: "StopFlow", flow_id: "main" }, /internal event/],
    [{ type: "UtteranceUserActionFinished", final_transcript: 3 }, /to be a text/],
    ["hello", /to be a map/],
  ])("drops %j and reports it", async (event, message) => {
    const dropped: string[] = [];
    const session = (await guardrails2({ colang: WAITING, output: [] })).events({
      onDropped: ({ message: why }) => dropped.push(why),
    });
    session.send(event);
    session.send(said("remind me"));
    expect(words(await read(session, 2))[1]).toBe("UtteranceBotActionFinished: I will");
    expect(dropped).toEqual([expect.stringMatching(message)]);
    session.close();
    session.send(said("too late"));
    expect(dropped[1]).toBe("the session is closed");
  });

  it("ends with the caller's signal, and with too many events", async () => {
    const controller = new AbortController();
    const session = (await guardrails2({ colang: WAITING })).events({ signal: controller.signal });
    const reading = read(session, 1);
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    const endless = await guardrails2({
      colang: "flow main\n  while True\n    match Ping()\n    send Ping()\n",
      settings: { limits: { events_per_turn: 30 } },
    });
    const looping = endless.events();
    looping.send({ type: "Ping" });
    await expect(read(looping, 1000)).rejects.toThrow(/expected at most \d+ events/);
  });

  it.each([
    ["awaits", "flow main\n  while True\n    await PollAction()\n"],
    ["is activated for", "flow poll\n  await PollAction()\n\nflow main\n  activate poll\n  match Never()\n"],
  ])("ends with a flow that %s an asynchronous action of the user endlessly", async (_, colang) => {
    const actions = { PollAction: defineAction({ name: "PollAction", executeAsync: true }, () => Promise.resolve(1)) };
    const settings = { limits: { events_per_turn: 60 } };
    const session = (await guardrails2({ colang, settings, actions })).events();
    await expect(read(session, 1)).rejects.toMatchObject({ code: "RL-401", limit: "events_per_turn", maximum: 60 });
  });

  it.each([
    ["in `main`", "wait $time", "", "5:3"],
    ["in a flow that waits", "later $time", "\nflow later $time\n  pass\n  wait $time\n", "10:3"],
    ["of an action", 'start TimerBotAction(timer_name="t", duration=$time)', "", "5:3"],
    ["of a case", "when user was silent $time\n    pass", "", "5:3"],
  ])("names the line of a time that is not a number: %s", async (_, waiting, flow, at) => {
    const colang = `import timing\n\nflow main\n  $time = "1"\n  ${waiting}\n  match Never()\n${flow}`;
    const errors: string[] = [];
    const logger = { warn: () => undefined, error: (line: string) => void errors.push(line) };
    const config = { colang, config: { colang_version: "2.x" } };
    const session = (await Guardrails.fromConfig(config, { logger })).events();
    await session.settled();
    session.close();
    expect(errors).toEqual([
      expect.stringMatching(/^error\[RL-201\]: action `TimerBotAction`[^\n]*\n {2}at (.*)\n {2}hint: /),
    ]);
    expect(errors[0]).toContain(`\n  at main.co:${at}\n`);
  });

  it("counts the events of asynchronous actions anew for each event from outside", async () => {
    const actions = { PollAction: defineAction({ name: "PollAction", executeAsync: true }, () => Promise.resolve(1)) };
    const colang = "flow main\n  while True\n    match Ask()\n    await PollAction()\n    send Asked()\n";
    const settings = { limits: { events_per_turn: 12 } };
    const session = (await guardrails2({ colang, settings, actions })).events();
    for (let asked = 0; asked < 20; asked += 1) {
      session.send({ type: "Ask" });
      expect(words(await read(session, 1))).toEqual(["Asked"]);
    }
    session.close();
  });

  it.each<[string, readonly string[]]>([
    ["by itself", ["abort"]],
    ["with a text that the rails block", ['bot say "bad"']],
    ["with a flow that it awaits", ["failing"]],
  ])("does not begin a `main` again that fails %s when its actions are reported", async (_, ending) => {
    const lines = ['start bot say "one"', ...ending].map((line) => `  ${line}`).join("\n");
    const rails = 'flow output rails $output_text\n  if "bad" in $output_text\n    abort\n\nflow failing\n  abort\n';
    const colang = `import core\nimport guardrails\n\nflow main\n${lines}\n\n${rails}`;
    const guardrails = await Guardrails.fromConfig({ colang, config: { colang_version: "2.x" } }, { logger: false });
    const emitted: string[] = [];
    const play = async (session: EventSession, sent?: object): Promise<void> => {
      if (sent !== undefined) session.send(sent);
      for (const { type, action_uid } of await read(session, 2)) {
        emitted.push(type);
        const name = type.replace(/^(?:Start|Stop)/, "");
        session.send({
          type: `${name}${type.startsWith("Start") ? "Started" : "Finished"}`,
          action_uid,
          is_success: true,
        });
      }
      await session.settled();
    };
    const first = guardrails.events({ instantActions: [] });
    await play(first);
    await play(first, said("hi"));
    // Also in another process.
    const second = guardrails.events({ instantActions: [], state: await first.state() });
    first.close();
    await second.settled();
    await play(second, said("hi"));
    expect(emitted).toEqual(
      Array.from({ length: 3 }, () => ["StartUtteranceBotAction", "StopUtteranceBotAction"]).flat(),
    );
    const rest = read(second, 1);
    await second.settled();
    second.close();
    expect(await rest).toEqual([]);
  });

  describe("model calls of a flow that never ends", () => {
    const asking = (lines: readonly string[]) => {
      const body = ["while True", '  $value = ..."a number"', ...lines.map((line) => `  ${line}`)];
      const colang = `import core\nimport timing\n\nflow main\n${body.map((line) => `  ${line}`).join("\n")}\n`;
      const llm = scriptedModel("5");
      const config = { colang_version: "2.x", limits: { llm_calls_per_turn: 6, events_per_turn: 100 } };
      return { llm, opening: Guardrails.fromConfig({ colang, config }, { llm, logger: false }) };
    };

    it("are limited between events from outside", async () => {
      const { llm, opening } = asking(["send Value(of=$value)"]);
      const session = (await opening).events();
      await expect(read(session, 1000)).rejects.toThrow(/at most 100 events/);
      expect(llm.calls).toHaveLength(6);
    });

    it.each<[string, string]>([
      ["each event", "match Next()"],
      ["each timer", "wait 1"],
    ])("are counted anew with %s", async (_, waiting) => {
      const { llm, opening } = asking([waiting]);
      const { timers, startTimer } = handTimers();
      const session = (await opening).events({ startTimer });
      for (let round = 0; round < 20; round += 1) {
        await session.settled();
        if (waiting === "wait 1") timers.at(-1)?.ring();
        else session.send({ type: "Next" });
        await Promise.resolve();
      }
      await session.settled();
      expect(llm.calls).toHaveLength(21);
      session.close();
    });
  });

  it("requires Colang 2.x", async () => {
    const guardrails = await Guardrails.fromConfig({ colang: 'define user greet\n  "hi"\n' });
    expect(() => guardrails.events()).toThrow(/needs a configuration in Colang 2.x/);
  });
});
