import { describe, expect, it } from "@jest/globals";
import type { ConversationOptions } from "../../../src/colang2/engine/conversation.js";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { compileText, Driver } from "../engine-driver.js";

/** Selection of one flow among several that could act. */

interface Case {
  readonly title: string;
  /** Reactions of the flows `a`, `b`, … to `Go(n=1)`. */
  readonly flows: Readonly<Record<string, readonly string[]>>;
  readonly options?: ConversationOptions;
  /** Names of the events sent after `Go`; each alternative occurs for some seed. */
  readonly sent: readonly (readonly string[])[];
  readonly failed: readonly (readonly string[])[];
}

/** Enough runs for every outcome. */
const SEEDS = 16;

const GO = "match Go(n=1)";

const CASES: readonly Case[] = [
  { title: "one head acts", flows: { a: [GO, "send A()"] }, sent: [["A"]], failed: [[]] },
  {
    title: "the better match wins, the other flow fails",
    flows: { a: ["match Go()", "send A()"], b: [GO, "send B()"] },
    sent: [["B"]],
    failed: [["a"]],
  },
  {
    title: "equal matches are drawn",
    flows: { a: [GO, "send A()"], b: [GO, "send B()"] },
    sent: [["A"], ["B"]],
    failed: [["b"], ["a"]],
  },
  {
    title: "equal events of three flows happen once, and all continue",
    flows: { a: [GO, "send X(v=[1])"], b: [GO, "send X(v=[1])"], c: ["match Go()", "send X(v=[1])"] },
    sent: [["X"]],
    failed: [[]],
  },
  {
    title: "events of one name with other payload compete",
    flows: { a: [GO, "send X(v=1)"], b: [GO, "send X(v=2)"] },
    sent: [["X"], ["X"]],
    failed: [["b"], ["a"]],
  },
  {
    title: "True and 1 are no equal payload",
    flows: { a: [GO, "send X(v=True)"], b: [GO, "send X(v=1)"] },
    sent: [["X"], ["X"]],
    failed: [["b"], ["a"]],
  },
  {
    title: "two equal flows win against a third that is not better, or lose together",
    flows: { a: [GO, "send X()"], b: [GO, "send Y()"], c: [GO, "send X()"] },
    sent: [["X"], ["Y"]],
    failed: [["b"], ["a", "c"]],
  },
  {
    title: "starts of different actions compete",
    flows: { a: [GO, "start LampAction()"], b: ["match Go()", "start DoorAction()"] },
    sent: [["StartLampAction"]],
    failed: [["b"]],
  },
  {
    title: "a group whose branches all lose fails its flow",
    flows: { a: [GO, "send A()"], b: ["match Go()", "start LampAction() or DoorAction()", "send B()"] },
    sent: [["A"]],
    failed: [["b"]],
  },
  {
    title: "a case that loses leaves the else part, which acts separately",
    flows: {
      a: [GO, "send A()"],
      b: ["match Go()", "when LampAction()", "  send Lamp()", "else", "  send Other()"],
    },
    sent: [["A", "Other"]],
    failed: [[]],
  },
  {
    title: "actions that are declared so take nothing away",
    flows: { a: [GO, "start LampAction()"], b: ["match Go()", "send B()"], c: ["match Go()", "start LampAction(n=1)"] },
    options: { neutralActions: new Set(["LampAction"]) },
    sent: [["StartLampAction", "StartLampAction", "B"]],
    failed: [[]],
  },
  {
    title: "equal starts of actions that are declared so happen once",
    flows: { a: [GO, "start LampAction()"], b: ["match Go()", "start LampAction()"] },
    options: { neutralActions: new Set(["LampAction"]) },
    sent: [["StartLampAction"]],
    failed: [[]],
  },
  {
    title: "equal stops of one action happen once, next to another event",
    flows: {
      a: [GO, 'send StopLampAction(action_uid="mine")'],
      b: ["match Go()", 'send StopLampAction(action_uid="mine")'],
      c: [GO, "send C()"],
    },
    sent: [["StopLampAction", "C"]],
    failed: [[]],
  },
  {
    title: "equal changes of one action happen once, others all",
    flows: {
      a: [GO, 'send ChangeLampAction(action_uid="mine", level=1)'],
      b: [GO, 'send ChangeLampAction(action_uid="mine", level=1)'],
      c: [GO, 'send ChangeLampAction(action_uid="mine", level=2)'],
      d: [GO, 'send ChangeLampAction(action_uid="yours", level=1)'],
    },
    sent: [["ChangeLampAction", "ChangeLampAction", "ChangeLampAction"]],
    failed: [[]],
  },
  {
    title: "modality: other modalities do not compete",
    flows: {
      a: [GO, 'start UtteranceBotAction(script="x")'],
      b: ["match Go()", 'start GestureBotAction(gesture="x")'],
    },
    options: { conflictPolicy: "modality" },
    sent: [["StartUtteranceBotAction", "StartGestureBotAction"]],
    failed: [[]],
  },
  {
    title: "modality: one modality competes",
    flows: {
      a: [GO, 'start UtteranceBotAction(script="x")'],
      b: ["match Go()", 'start UtteranceBotAction(script="y")'],
    },
    options: { conflictPolicy: "modality" },
    sent: [["StartUtteranceBotAction"]],
    failed: [["b"]],
  },
  {
    title: "modality: parallel actions of one modality do not compete",
    flows: {
      a: [GO, 'start TimerBotAction(timer_name="x")'],
      b: ["match Go()", 'start TimerBotAction(timer_name="y")'],
    },
    options: { conflictPolicy: "modality" },
    sent: [["StartTimerBotAction", "StartTimerBotAction"]],
    failed: [[]],
  },
  {
    title: "modality: an action without one competes with all",
    flows: { a: ["match Go()", 'start GestureBotAction(gesture="x")'], b: [GO, "start LampAction()"] },
    options: { conflictPolicy: "modality" },
    sent: [["StartLampAction"]],
    failed: [["a"]],
  },
  {
    title: "modality: events of programs always compete",
    flows: { a: [GO, "send A()"], b: ["match Go()", 'start GestureBotAction(gesture="x")'] },
    options: { conflictPolicy: "modality" },
    sent: [["A"]],
    failed: [["b"]],
  },
];

