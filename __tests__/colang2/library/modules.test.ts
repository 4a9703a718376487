import { describe, expect, it } from "@jest/globals";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { Guardrails } from "../../../src/index.js";
import { type EventChat, eventChat } from "../../../src/testing/index.js";
import { defineAction } from "../../../src/actions/define-action.js";
import { type HostOptions, TestHost } from "../../runtime/colang2/generation/host.js";

const STARTED: GuardrailsEvent = { type: "UtteranceUserActionStarted", action_uid: "u" };
const transcript = (text: string): GuardrailsEvent => ({
  type: "UtteranceUserActionFinished",
  action_uid: "u",
  final_transcript: text,
  is_success: true,
});
const saying = (text: string): GuardrailsEvent => ({
  type: "UtteranceUserActionTranscriptUpdated",
  action_uid: "u",
  interim_transcript: text,
});

/** The bot speaks from `Go` on, until an event ends the utterance. */
const SPEECH = 'flow speech\n  while True\n    match Go()\n    bot say "a long story"\n    send Spoken()\n';

/** A conversation on the host of the runtime, in which an event must end each utterance. */
async function open(...main: readonly string[]): Promise<EventChat> {
  const body = ["start speech", ...main, "wait indefinitely"]
    .map((line) => (line.startsWith("flow ") ? line : `  ${line}`))
    .join("\n");
  const colang = `import core\nimport avatars\n\nflow main\n${body}\n\n@loop("speech")\n${SPEECH}`;
  const guardrails = await Guardrails.fromConfig({ colang, config: { colang_version: "2.x" } });
  return eventChat(guardrails, { instantActions: [] });
}

async function beginSpeech(talk: EventChat): Promise<readonly string[]> {
  const sent = await talk.send({ type: "Go" });
  const uid = sent.find(({ type }) => type === "StartUtteranceBotAction")?.["action_uid"];
  return shown([...sent, ...(await talk.send({ type: "UtteranceBotActionStarted", action_uid: uid }))]);
}

/** Names of events, with their posture or title. */
const shown = (events: readonly GuardrailsEvent[]): string[] =>
  events.map(({ type, posture, title }) => [type, posture ?? title].filter((part) => part !== undefined).join(" "));

describe("user interrupted bot talking", () => {
  it.each([
    ["words that interrupt", "STOP it", true],
    ["many words", "well, I know that one", true],
    ["few words that do not", "aha", false],
  ])("treats %s as an interruption: %j is %j", async (_, text, isOne) => {
    const talk = await open("user interrupted bot talking", "send Interrupted()");
    expect(await talk.send(saying(text))).toEqual([]);
    await beginSpeech(talk);
    expect(shown(await talk.send(saying(text)))).toEqual(isOne ? ["Interrupted"] : []);
    talk.close();
  });

  it("matches whole utterances too, with a configured limit and words", async () => {
    const talk = await open('user interrupted bot talking 3 "halt"', "send Interrupted()");
    await beginSpeech(talk);
    expect(shown(await talk.send(transcript("aha")))).toEqual([]);
    expect(shown(await talk.send(transcript("ahaa")))).toEqual(["Interrupted"]);
    talk.close();
  });

  it("expects nothing of the user while the bot does not speak, also after it has", async () => {
    const talk = await open(
      "activate unexpected",
      "user interrupted bot talking",
      "send Interrupted()",
      "wait indefinitely",
      "",
      "flow unexpected",
      "user said something unexpected",
      "send Unexpected()",
      "return",
    );
    expect(shown(await talk.send(transcript("aha")))).toEqual(["Unexpected"]);
    await beginSpeech(talk);
    expect(shown(await talk.finish("UtteranceBotAction", { is_success: true }))).toContain("Spoken");
    expect(shown(await talk.send(transcript("stop, I have a long question")))).toEqual(["Unexpected"]);
    await beginSpeech(talk);
    expect(shown(await talk.send(transcript("aha")))).toEqual([]);
    expect(shown(await talk.send(transcript("stop")))).toEqual(["Interrupted"]);
    talk.close();
  });
});

describe("handling bot talking interruption", () => {
  const interrupt = async (mode: string): Promise<{ readonly talk: EventChat; readonly sent: readonly string[] }> => {
    const talk = await open(`activate handling bot talking interruption ${mode}`);
    await beginSpeech(talk);
    return { talk, sent: shown(await talk.send(saying("please cancel that"))) };
  };

  it.each([
    ["interrupt finishes what the bot does, so it continues", '"interrupt"', ["StopUtteranceBotAction", "Spoken"]],
    ["abort fails what the bot does, and the flows that requested it", '"abort"', ["StopUtteranceBotAction"]],
    ["ignore does nothing", '"ignore"', []],
  ])("%s", async (_, mode, expected) => {
    const { talk, sent } = await interrupt(mode);
    expect(sent).toEqual(expected);
    talk.close();
  });

  it("inform shows a notice for three seconds", async () => {
    const { talk, sent } = await interrupt("");
    expect(sent).toEqual(["StartVisualInformationSceneAction Please wait until I have finished."]);
    expect(talk.timers).toEqual([3]);
    await talk.ring();
    expect(talk.transcript).toContain("! StopVisualInformationSceneAction");
    talk.close();
  });
});

