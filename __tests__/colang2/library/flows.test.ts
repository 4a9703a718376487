import { describe, expect, it } from "@jest/globals";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { TestHost } from "../../runtime/colang2/generation/host.js";

type Step = readonly [input: string | GuardrailsEvent, output: readonly string[]];

const event = (type: string, fields: Readonly<Record<string, unknown>> = {}): GuardrailsEvent =>
  ({ type, ...fields }) as unknown as GuardrailsEvent;

const GO = event("Go");
/** The user begins, continues and ends an utterance. */
const started = event("UtteranceUserActionStarted", { action_uid: "u" });
const saying = (text: string): GuardrailsEvent =>
  event("UtteranceUserActionTranscriptUpdated", { action_uid: "u", interim_transcript: text });

async function play(source: string, steps: readonly Step[]): Promise<TestHost> {
  const host = await TestHost.open(source);
  for (const [input, output] of steps) {
    const sent = await (typeof input === "string" ? host.say(input) : host.send(input));
    expect({ input, sent }).toEqual({ input, sent: output });
  }
  return host;
}

/** A program of these modules whose `main` does this and then waits. */
const main = (imports: string, ...lines: readonly string[]): string =>
  `${imports
    .split(" ")
    .map((name) => `import ${name}`)
    .join("\n")}\n\nflow main\n${lines.map((line) => `  ${line}`).join("\n")}\n  wait indefinitely\n`;

describe("core: utterances of the user", () => {
  it.each<[string, string, readonly Step[]]>([
    [
      "user said",
      main("core", 'user said "hi" as $s', 'bot say "{$s.transcript}"'),
      [
        ["ho", []],
        ["hi", ["hi"]],
      ],
    ],
    [
      "user said with a pattern",
      main("core", 'user said(regex("h.?i")) as $s', 'bot say "{$s.transcript}"'),
      [
        ["ho", []],
        ["hxi", ["hxi"]],
      ],
    ],
    ["user said something", main("core", "$x = await user said something", "bot say $x"), [["ho", ["ho"]]]],
    ["user started saying something", main("core", "user started saying something", 'bot say "a"'), [[started, ["a"]]]],
    [
      "user saying: at most two more words, in any case",
      main("core", 'user saying "two words" as $s', 'bot say "{$s.transcript}"'),
      [
        [saying("two words and then some more"), []],
        [saying("Two Words and more"), ["Two Words and more"]],
      ],
    ],
    ["user saying something", main("core", "$x = await user saying something", "bot say $x"), [[saying("uh"), ["uh"]]]],
    [
      "user said something unexpected",
      main("core", "start listens", "user said something unexpected as $u", 'bot say "{$u.transcript}"') +
        '\nflow listens\n  user said "hi"\n  wait indefinitely\n',
      [["hm", ["hm"]]],
    ],
  ])("%s", async (_, source, steps) => void (await play(source, steps)));
});

describe("core: utterances of the bot", () => {
  it.each(["say", "inform", "ask", "express", "respond", "clarify", "suggest"])("bot %s", async (verb) => {
    const host = await play(main("core", "match Go()", `bot ${verb} "x"`), [[GO, ["x"]]]);
    expect(host.access.history).toEqual([{ name: "BotActionLog", flow: `bot ${verb}`, parameter: "x", intent: null }]);
    expect(host.access.globals).toMatchObject({ bot_message: "x", last_bot_message: "x" });
  });

  const watching = (observer: string, statement: string): string =>
    `${main("core", "start watcher", "match Go()", statement)}\n@loop("watch")\nflow watcher\n  ${observer}\n  send Observed()\n  wait indefinitely\n`;

  it.each([
    ["bot started saying something", 'bot say "a"'],
    ['bot started saying "a"', 'bot say "a"'],
    ['bot said "a"', 'bot say "a"'],
    ["bot said something", 'bot say "a"'],
    ["bot informed something", 'bot inform "a"'],
    ["bot asked something", 'bot ask "a"'],
    ["bot expressed something", 'bot express "a"'],
    ["bot responded something", 'bot respond "a"'],
    ["bot clarified something", 'bot clarify "a"'],
    ["bot suggested something", 'bot suggest "a"'],
  ])("%s, if the bot does `%s`", async (observer, statement) => {
    await play(watching(observer, statement), [[GO, expect.arrayContaining(["a", "Observed"]) as never]]);
  });

  it.each([
    ['bot started saying "b"', 'bot say "a"'],
    ['bot said "b"', 'bot say "a"'],
    ["bot informed something", 'bot ask "a"'],
  ])("%s does not observe `%s`", async (observer, statement) => {
    await play(watching(observer, statement), [[GO, ["a"]]]);
  });

  it("bot refuse to respond", async () => {
    await play(main("core", "match Go()", "bot refuse to respond"), [[GO, ["I'm sorry, I can't respond to that."]]]);
  });

  it("emits a value that is not a text as one, and logs that", async () => {
    const host = await play(main("core", "match Go()", "bot say 7"), [[GO, ["7"]]]);
    expect(host.logs).toEqual(["bot say needs a text, not int"]);
  });
});

