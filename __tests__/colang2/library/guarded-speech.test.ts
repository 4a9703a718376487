import { describe, expect, it } from "@jest/globals";
import { Driver } from "../engine-driver.js";
import { defineAction } from "../../../src/actions/define-action.js";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { Guardrails } from "../../../src/index.js";
import { eventChat, scriptedModel } from "../../../src/testing/index.js";

const RAILS: Readonly<Record<string, string>> = {
  "no rails": "",
  "rails that ask an action":
    'flow output rails $output_text\n  global $bot_message\n  $text = await ReviewAction(text=$output_text)\n  if $text == "bad"\n    abort\n  $bot_message = $text\n',
  "rails that wait for nothing":
    'flow output rails $output_text\n  global $bot_message\n  if $output_text == "bad"\n    abort\n  $bot_message = $output_text\n',
  "rails that run flows":
    'flow output rails $output_text\n  check text $output_text\n\nflow check text $text\n  check word $text\n\nflow check word $text\n  if $text == "bad"\n    abort\n',
};

const shown = (events: readonly GuardrailsEvent[]): string[] =>
  events.map(({ type, script, gesture }) => [type, script ?? gesture].filter((part) => part !== undefined).join(" "));

/** Events after `Go`. Seeds decide ties, and every conversation has another one. */
async function play(rails: string, body: readonly string[], flows = ""): Promise<readonly string[]> {
  const lines = ["match Go()", ...body, "send Past()", "wait indefinitely"].map((line) => `  ${line}`);
  const colang = `import core\nimport guardrails\nimport avatars\n\nflow main\n${lines.join("\n")}\n\n${RAILS[rails] ?? ""}\n${flows}`;
  const ReviewAction = defineAction({ name: "ReviewAction" }, ({ text }: { readonly text?: unknown }) => text);
  const guardrails = await Guardrails.fromConfig(
    { colang, config: { colang_version: "2.x" } },
    { actions: { ReviewAction }, logger: false },
  );
  const talk = await eventChat(guardrails, { instantActions: [] });
  const events = shown(await talk.send({ type: "Go" } as GuardrailsEvent));
  talk.close();
  return events;
}

const ONE = "StartUtteranceBotAction one";
const TWO = "StartUtteranceBotAction two";
const WAVE = "StartGestureBotAction wave";

describe.each(Object.keys(RAILS))("speech under guardrails with %s", (rails) => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["another text", ['start bot say "one"', 'start bot inform "two"'], [ONE, TWO, "Past"]],
    ["a group of texts", ['start bot say "one" and bot say "two"'], [ONE, TWO, "Past"]],
    ["a gesture", ['start bot say "one"', 'start bot gesture "wave"'], [ONE, WAVE, "Past"]],
    ["a group of text and gesture", ['start bot say "one" and bot gesture "wave"'], [ONE, WAVE, "Past"]],
    ["an event", ['start bot say "one"', "send Other()"], [ONE, "Other", "Past"]],
  ])("emits each text and what its flow does next: %s", async (_, body, events) => {
    for (let conversation = 0; conversation < 4; conversation += 1) {
      const played = await play(rails, body);
      expect(played.toSorted()).toEqual(events.toSorted());
      expect(played.filter((event) => [ONE, TWO].includes(event))).toEqual(
        events.filter((event) => [ONE, TWO].includes(event)),
      );
    }
  });
});

describe.each(Object.keys(RAILS))("of flows that react to the same event, under guardrails with %s", (rails) => {
  const SPECIFIC = 'flow specific\n  match Said(text="hi")\n  bot say "one"\n\n';
  const IN_GROUP = 'flow specific\n  match Said(text="no") or Said(text="hi")\n  bot inform "one"\n\n';
  const GENERAL = 'flow general\n  match Said()\n  bot say "two"\n\n';

  it.each([
    ["before the general one", SPECIFIC, "activate specific and general"],
    ["after the general one", SPECIFIC, "activate general and specific"],
    ["with a group of events, before", IN_GROUP, "activate specific and general"],
    ["with a group of events, after", IN_GROUP, "activate general and specific"],
  ])("the more specific one speaks: activated %s", async (_, specific, activation) => {
    const body = [activation, 'send Said(text="hi")'];
    expect(await play(rails, body, `${specific}${GENERAL}`)).toEqual(["Said", "Past", ONE]);
  });

  it("both speak if they are in different loops", async () => {
    const body = ["activate general and specific", 'send Said(text="hi")'];
    const played = await play(rails, body, `${SPECIFIC}@loop("other")\n${GENERAL}`);
    expect(played.toSorted()).toEqual(["Past", "Said", ONE, TWO]);
  });
});

