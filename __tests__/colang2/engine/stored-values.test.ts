import { describe, expect, it } from "@jest/globals";
import { EngineConversation } from "../../../src/colang2/engine/conversation.js";
import { readState } from "../../../src/colang2/engine/state/stored/read-state.js";
import { writeState } from "../../../src/colang2/engine/state/stored/encode.js";
import type { EventDraft, GuardrailsEvent } from "../../../src/engine/events.js";
import { compileText, Driver } from "../engine-driver.js";
import type { HistoryEntry } from "../../../src/colang2/engine/state/records.js";
import { readLog, WrittenLogs } from "../../../src/colang2/engine/state/stored/stored-log.js";

/** Statements that fill variables, and a text computed from them later. */
const VALUES: readonly (readonly [title: string, statements: string, shown: string, expected: unknown])[] = [
  ["None", "$v = None", "$v is None", "True"],
  ["booleans", "$v = [True, False]", "$v", "[True, False]"],
  ["numbers", "$v = [0, -1, 2.5, 1e300]", "$v", "[0, -1, 2.5, 1e+300]"],
  ["strings of any characters", '$v = "ü \\n \\" \\x00 {1 + 1}"', "len($v)", "9"],
  ["lists", "$v = [1, [2, [3]]]", "$v", "[1, [2, [3]]]"],
  ["sets", '$v = {1, "a"}', '[type($v), len($v), "a" in $v]', "['set', 2, True]"],
  ["dictionaries", '$v = {"a": {"b": 1}}', "$v.a.b", "1"],
  ["a key that marks our own objects", '$v = {"$": "set", "v": [1]}', '[$v["$"], $v["v"]]', "['set', [1]]"],
  [
    "keys with a meaning elsewhere",
    '$v = {"__proto__": 1, "constructor": 2, "toString": 3}',
    "$v.keys()",
    "['__proto__', 'constructor', 'toString']",
  ],
  ["patterns", '$v = regex("(?i)^a+$")', 'search($v, "AAA")', "True"],
  ["comparisons", "$v = less_than(5)", "$v == less_than(5)", "True"],
  ["flow specifications", '$v = flow("child", n=[1])', "$v.arguments.n", "[1]"],
  ["action specifications", '$v = action("LampAction", n={1})', "len($v.arguments.n)", "1"],
  ["flow references", "start child 7 as $v", "[$v.n, $v.status]", "[7, 'started']"],
  [
    "references to flows that have ended",
    "start child 7 as $v\n  send StopFlow(flow_instance_uid=$v.uid)",
    "[$v.n, $v.status, $v.fail_reason]",
    "[7, 'stopped', 'stop_request']",
  ],
  ["action references", "start LampAction(level=3) as $v", "[$v.level, $v.status]", "[3, 'starting']"],
  ["event references", "send Sent(a=[1]) as $v", "[$v.name, $v.a]", "['Sent', [1]]"],
  ["a reference to oneself", "$v = $self", "$v == $self", "True"],
  ["one list in two variables", "$v = [1]\n  $w = $v\n  match Change()\n  ($w.append(2))", "$v", "[1, 2]"],
  [
    "one list in a parameter and a variable",
    "$v = [1]\n  start keeper $v as $k\n  match Change()\n  ($v.append(2))",
    "[$k.list, $k.arguments.list]",
    "[[1, 2], [1, 2]]",
  ],
  [
    "one list in a local and a global variable",
    'global $g\n  $v = {"x": []}\n  $g = $v\n  match Change()\n  ($g.x.append(2))',
    "$v.x",
    "[2]",
  ],
  ["a list that contains itself", "$v = [1]\n  ($v.append($v))", "$v[1][1][1][0]", "1"],
  ["a dictionary that contains itself", "$v = {}\n  $v.me = $v", "$v.me.me == $v.me", "True"],
  [
    "a list that contains itself, in an argument only",
    "$x = [5]\n  ($x.append($x))\n  start keeper $x as $v\n  $x = None",
    "$v.arguments.list[1][1][0]",
    "5",
  ],
  ["a set in a list in a set", "$v = [{1, 2}, {3}]", "[len($v[0]), 3 in $v[1]]", "[2, True]"],
  ["very deep lists", "$v = [0]\n  $i = 0\n  while $i < 1500\n    $v = [$v]\n    $i += 1", "len($v)", "1"],
];

