import { describe, expect, it } from "@jest/globals";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { Guardrails } from "../../../src/index.js";
import { type EventChat, eventChat } from "../../../src/testing/index.js";

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
const SPEECH = 'flow speech\n  match Go()\n  bot say "a long story"\n  send Spoken()\n  wait indefinitely\n';

/** A conversation on the host of the runtime, in which an event must end each utterance. */
async function open(...main: readonly string[]): Promise<EventChat> {
  const body = ["start speech", ...main, "wait indefinitely"].map((line) => `  ${line}`).join("\n");
  const colang = `import core\nimport avatars\n\nflow main\n${body}\n\n@loop("speech")\n${SPEECH}`;
  const guardrails = await Guardrails.fromConfig({ colang, config: { colang_version: "2.x" } });
  return eventChat(guardrails, { instantActions: [] });
}

async function beginSpeech(talk: EventChat): Promise<readonly string[]> {
  const sent = await talk.send({ type: "Go" });
  const uid = sent.find(({ type }) => type === "StartUtteranceBotAction")?.["action_uid"];
  return shown([...sent, ...(await talk.send({ type: "UtteranceBotActionStarted", action_uid: uid }))]);
}

/** Names of events, with the posture or the title they are about. */
const shown = (events: readonly GuardrailsEvent[]): string[] =>
  events.map(({ type, posture, title }) => [type, posture ?? title].filter((part) => part !== undefined).join(" "));

describe("user interrupted bot talking", () => {
  it.each([
    ["words that say so", "STOP it", true],
    ["many words", "well, I know that one", true],
    ["few words that do not", "aha", false],
  ])("takes %s for an interruption: %j is %j", async (_, text, isOne) => {
    const talk = await open("user interrupted bot talking", "send Interrupted()");
    expect(await talk.send(saying(text))).toEqual([]);
    await beginSpeech(talk);
    expect(shown(await talk.send(saying(text)))).toEqual(isOne ? ["Interrupted"] : []);
    talk.close();
  });

  it("matches whole utterances too, by the limit and the words it is given", async () => {
    const talk = await open('user interrupted bot talking 3 "halt"', "send Interrupted()");
    await beginSpeech(talk);
    expect(shown(await talk.send(transcript("aha")))).toEqual([]);
    expect(shown(await talk.send(transcript("ahaa")))).toEqual(["Interrupted"]);
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
    ["interrupt finishes what the bot does, so it goes on", '"interrupt"', ["StopUtteranceBotAction", "Spoken"]],
    ["abort fails what the bot does, and those who asked for it", '"abort"', ["StopUtteranceBotAction"]],
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
      "StopPostureBotAction",
      "Spoken",
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