const OPEN_LOOP = `@active
@loop("notes")
flow notes
  while True
    match FlowFailed() as $e
    log $e.flow_id
`;

function sourceOf(flows: Case["flows"]): string {
  const names = Object.keys(flows);
  const text = names.map(
    (name) => `flow ${name}\n${(flows[name] ?? []).map((line) => `  ${line}\n`).join("")}  match Never()\n`,
  );
  return `${OPEN_LOOP}\n${text.join("\n")}\nflow main\n${names.map((name) => `  start ${name}\n`).join("")}  match Never()\n`;
}

function playGo(driver: Driver): readonly [sent: readonly string[], failed: readonly string[]] {
  driver.batch();
  const { events, trace } = driver.conversation.process({ type: "Go", n: 1 } as GuardrailsEvent);
  const failed = trace.flatMap((entry) => (entry.type === "logged" ? [entry.text] : []));
  return [events.map(({ type }) => type), failed];
}

describe("conflicts", () => {
  it.each(CASES.map((one) => [one.title, one] as const))("%s", (_, { flows, options, sent, failed }) => {
    const seen = new Set<string>();
    const program = compileText(sourceOf(flows));
    for (let seed = 0; seed < SEEDS; seed += 1) {
      seen.add(JSON.stringify(playGo(new Driver(program, { ...options, seed }))));
    }
    expect([...seen].sort()).toEqual(sent.map((names, at) => JSON.stringify([names, failed[at]])).sort());
  });

  it.each([
    [
      "the loop",
      '@loop("high", 9)\nflow b\n  match Go()\n  send B()\n\n@loop("high")\nflow a\n  match Go(n=1)\n  send A()\n',
    ],
    ["the place", "flow b\n  match Go()\n  send B()\n\nflow a\n  match Go(n=1)\n  send A()\n"],
  ])("are not decided by %s", (_, flows) => {
    const driver = new Driver(`${flows}\nflow main\n  start b\n  start a\n  match Never()\n`);
    driver.batch();
    expect(driver.batch({ type: "Go", n: 1 })).toMatchObject([{ type: "A" }]);
  });
});

/** The first list wins; among equal ones the choice is random. */
const LISTS: readonly (readonly [left: readonly string[], right: readonly string[], winners: readonly string[]])[] = [
  [["Go(n=1)"], ["Go()"], ["Left"]],
  [["Go(n=1)"], ["Go(n=1)"], ["Left", "Right"]],
  [["Go(n=1)", "1"], ["Go(n=1)"], ["Left", "Right"]],
  [["Go(n=1)", "0.5"], ["Go(n=1)"], ["Right"]],
  [["Go()", "1", "1"], ["Go(n=1)", "0.1"], ["Right"]],
  [["Go(n=1)", "1", "0.5"], ["Go(n=1)", "0.5"], ["Left"]],
  [
    ["Go(n=1)", "0.5", "1"],
    ["Go(n=1)", "0.5", "1", "1"],
    ["Left", "Right"],
  ],
];

describe("lists of scores", () => {
  /** A chain of flows that await each other; every link has a priority. */
  const chain = (side: string, [first = "", ...links]: readonly string[]): string => {
    const flows = [`flow ${side} 0\n`.replace(" 0", "_0") + `  match ${first}\n`];
    for (const [at, priority] of links.entries()) {
      flows.push(`flow ${side}_${at + 1}\n  priority ${priority}\n  await ${side}_${at}\n`);
    }
    flows.push(`flow ${side}\n  await ${side}_${links.length}\n  send ${side[0]?.toUpperCase()}${side.slice(1)}()\n`);
    return flows.join("\n");
  };

  it.each(LISTS)("%j against %j: %j", (left, right, winners) => {
    // The last link of both is the flow that acts, and its match is exact.
    const source = `${chain("left", left)}\n${chain("right", right)}\nflow main\n  start left\n  start right\n  match Never()\n`;
    const seen = new Set<string>();
    const program = compileText(source);
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const driver = new Driver(program, { seed });
      driver.batch();
      for (const { type } of driver.batch({ type: "Go", n: 1 })) seen.add(type);
    }
    expect([...seen].sort()).toEqual(winners);
  });
});

