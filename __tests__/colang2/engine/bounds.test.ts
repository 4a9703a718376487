import { describe, expect, it } from "@jest/globals";
import type { ConversationOptions } from "../../../src/colang2/engine/conversation.js";
import { writeState } from "../../../src/colang2/engine/state/stored/write-state.js";
import { Driver } from "../engine-driver.js";

interface Case {
  readonly title: string;
  readonly source: string;
  readonly events: readonly string[];
  /** Names of what is sent, the beginning first; undefined for anything. */
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
    title: "an endless loop without a wait fails the flow, others go on",
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
    title: "an activation asked for in the last moment does not outlive its owner",
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
  it("sends at most as much as the budget allows", () => {
    const source = `@loop("mad")\nflow mad\n  match Go()\n  while True\n    send X()\n\nflow main\n  start mad\n  match Never()\n${REPORT}`;
    const driver = new Driver(source, { limits: { internalEventsPerRound: 50 } });
    driver.batch();
    const round = driver.conversation.process({ type: "Go" });
    expect(round.events.length).toBeLessThan(60);
    expect(round.events.at(-1)).toMatchObject({ type: "Report" });
    expect(round.trace).toContainEqual(expect.objectContaining({ type: "aborted", flow: "mad", why: "budget" }));
  });

  it("leaves no flow behind that can never move", () => {
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

describe("actions that were stopped by hand", () => {
  it("are forgotten when their owners end and their own end is never reported", () => {
    const source = `flow lamp\n  start LampAction() as $lamp\n  send $lamp.Stop()\n\nflow main\n  while True\n    match Go()\n    lamp\n`;
    const driver = new Driver(source, { limits: { foreignActions: 3 } });
    for (let at = 0; at < 10; at += 1) driver.batch({ type: "Go" });
    expect(driver.conversation.state.index.actions.size).toBe(3);
  });
});

describe("scores of large events", () => {
  it("are never 0, however much is not asked for", () => {
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