describe("core: states and helpers", () => {
  it("tracks who is talking", async () => {
    const host = await play(
      main("core", "activate tracking bot talking state and tracking user talking state", "match Go()", 'bot say "a"'),
      [[started, []]],
    );
    expect(host.access.globals).toMatchObject({ user_talking_state: true, bot_talking_state: false });
    await host.send(
      event("UtteranceUserActionFinished", { action_uid: "u", final_transcript: "so", is_success: true }),
    );
    await host.send(GO);
    expect(host.access.globals).toMatchObject({
      user_talking_state: false,
      last_user_transcript: "so",
      bot_talking_state: false,
      last_bot_script: "a",
      last_bot_message: "a",
    });
  });

  it.each<[string, string, readonly Step[], readonly string[]]>([
    [
      "debugging helpers: warning of colang errors and warning of undefined flow start",
      main("core", "activate debugging helpers", "start fails", "match Go()", "start bot dance") +
        "\nflow fails\n  match Halt()\n  $x = 1 / 0\n",
      [
        [event("Halt"), []],
        [GO, []],
      ],
      [expect.stringMatching(/^\w+: .*division/) as never, "the flow `bot dance` is started, but it is not defined"],
    ],
    [
      "warning of unexpected user utterance",
      main("core", "activate warning of unexpected user utterance"),
      [["hm", []]],
      ["nothing waits for what the user has said: hm"],
    ],
    [
      "observation of flow: its start and its end",
      main("core", 'activate observation of flow "job"', "match Go()", "job") + "\nflow job\n  pass\n",
      [[GO, []]],
      [expect.stringContaining("`job` has started"), expect.stringContaining("`job` has finished")] as never,
    ],
    [
      "observation of flow: its failure",
      main("core", 'activate observation of flow "job"', "match Go()", "start job") +
        "\nflow job\n  match Halt()\n  abort\n",
      [
        [GO, []],
        [event("Halt"), []],
      ],
      [expect.stringContaining("`job` has started"), expect.stringMatching(/`job` has failed .*: \w+/)] as never,
    ],
  ])("%s", async (_, source, steps, logs) => {
    expect((await play(source, steps)).logs).toEqual(logs);
  });

  it.each<[string, string, readonly Step[]]>([
    [
      "notification of colang errors",
      main("core", 'activate notification of colang errors "Oops"', "start fails") +
        "\nflow fails\n  match Go()\n  $x = 1 / 0\n",
      [[GO, ["Oops"]]],
    ],
    [
      "notification of undefined flow start",
      main("core", 'activate notification of undefined flow start "Cannot"', "match Go()", "start f") +
        "\nflow f\n  bot dance\n",
      [[GO, ["Cannot"]]],
    ],
    [
      "notification of unexpected user utterance",
      main("core", 'activate notification of unexpected user utterance "What?"'),
      [
        ["hm", ["What?"]],
        ["hm", ["What?"]],
      ],
    ],
    [
      "await_flow_by_name: an end",
      main("core", 'await_flow_by_name "job"', 'bot say "done"') + "\nflow job\n  match Go()\n",
      [[GO, ["done"]]],
    ],
    [
      "await_flow_by_name: a failure",
      main("core", 'when await_flow_by_name "job"', '  bot say "done"', "else", '  bot say "failed"') +
        "\nflow job\n  match Go()\n  abort\n",
      [[GO, ["failed"]]],
    ],
    [
      "it finished: already",
      main("core", "start job as $f", "match Go()", "it finished $f", 'bot say "done"') + "\nflow job\n  pass\n",
      [[GO, ["done"]]],
    ],
    [
      "it finished: later",
      main("core", "start job as $f", "it finished $f", 'bot say "done"') + "\nflow job\n  match Go()\n",
      [[GO, ["done"]]],
    ],
    [
      "it finished: never",
      main(
        "core",
        "start job as $f",
        "match Go()",
        "when it finished $f",
        '  bot say "done"',
        "else",
        '  bot say "failed"',
      ) + "\nflow job\n  match Halt()\n  abort\n",
      [
        [event("Halt"), []],
        [GO, ["failed"]],
      ],
    ],
    [
      "flow_failed: already",
      main("core", "start job as $f", "match Go()", "flow_failed $f", 'bot say "failed"') +
        "\nflow job\n  match Halt()\n  abort\n",
      [
        [event("Halt"), []],
        [GO, ["failed"]],
      ],
    ],
    [
      "flow_failed: later",
      main("core", "start job as $f", "flow_failed $f", 'bot say "failed"') + "\nflow job\n  match Go()\n  abort\n",
      [[GO, ["failed"]]],
    ],
    [
      "wait indefinitely",
      main("core", "start wait indefinitely as $f", "match Go()", 'bot say "{$f.status}"'),
      [[GO, ["started"]]],
    ],
  ])("%s", async (_, source, steps) => void (await play(source, steps)));
});

