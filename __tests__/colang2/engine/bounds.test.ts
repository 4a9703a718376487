import { describe, expect, it } from "@jest/globals";
import { type ConversationOptions, EngineConversation } from "../../../src/colang2/engine/conversation.js";
import { writeState } from "../../../src/colang2/engine/state/stored/encode.js";
import { Driver } from "../engine-driver.js";
import { compileColang2 } from "../../../src/colang2/compile.js";
import { LimitError } from "../../../src/diagnostics/errors.js";
import { createSourceFile } from "../../../src/diagnostics/source-file.js";
import { parseColang2 } from "../../../src/colang2/parse/parse.js";
import { WorkMeter } from "../../../src/engine/limits.js";
import type { EngineEvent } from "../../../src/colang2/engine/state/records.js";
import type { EngineState } from "../../../src/colang2/engine/state/state.js";
import { BLANK_EVENT } from "../../../src/colang2/engine/state/event.js";

interface Case {
  readonly title: string;
  readonly source: string;
  readonly events: readonly string[];
  /** Names of sent events, those of the start first; undefined for any. */
  readonly sent: readonly (readonly string[] | undefined)[];
  readonly options?: ConversationOptions;
}

const REPORT = `
@active
@loop("report")
flow report
  match ColangError() as $event
  send Report(type=$event.type)
`;

const CASES: readonly Case[] = [
  {
    title: "an endless loop without a wait fails the flow, others continue",
    source: `flow mad\n  match Go()\n  while True\n    $x = 1\n\nflow main\n  start mad\n  match Go()\n  send Done()\n  match Never()\n${REPORT}`,
    events: ["Go", "Other"],
    sent: [[], ["Done", "Report"], []],
  },
  {
    title: "an endless loop of sending ends with the budget of events",
    source: `@loop("mad")\nflow mad\n  match Go()\n  while True\n    send FlowPaused(flow_id="x")\n\nflow main\n  start mad\n  match Check()\n  send Alive()\n  match Never()\n${REPORT}`,
    events: ["Go", "Check"],
    sent: [[], ["Report"], ["Alive"]],
  },
  {
    title: "an endless loop of acting ends with the budget of events",
    source: `@loop("mad")\nflow mad\n  match Go()\n  while True\n    send X()\n\nflow main\n  start mad\n  match Check()\n  send Alive()\n  match Never()\n`,
    events: ["Check"],
    sent: [[], ["Alive"]],
    options: { limits: { internalEventsPerRound: 50 } },
  },
  {
    title: "flows that start each other without end are stopped, and main begins again",
    source: `flow a\n  start b\n\nflow b\n  start a\n\nflow main\n  match Go()\n  start a\n  send Never()\n\n${REPORT}`,
    events: ["Go", "Go"],
    sent: [[], ["Report"], ["Report"]],
    options: { limits: { internalEventsPerRound: 200 } },
  },
  {
    title: "flows that start each other too deep are stopped",
    source: `flow a $n\n  start a ($n + 1)\n  match Never()\n\nflow main\n  match Go()\n  start a 1\n  send Never()\n\n${REPORT}`,
    events: ["Go", "Go"],
    sent: [[], undefined, undefined],
  },
  {
    title: "activated flows wait again after the budget was spent",
    source: `@loop("ping")\nflow ping\n  match Ping()\n  send Pong()\n\n@loop("mad")\nflow mad\n  match Go()\n  while True\n    send FlowPaused(flow_id="x")\n\nflow main\n  activate ping\n  activate mad\n  match Never()\n`,
    events: ["Ping", "Go", "Ping", "Go", "Ping"],
    sent: [[], ["Pong"], [], ["Pong"], [], ["Pong"]],
  },
  {
    title: "a flow that begins its next instance for every instance is stopped (guard C)",
    source: `flow again\n  match StartFlow(flow_id="again") or Ping()\n  start_new_flow_instance:\n  match Never()\n\nflow main\n  activate again\n  match Check()\n  send Alive()\n  match Never()\n${REPORT}`,
    events: ["Ping", "Check"],
    sent: [[], undefined, ["Alive"]],
  },
  {
    title: "what a flow asks for in its last moment does not outlive it",
    source: `flow child\n  match Ping()\n  send Zombie()\n\nflow parent\n  send (child).Start()\n\nflow main\n  match Go()\n  start parent\n  match Never()\n`,
    events: ["Go", "Ping"],
    sent: [[], [], []],
  },
  {
    title: "an activation requested in the last moment does not outlive its owner",
    source: `flow child\n  match Ping()\n  send Zombie()\n\nflow parent\n  send StartFlow(flow_id="child", activate=True)\n\nflow main\n  match Go()\n  start parent\n  match Never()\n`,
    events: ["Go", "Ping", "Ping"],
    sent: [[], [], [], []],
  },
  {
    title: "more heads than allowed fail the flow alone",
    source: `flow many\n  match ${Array.from({ length: 30 }, (_, at) => `E${at}()`).join(" or ")}\n  send Never()\n\nflow main\n  match Go()\n  activate many\n  send Alive()\n  match Never()\n`,
    events: ["Go", "E1"],
    sent: [[], ["Alive"], []],
    options: { limits: { headsPerInstance: 20 } },
  },
];

