import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { advance } from "../../../src/colang1/engine/advance.js";
import { assignResult } from "../../../src/colang1/engine/processing.js";
import { why } from "../../../src/engine/explain.js";
import { restoreState, type SerializedState, serializeState } from "../../../src/colang1/engine/snapshot.js";
import { createState, registerFlow } from "../../../src/colang1/engine/state.js";
import { LimitError } from "../../../src/diagnostics/errors.js";
import type { EventDraft, GuardrailsEvent } from "../../../src/engine/events.js";
import { Driver, said } from "./driver.js";
import {
  assign,
  call,
  check,
  emit,
  event,
  flow,
  increment,
  jump,
  jumpIfNot,
  less,
  literal,
  program,
  runAction,
  say,
  sayText,
  sayValue,
  stop,
  user,
  variable,
} from "./flows.js";
import { propertyRuns } from "../../support/property-runs.js";

function first(elements: Parameters<typeof flow>[1], context: Record<string, unknown> = {}): readonly EventDraft[] {
  const flows = program(flow("it", [event("Go"), ...elements]));
  return advance(flows, createState(flows, context), { type: "Go", k: 7 }).events;
}

describe("the drafts of a step", () => {
  it.each<[string, Parameters<typeof flow>[1], readonly EventDraft[]]>([
    ["a message", [say("hi")], [{ type: "BotIntent", intent: "hi" }]],
    ["a literal", [sayText("Hi.")], [{ type: "BotIntent", intent: "say", text: "Hi." }]],
    ["a value", [sayValue("name")], [{ type: "BotIntent", intent: "$name", value: "Al" }]],
    ["stop", [stop], [{ type: "BotIntent", intent: "stop" }]],
    [
      "an event",
      [emit("Bell", { times: literal(2), gone: variable("gone") })],
      [{ type: "Bell", times: 2, gone: null }],
    ],
    ["an event cannot rename itself", [emit("Bell", { type: literal("Listen") })], [{ type: "Bell" }]],
    [
      "an action",
      [runAction("add", { a: variable("name") }, "sum")],
      [
        {
          type: "StartInternalSystemAction",
          action_name: "add",
          action_params: { a: "Al" },
          action_result_key: "sum",
          is_system_action: false,
          flow_id: "it",
        },
      ],
    ],
    [
      "changed variables first",
      [assign("a", literal(1)), say("hi")],
      [
        { type: "ContextUpdate", data: { a: 1 } },
        { type: "BotIntent", intent: "hi" },
      ],
    ],
    ["changed variables alone", [assign("a", literal(1))], [{ type: "ContextUpdate", data: { a: 1 } }]],
    ["nothing", [user("later")], []],
    [
      "an undefined message variable",
      [sayValue("missing")],
      [
        {
          type: "FlowFailed",
          flow_id: "it",
          code: "CO-401",
          message: "message variable `$missing` is not defined",
          location: { file: "test.co", line: 1, column: 1 },
        },
      ],
    ],
  ])("%s", (_title, elements, expected) => {
    expect(first(elements, { name: "Al" })).toEqual(expected);
  });
});