const LIBRARY = `
flow child $n
  match Never()

flow keeper $list
  match Never()
`;

describe("values in stored conversations", () => {
  it.each(VALUES)("%s", (_title, statements, shown, expected) => {
    const source = `flow main\n  ${statements}\n  match Show()\n  send Shown(text=str(${shown}))\n  match Never()\n${LIBRARY}`;
    const play = (roundTrips: boolean): EventDraft[] => {
      const driver = new Driver(source, { roundTrips });
      const sent = [...driver.batch(), ...driver.batch({ type: "Change" }), ...driver.batch({ type: "Show" })];
      expectStable(driver);
      return sent;
    };
    const [plain, stored] = [play(false), play(true)];
    expect(plain.at(-1)).toMatchObject({ type: "Shown", text: expected });
    expect(stored).toEqual(plain);
  });
});

/** Writing a state that was read gives the same text. */
function expectStable(driver: Driver): void {
  const once: unknown = JSON.parse(JSON.stringify(writeState(driver.conversation.state)));
  expect(JSON.parse(JSON.stringify(writeState(readState(driver.program, once))))).toEqual(once);
}

/** Values that must not be merged or lost. */
const CONVERSATIONS: readonly (readonly [
  string,
  string,
  readonly GuardrailsEvent[],
  readonly (readonly [string, unknown])[],
])[] = [
  [
    "two events that claim to be the same one",
    `flow main\n  match E() as $a\n  match E() as $b\n  match Show()\n  send Shown(v=[$a.n, $b.n])\n  match Never()\n`,
    [{ type: "E", uid: "c-1", n: 1 }, { type: "E", uid: "c-1", n: 2 }, { type: "Show" }],
    [["Shown", [1, 2]]],
  ],
  [
    "numbers that JSON cannot represent",
    `flow main\n  match E() as $e\n  match Show()\n  send Shown(v=[$e.a > 1, $e.b < 1, $e.c == $e.c, $e.d == 0])\n  match Never()\n`,
    [{ type: "E", a: Infinity, b: -Infinity, c: NaN, d: -0 }, { type: "Show" }],
    [["Shown", [true, true, false, true]]],
  ],
  [
    "an activated flow that has ended",
    `flow child $n\n  match Never()\n\nflow watcher\n  match FlowStarted(flow_id="child") as $e\n  match Show()\n  send Shown(v=[$e.flow.activated, $e.flow.fail_reason, $e.flow.n])\n  match Never()\n\nflow main\n  start watcher\n  activate child 3\n  deactivate child 3\n  match Never()\n`,
    [{ type: "Show" }],
    [["Shown", [true, "deactivated", 3]]],
  ],
  [
    "two ends of one action, the second one late",
    `flow main\n  start LampAction() as $lamp\n  match LampAction.Finished() as $a\n  match LampAction.Finished() as $b\n  match Show()\n  send Shown(v=[$a.n, $b.n, $lamp.n])\n  match Never()\n`,
    [
      { type: "LampActionFinished", action_uid: "c-3", n: 1, is_success: true },
      { type: "LampActionFinished", action_uid: "c-3", n: 2, is_success: true },
      { type: "Show" },
    ],
    [
      ["StartLampAction", undefined],
      ["Shown", [1, 2, 1]],
    ],
  ],
  [
    "an event of the world whose payload has every name",
    `flow main\n  match E(constructor=1) as $a\n  match Show()\n  send Shown(v=[$a.arguments["__proto__"], $a.flow_id, $a.arguments.get("hasOwnProperty")])\n  match Never()\n`,
    [
      JSON.parse('{"type":"E","__proto__":{"x":1},"constructor":1,"flow_id":"main","hasOwnProperty":2}'),
      { type: "Show" },
    ] as GuardrailsEvent[],
    [["Shown", [{ x: 1 }, "main", 2]]],
  ],
  [
    "two equal starts that became one action",
    `flow a\n  await LampAction(n=1) as $l\n  match Show()\n  send Shown(v=$l.n)\n\nflow b\n  await LampAction(n=1) as $l\n  match Never()\n\nflow main\n  match Go()\n  when a\n    pass\n  or when b\n    pass\n  match Never()\n`,
    [{ type: "Go" }, { type: "LampActionFinished", action_uid: "c-9", is_success: true }, { type: "Other" }],
    [["StartLampAction", undefined]],
  ],
  [
    "flows that wait at once for one global",
    `flow waiter\n  global $name\n  match E(name=$name)\n  send Shown(v=$name)\n\nflow main\n  global $name\n  $name = "a"\n  activate waiter\n  match Change()\n  $name = "b"\n  match Never()\n`,
    [{ type: "Change" }, { type: "E", name: "a" }, { type: "E", name: "b" }],
    [["Shown", "b"]],
  ],
  [
    "where an activated flow hangs that does not run at the moment, below flows that have ended",
    `flow lamp
  global $ready
  if not $ready
    abort
  match On()
  send Lit(v=flows_info($self.uid).flow_hierarchy)

flow inner
  activate lamp
  match End()

flow outer
  await inner

flow keeper
  match Keep()
  activate lamp
  match Never()

@loop("x")
flow set
  global $ready
  match Ready()
  $ready = True

flow main
  activate set
  start keeper
  start outer
  match Never()
`,
    [{ type: "Keep" }, { type: "End" }, { type: "Other" }, { type: "Ready" }, { type: "Other" }, { type: "On" }],
    [["Lit", ["main", "outer", "inner", "lamp"]]],
  ],
];

