import { describe, expect, it } from "@jest/globals";
import type { EngineEvent } from "../../../src/colang2/engine/state/records.js";
import { writeState } from "../../../src/colang2/engine/state/stored/write-state.js";
import type { EngineState } from "../../../src/colang2/engine/state/state.js";
import { Driver } from "../engine-driver.js";

/** Complexity, counted: the cost of an event does not depend on how many other heads wait. */

const MANY = 300;

function play(source: string, ...names: readonly string[]): Driver {
  const driver = new Driver(source);
  driver.batch();
  for (const type of names) driver.batch({ type });
  return driver;
}

/** Of internal events about one flow instance. */
function flowEvent(name: string, uid: string, flow: string): EngineEvent {
  const fields = { flow_id: flow, flow_instance_uid: uid };
  return { name, uid: "x", isInternal: true, fields, payload: {}, meta: {}, scores: [] };
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

  it("are found by the first value a pattern asks for, also when there are more", () => {
    const flows = `flow f $id\n  match E(like=regex("."), n=$id, list=[1])\n\nflow main\n  $id = 0\n  while $id < ${MANY}\n    activate f $id\n    $id += 1\n  match Never()\n`;
    const { state } = play(flows).conversation;
    const event = { name: "E", uid: "x", isInternal: false, fields: {}, meta: {}, scores: [] };
    expect(state.index.waiting.candidates({ ...event, payload: { n: 4, like: "a", list: [1] } })).toHaveLength(1);
  });

  it("leave nothing in the index when they go", () => {
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
  it("is gone with its event, however often it was begun anew", () => {
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
    // Counters grow by a digit.
    expect((sizes[1] ?? 0) - (sizes[0] ?? 0)).toBeLessThan(30);
  });
});

describe("decisions", () => {
  it("of a fork are one, and take all its heads away", () => {
    const cases = Array.from({ length: MANY }, (_, at) => `E(n=${at})`).join(" or ");
    const driver = play(`flow main\n  match ${cases}\n  send Done()\n  match Never()\n`);
    const { main } = driver.conversation.state.index;
    expect(main?.heads.length).toBe(MANY + 1);
    expect(driver.batch({ type: "E", n: 5 })).toMatchObject([{ type: "Done" }]);
    expect(main?.heads.length).toBe(1);
  });

  it("between acts are one for each loop", () => {
    const flows = `flow f $id\n  match Go()\n  send Act(id=$id)\n\nflow main\n  $id = 0\n  while $id < ${MANY}\n    start f $id\n    $id += 1\n  match Never()\n`;
    const driver = new Driver(flows);
    driver.batch();
    const { events, trace } = driver.conversation.process({ type: "Go" });
    expect(events).toHaveLength(1);
    const decided = trace.filter(({ type }) => type === "decided");
    expect(decided).toEqual([expect.objectContaining({ others: expect.arrayContaining([]) })]);
    expect(decided[0]).toHaveProperty("others.length", MANY - 1);
  });

  it("between equal acts are none: every flow continues", () => {
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