describe("context", () => {
  it("a change without a `ContextUpdate` is emitted with the next step", () => {
    const flows = program(
      flow("it", [event("Go"), assign("a", literal(1)), user("x")]),
      flow("on", [event("On"), say("hi")]),
    );
    const gone = advance(flows, createState(flows), { type: "Go" }).state;
    const update = { type: "ContextUpdate", data: { a: 1 } };
    const on = advance(flows, gone, { type: "On" });
    expect(on.events).toEqual([update, { type: "BotIntent", intent: "hi" }]);
    expect(advance(flows, advance(flows, on.state, update).state, { type: "On" }).events).not.toContainEqual(update);
  });

  it.each<[string, GuardrailsEvent, string, unknown]>([
    ["the user's text", { type: "UserMessage", text: "hi" }, "last_user_message", "hi"],
    ["the bot's text", { type: "StartUtteranceBotAction", script: "ho" }, "last_bot_message", "ho"],
  ])("keeps %s", (_title, given, name, expected) => {
    const flows = program();
    expect(advance(flows, createState(flows), given).state.context).toEqual({ [name]: expected });
  });

  it.each<[string, unknown, unknown]>([
    ["sum", 5, { ok: true, name: "sum", value: 5 }],
    ["order.qty", 5, { ok: true, name: "order", value: { qty: 5, name: "x" } }],
    ["order.inner.deep", 5, { ok: true, name: "order", value: { qty: 1, name: "x", inner: { deep: 5 } } }],
    [
      "nothing.qty",
      5,
      { ok: false, code: "CO-206", message: "cannot set `$nothing.qty`: there is no map to set a property of" },
    ],
    [
      "order.qty.deep",
      5,
      { ok: false, code: "CO-206", message: "cannot set `$order.qty.deep`: there is no map to set a property of" },
    ],
  ])("stores a result under %s", (key, value, expected) => {
    const context =
      key === "order.inner.deep" ? { order: { qty: 1, name: "x", inner: {} } } : { order: { qty: 1, name: "x" } };
    expect(assignResult(context, key, value)).toEqual(expected);
  });

  it("an initialiser runs once, before the first event sets variables", () => {
    const setup = flow("setup", [increment("runs"), assign("open", literal(false))], { isInitialiser: true });
    const driver = new Driver(program(setup));
    driver.send({ type: "ContextUpdate", data: { open: true } });
    driver.intent("x");
    expect(driver.context).toEqual({ runs: 1, open: true });
  });
});

describe("limits", () => {
  it("endless sliding is a LimitError", () => {
    const flows = program(flow("spin", [event("Go"), jump(1)]));
    const spin = (): unknown => advance(flows, createState(flows, {}, { limits: { slideSteps: 50 } }), { type: "Go" });
    expect(spin).toThrow(LimitError);
    expect(spin).toThrow("flow `spin` takes more than 50 steps without waiting");
  });

  it("an endless loop before the first matcher stops only its own flow from starting", () => {
    // `user b` is never reached, but it makes the engine examine the flow.
    const spin = flow("spin", [increment("n"), jumpIfNot(literal(false), 0), user("b")]);
    const flows = program(spin, flow("ok", [user("b"), say("hi")]));
    const driver = new Driver(flows, { limits: { slideSteps: 50 } });
    expect([...driver.intent("b"), ...driver.intent("b")]).toEqual(["hi", "hi"]);
    expect(driver.context).toEqual({});
    const warnings = driver.trace.filter((entry) => entry.type === "warning");
    expect(warnings).toMatchObject([{ code: "CO-405", flow: "spin" }]);
  });

  it("nested calls fail beyond the depth limit", () => {
    const flows = program(flow("it", [event("Go"), call("deep")]), flow("deep", [call("deep")], { isSubflow: true }));
    expect(advance(flows, createState(flows), { type: "Go" }).events).toMatchObject([
      { type: "FlowFailed", flow_id: "deep", code: "CO-402", message: "`do deep` is nested deeper than 64" },
    ]);
  });
});

describe("failures", () => {
  const bad = {
    kind: "Binary" as const,
    operator: "-" as const,
    left: literal("a"),
    right: literal(1),
    start: 0,
    end: 0,
  };

  it("a failure is kept if its event was not the last of a batch", () => {
    const flows = program(flow("bad", [event("Go"), assign("x", bad)]));
    const { state } = advance(flows, createState(flows), { type: "Go" });
    const later = advance(flows, state, { type: "Whatever" });
    expect(later.events).toMatchObject([{ type: "FlowFailed", code: "CO-410" }]);
    const known = advance(flows, later.state, later.events[0] as GuardrailsEvent);
    expect(advance(flows, known.state, { type: "Whatever" }).events).toEqual([]);
  });

  it("an error before the first matcher is reported once and stops no other flow", () => {
    const driver = new Driver(
      program(flow("bad", [assign("x", bad), user("a"), say("never")]), flow("ok", [user("a"), say("hi")])),
    );
    expect([...driver.intent("a"), ...driver.intent("a")]).toEqual(["hi", "hi"]);
    expect(driver.trace.filter((entry) => entry.type === "warning")).toMatchObject([{ code: "CO-405", flow: "bad" }]);
    expect(why(driver.trace, "bad")).toMatchObject({ outcome: "not-started" });
  });
});