describe("timing", () => {
  const timer = (host: TestHost): unknown =>
    [...host.conversation.state.index.actions.values()].find(({ name }) => name === "TimerBotAction")?.uid;

  it.each([
    ["wait", ["wait 2.5"]],
    ["repeating timer", ['start repeating timer "t" 1.0 as $t', 'match TimerBotAction(timer_name="t").Finished()']],
    ["user was silent", ["user was silent 5.0"]],
    ["user didnt respond", ["user didnt respond 5.0"]],
    ["bot was silent", ["bot was silent 5.0"]],
  ])("%s", async (_, lines) => {
    const host = await TestHost.open(main("core timing", ...lines, 'bot say "now"'));
    const sent = await host.send(event("TimerBotActionFinished", { action_uid: timer(host), is_success: true }));
    expect(sent).toContain("now");
  });

  it.each([
    ["user was silent", started, ["StopTimerBotAction"]],
    ["user was silent", saying("uh"), ["StopTimerBotAction"]],
    ["bot was silent", started, []],
    ["user didnt respond", started, ["StopTimerBotAction"]],
    ["user didnt respond", event("UtteranceBotActionStarted", { action_uid: "b" }), ["StopTimerBotAction"]],
    ["user was silent", event("UtteranceBotActionStarted", { action_uid: "b" }), []],
    ["bot was silent", event("UtteranceBotActionStarted", { action_uid: "b" }), ["StopTimerBotAction"]],
  ])("%s is postponed by %j: %j", async (flow, input, sent) => {
    await play(main("core timing", `${flow} 5.0`, 'bot say "now"'), [[input, sent]]);
  });
});

describe("guardrails", () => {
  it("runs the input rails once for each utterance, however many flows wait for it", async () => {
    const host = await play(
      main("core guardrails", "activate one and two") +
        '\nflow input rails $input_text\n  log "checked"\n\n@loop("a")\nflow one\n  user said something\n  send A()\n\n@loop("b")\nflow two\n  user said something\n  send B()\n',
      [["hi", ["A", "B"]]],
    );
    expect(host.logs).toEqual(["checked"]);
  });

  it("passes on an utterance as the input rails rewrote it, also a partial one", async () => {
    const rails = '\nflow input rails $input_text\n  global $user_message\n  $user_message = "X"\n';
    await play(main("core guardrails", "$x = await user said something", "bot say $x") + rails, [["555", ["X"]]]);
    await play(main("core guardrails", "$x = await user saying something", "bot say $x") + rails, [
      [saying("555"), ["X"]],
    ]);
    await play(main("core guardrails", "user said something unexpected as $u", 'bot say "{$u.transcript}"') + rails, [
      ["555", ["X"]],
    ]);
  });

  it("emits a text as the output rails rewrote it, and no text that they block", async () => {
    const source =
      main("core guardrails", "activate parrot") +
      '\nflow parrot\n  $x = await user said something\n  bot say $x\n\nflow output rails $output_text\n  global $bot_message\n  if search("bad", $output_text)\n    bot say "No."\n    abort\n  $bot_message = "<{$output_text}>"\n';
    const host = await play(source, [
      ["good", ["<good>"]],
      ["bad", ["No."]],
      ["good", ["<good>"]],
      ["bad", ["No."]],
    ]);
    expect(host.access.history.filter(({ name }) => name === "BotActionLog").map(({ parameter }) => parameter)).toEqual(
      ["<good>", "No.", "<good>", "No."],
    );
  });
});

