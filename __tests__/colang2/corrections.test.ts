import { describe, expect, it } from "@jest/globals";
import { compileColang2 } from "../../src/colang2/compile.js";
import { writeState } from "../../src/colang2/engine/state/stored/encode.js";
import { resolveImports } from "../../src/colang2/imports/imports.js";
import type { GuardrailsEvent } from "../../src/engine/events.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { compileText, Driver } from "./engine-driver.js";
import { BLANK_EVENT } from "../../src/colang2/engine/state/event.js";

/* Rows of `docs/conformance-colang-2.md` that no scenario shows. */

type Steps = readonly (readonly [GuardrailsEvent | "start", readonly (string | Record<string, unknown>)[]])[];

const RUNS: readonly (readonly [title: string, source: string, steps: Steps])[] = [
  [
    "keywords are whole words",
    `flow iframe shown\n  match E()\n\nflow main\n  iframe shown\n  send Done()\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E" }, ["Done"]],
    ],
  ],
  [
    "too many arguments fail the start alone",
    `flow f $a\n  match Never()\n\nflow asks\n  match E()\n  f 1 2\n  send Wrong()\n\nflow other\n  match E()\n  send Fine()\n  match Never()\n\n@loop("x")\nflow reports\n  match ColangError() as $e\n  send Report(type=$e.type)\n\nflow main\n  activate reports\n  start other\n  start asks\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E" }, ["Fine", { type: "Report" }]],
    ],
  ],
  [
    "main starts again, with empty variables, and its end is reported",
    `@active\n@loop("w")\nflow watch\n  match FlowFinished(flow_id="main")\n  send Ended()\n\nflow main\n  $n = 1 if $n is None else $n + 1\n  match E()\n  send Count(n=$n)\n`,
    [
      ["start", []],
      [{ type: "E" }, ["Count", "Ended"]],
      [{ type: "E" }, [{ type: "Count", n: 1 }, "Ended"]],
    ],
  ],
  [
    "a restarted flow leaves no records",
    `flow f\n  match E()\n  send X()\n\nflow main\n  activate f\n  match Show()\n  send Shown(n=len(flows_info()))\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E" }, ["X"]],
      [{ type: "E" }, ["X"]],
      [{ type: "E" }, ["X"]],
      [{ type: "Show" }, [{ n: 2 }]],
    ],
  ],
  [
    "what is referred to stays, however long it has ended",
    `flow f $a\n  match E()\n  return 5\n\nflow main\n  start f 7 as $f\n  match Show()\n  send Shown(v=[$f.a, $f.status, $f.return_value])\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E" }, []],
      [{ type: "Other" }, []],
      [{ type: "Show" }, [{ v: [7, "finished", 5] }]],
    ],
  ],
  [
    "actions of others are followed from their first event to their end",
    `flow main\n  match WalkAction.Started() as $e\n  match WalkAction.Finished()\n  send Shown(v=[$e.action.status, $e.action.steps])\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "WalkActionStarted", action_uid: "w" }, []],
      [{ type: "WalkActionStepUpdated", action_uid: "w", steps: 3 }, []],
      [{ type: "WalkActionFinished", action_uid: "w", is_success: true }, [{ v: ["finished", 3] }]],
    ],
  ],
  [
    "a status is a plain string, also with `.value`",
    `flow f\n  abort\n\nflow g\n  match Never()\n\nflow main\n  start g as $g\n  send Shown(v=[$g.status, $g.status.value == "started"])\n  match Never()\n`,
    [["start", [{ v: ["started", true] }]]],
  ],
  [
    "counts in patterns stay as they are",
    `flow main\n  match E(code=regex("^\\d{3}$")) as $e\n  send Shown(v=[search("a{2}", "baab"), find_all("\\d{2}", "1234")])\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E", code: "12" }, []],
      [{ type: "E", code: "123" }, [{ v: [true, ["12", "34"]] }]],
    ],
  ],
  [
    "`and` binds tighter than `or`",
    `flow main\n  match A() or B() and C()\n  send Done()\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "B" }, []],
      [{ type: "A" }, ["Done"]],
    ],
  ],
  [
    "lists match as subsequences",
    `flow main\n  match E(l=["a", "c"])\n  send Done()\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E", l: ["c", "a"] }, []],
      [{ type: "E", l: ["a", "b", "c"] }, ["Done"]],
    ],
  ],
  [
    "only $self holds the flow",
    `flow f $x\n  send Shown(v=[$uid, $flow_id, $self.flow_id, $self.uid == $self.uid])\n  match Never()\n\nflow main\n  start f 1\n  match Never()\n`,
    [["start", [{ v: [null, null, "f", true] }]]],
  ],
  [
    "True and 1 are never the same",
    `flow a\n  match E(v=True)\n  send IsTrue()\n\nflow b\n  match E(v=1)\n  send IsOne()\n\nflow main\n  activate a and b\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E", v: 1 }, ["IsOne"]],
      [{ type: "E", v: true }, ["IsTrue"]],
    ],
  ],
  [
    "dictionaries are shared as lists are",
    `flow main\n  $a = {"n": 1}\n  $b = $a\n  $b.n = 2\n  $c = [1]\n  $d = $c\n  ($d.append(2))\n  send Shown(v=[$a.n, len($c)])\n  match Never()\n`,
    [["start", [{ v: [2, 2] }]]],
  ],
  [
    "arguments of `match StartFlow` count",
    `flow x $p\n  match Never()\n\nflow main\n  start asking\n  match StartFlow(flow_id="x", p=2)\n  send Seen()\n  match Never()\n\nflow asking\n  match One()\n  start x 1\n  match Two()\n  start x 2\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "One" }, []],
      [{ type: "Two" }, ["Seen"]],
    ],
  ],
  [
    "parameters with defaults do not make a flow less likely",
    `flow many $a=1 $b=2 $c=3\n  match E()\n\nflow wins\n  await many\n  send Deep()\n\nflow plain\n  match E(z=1)\n  send Plain()\n\nflow main\n  activate wins and plain\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E" }, ["Deep"]],
      [{ type: "E", z: 1 }, ["Plain"]],
    ],
  ],
  [
    "flows are finished, paused and resumed by reference, inside the engine",
    `flow f\n  match E()\n  send Observed()\n  match Never()\n\nflow main\n  start f as $f\n  match Pause()\n  send $f.Pause()\n  match Resume()\n  send $f.Resume()\n  match Finish()\n  send $f.Finish(5)\n  match $f.Finished(5)\n  send Done()\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "Pause" }, []],
      [{ type: "E" }, []],
      [{ type: "Resume" }, []],
      [{ type: "E" }, ["Observed"]],
      [{ type: "Finish" }, ["Done"]],
    ],
  ],
  [
    "awaiting an event of a reference is a match",
    `flow f\n  match E()\n\nflow main\n  start f as $f\n  await $f.Finished()\n  send Done()\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E" }, ["Done"]],
    ],
  ],
  [
    "patterns are evaluated on arrival, and again when a global they read was written",
    `flow main\n  global $g\n  $x = "a"\n  $g = "a"\n  start changing\n  match E(x=$x, g=$g)\n  send Done()\n  match Never()\n\nflow changing\n  global $g\n  match Change()\n  $g = "b"\n`,
    [
      ["start", []],
      [{ type: "Change" }, []],
      [{ type: "E", x: "a", g: "a" }, []],
      [{ type: "E", x: "a", g: "b" }, ["Done"]],
    ],
  ],
  [
    "a start of an unknown flow is an unhandled event",
    `@loop("w")\nflow watch\n  match UnhandledEvent(event="StartFlow") as $e\n  send Unknown(flow=$e.flow_id)\n\nflow main\n  activate watch\n  match E()\n  start nobdy knows this\n`,
    [
      ["start", []],
      [{ type: "E" }, [{ flow: "nobdy knows this" }]],
    ],
  ],
  [
    "the story begins with an empty batch",
    `flow main\n  send Hello()\n  match Never()\n`,
    [
      ["start", ["Hello"]],
      ["start", []],
    ],
  ],
  [
    "the outcome of abort and of a stop is that the flow failed, with the reason",
    `flow a\n  match E()\n  abort\n\nflow b\n  match Never()\n\nflow main\n  start a as $a\n  start b as $b\n  match E()\n  send $b.Stop()\n  match $b.Failed("stop_request")\n  send Shown(v=[$a.status, $a.fail_reason, $b.status, $b.fail_reason])\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E" }, [{ v: ["stopped", "abort", "stopped", "stop_request"] }]],
    ],
  ],
  [
    "payload is separate from the envelope inside, and flat on the wire",
    `flow main\n  match E(n=1) as $e\n  send Shown(payload=$e.arguments, tags=$e.tags)\n  match Never()\n`,
    [
      ["start", []],
      [{ type: "E", n: 1, tags: ["t"], source_uid: "s" }, [{ payload: { n: 1 }, tags: ["t"] }]],
    ],
  ],
];

