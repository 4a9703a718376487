import { describe, expect, it } from "@jest/globals";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { Driver } from "../engine-driver.js";

/** Members of references, one by one. */

const EVENT = `@loop("side")
flow job $a $b=2 -> $out=7
  priority 0.5
  $own = "mine"
  start helper
  activate helper
  match Done() as $done
  $out = 8
  return "result"

flow helper
  match Never()

flow failing
  match Fail()
  abort

flow main
  start job 1 as $f
  start failing as $g
  start LampAction(level=3, name="own") as $l
  match Ask(id=5, name="hidden", action_uid="x") as $e
  $u = "none"
  send Shown(v=SHOWN)
  match Done()
  match After()
  send Shown(v=SHOWN)
  match Never()
`;

function shown(expression: string, ...events: readonly GuardrailsEvent[]): unknown {
  const driver = new Driver(EVENT.replaceAll("SHOWN", expression), { roundTrips: true });
  const [start] = driver.batch();
  const uid = start?.["action_uid"];
  for (const event of events) {
    const lamp = event.type.startsWith("LampAction") ? { ...event, action_uid: uid } : event;
    driver.batch(lamp);
  }
  const shown: unknown[] = [];
  const ask = { type: "Ask", uid: "e1", id: 5, name: "hidden", action_uid: "x" } as GuardrailsEvent;
  for (const one of driver.batch(ask)) if (one.type === "Shown") shown.push(one["v"]);
  driver.batch({ type: "Done" });
  driver.batch({ type: "Fail" });
  for (const one of driver.batch({ type: "After" })) if (one.type === "Shown") shown.push(one["v"]);
  return shown;
}

describe("members of a flow reference", () => {
  it.each([
    ["uid", "is_str($f.uid)", true, true],
    ["flow_id", "$f.flow_id", "job", "job"],
    ["loop_id", "$f.loop_id", "side", "side"],
    ["status", "$f.status", "started", "finished"],
    ["status of one that fails", "$g.status", "started", "stopped"],
    ["status with `.value`", "$f.status.value", "started", "finished"],
    ["fail_reason", "[$f.fail_reason, $g.fail_reason]", [null, null], [null, "abort"]],
    ["parent_uid", "$f.parent_uid == $self.uid", true, true],
    ["child_flow_uids", "len($f.child_flow_uids)", 2, 0],
    ["arguments", "$f.arguments", { a: 1, b: 2 }, { a: 1, b: 2 }],
    ["priority", "$f.priority", 0.5, 0.5],
    ["activated", "$f.activated", false, false],
    ["context", "[$f.context.own, $f.context.a, $f.context.out]", ["mine", 1, 7], ["mine", 1, 8]],
    ["return_value", "$f.return_value", null, "result"],
    ["a return member", "$f.out", 7, 8],
    ["a parameter", "$f.b", 2, 2],
    ["a variable", "$f.own", "mine", "mine"],
    ["its text", '"{$f}".startswith("<flow job ")', true, true],
    ["itself", "[$f == $f, $f is $f, $f == $g, not $f]", [true, true, false, false], [true, true, false, false]],
    ["its type", "type($f)", "FlowState", "FlowState"],
  ])("%s", (_, expression, before, after) => {
    expect(shown(expression)).toEqual([before, after]);
  });

  it.each(["$f.nothing", "$f.heads", "$f.constructor", "$f.instance"])("%s is an error", (expression) => {
    expect(shown(expression)).toEqual([]);
  });

  it("has fixed members before variables of their names, which stand in the views", () => {
    const driver = new Driver(
      `flow f $status $uid="mine" -> $flow_id="other"\n  $priority = 9\n  match Never()\n\nflow main\n  start f "arg" as $f\n  send Shown(v=[$f.status, $f.uid == "mine", $f.flow_id, $f.priority])\n  send Views(v=[$f.arguments.status, $f.arguments.uid, $f.context.flow_id, $f.context.priority])\n  match Never()\n`,
    );
    expect(driver.batch()).toMatchObject([{ v: ["started", false, "f", 1] }, { v: ["arg", "mine", "other", 9] }]);
  });

  it("of a flow that is still to come reads as None, and that of an unknown flow, too", () => {
    const driver = new Driver(
      `flow f $a=1\n  match Never()\n\nflow main\n  send f(2).Start() as $e\n  send Shown(v=[$e.flow.status, $e.flow.a, $e.flow.loop_id, $e.flow.arguments, $e.flow.context, $e.flow.activated])\n  match Never()\n`,
    );
    expect(driver.batch()).toMatchObject([{ v: ["waiting", null, null, {}, {}, false] }]);
  });

  it("of an activated flow says so", () => {
    const driver = new Driver(
      `flow f\n  match E()\n\n@active\n@loop("w")\nflow watch\n  match FlowStarted(flow_id="f") as $e\n  send Shown(v=$e.flow.activated)\n\nflow main\n  activate f\n  match Never()\n`,
    );
    expect(driver.batch()).toMatchObject([{ v: true }]);
  });
});