describe("postures", () => {
  it("managing listening posture: while the user speaks", async () => {
    const talk = await open("activate managing listening posture");
    expect(shown(await talk.send(STARTED))).toEqual(["StartPostureBotAction listening"]);
    expect(shown(await talk.send(transcript("x")))).toEqual(["StopPostureBotAction"]);
    expect(shown(await talk.send(STARTED))).toEqual(["StartPostureBotAction listening"]);
    talk.close();
  });

  it("managing talking posture: while the bot speaks", async () => {
    const talk = await open("activate managing talking posture");
    expect(await beginSpeech(talk)).toEqual(
      expect.arrayContaining(["StartUtteranceBotAction", "StartPostureBotAction talking"]),
    );
    expect(shown(await talk.finish("UtteranceBotAction", { is_success: true })).toSorted()).toEqual([
      "Spoken",
      "StopPostureBotAction",
    ]);
    talk.close();
  });

  it("managing thinking posture: from the end of an utterance until the next one", async () => {
    const talk = await open("activate managing thinking posture");
    expect(shown(await talk.send(transcript("x")))).toEqual(["StartPostureBotAction thinking"]);
    expect(shown(await talk.send(STARTED))).toEqual(["StopPostureBotAction"]);
    expect(shown(await talk.send(transcript("x")))).toEqual(["StartPostureBotAction thinking"]);
    expect(await beginSpeech(talk)).toContain("StopPostureBotAction");
    talk.close();
  });

  it("managing attentive posture: always, where the bot has nothing else to do", async () => {
    const talk = await open("activate managing attentive posture");
    expect(talk.transcript).toBe("! StartPostureBotAction");
    expect(talk.timers).toEqual([]);
    expect(await talk.send(STARTED)).toEqual([]);
    talk.close();
  });

  it("managing attentive posture with idling: until no utterance has come for a while", async () => {
    const talk = await open("activate managing attentive posture True");
    expect(talk.timers).toEqual([10]);
    await talk.ring();
    expect(talk.transcript.split("\n").slice(1)).toEqual([
      "! a timer rings after 10 s",
      "! StopPostureBotAction",
      "! StartPostureBotAction",
    ]);
    expect(shown(await talk.send(STARTED))).toEqual(["StopPostureBotAction", "StartPostureBotAction attentive"]);
    talk.close();
  });

  it("managing bot postures: all of them", async () => {
    const talk = await open("activate managing bot postures");
    expect(talk.transcript).toBe("! StartPostureBotAction");
    expect(shown(await talk.send(STARTED))).toEqual(["StartPostureBotAction listening"]);
    expect(shown(await talk.send(transcript("x")))).toEqual(
      expect.arrayContaining(["StopPostureBotAction", "StartPostureBotAction thinking"]),
    );
    expect(await beginSpeech(talk)).toEqual(
      expect.arrayContaining(["StopPostureBotAction", "StartPostureBotAction talking"]),
    );
    talk.close();
  });
});