describe("stored conversations", () => {
  it.each(CONVERSATIONS)("keep identity and difference: %s", (_title, source, events, expected) => {
    const play = (roundTrips: boolean): unknown => {
      const driver = new Driver(source, { roundTrips });
      const sent = [...driver.batch(), ...events.flatMap((event) => driver.batch(event))];
      expectStable(driver);
      return sent.map(({ type, v }) => [type, v]);
    };
    expect(play(false)).toEqual(expected);
    expect(play(true)).toEqual(expected);
  });

  it("keep removed flows, and references to them", () => {
    const program = compileText(
      `flow job\n  match Done()\n\nflow main\n  start job as $job\n  match Show()\n  send Shown(v=[$job.status, $job.fail_reason, flow_exists("job")])\n  start job\n  match Never()\n`,
    );
    const first = new EngineConversation(program);
    first.begin();
    first.removeFlows(["job", "unknown"]);
    const second = new EngineConversation(readState(program, JSON.parse(JSON.stringify(writeState(first.state)))));
    expect(second.process({ type: "Show" }).events).toMatchObject([{ v: ["stopped", "removed", false] }]);
    expect(second.process({ type: "Done" }).events).toEqual([]);
  });

  it("start main again if it was removed with the rest and added again", () => {
    const program = compileText("flow main\n  send Hello()\n  match Never()\n");
    const conversation = new EngineConversation(program);
    conversation.begin();
    conversation.removeFlows(["main"]);
    expect(conversation.begin().events).toEqual([]);
    const read = new EngineConversation(readState(program, JSON.parse(JSON.stringify(writeState(conversation.state)))));
    expect(read.begin().events).toEqual([]);
    conversation.addFlows(program.flows, "flow main\n  send Hello()\n  match Never()\n");
    expect(conversation.begin().events).toMatchObject([{ type: "Hello" }]);
  });
});