describe.each(Object.keys(RAILS))("after a text that is blocked, under guardrails with %s", (rails) => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["another text", ['start bot say "bad"', 'start bot say "two"'], [TWO, "Past"]],
    ["a group of texts", ['start bot say "bad" and bot say "two"'], [TWO, "Past"]],
    ["a gesture", ['start bot say "bad"', 'start bot gesture "wave"'], [WAVE, "Past"]],
    ["an event", ['start bot say "bad"', "send Other()"], ["Other", "Past"]],
    ["a flow that says it", ["start saying", "send Other()"], ["Other", "Past"]],
  ])("the flow that started it continues: %s", async (_, body, events) => {
    for (let conversation = 0; conversation < 4; conversation += 1) {
      const played = await play(rails, body, 'flow saying\n  bot say "bad"\n');
      const allowed = rails === "no rails" ? ["StartUtteranceBotAction bad", ...events] : events;
      expect(played.toSorted()).toEqual(allowed.toSorted());
    }
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ["a flow that awaits it", ['bot say "bad"', "send Other()"], []],
    ["a case that awaits it", ['when bot say "bad"', "  send Wrong()", "else", "  send Other()"], ["Other", "Past"]],
  ])("%s fails", async (_, body, events) => {
    expect(await play(rails, body)).toEqual(rails === "no rails" ? ["StartUtteranceBotAction bad"] : events);
  });
});

it("a text is emitted after one that was stopped under review", () => {
  const speaking = (flow: string, text: string) => `flow ${flow}\n  match Go()\n  bot say "${text}"\n\n`;
  const main =
    "flow main\n  start first as $first\n  start second\n  match Halt()\n  send $first.Stop()\n  wait indefinitely\n\n";
  const rails = RAILS["rails that ask an action"] ?? "";
  const driver = new Driver(
    `import core\nimport guardrails\n\n${speaking("first", "one")}@loop("NEW")\n${speaking("second", "two")}${main}${rails}`,
  );
  driver.batch();
  const sent: string[] = [];
  /** Ends the last action that these events start, except for the review of the first text. */
  const play = (event: GuardrailsEvent): void => {
    const events = driver.batch(event);
    sent.push(...events.map(({ type, text, script }) => [type, text ?? script].filter(Boolean).join(" ")));
    const started = events.findLast(({ type, text }) => type.startsWith("Start") && text !== "one");
    if (started === undefined) return;
    const { type, action_uid, text } = started;
    play({ type: `${type.slice("Start".length)}Finished`, action_uid, return_value: text ?? true, is_success: true });
  };
  play({ type: "Go" });
  play({ type: "Halt" });
  expect(sent).toEqual([
    "StartCheckValidFlowExistsAction",
    "StartReviewAction one",
    "StopReviewAction",
    "StartCheckFlowDefinedAction",
    "StartReviewAction two",
    TWO,
  ]);
});

/** A conversation with `llm` in which an event must end each utterance, and what each utterance of the user leads to. */
async function respond(main: string, completions: readonly string[], ...texts: readonly string[]): Promise<string[][]> {
  const colang = `import core\nimport llm\n\nflow main\n${main}  wait indefinitely\n`;
  const llm = scriptedModel([...completions]);
  const guardrails = await Guardrails.fromConfig({ colang, config: { colang_version: "2.x" } }, { llm, logger: false });
  const talk = await eventChat(guardrails, { instantActions: [] });
  const events: string[][] = [];
  for (const [at, text] of texts.entries()) {
    const given = {
      type: "UtteranceUserActionFinished",
      action_uid: `u${at}`,
      final_transcript: text,
      is_success: true,
    };
    events.push(shown(await talk.send(given as GuardrailsEvent)));
  }
  talk.close();
  return events;
}

describe("an unexpected utterance of the user", () => {
  it.each([
    ["llm continuation", ["user intent: user asked for joke", 'bot intent: bot joke\nbot action: bot say "one"']],
    [
      "continuation on unhandled user utterance",
      ['user intent: user asked for joke\nbot intent: bot joke\nbot action: bot say "one"'],
    ],
  ])("is not answered while the bot speaks: %s", async (flow, completions) => {
    const events = await respond(`  activate ${flow}\n`, [...completions, ...completions], "tell me", "and now?");
    expect(events).toEqual([[ONE], []]);
  });

  it("goes to the flow that waits for its intent, though no flow defines that", async () => {
    for (let conversation = 0; conversation < 6; conversation += 1) {
      const main = "  activate llm continuation\n  user asked for joke\n  send Past()\n";
      expect(await respond(main, ["user intent: user asked for joke"], "tell me")).toEqual([["Past"]]);
    }
  });
});