describe("a shared action", () => {
  const SHARED = `flow a
  match Go()
  when LampAction(level=1) as $l
    send OverA(level=$l.level)
  or when EndA()
    send Ended()
  match Never()

flow b
  match Go(n=1)
  start LampAction(level=1) as $l
  $held = {"lamp": [$l]}
  match EndB()
  send Held(same=$l == $held["lamp"][0], status=$l.status)

flow main
  start a
  start b
  match Never()
`;

  function begin(): { readonly driver: Driver; readonly uid: unknown } {
    const driver = new Driver(SHARED, { roundTrips: true });
    driver.batch();
    const sent = driver.batch({ type: "Go", n: 1 });
    expect(sent.map(({ type }) => type)).toEqual(["StartLampAction"]);
    return { driver, uid: sent[0]?.["action_uid"] };
  }

  it("continues when the scope of one owner closes", () => {
    const { driver } = begin();
    expect(driver.batch({ type: "EndA" }).map(({ type }) => type)).toEqual(["Ended"]);
    expect(driver.batch({ type: "EndB" }).map(({ type }) => type)).toEqual(["Held", "StopLampAction"]);
  });

  it("is the same object under every name, also inside values", () => {
    const { driver, uid } = begin();
    driver.batch({ type: "LampActionStarted", action_uid: uid });
    expect(driver.batch({ type: "EndB" })).toMatchObject([{ type: "Held", same: true, status: "started" }]);
  });

  it("ends for all its owners at once, and is not stopped afterwards", () => {
    const { driver, uid } = begin();
    const over = driver.batch({ type: "LampActionFinished", action_uid: uid, is_success: true });
    expect(over).toMatchObject([{ type: "OverA", level: 1 }]);
    expect(driver.batch({ type: "EndB" })).toMatchObject([{ type: "Held", status: "finished" }]);
    expect(driver.conversation.state.index.actions.size).toBe(0);
  });

  it("gives all its senders a reference to the sent event", () => {
    const driver = new Driver(
      `@loop("a")\nflow shows $e $n\n  send Shown(n=$n, v=$e.v)\n\nflow a\n  match Go()\n  send X(v=1) as $e\n  await shows $e 1\n\nflow b\n  match Go()\n  send X(v=1) as $e\n  await shows $e 2\n\nflow main\n  start a\n  start b\n  match Never()\n`,
    );
    driver.batch();
    expect(driver.batch({ type: "Go" }).map(({ type }) => type)).toEqual(["X", "Shown"]);
  });
});

describe("groups", () => {
  /** Groups whose operands have ended or lost while others still start. */

  const FLOWS = `flow at once
  pass

flow acts
  start LampAction()
  match Never()

flow waits $n
  match E(n=$n)

flow fails
  abort
`;

  type Steps = readonly (readonly [event: "start" | number, sent: readonly string[]])[];

  const CASES: readonly (readonly [group: string, steps: Steps])[] = [
    [
      "(acts or at once) and waits 1",
      [
        ["start", ["StartLampAction"]],
        [1, ["StopLampAction", "Done"]],
      ],
    ],
    [
      "(at once or acts) and waits 1",
      [
        ["start", ["StartLampAction"]],
        [1, ["StopLampAction", "Done"]],
      ],
    ],
    ["(acts or at once) and at once", [["start", ["Done"]]]],
    [
      "(fails or at once) and waits 1",
      [
        ["start", []],
        [1, ["Done"]],
      ],
    ],
    [
      "(fails or acts) and waits 1",
      [
        ["start", ["StartLampAction"]],
        [1, []],
      ],
    ],
    [
      "(waits 1 or waits 2) and (waits 3 or at once)",
      [
        ["start", []],
        [2, ["Done"]],
      ],
    ],
    [
      "((acts or at once) and waits 1) or waits 2",
      [
        ["start", ["StartLampAction"]],
        [2, ["StopLampAction", "Done"]],
      ],
    ],
    [
      "(acts or at once) and (acts or at once) and waits 1",
      [
        ["start", ["StartLampAction"]],
        [1, ["StopLampAction", "Done"]],
      ],
    ],
    [
      "(at once or fails) and (fails or waits 1)",
      [
        ["start", []],
        [1, ["Done"]],
      ],
    ],
  ];

  describe.each([
    ["in one go", false],
    ["stored and read again at every step", true],
  ])("groups, %s", (_, roundTrips) => {
    it.each(CASES)("await %s", (group, steps) => {
      const source = `${FLOWS}\nflow main\n  await ${group}\n  send Done()\n  match Never()\n`;
      const driver = new Driver(source, { roundTrips });
      for (const [event, expected] of steps) {
        const sent = event === "start" ? driver.batch() : driver.batch({ type: "E", n: event });
        expect(sent.map(({ type }) => type)).toEqual(expected);
      }
    });
  });
});