describe("the module `llm`", () => {
  const GO = { type: "Go" } as GuardrailsEvent;
  const HALT = { type: "Halt" } as GuardrailsEvent;

  /** A program whose `main` does this and then waits, beside these flows. */
  const program = (main: readonly string[], ...flows: readonly string[]): string =>
    `import core\nimport llm\n\nflow main\n${main.map((line) => `  ${line}\n`).join("")}  wait indefinitely\n\n${flows.join("\n\n")}\n`;

  const open = (main: readonly string[], flows: readonly string[] = [], options: HostOptions = {}): Promise<TestHost> =>
    TestHost.open(program(main, ...flows), options);

  const logged = ({ access }: TestHost): readonly string[] => access.history.map(({ name, flow }) => `${name} ${flow}`);

  describe("polling llm request response", () => {
    it("exists, waits and calls no model", async () => {
      const host = await open([
        "start polling llm request response 0.5 as $polling",
        "match Go()",
        "bot say $polling.status",
      ]);
      expect(await host.send(GO)).toEqual(["started"]);
      expect(host.conversation.state.index.byFlow.get("polling llm request response").size).toBe(2);
      expect([...host.conversation.state.index.actions.values()].map(({ name }) => name)).not.toContain(
        "TimerBotAction",
      );
    });
  });

  describe("an intent that no flow waits for", () => {
    const UNKNOWN = 'send FinishFlow(flow_id="user asked for joke")';

    it("unhandled user intent: returns it", async () => {
      const host = await open(
        ["start caller", "unhandled user intent as $u", 'bot say "{$u.intent}"'],
        [`flow caller\n  match Go()\n  ${UNKNOWN}`],
      );
      expect(await host.send(GO)).toEqual(["user asked for joke"]);
    });

    it("unhandled user intent: ignores handled intents and events that are not user intents", async () => {
      const host = await open(
        ["start user asked for joke", "start caller", "unhandled user intent", 'bot say "unhandled"'],
        [
          `flow caller\n  match Go()\n  ${UNKNOWN}\n  send FinishFlow(flow_id="bot waves")`,
          "flow user asked for joke\n  match Joke()",
        ],
      );
      expect(await host.send(GO)).toEqual([]);
    });

    it("continuation on unhandled user intent: asks the model for the continuation", async () => {
      const host = await open(["activate continuation on unhandled user intent", "match Go()", UNKNOWN], [], {
        llm: ['bot intent: bot tell joke\nbot action: bot say "Knock!"'],
      });
      expect(await host.send(GO)).toEqual(["Knock!"]);
      expect(host.added).toEqual([]);
    });

    it("tracking unhandled user intent state: keeps the last one until an intent is understood", async () => {
      const host = await open(
        [
          "activate tracking unhandled user intent state and automating intent detection",
          "match Go()",
          UNKNOWN,
          "user asked for help",
        ],
        ["flow user asked for help\n  match Help()"],
      );
      const state = (): unknown => host.access.globals["user_intent_state"] ?? null;
      expect(state()).toBeNull();
      await host.send(GO);
      expect(state()).toBe("user asked for joke");
      await host.send({ type: "Help" } as GuardrailsEvent);
      expect(state()).toBeNull();
    });
  });

  describe("the continuation of an interaction", () => {
    const AWAY: HostOptions = {
      actions: [defineAction({ name: "GenerateFlowContinuationAction" }, () => Promise.reject(new Error("away")))],
      local: ["RetrieveRelevantChunksAction", "AddFlowsAction", "RemoveFlowsAction", "CheckFlowDefinedAction"],
    };
    const REPLY = 'bot intent: bot tell joke\nbot action: bot say "Knock!"';

    it("llm generate interaction continuation flow: adds it and gives its name", async () => {
      const host = await open(
        ["match Go()", "$name = await llm generate interaction continuation flow", 'bot say "{$name}"'],
        [],
        { llm: [REPLY] },
      );
      const [name] = await host.send(GO);
      expect(name).toMatch(/^_dynamic_\w{8} bot tell joke$/);
      expect(host.added).toEqual([name]);
    });

    it("llm generate interaction continuation flow: returns none if it cannot be written", async () => {
      const host = await open(
        ["match Go()", "$name = await llm generate interaction continuation flow", 'bot say "{$name}"'],
        [],
        AWAY,
      );
      expect(await host.send(GO)).toEqual(["None"]);
    });

    it.each<[string, HostOptions, readonly string[]]>([
      ["does it and removes it", { llm: [REPLY] }, ["Knock!", "on"]],
      ["fails when there is none", AWAY, ["off"]],
    ])("llm continue interaction: %s", async (_, options, said) => {
      const host = await open(
        ["match Go()", "when llm continue interaction", '  bot say "on"', "else", '  bot say "off"'],
        [],
        options,
      );
      expect(await host.send(GO)).toEqual(said);
      expect(host.added).toEqual([]);
    });
  });

  describe("automating intent detection", () => {
    const FLOWS = [
      "flow user asked for help\n  match Help()",
      'flow bot offers help\n  bot say "Sure."',
      "@meta(user_intent=True)\nflow user left\n  match Bye()",
      '@meta(bot_intent=True)\nflow bot says bye\n  bot say "Bye."',
    ];
    const HELP = { type: "Help" } as GuardrailsEvent;
    const BYE = { type: "Bye" } as GuardrailsEvent;

    it("marking and logging marked user intent flows, and those of the bot: flows of these names", async () => {
      const host = await open(
        ["activate automating intent detection", "user asked for help", "bot offers help"],
        FLOWS,
      );
      expect(host.access.globals["user_intent_uids"]).toHaveLength(1);
      expect(await host.send(HELP)).toEqual(["Sure."]);
      expect(logged(host)).toEqual([
        "UserIntentLog user asked for help",
        "BotActionLog bot say",
        "BotIntentLog bot offers help",
      ]);
      expect(host.access.globals).toMatchObject({ user_intent_uids: [], bot_intent_uids: [] });
    });

    it("logs tagged ones once", async () => {
      const host = await open(["activate automating intent detection", "user left", "bot says bye"], FLOWS);
      await host.send(BYE);
      expect(logged(host).filter((log) => log.includes("Intent"))).toEqual([
        "UserIntentLog user left",
        "BotIntentLog bot says bye",
      ]);
      expect(host.access.globals["user_intent_uids"] ?? []).toEqual([]);
    });

    it("does not log, and forgets, a cancelled one", async () => {
      const host = await open(
        [
          "activate automating intent detection",
          "while True",
          "  when user asked for help",
          "    pass",
          "  or when Halt()",
          "    pass",
        ],
        FLOWS,
      );
      for (let turn = 0; turn < 5; turn += 1) await host.send(HALT);
      expect(logged(host)).toEqual([]);
      expect(host.access.globals["user_intent_uids"]).toHaveLength(1);
    });
  });
});