describe.each([
  ["in one go", false],
  ["stored and read again at every step", true],
])("rows with a separate run, %s", (_, roundTrips) => {
  it.each(RUNS)("%s", (_title, source, steps) => {
    const driver = new Driver(source, { roundTrips });
    for (const [event, expected] of steps) {
      const sent = event === "start" ? driver.batch() : driver.batch(event);
      expect(sent).toMatchObject(expected.map((one) => (typeof one === "string" ? { type: one } : one)));
    }
  });
});

const REFUSED: readonly (readonly [title: string, source: string, message: RegExp])[] = [
  ["actions whose name begins as a request does", "flow main\n  await StartEngineAction()\n", /StartEngineAction/],
  ["a flow in a match", "flow f\n  match E()\n\nflow main\n  match f\n", /f/],
  ["break outside of a loop", "flow main\n  break\n", /break/],
  ["continue outside of a loop", "flow main\n  continue\n", /continue/],
  ["an import inside of a flow", "flow main\n  import core\n  match E()\n", /import/],
  ["a lifecycle event that is invalid", "flow main\n  match LampAction(x=1).Finnished()\n", /Finnished/],
];

describe("rows that are errors of the program", () => {
  it.each(REFUSED)("%s", (_title, source, message) => {
    const resolved = resolveImports({ sources: [createSourceFile("main.co", source)] });
    const compiled = compileColang2(resolved);
    const errors = [...resolved.diagnostics, ...compiled.diagnostics].filter(({ severity }) => severity === "error");
    expect(errors).toContainEqual(expect.objectContaining({ message: expect.stringMatching(message) }));
  });
});