describe.each([
  ["in one go", false],
  ["stored and read again at every step", true],
])("bounds, %s", (_, roundTrips) => {
  it.each(CASES.map((one) => [one.title, one] as const))("%s", (_title, { source, events, sent, options }) => {
    const driver = new Driver(source, { ...options, roundTrips });
    const all = [driver.batch(), ...events.map((type) => driver.batch({ type }))];
    expect(all.map((batch, at) => (sent[at] === undefined ? undefined : batch.map(({ type }) => type)))).toEqual(sent);
    expect(driver.conversation.state.round.queue).toEqual([]);
    driver.batch();
    expect(JSON.stringify(writeState(driver.conversation.state)).length).toBeLessThan(30_000);
  });
});

describe("an endless loop of acting", () => {
  it("sends at most as many events as the budget allows", () => {
    const source = `@loop("mad")\nflow mad\n  match Go()\n  while True\n    send X()\n\nflow main\n  start mad\n  match Never()\n${REPORT}`;
    const driver = new Driver(source, { limits: { internalEventsPerRound: 50 } });
    driver.batch();
    const round = driver.conversation.process({ type: "Go" });
    expect(round.events.length).toBeLessThan(60);
    expect(round.events.at(-1)).toMatchObject({ type: "Report" });
    expect(round.trace).toContainEqual(expect.objectContaining({ type: "aborted", flow: "mad", why: "budget" }));
  });

  it("leaves no flow that can never move", () => {
    const source = `flow child\n  match Go()\n\nflow parent\n  await child\n  send Never()\n\nflow mad\n  match Go()\n  while True\n    send FlowPaused(flow_id="x")\n\nflow main\n  activate parent\n  start mad\n  match Never()\n`;
    const driver = new Driver(source, { limits: { internalEventsPerRound: 5 } });
    driver.batch();
    driver.batch({ type: "Go" });
    driver.batch({ type: "Other" });
    const statuses = [...driver.conversation.state.data.flows.values()].map(({ flow, status, heads }) => [
      flow,
      status,
      heads.every((head) => head.waits !== "no" || head.status === "dormant"),
    ]);
    expect(statuses.every(([, , stands]) => stands)).toBe(true);
  });
});

describe("actions that a flow stopped explicitly", () => {
  it("are removed when their owners end and their own end is never reported", () => {
    const source = `flow lamp\n  start LampAction() as $lamp\n  send $lamp.Stop()\n\nflow main\n  while True\n    match Go()\n    lamp\n`;
    const driver = new Driver(source, { limits: { foreignActions: 3 } });
    for (let at = 0; at < 10; at += 1) driver.batch({ type: "Go" });
    expect(driver.conversation.state.index.actions.size).toBe(3);
  });
});