describe("the size of a stored conversation", () => {
  it("is below 16 KiB after 40 turns with rails, and does not grow", () => {
    const driver = new Driver(RAILS, { speaksAtOnce: true });
    driver.batch();
    const sizes: number[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      driver.batch({ type: "UtteranceUserActionStarted", action_uid: `u${turn}` });
      const said = { type: "UtteranceUserActionFinished", action_uid: `u${turn}`, final_transcript: `hello ${turn}` };
      const sent = driver.batch({ ...said, is_success: true });
      expect(sent).toMatchObject([{ type: "StartUtteranceBotAction", script: `You said hello ${turn}` }]);
      sizes.push(Buffer.byteLength(JSON.stringify(writeState(driver.conversation.state))));
    }
    expect(Math.max(...sizes)).toBeLessThan(16 * 1024);
  });
});

const RAILS = `import core
import guardrails

flow input rails $input_text
  $ok = await check $input_text
  if not $ok
    bot say "No."
    abort

flow check $text
  return not search("attack", $text)

flow output rails $output_text
  await check $output_text

flow answering
  user said something as $said
  bot say "You said {$said.transcript}"

flow main
  activate answering
  activate tracking bot talking state
  activate tracking user talking state
  match Never()
`;

const TEXTS = ["hello", 'She said "hi"'];

const said = (flow: string, parameter: string | null, intent: string | null = null): HistoryEntry => ({
  name: "UserActionLog",
  flow,
  parameter,
  intent,
});

describe("a log event is stored", () => {
  it.each<readonly [string, HistoryEntry, unknown]>([
    ["as its kind and its flow", { name: "UserIntentLog", flow: "user greeted", parameter: null }, [0, "user greeted"]],
    ["with its parameter", { name: "BotIntentLog", flow: "bot greet", parameter: "Ann" }, [1, "bot greet", "Ann"]],
    ["with its intent", said("user said", null, "user greeted"), [2, "user said", null, "user greeted"]],
    ["with a text by its number", said("bot say", "hello"), [2, "bot say", 0]],
    ["in pieces around its parameter", said('user said "good day"', "good day"), [2, ['user said "', '"'], "good day"]],
    ["in pieces around a text by its number", said('user said "hello"', null), [2, ['user said "', 0, '"']]],
    ["with both by their numbers", said('user said "hello"', "hello"), [2, ['user said "', 0, '"'], 0]],
    ["with quotes in the text", said('user said "She said "hi""', null), [2, ['user said "', 1, '"']]],
    ["whole, when it has its parameter twice", said("user a a", "a"), [2, "user a a", "a"]],
    ["whole, when its quotes hold another text", said('user said "bye"', null), [2, 'user said "bye"']],
    ["with an empty parameter", said("user said", ""), [2, "user said", ""]],
  ])("%s", (_, entry, stored) => {
    const [written] = JSON.parse(JSON.stringify(new WrittenLogs().write([entry], TEXTS))) as unknown[];
    expect(written).toEqual(stored);
    expect(readLog(written, { first: 0, texts: TEXTS })).toEqual(entry);
  });

  it("is read as the first version wrote it", () => {
    const none = { first: 0, texts: [] };
    const entry = said("user said", "hello", "user greeted");
    expect(readLog({ ...entry }, none)).toEqual(entry);
    const intent: HistoryEntry = { name: "UserIntentLog", flow: "user greeted", parameter: null };
    expect(readLog({ ...intent }, none)).toEqual(intent);
  });
});

describe("the log of a conversation", () => {
  const driver = new Driver(
    '@meta(user_action="user said {$n}")\nflow user spoke\n  match Said() as $event\n  $n = $event.n\n\n' +
      "flow main\n  while True\n    user spoke\n",
  );

  it("keeps only the newest events, also of a state that has more", () => {
    driver.batch();
    for (let turn = 0; turn < 100; turn += 1) driver.batch({ type: "Said", n: turn });
    const { history } = driver.conversation.state.data;
    expect(history.map(({ flow }) => flow)).toEqual(Array.from({ length: 80 }, (_, at) => `user said ${at + 20}`));
    const stored = writeState(driver.conversation.state);
    const more = { ...stored, history: [...(stored["history"] as []), ...(stored["history"] as [])] };
    const read = new EngineConversation(readState(driver.program, JSON.parse(JSON.stringify(more))));
    expect(read.history).toEqual(history);
  });
});