describe("avatars", () => {
  const of = (action: string, kind: string, fields: Readonly<Record<string, unknown>>): GuardrailsEvent =>
    event(`${action}${kind}`, { action_uid: "x", ...fields });

  it.each<[string, readonly string[], readonly Step[]]>([
    [
      "user selected choice",
      ['user selected choice "a"', 'bot say "yes"'],
      [
        [of("VisualChoiceSceneAction", "ChoiceUpdated", { current_choice: ["b"] }), []],
        [of("VisualChoiceSceneAction", "ChoiceUpdated", { current_choice: ["a"] }), ["yes"]],
      ],
    ],
    [
      "user has selected choice",
      [
        "activate tracking visual choice selection state",
        "match Go()",
        'user has selected choice "a"',
        'bot say "yes"',
      ],
      [
        [of("VisualChoiceSceneAction", "ChoiceUpdated", { current_choice: ["a"] }), []],
        [GO, ["yes"]],
      ],
    ],
    [
      "user typing",
      ['user typing "ab"', 'bot say "yes"'],
      [
        [of("VisualFormSceneAction", "InputUpdated", { interim_inputs: [{ value: "x" }] }), []],
        [of("VisualFormSceneAction", "InputUpdated", { interim_inputs: [{ value: "AB c" }] }), ["yes"]],
      ],
    ],
    [
      "user gestured",
      ['user gestured "wave"', 'bot say "yes"'],
      [
        [of("GestureUserAction", "Finished", { gesture: "nod", is_success: true }), []],
        [of("GestureUserAction", "Finished", { gesture: "wave", is_success: true }), ["yes"]],
      ],
    ],
    [
      "user became present",
      ["user became present", 'bot say "yes"'],
      [[of("PresenceUserAction", "Started", {}), ["yes"]]],
    ],
    [
      "user became absent",
      ["user became absent", 'bot say "yes"'],
      [[of("PresenceUserAction", "Finished", { is_success: true }), ["yes"]]],
    ],
    ["bot gesture", ["match Go()", 'bot gesture "wave"'], [[GO, ["StartGestureBotAction"]]]],
    ["bot gesture with delay", ["match Go()", 'bot gesture with delay "wave" 1.0'], [[GO, ["StartTimerBotAction"]]]],
    ["bot posture", ["match Go()", 'bot posture "calm"'], [[GO, ["StartPostureBotAction"]]]],
    [
      "scene show choice",
      ["match Go()", 'scene show choice("which", [{"id": "a"}])'],
      [[GO, ["StartVisualChoiceSceneAction"]]],
    ],
    [
      "scene show textual information",
      ["match Go()", 'scene show textual information "t" "x"'],
      [[GO, ["StartVisualInformationSceneAction"]]],
    ],
    [
      "scene show short information",
      ["match Go()", 'scene show short information "x"'],
      [[GO, ["StartVisualInformationSceneAction"]]],
    ],
    ["scene show form", ["match Go()", 'scene show form("p", [{"id": "a"}])'], [[GO, ["StartVisualFormSceneAction"]]]],
    [
      "finish all bot actions",
      ["match Go()", 'start bot gesture "wave" as $f', "match Go()", "finish all bot actions", 'bot say "{$f.status}"'],
      [
        [GO, ["StartGestureBotAction"]],
        [GO, ["StopGestureBotAction", "finished"]],
      ],
    ],
    [
      "fail all bot actions",
      ["match Go()", 'start bot posture "calm" as $f', "match Go()", "fail all bot actions", 'bot say "{$f.status}"'],
      [
        [GO, ["StartPostureBotAction"]],
        [GO, ["StopPostureBotAction", "stopped"]],
      ],
    ],
    [
      "finish all scene actions",
      [
        "match Go()",
        'start scene show short information "x" as $f',
        "match Go()",
        "finish all scene actions",
        'bot say "{$f.status}"',
      ],
      [
        [GO, ["StartVisualInformationSceneAction"]],
        [GO, ["StopVisualInformationSceneAction", "finished"]],
      ],
    ],
  ])("%s", async (_, lines, steps) => void (await play(main("core avatars", ...lines), steps)));

  it.each([
    ["bot gesture 7", "bot gesture needs a text, not int"],
    ["bot posture 7", "bot posture needs a text, not int"],
    ['scene show choice "x" 7', "scene show choice needs a text and a list, not str and int"],
    ["scene show short information 7", "scene show short information needs a text, not int"],
    ["scene show form(7, [])", "scene show form needs a text and a list, not int and list"],
    ['scene show textual information "x" 7', "scene show textual information needs two texts, not str and int"],
  ])("logs that `%s` is not possible", async (statement, text) => {
    const host = await play(main("core avatars", "match Go()", statement, 'bot say "on"'), [[GO, ["on"]]]);
    expect(host.logs).toEqual([text]);
  });

  it.each([
    ['bot started gesture "wave"', 'start bot gesture "wave"'],
    ["bot started a gesture", 'start bot gesture "wave"'],
    ['bot started posture "calm"', 'start bot posture "calm"'],
    ["bot started a posture", 'start bot posture "calm"'],
    ["bot started an action", 'start bot posture "calm"'],
  ])("%s", async (observer, statement) => {
    const host = await TestHost.open(
      `${main("core avatars", "start watcher", "match Go()", statement)}\n@loop("watch")\nflow watcher\n  ${observer}\n  send Seen()\n  wait indefinitely\n`,
    );
    expect(await host.send(GO)).toContain("Seen");
  });

  it("has postures that follow the conversation", async () => {
    const host = await TestHost.open(main("core avatars", "activate managing bot postures"));
    const postures = async (input: GuardrailsEvent): Promise<unknown> =>
      (await host.batch(input)).flatMap(({ type, posture }) => (type === "StartPostureBotAction" ? [posture] : []));
    expect(await postures(started)).toEqual(["listening"]);
    expect(
      await postures(
        event("UtteranceUserActionFinished", { action_uid: "u", final_transcript: "x", is_success: true }),
      ),
    ).toEqual(["thinking"]);
  });
});