describe("scores of large events", () => {
  it("are never 0, for any number of unexpected parameters", () => {
    const driver = new Driver(`flow main\n  match Big(items=["a"])\n  send List()\n  match Big()\n  send Fields()\n`);
    driver.batch();
    const items = Array.from({ length: 9000 }, () => "a");
    expect(driver.batch({ type: "Big", items }).map(({ type }) => type)).toEqual(["List"]);
    const fields = Object.fromEntries(items.map((item, at) => [`f${at}`, item]));
    expect(driver.batch({ type: "Big", ...fields }).map(({ type }) => type)).toEqual(["Fields"]);
  });
});

describe("a sent event", () => {
  it("does not change with the list it was made of, or with its own reference", () => {
    const driver = new Driver(
      `flow main\n  $list = [1]\n  send X(items=$list) as $event\n  ($list.append(2))\n  ($event.items.append(3))\n  match Never()\n`,
    );
    expect(driver.batch()).toEqual([expect.objectContaining({ type: "X", items: [1] })]);
  });
});

function begin(text: string, workPerEvent?: number): EngineConversation {
  const { ast } = parseColang2(createSourceFile("main.co", text));
  const { program, diagnostics } = compileColang2({ modules: [{ name: "main.co", ast }] });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const conversation = new EngineConversation(program, workPerEvent === undefined ? {} : { limits: { workPerEvent } });
  conversation.begin();
  return conversation;
}

const loop = (statement: string): string =>
  `flow main\n  match Go() as $e\n  $i = 0\n  $d = {}\n  while True\n    ${statement}\n    $i += 1\n`;

const many = (body: string): string =>
  `${body}\nflow main\n  $n = 0\n  while $n < 200\n    activate one $n\n    $n += 1\n  match Never()\n`;

const GO = {
  type: "Go",
  text: "ab ".repeat(2000),
  list: Array.from({ length: 2000 }, (_, at) => at),
  map: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, at])),
};

/** Report of the engine on an exceeded limit. */
function reports(conversation: EngineConversation): readonly string[] {
  const round = conversation.process(GO);
  return round.trace.flatMap((entry) => (entry.type === "failed" ? [entry.message] : []));
}

describe("work of an event is proportional to the values it touches", () => {
  it.each([
    ["texts of values", loop("$x = str($e.list)")],
    ["texts that are changed", loop("$x = $e.text.upper()")],
    ["texts that are searched", loop("$x = $e.text.count($e.text)")],
    ["lists that are added", loop("$x = $e.list + [$i]")],
    ["lists that are copied", loop("$x = $e.list.copy()")],
    ["sets that are made", loop("$x = set($e.list)")],
    ["dictionaries that are copied", loop("$x = $e.map.copy()")],
    ["comparisons", loop("$x = $e.list == $e.list.copy()")],
    ["copies in events", loop("send Out(list=$e.list)")],
    ["loops over lists", loop("for $k in $e.list\n      break")],
    ["members that are made", loop("$x = $e.arguments")],
    ["patterns that are compiled", loop('$x = regex("(a|b){{1,50}}" + str($i))')],
    ["patterns that search", loop('$x = search("(a?){{0,20}}b{{3}}$", $e.text)')],
    ["matches that are found", loop('$x = find_all("a", $e.text)')],
    ["flows that are looked at", many("flow one $n\n  match Go()\n  while True\n    $x = flows_info()\n")],
    ["patterns of events", many("flow one $n\n  match Go(list=[1, 7, 2, $n + 5000])\n  send Out(n=$n)\n")],
  ])("%s", (_, text) => {
    const conversation = begin(text, 60_000);
    const round = conversation.process(GO);
    const messages = [
      ...round.trace.flatMap((entry) => (entry.type === "failed" ? [entry.message] : [])),
      ...(conversation.state.work.isSpent ? ["spent"] : []),
    ];
    expect(messages.join("\n")).toMatch(/limit `workPerEvent`|spent/);
  });

  it("reports the limit to the program, which can react to it", () => {
    const conversation = begin(
      `flow spend\n  match Go() as $e\n  while True\n    $x = str($e.list)\n\nflow main\n  start spend\n  match ColangError() as $error\n  send Reported(type=$error.type, error=$error.error)\n`,
      60_000,
    );
    const { events } = conversation.process(GO);
    expect(events).toMatchObject([
      {
        type: "Reported",
        error:
          "one event costs more than 60000 steps (limit `workPerEvent`): do the work in an action, or wait in between",
      },
    ]);
  });

  it("fails the flow that exceeds the budget, and the next event begins with a full budget", () => {
    const conversation = begin(
      `@active\nflow spend\n  match Go() as $e\n  while True\n    $x = str($e.list)\n\nflow main\n  match Ping()\n  send Pong()\n  match Never()\n`,
      60_000,
    );
    expect(reports(conversation)).toEqual([expect.stringContaining("workPerEvent")]);
    expect(conversation.process({ type: "Ping" }).events).toMatchObject([{ type: "Pong" }]);
  });

  it("counts events that cause each other endlessly", () => {
    const conversation = begin("flow a\n  b\n\nflow b\n  a\n\nflow main\n  match Go()\n  a\n", 3000);
    conversation.process(GO);
    expect(conversation.state.round.queue).toEqual([]);
    expect(conversation.state.data.flows.size).toBeLessThan(10);
  });
});