describe("hide_prev_turn", () => {
  const flows = program(flow("talk", [event("UserMessage"), increment("n"), say("x"), user("b"), say("y")]));

  function turn(driver: Driver): void {
    driver.send({ type: "UtteranceUserActionFinished", final_transcript: "hi" });
    driver.send({ type: "UserMessage", text: "hi" });
  }

  it("restores flows and variables before the last utterance, twice", () => {
    const driver = new Driver(flows);
    const start = driver.state;
    turn(driver);
    const afterOne = { instances: driver.state.instances, context: driver.context };
    driver.intent("b");
    turn(driver);
    driver.send({ type: "hide_prev_turn" });
    expect(driver.context).toEqual(afterOne.context);
    driver.send({ type: "hide_prev_turn" });
    expect({ instances: driver.state.instances, context: driver.context }).toEqual({
      instances: start.instances,
      context: start.context,
    });
  });

  it("restores the start of a call without an utterance", () => {
    const driver = new Driver(program(flow("timer", [event("Timer"), increment("n"), runAction("explode")])), {
      actions: { explode: () => ({ fails: true }) },
      context: { n: 1 },
    });
    driver.send({ type: "Timer" });
    expect({ instances: driver.state.instances, context: driver.context }).toEqual({
      instances: [],
      context: { n: 1 },
    });
  });
});

describe("start_flow", () => {
  const rail = flow("level check", [call("compare")], { isSubflow: true, tier: "system" });
  const compare = flow("compare", [check(less("level", 3)), say("fine")], { isSubflow: true, tier: "system" });

  it("starts a subflow with parameters in a separate run", () => {
    const flows = program(rail, compare);
    const state = createState(flows, {}, { scope: "rail" });
    const started = advance(flows, state, { type: "start_flow", flow_id: "level check", params: { level: 1 } });
    expect(started.events.at(-1)).toEqual({ type: "BotIntent", intent: "fine" });
    expect(started.state.context).toEqual({ level: 1 });
  });

  it("starts only system flows in the run of a rail", () => {
    const flows = program(
      flow("mine", [user("a"), say("mine")]),
      flow("ours", [user("a"), say("ours")], { tier: "system" }),
    );
    const driver = new Driver(flows, { scope: "rail" });
    expect(driver.intent("a")).toEqual(["ours"]);
  });

  it("treats the first matcher as satisfied", () => {
    const driver = new Driver(program(flow("greet", [user("hello"), say("hi"), user("bye"), say("ciao")])));
    expect(said(driver.send({ type: "start_flow", flow_id: "greet" }))).toEqual(["hi"]);
    expect(driver.intent("bye")).toEqual(["ciao"]);
  });

  it("runs a written flow once and removes it with its instance", () => {
    const driver = new Driver(program());
    driver.state = registerFlow(driver.state, flow("w1", [say("which day"), user("pick day"), say("bye")]));
    expect(said(driver.send({ type: "start_flow", flow_id: "w1" }))).toEqual(["which day"]);
    const { state } = restoreState(
      driver.program,
      JSON.parse(JSON.stringify(serializeState(driver.program, driver.state))),
    );
    driver.state = state;
    expect(driver.intent("pick day")).toEqual(["bye"]);
    expect(driver.state.flows).toEqual({});
    expect(said(driver.send({ type: "start_flow", flow_id: "w1" }))).toEqual([]);
  });
});