describe("members of an action reference", () => {
  const finished = {
    type: "LampActionFinished",
    is_success: false,
    failure_reason: "broken",
    return_value: [1],
    level: 9,
  } as GuardrailsEvent;
  const started = { type: "LampActionStarted", note: "on" } as GuardrailsEvent;
  const updated = { type: "LampActionLevelUpdated", level: 4 } as GuardrailsEvent;

  it.each<[string, string, readonly GuardrailsEvent[], unknown]>([
    ["uid and action_uid", "[$l.uid == $l.action_uid, is_str($l.uid)]", [], [true, true]],
    ["name", "$l.name", [], "LampAction"],
    ["status", "$l.status", [], "starting"],
    ["status when it has started", "$l.status", [started], "started"],
    ["status when it is over", "$l.status", [started, finished], "finished"],
    ["status when it is over at once", "$l.status", [finished], "finished"],
    ["start_event_arguments", "$l.start_event_arguments", [started, updated], { level: 3, name: "own" }],
    ["context", "[$l.context.level, $l.context.note]", [started, updated], [4, "on"]],
    ["a field of its start", "$l.level", [], 3],
    ["a field of an update", "$l.level", [updated], 4],
    ["a field of its end", "$l.level", [updated, finished], 9],
    ["return_value", "$l.return_value", [finished], [1]],
    ["return_value of one without a result", "$l.return_value", [{ type: "LampActionFinished" } as never], null],
    ["is_success", "[$l.is_success, $l.failure_reason]", [finished], [false, "broken"]],
    ["its text", '"{$l}".startswith("<action LampAction ")', [], true],
    ["its type", "type($l)", [], "Action"],
    ["itself", "[$l == $l, $l == $f]", [], [true, false]],
  ])("%s", (_, expression, events, value) => {
    expect((shown(expression, ...events) as unknown[])[0]).toEqual(value);
  });

  it.each(["$l.nothing", "$l.return_value", "$l.is_success", "$l.action", "$l.ownerships"])(
    "%s is an error before an event sets it",
    (expression) => {
      expect(shown(expression)).toEqual([]);
    },
  );
});

describe("members of an event reference", () => {
  it.each([
    ["name", "$e.name", "Ask"],
    ["uid", "$e.uid", "e1"],
    ["arguments", "$e.arguments", { id: 5, name: "hidden" }],
    ["action_uid, of the envelope", "$e.action_uid", "x"],
    ["action of what is no action's", "$e.action", null],
    ["flow of what is no flow's", "$e.flow", null],
    ["a field of the payload", "$e.id", 5],
    ["a field of the envelope", "$e.type", "Ask"],
    ["return_value of an event without one", "$e.return_value", null],
    ["its text", '"{$e}"', "<event Ask e1>"],
    ["its type", "type($e)", "Event"],
  ])("%s", (_, expression, value) => {
    expect((shown(expression) as unknown[])[0]).toEqual(value);
  });

  it("that does not exist is an error", () => {
    expect(shown("$e.nothing")).toEqual([]);
  });

  it.each([
    ["$e.flow.flow_id", "job"],
    ["$e.flow_id", "job"],
    ["$e.return_value", "result"],
    ["$e.flow == $f", true],
    ["$e.a", 1],
    ["$e.out", 8],
    ["$e.arguments", { a: 1, b: 2 }],
    ["$e.flow_instance_uid == $f.uid", true],
    ["$e.source_flow_instance_uid == $self.uid", true],
  ])("of a flow event: %s", (expression, value) => {
    const driver = new Driver(
      `flow job $a $b=2 -> $out=7\n  match Done()\n  $out = 8\n  return "result"\n\nflow main\n  start job 1 as $f\n  match $f.Finished() as $e\n  send Shown(v=${expression})\n  match Never()\n`,
      { roundTrips: true },
    );
    driver.batch();
    expect(driver.batch({ type: "Done" })).toMatchObject([{ v: value }]);
  });

  it.each([
    ["$e.action.name", "WalkAction"],
    ["$e.action.status", "started"],
    ["$e.action_uid", "w1"],
    ["$e.action.uid", "w1"],
    ["$e.steps", 3],
    ["$e.action.steps", 3],
  ])("of an action's event: %s", (expression, value) => {
    const driver = new Driver(
      `flow main\n  match WalkAction.Started() as $e\n  send Shown(v=${expression})\n  match Never()\n`,
      { roundTrips: true },
    );
    driver.batch();
    expect(driver.batch({ type: "WalkActionStarted", action_uid: "w1", steps: 3 })).toMatchObject([{ v: value }]);
  });
});