const MESSAGES: Readonly<Record<string, RegExp>> = {
  textLength: /^a string grows too long \(limit 1048576\): shorten/,
  listLength: /^a collection grows too large \(limit 100000\): keep only/,
  steps: /^(evaluation takes too many steps|a value is too long to be written) \(limit \d+\): /,
};

describe("a value that grows over statements and events", () => {
  it.each([
    ["a text that is doubled", '$x = "a"', "$x = $x + $x", "textLength"],
    ["a text that is put into itself", '$x = "ab"', '$x = "{$x}{$x}"', "textLength"],
    ["a list that is doubled", "$x = [1]", "$x = $x + $x", "listLength"],
    ["a list that is added to itself", "$x = [1]", "$x += $x", "listLength"],
    ["a list that extends itself", "$x = [1]", "($x.extend($x))", "listLength"],
    ["a list in itself, as a text", "$x = [1]", "$x = [$x, $x]\n    $t = str($x)", "steps"],
  ])("%s", (_, first, statement, limit) => {
    const within = begin(`flow main\n  match Go()\n  ${first}\n  while True\n    ${statement}\n`);
    const message = reports(within).join();
    expect(message).toMatch(MESSAGES[limit] ?? /^$/);
    const across = begin(`flow main\n  ${first}\n  while True\n    match Go()\n    ${statement}\n`);
    let later = "";
    for (let turn = 0; turn < 100 && later === ""; turn += 1) later = reports(across).join();
    expect(later).toBe(message);
  });

  it("a dictionary whose entries are assigned", () => {
    const fill = "$i = 0\n    while $i < 30\n      $d[str($i) + $d.turn] = $i\n      $i += 1";
    const conversation = begin(
      "flow main\n  match Go() as $e\n  $d = $e.map\n" +
        `  $d["turn"] = "t"\n  while True\n    match Go()\n    $d["turn"] = $d["turn"] + "t"\n    ${fill}\n`,
    );
    const map = Object.fromEntries(Array.from({ length: 99_960 }, (_, at) => [`k${at}`, at]));
    conversation.process({ type: "Go", map });
    expect(reports(conversation)).toEqual([]);
    expect(reports(conversation).join()).toMatch(/^a collection grows too large \(limit 100000\)/);
  });
});