describe("stored conversations", () => {
  const before = program(
    flow("host", [user("a"), say("x"), call("ask"), say("y")]),
    flow("ask", [user("b")], { isSubflow: true }),
    flow("side", [user("a"), say("x"), user("b"), say("z")]),
  );

  it("drops instances whose flow has changed, and their callers (CO-502)", () => {
    const driver = new Driver(before);
    driver.intent("a");
    const stored = JSON.parse(JSON.stringify(serializeState(before, driver.state))) as SerializedState;
    const after = program(before.flows[0]!, flow("ask", [user("c")], { isSubflow: true }), before.flows[2]!);
    const { state, trace } = restoreState(after, stored);
    expect(state.instances.map((instance) => instance.flow)).toEqual(["side"]);
    expect(trace.map((entry) => entry.type === "warning" && [entry.code, entry.flow])).toEqual([
      ["CO-502", "ask"],
      ["CO-502", "host"],
    ]);
  });
});

describe("why", () => {
  const flows = program(
    flow("first", [user("a"), say("x")]),
    flow("second", [user("a"), say("y")]),
    flow("third", [user("b")]),
  );

  it.each<[string, string, string[]]>([
    ["first", "decided", ["it started on `UserIntent`", "it took the step `bot x` (test.co:1)", "it finished"]],
    [
      "second",
      "lost",
      [
        "it started on `UserIntent`",
        "it wanted `bot y` (test.co:1), but `first` came first",
        "it was aborted: `BotIntent` came instead of what it was about to do",
      ],
    ],
    ["third", "unseen", ["no event of this turn was one it starts on or waits for"]],
  ])("%s: %s", (id, outcome, reasons) => {
    const driver = new Driver(flows);
    driver.intent("a");
    const explanation = why(driver.trace, id);
    expect(explanation.outcome).toBe(outcome);
    expect(explanation.reasons).toEqual(expect.arrayContaining(reasons));
  });
});

describe("hostile events", () => {
  const flows = program(
    flow("any", [user("..."), say("x")]),
    flow("exact", [event("E", [{ name: "__proto__", test: "exists" }]), say("y")]),
    flow("deep", [event("E", [{ name: "k", test: "equals", value: variable("k") }]), say("z")]),
    flow("does", [event("A"), runAction("act", {}, "r"), say("done")]),
  );
  const types = [
    "UserIntent",
    "BotIntent",
    "ContextUpdate",
    "StartInternalSystemAction",
    "InternalSystemActionFinished",
    "start_flow",
    "hide_prev_turn",
    "Listen",
    "FlowFailed",
    "UserMessage",
    "UtteranceUserActionFinished",
    "StartUtteranceBotAction",
    "E",
    "A",
    "constructor",
    "__proto__",
  ];
  const anything = fc.anything({ withNullPrototype: true, maxDepth: 3 });
  const names = fc.constantFrom(
    "intent",
    "text",
    "data",
    "action_uid",
    "action_name",
    "flow_id",
    "params",
    "events",
    "status",
    "k",
    "__proto__",
    "constructor",
  );
  const hostile = fc
    .tuple(fc.oneof(fc.constantFrom(...types), anything), fc.array(fc.tuple(names, anything), { maxLength: 4 }))
    .map(([type, properties]) => {
      const made: Record<string, unknown> = {};
      for (const [name, value] of properties)
        Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
      return { ...made, type };
    });

  it("never throw, and never reach a prototype", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 9, arbitrary: hostile }, { weight: 1, arbitrary: anything }), { maxLength: 12 }),
        (events) => {
          let state = createState(flows);
          for (const each of events) ({ state } = advance(flows, state, each as unknown as GuardrailsEvent));
          expect(Object.getPrototypeOf(state.context)).toBe(Object.prototype);
          expect(Object.prototype).not.toHaveProperty("k");
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });

  it("__proto__ is a variable like any other", () => {
    const data: unknown = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
    const { state } = advance(flows, createState(flows), { type: "ContextUpdate", data });
    expect(Object.getPrototypeOf(state.context)).toBe(Object.prototype);
    expect(Object.keys(state.context)).toEqual(["__proto__", "a"]);
    expect(state.context["polluted"]).toBeUndefined();
  });

  it("a huge event is examined only once", () => {
    const k = Array.from({ length: 100_000 }, (_, at) => ({ at }));
    expect(advance(flows, createState(flows), { type: "E", k }).events).toEqual([]);
  });
});