describe("rows about what the engine does inside", () => {
  it("a body with several cases is compiled once", () => {
    const when = (depth: number, pad: string): string =>
      depth === 0
        ? `${pad}send Body()\n`
        : `${pad}when A()\n${when(depth - 1, `${pad}  `)}${pad}or when B()\n${pad}  pass\n`;
    const sizes = [1, 2, 4, 8].map((depth) => {
      const main = compileText(`flow main\n${when(depth, "  ")}`).flows.find(({ id }) => id === "main");
      return main?.elements.length ?? 0;
    });
    expect((sizes[3] ?? 0) / (sizes[0] ?? 1)).toBeLessThan(9);
  });

  it("a shorter chain of equal matches does not win by its length", () => {
    const source = `flow hear\n  match E(n=1)\n\nflow deep\n  await hear\n  send Deep()\n\nflow flat\n  match E(n=1)\n  send Flat()\n\nflow main\n  activate deep and flat\n  match Never()\n`;
    const winners = new Set<string>();
    for (let seed = 0; seed < 40; seed += 1) {
      const driver = new Driver(source, { seed });
      driver.batch();
      winners.add(
        driver
          .batch({ type: "E", n: 1 })
          .map(({ type }) => type)
          .join(),
      );
    }
    expect([...winners].sort()).toEqual(["Deep", "Flat"]);
  });

  it("ties are drawn from the state, so the same seed gives the same conversation", () => {
    const source = `flow main\n  while True\n    match E()\n    send A() or B() or C()\n`;
    const play = (seed: number): string => {
      const driver = new Driver(source, { seed });
      driver.batch();
      return Array.from({ length: 20 }, () => driver.batch({ type: "E" }).map(({ type }) => type)).join();
    };
    expect(play(3)).toBe(play(3));
    expect(new Set([1, 2, 3, 4].map(play)).size).toBeGreaterThan(1);
  });

  it("an unhandled event is created only if a flow could match it", () => {
    const count = (source: string): number => {
      const driver = new Driver(source);
      driver.batch();
      const before = driver.conversation.state.data.ids;
      driver.conversation.process({ type: "Unknown" });
      return driver.conversation.state.data.ids - before;
    };
    expect(count("flow main\n  match Never()\n")).toBe(1);
    expect(count('flow main\n  match UnhandledEvent(event="Other")\n')).toBe(2);
  });

  it("an event examines only the heads it could concern", () => {
    const flows = `flow listen $id\n  match E(id=$id)\n  send Observed(id=$id)\n\nflow main\n  $id = 0\n  while $id < 300\n    activate listen $id\n    $id += 1\n  match Never()\n`;
    const driver = new Driver(flows);
    driver.batch();
    const { waiting } = driver.conversation.state.index;
    const event = { ...BLANK_EVENT, name: "E", uid: "x", payload: { id: 7 } };
    expect(waiting.candidates(event)).toHaveLength(1);
    expect(waiting.candidates({ ...event, payload: { id: 400 } })).toHaveLength(0);
  });

  it("patterns take linear time", () => {
    const driver = new Driver(`flow main\n  match E(text=regex("^(a+)+$"))\n  send Done()\n  match Never()\n`);
    driver.batch();
    expect(driver.batch({ type: "E", text: `${"a".repeat(5000)}b` })).toEqual([]);
    expect(driver.batch({ type: "E", text: "a".repeat(5000) })).toMatchObject([{ type: "Done" }]);
  });

  it("what is stored holds neither the program nor the configuration", () => {
    const driver = new Driver(`flow main\n  $secret_name = 1\n  match Never()\n\nflow unused flow name\n  match E()\n`);
    driver.batch();
    const stored = JSON.stringify(writeState(driver.conversation.state));
    expect(stored).not.toContain("unused flow name");
    expect(stored).not.toContain('"kind"');
  });

  it("misspelt names are reported at compile time", () => {
    const { diagnostics } = compileColang2(
      resolveImports({ sources: [createSourceFile("main.co", "flow say hello\n  pass\n\nflow main\n  say helo\n")] }),
    );
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ severity: "warning", hint: expect.stringContaining("say hello") }),
    );
  });

  it("a stored state is not changed by later turns", () => {
    const driver = new Driver(`flow main\n  while True\n    match E()\n    send X()\n`, { roundTrips: true });
    driver.batch();
    const stored = writeState(driver.conversation.state);
    const before = JSON.stringify(stored);
    driver.batch({ type: "E" });
    expect(JSON.stringify(stored)).toBe(before);
  });
});