describe("the meter of an event", () => {
  it("throws a typed error that names the limit", () => {
    const work = new WorkMeter(10, "CO-403");
    work.spend(10);
    expect(work.isSpent).toBe(false);
    let error: unknown;
    try {
      work.spend(1);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toMatchObject({ limit: "workPerEvent", maximum: 10, code: "CO-403" });
    work.extend(5);
    expect(work.isSpent).toBe(false);
    work.reset();
    work.spend(10);
  });
});

/** Complexity, counted: the cost of an event does not depend on how many other heads wait. */

const MANY = 300;

function play(source: string, ...names: readonly string[]): Driver {
  const driver = new Driver(source);
  driver.batch();
  for (const type of names) driver.batch({ type });
  return driver;
}

/** Expectations about internal events of one flow instance. */
function flowEvent(name: string, uid: string, flow: string): EngineEvent {
  const fields = { flow_id: flow, flow_instance_uid: uid };
  return { ...BLANK_EVENT, name, uid: "x", isInternal: true, fields };
}

const uidsOf = (state: EngineState, flow: string): string[] => [...state.index.byFlow.get(flow)].map(({ uid }) => uid);

describe("heads that an event concerns", () => {
  const AWAITING = `flow job $id\n  match Done(id=$id)\n\nflow boss $id\n  job $id\n  send Paid(id=$id)\n\nflow main\n  $id = 0\n  while $id < ${MANY}\n    activate boss $id\n    $id += 1\n  match Never()\n`;

  it.each(["FlowFinished", "FlowFailed"])("are those bound to the one instance that `%s` names", (name) => {
    const { state } = play(AWAITING).conversation;
    const [uid = ""] = uidsOf(state, "job");
    expect(state.index.waiting.candidates(flowEvent(name, uid, "job"))).toHaveLength(1);
    expect(state.index.waiting.candidates(flowEvent(name, "another", "job"))).toHaveLength(0);
  });

  it("are found by the first value of a pattern, also if it has several", () => {
    const flows = `flow f $id\n  match E(like=regex("."), n=$id, list=[1])\n\nflow main\n  $id = 0\n  while $id < ${MANY}\n    activate f $id\n    $id += 1\n  match Never()\n`;
    const { state } = play(flows).conversation;
    const event = { ...BLANK_EVENT, name: "E", uid: "x" };
    expect(state.index.waiting.candidates({ ...event, payload: { n: 4, like: "a", list: [1] } })).toHaveLength(1);
  });

  it("leave nothing in the index when they are removed", () => {
    const driver = play(`flow main\n  match Go()\n  match ${"E() or ".repeat(MANY - 1)}E()\n  match Never()\n`, "Go");
    expect([...driver.conversation.state.index.waiting.heads.keys()]).toHaveLength(MANY);
    driver.batch({ type: "E" });
    expect([...driver.conversation.state.index.waiting.heads.keys()]).toHaveLength(1);
  });
});

describe("patterns", () => {
  it("are evaluated on arrival, and not for every event", () => {
    const driver = play("flow main\n  match E(n=randint(1000000) + 1)\n");
    const { random } = driver.conversation.state.data;
    for (let at = 0; at < 20; at += 1) driver.batch({ type: "E", n: 0 });
    expect(driver.conversation.state.data.random).toBe(random);
  });
});

describe("loops", () => {
  it("are counted while their instances live", () => {
    const driver = play(
      `@loop("NEW")\nflow own\n  match End()\n\n@loop("side")\nflow side\n  match End()\n\nflow main\n  start own\n  start own\n  start side\n  start side\n  match Never()\n`,
    );
    const counts = (): number[] => [...driver.conversation.state.index.loops.values()].sort();
    expect(counts()).toEqual([1, 1, 1, 2]);
    driver.batch({ type: "End" });
    expect(counts()).toEqual([1]);
  });
});

describe("actions", () => {
  it("are found by their identifier: the end of one touches no other", () => {
    const driver = new Driver(
      `flow f $id\n  await LampAction(id=$id)\n\nflow main\n  $id = 0\n  while $id < ${MANY}\n    start f $id\n    $id += 1\n  match Never()\n`,
    );
    const started = driver.batch();
    const before = new Map(driver.conversation.state.index.actions);
    const uid = started[7]?.["action_uid"];
    driver.batch({ type: "LampActionFinished", action_uid: uid, is_success: true });
    const { actions } = driver.conversation.state.index;
    expect(actions.size).toBe(MANY - 1);
    expect([...before].filter(([key, action]) => actions.get(key) !== action).map(([key]) => key)).toEqual([uid]);
  });
});

describe("an ended flow or action", () => {
  it("is removed with its event, however often it was restarted", () => {
    const driver = play(
      `flow echo\n  match Say() as $e\n  start LampAction(n=1)\n  send Said(n=$e.n)\n\nflow main\n  activate echo\n  match Never()\n`,
    );
    const sizes: number[] = [];
    for (let n = 0; n < 60; n += 1) {
      for (const event of driver.batch({ type: "Say", n: 1 })) {
        if (event.type !== "StopLampAction") continue;
        driver.batch({ type: "LampActionFinished", action_uid: event["action_uid"], is_success: true });
      }
      if (n === 10 || n === 59) sizes.push(JSON.stringify(writeState(driver.conversation.state)).length);
    }
    const { flows, ended, actions } = driver.conversation.state.data;
    expect([flows.size, ended.size, actions.size]).toEqual([2, 0, 0]);
    // Counters may grow by a digit.
    expect((sizes[1] ?? 0) - (sizes[0] ?? 0)).toBeLessThan(30);
  });
});

describe("decisions", () => {
  it("of a fork are one decision, which removes all its heads", () => {
    const cases = Array.from({ length: MANY }, (_, at) => `E(n=${at})`).join(" or ");
    const driver = play(`flow main\n  match ${cases}\n  send Done()\n  match Never()\n`);
    const { main } = driver.conversation.state.index;
    expect(main?.heads.length).toBe(MANY + 1);
    expect(driver.batch({ type: "E", n: 5 })).toMatchObject([{ type: "Done" }]);
    expect(main?.heads.length).toBe(1);
  });

  it("between actions are one for each interaction loop", () => {
    const flows = `flow f $id\n  match Go()\n  send Act(id=$id)\n\nflow main\n  $id = 0\n  while $id < ${MANY}\n    start f $id\n    $id += 1\n  match Never()\n`;
    const driver = new Driver(flows);
    driver.batch();
    const { events, trace } = driver.conversation.process({ type: "Go" });
    expect(events).toHaveLength(1);
    const decided = trace.filter(({ type }) => type === "decided");
    expect(decided).toEqual([expect.objectContaining({ others: expect.arrayContaining([]) })]);
    expect(decided[0]).toHaveProperty("others.length", MANY - 1);
  });

  it("between equal actions are none: every flow continues", () => {
    const flows = `flow f\n  match Go()\n  send Act()\n  match Go()\n\nflow main\n  $id = 0\n  while $id < ${MANY}\n    start f\n    $id += 1\n  match Never()\n`;
    const driver = play(flows, "Go");
    expect(driver.conversation.state.index.byFlow.get("f").size).toBe(MANY);
  });
});

describe("the order of heads", () => {
  it.each([[["exact", "like", "exact"]], [["like", "exact", "like"]]])("%j does not depend on the index", (order) => {
    const flow = (name: string, wanted: string): string =>
      `@loop("NEW")\nflow ${name} $at\n  match E(n=${wanted})\n  send Observed(name="${name}", at=$at)\n\n`;
    const starts = order.map((name, at) => `  start ${name} ${at}\n`).join("");
    const driver = play(`${flow("exact", "2")}${flow("like", 'regex("2")')}flow main\n${starts}  match Never()\n`);
    expect(driver.batch({ type: "E", n: 2 })).toMatchObject(order.map((name, at) => ({ type: "Observed", name, at })));
  });
});
