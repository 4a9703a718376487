import { describe, expect, it } from "@jest/globals";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { Driver } from "../engine-driver.js";

/** Names that mean something to the objects of the platform mean nothing here. */
const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__"];

/** Reads a member; names with `_` at the front have no such form. */
const read = (object: string, name: string): string =>
  name.startsWith("_") ? `${object}.arguments["${name}"]` : `${object}.${name}`;

type Steps = readonly (readonly [event: Readonly<Record<string, unknown>> | "start", sent: readonly object[]])[];

/** An event whose payload has this name as a key of its own. */
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
    "a member of an event that comes",
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

  it.each(NAMES)("as what is sent: %s is a field like others, or left out", (name) => {
    const driver = new Driver(`flow main\n  send Got(${name}=1, d={"${name}": 2}, n=3)\n  match Never()\n`, {
      roundTrips,
    });
    const [event] = driver.batch();
    expect(event).toMatchObject({ type: "Got", n: 3 });
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    if (name !== "__proto__") expect(Object.hasOwn(event ?? {}, name)).toBe(true);
  });
});