describe("attention", () => {
  it("counts every utterance until attention is tracked", async () => {
    await play(main("core attention", "$x = await user said something", "bot say $x"), [["hi", ["hi"]]]);
  });

  const attention = (level: string): GuardrailsEvent =>
    event("AttentionUserActionUpdated", { action_uid: "a", attention_level: level });

  it.each([
    [1000, ["x"]],
    [5000, []],
  ])("counts an utterance by the share of engaged time: %d ms elsewhere of 5000", async (elsewhere, said) => {
    const host = await TestHost.open(
      main(
        "core attention",
        "activate tracking user attention",
        "start notes",
        "$x = await user said something",
        "bot say $x",
      ) + '\n@loop("notes")\nflow notes\n  user said something inattentively\n  log "missed"\n',
    );
    await host.send(attention("engaged"));
    await host.send(started);
    TestHost.now += 5000 - elsewhere;
    await host.send(attention("elsewhere"));
    TestHost.now += elsewhere;
    expect((await host.say("x")).filter((one) => one === "x")).toEqual(said);
    expect(host.logs).toEqual(said.length > 0 ? [] : ["missed"]);
  });

  it.each([
    ['user changed attention "low"', event("AttentionUserActionUpdated", { action_uid: "a", attention_level: "low" })],
    [
      "user changed attention somehow",
      event("AttentionUserActionUpdated", { action_uid: "a", attention_level: "high" }),
    ],
    ["user lost attention", event("AttentionUserActionFinished", { action_uid: "a", is_success: true })],
    ["user said something inattentively", event("InattentiveUtteranceEvent", { text: "x" })],
  ])("%s", async (flow, input) => {
    await play(main("core attention", flow, 'bot say "seen"'), [[input, ["seen"]]]);
  });
});
