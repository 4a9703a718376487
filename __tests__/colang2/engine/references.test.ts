import { describe, expect, it } from "@jest/globals";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { Driver, compileText } from "../engine-driver.js";

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

  it("has fixed members that take precedence over variables of the same names", () => {
    const driver = new Driver(
      `flow f $status $uid="mine" -> $flow_id="other"\n  $priority = 9\n  match Never()\n\nflow main\n  start f "arg" as $f\n  send Shown(v=[$f.status, $f.uid == "mine", $f.flow_id, $f.priority])\n  send Views(v=[$f.arguments.status, $f.arguments.uid, $f.context.flow_id, $f.context.priority])\n  match Never()\n`,
    );
    expect(driver.batch()).toMatchObject([{ v: ["started", false, "f", 1] }, { v: ["arg", "mine", "other", 9] }]);
  });

  it("of a flow that has not started, or is unknown, reads as None", () => {
    const driver = new Driver(
      `flow f $a=1\n  match Never()\n\nflow main\n  send f(2).Start() as $e\n  send Shown(v=[$e.flow.status, $e.flow.a, $e.flow.loop_id, $e.flow.arguments, $e.flow.context, $e.flow.activated])\n  match Never()\n`,
    );
    expect(driver.batch()).toMatchObject([{ v: ["waiting", null, null, {}, {}, false] }]);
  });

  it("of an activated flow names the activation", () => {
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
    ["action of an event without an action", "$e.action", null],
    ["flow of an event without a flow", "$e.flow", null],
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

/** Names with a meaning for JavaScript objects are ordinary names here. */
const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__"];

/** Reads a member; names that begin with `_` have no such form. */
const read = (object: string, name: string): string =>
  name.startsWith("_") ? `${object}.arguments["${name}"]` : `${object}.${name}`;

type Steps = readonly (readonly [event: Readonly<Record<string, unknown>> | "start", sent: readonly object[]])[];

/** An event whose payload has an own key of this name. */
function withField(type: string, name: string, value: unknown): GuardrailsEvent {
  return JSON.parse(JSON.stringify({ type, NAME: value }).replace('"NAME"', JSON.stringify(name))) as GuardrailsEvent;
}

const ROLES: readonly (readonly [role: string, source: (name: string) => string, steps: (name: string) => Steps])[] = [
  [
    "a variable",
    (name) =>
      `flow main\n  send Before(v=$${name})\n  $${name} = 1\n  $${name} += 1\n  send After(v="{$${name}}")\n  match Never()\n`,
    () => [["start", [{ v: null }, { v: "2" }]]],
  ],
  [
    "a parameter, by position, by name and by default",
    (name) =>
      `flow f $${name}=3\n  send F(v=$${name})\n\nflow main\n  f\n  f 1\n  f $${name}=2\n  start f 4 as $f\n  send G(v=[${read("$f", name)}, $f.arguments["${name}"], $f.context["${name}"]])\n  match Never()\n`,
    () => [["start", [{ v: 3 }, { v: 1 }, { v: 2 }, { v: 4 }, { v: [4, 4, 4] }]]],
  ],
  [
    "a parameter that was not given",
    (name) => `flow f $${name}\n  send F(v=$${name})\n\nflow main\n  f\n  match Never()\n`,
    () => [["start", [{ v: null }]]],
  ],
  [
    "an argument that no parameter is for",
    (name) =>
      `@active\n@loop("e")\nflow errors\n  match ColangError() as $e\n  send Reported(kind=$e.type)\n\nflow f\n  match Never()\n\nflow main\n  match Go()\n  $args = {"${name}": 1}\n  start f(**$args)\n`,
    () => [
      ["start", []],
      [{ type: "Go" }, [{ kind: "InvalidArguments" }]],
    ],
  ],
  [
    "a global variable",
    (name) =>
      `flow f\n  global $${name}\n  $${name} = 5\n\nflow main\n  global $${name}\n  send Before(v=$${name})\n  f\n  send After(v=$${name})\n  match E(v=$${name})\n  send Observed()\n  match Never()\n`,
    () => [
      ["start", [{ v: null }, { v: 5 }]],
      [{ type: "E", v: 5 }, [{ type: "Observed" }]],
    ],
  ],
  [
    "a key of a dictionary",
    (name) =>
      `flow main\n  $d = {"${name}": 1}\n  $e = {}\n  $e["${name}"] = 2\n  send D(v=[$d["${name}"], $e.get("${name}"), $e.get("${name}", 3), {}.get("${name}"), "${name}" in $e, "${name}" in {}, len($e)])\n  send E(d=$d)\n  match Never()\n`,
    () => [["start", [{ v: [1, 2, 2, null, true, false, 1] }, {}]]],
  ],
  [
    "a member of a received event",
    (name) =>
      `flow main\n  match E(${name}=1) as $e\n  send Got(v=[${read("$e", name)}, $e.arguments["${name}"]])\n  match Never()\n`,
    (name) => [
      ["start", []],
      [{ type: "E" }, []],
      [withField("E", name, 2), []],
      [withField("E", name, 1), [{ v: [1, 1] }]],
    ],
  ],
  [
    "a member that a reference does not have",
    (name) =>
      `@active\n@loop("e")\nflow errors\n  match ColangError() as $e\n  send Reported(kind=$e.type)\n\nflow main\n  match E() as $e\n  $x = $e.${name.replace("__", "x")}\n  send Got(v=$x)\n`,
    () => [
      ["start", []],
      [{ type: "E" }, [{ type: "Reported" }]],
    ],
  ],
  [
    "a key in a pattern",
    (name) => `flow main\n  match E(d={"${name}": 1})\n  send Got()\n  match Never()\n`,
    (name) => [
      ["start", []],
      [{ type: "E", d: {} }, []],
      [{ type: "E", d: withField("x", name, 1) }, [{ type: "Got" }]],
    ],
  ],
  [
    "a flow, defined or not",
    (name) =>
      `flow ${name}\n  match E()\n  return 7\n\nflow main\n  send Known(v=[flow_exists("${name}"), flow_running("${name}")])\n  $v = await ${name}\n  send Got(v=$v)\n  match Never()\n`,
    () => [
      ["start", [{ v: [true, false] }]],
      [{ type: "E" }, [{ v: 7 }]],
    ],
  ],
  [
    "an undefined flow",
    (name) =>
      `@active\n@loop("w")\nflow watch\n  match UnhandledEvent(event="StartFlow") as $e\n  send Unknown(v=$e.flow_id)\n\nflow main\n  match Go()\n  send Known(v=flow_exists("${name}"))\n  start ${name}\n  send Wrong()\n`,
    (name) => [
      ["start", []],
      [{ type: "Go" }, [{ v: false }, { v: name }]],
    ],
  ],
  [
    "a return member",
    (name) =>
      `flow f -> $${name}\n  $${name} = 1\n\nflow main\n  f as $f\n  send Got(v=$f.context["${name}"])\n  match Never()\n`,
    () => [["start", [{ v: 1 }]]],
  ],
  [
    "an argument and a result of an action",
    (name) =>
      `flow main\n  await LampAction(${name}=1) as $a\n  send Got(v=[${read("$a", name).replace(".arguments", ".start_event_arguments")}, $a.start_event_arguments["${name}"]])\n  match LampAction(${name}=1).Finished()\n`,
    () => [["start", [{ type: "StartLampAction" }]]],
  ],
  [
    "a loop, a tag and a label",
    (name) =>
      `@loop("${name}")\n@meta(${name}=True)\nflow f\n  match E()\n  send Got(v=[$self.loop_id, flows_info($self.uid).loop_id])\n  ${name}:\n  match Never()\n\nflow main\n  start f\n  match Never()\n`,
    (name) => [
      ["start", []],
      [{ type: "E" }, [{ v: [name, name] }]],
    ],
  ],
  [
    "a variable of the context",
    (name) => `flow main\n  global $${name}\n  match ContextUpdate()\n  send Got(v=$${name})\n  match Never()\n`,
    (name) => [
      ["start", []],
      [{ type: "ContextUpdate", data: withField("x", name, 3) }, [{ v: 3 }]],
    ],
  ],
];

describe.each([
  ["in one go", false],
  ["stored and read again at every step", true],
])("names, %s", (_, roundTrips) => {
  describe.each(ROLES)("of %s", (_role, source, steps) => {
    it.each(NAMES)("%s", (name) => {
      const driver = new Driver(source(name), { roundTrips });
      for (const [event, expected] of steps(name)) {
        const sent = event === "start" ? driver.batch() : driver.batch(event as GuardrailsEvent);
        expect(sent).toMatchObject(expected);
      }
      expect(Object.prototype).not.toHaveProperty("NAME");
      expect(({} as Record<string, unknown>)["v"]).toBeUndefined();
    });
  });

  it.each(NAMES)("in a sent event: %s is an ordinary field, or omitted", (name) => {
    const driver = new Driver(`flow main\n  send Got(${name}=1, d={"${name}": 2}, n=3)\n  match Never()\n`, {
      roundTrips,
    });
    const [event] = driver.batch();
    expect(event).toMatchObject({ type: "Got", n: 3 });
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    if (name !== "__proto__") expect(Object.hasOwn(event ?? {}, name)).toBe(true);
  });
});

const CASES: readonly (readonly [title: string, statements: readonly string[], shown: string, value: unknown])[] = [
  ["a member", ["$d = {}", "$d.a = 1"], "$d", { a: 1 }],
  ["a member of a member", ['$d = {"a": {}}', "$d.a.b = 1"], "$d", { a: { b: 1 } }],
  ["a key", ["$d = {}", '$d["a b"] = 1', "$d[3] = 2"], "$d", { "a b": 1, 3: 2 }],
  ["an item", ["$l = [1, 2]", "$l[1] = 5", "$l[-2] = 4"], "$l", [4, 5]],
  ["an item of a member", ['$d = {"l": [1]}', "$d.l[0] = 2"], "$d", { l: [2] }],
  ["a sum in a key that is not there yet", ["$d = {}", "$d.n = 1", "$d.n += 2", "$d.n -= 5"], "$d", { n: -2 }],
  ["a sum of lists", ["$l = [[1]]", "$l[0] += [2]"], "$l", [[1, 2]]],
  ["a variable of the loop", ["$d = {}", "for $x in [1, 2]", "  $d[$x] = $x"], "$d", { 1: 1, 2: 2 }],
  ["what was evaluated once", ["$q = [0, 1]", "$l = [10, 20]", "$l[$q.pop(0)] += 5"], "[$l, $q]", [[15, 20], [1]]],
  ["a forbidden key", ["$d = {}", '$d["__proto__"] = 1', '$d["__proto__"] += 1'], 'len($d) + $d["__proto__"]', 3],
  ["the same object under two names", ["$d = {}", "$e = $d", "$e.a = 1"], "$d", { a: 1 }],
];

const FAILING: readonly (readonly [title: string, statements: readonly string[]])[] = [
  ["an item beyond the end", ["$l = [1]", "$l[1] = 2"]],
  ["an item that is not a number", ["$l = [1]", '$l["0"] = 2']],
  ["a part of an item", ["$l = [1]", "$l[0.5] = 2"]],
  ["a member of nothing", ["$x.a = 1"]],
  ["a member of a text", ['$x = "a"', "$x.a = 1"]],
  ["a member of a missing member", ["$d = {}", "$d.a.b = 1"]],
  ["a list as a key", ["$d = {}", "$d[[1]] = 1"]],
  ["a member of a reference", ["$f = $self", "$f.a = 1"]],
  ["a sum with what is missing", ["$d = {}", "$d.n += 1"]],
];

const source = (statements: readonly string[], shown: string): string =>
  `@active\n@loop("e")\nflow errors\n  match ColangError() as $e\n  send Failed(line=$e.source_line)\n\nflow tries\n${statements
    .map((line) => `  ${line}\n`)
    .join("")}  send Shown(v=${shown})\n\nflow main\n  match Go()\n  start tries\n  match Never()\n`;

describe("targets of assignments", () => {
  it.each(CASES)("%s", (_, statements, shown, value) => {
    const driver = new Driver(source(statements, shown), { roundTrips: true });
    driver.batch();
    expect(driver.batch({ type: "Go" })).toMatchObject([{ type: "Shown", v: value }]);
  });

  it.each(FAILING)("fail for %s", (_, statements) => {
    const driver = new Driver(source(statements, "1"));
    driver.batch();
    expect(driver.batch({ type: "Go" })).toMatchObject([{ type: "Failed", line: 7 + statements.length }]);
  });

  it.each(["$self = 1", "$self.a = 1", "$system = 1", "$system.config = 1", "$system.config.a += 1"])(
    "cannot be predefined names: %s",
    (statement) => {
      expect(() => new Driver(source([statement], "1"))).toThrow(/cannot be assigned/);
    },
  );

  it("never change the settings that all conversations share", () => {
    const program = compileText(
      source(["$c = $system.config", "$c.colour = 1", "($system.config.update(size=1))"], "$system.config"),
    );
    const driver = new Driver({ ...program, constants: { colour: "red" } });
    driver.batch();
    expect(driver.batch({ type: "Go" })).toMatchObject([{ v: { colour: "red" } }]);
    expect(driver.program.constants).toEqual({ colour: "red" });
  });
});
