import { describe, expect, it } from "@jest/globals";
import type { CompiledFlow } from "../../../src/colang1/elements.js";
import type { EventDraft } from "../../../src/engine/events.js";
import { advance } from "../../../src/colang1/engine/advance.js";
import { markCallStart } from "../../../src/colang1/engine/state.js";
import { Driver, pipelineActions, said } from "./driver.js";
import {
  assign,
  call,
  check,
  emit,
  event,
  flow,
  literal,
  observe,
  PIPELINE,
  program,
  runAction,
  say,
  stop,
  user,
  variable,
} from "./flows.js";

/** A flow that lost its turn to `blocker`, and has a pending step from then on. */
function pendingFlow(id: string, priority: number): CompiledFlow {
  return flow(id, [event("Begin"), say(id)], { priority });
}

const blocker = flow("blocker", [event("Begin"), emit("Other")], { priority: 1000 });

describe("arbitration of offers", () => {
  it.each<[string, CompiledFlow[], string]>([
    [
      "equal priority, both moved: load order",
      [flow("a", [event("Go"), say("a")]), flow("b", [event("Go"), say("b")])],
      "a",
    ],
    [
      "a higher priority wins, defined later",
      [flow("a", [event("Go"), say("a")]), flow("b", [event("Go"), say("b")], { priority: 1.01 })],
      "b",
    ],
    [
      "a lower one does not",
      [flow("a", [event("Go"), say("a")]), flow("b", [event("Go"), say("b")], { priority: 0.99 })],
      "a",
    ],
  ])("%s", (_title, flows, expected) => {
    expect(said(new Driver(program(...flows)).send({ type: "Go" }))[0]).toBe(expected);
  });

  it.each<[string, number, number, string]>([
    ["an equal moved flow beats a pending one", 1, 1, "moved"],
    ["so does one above nine tenths of it", 1, 0.91, "moved"],
    ["not one of nine tenths", 1, 0.9, "pending"],
    ["nor a lower one", 1, 0.5, "pending"],
  ])("%s", (_title, pending, moved, expected) => {
    const flows = [
      blocker,
      pendingFlow("pending", pending),
      flow("moved", [event("Other"), say("moved")], { priority: moved }),
    ];
    expect(said(new Driver(program(...flows)).send({ type: "Begin" }))[0]).toBe(expected);
  });

  it("the last of several pending flows of equal priority goes first", () => {
    const flows = [blocker, pendingFlow("first", 1), pendingFlow("second", 1)];
    expect(said(new Driver(program(...flows)).send({ type: "Begin" }))[0]).toBe("second");
  });

  it("a pending flow is aborted when the message of another one arrives instead", () => {
    const flows = [blocker, pendingFlow("first", 1), pendingFlow("second", 1)];
    expect(said(new Driver(program(...flows)).send({ type: "Begin" }))).toEqual(["second"]);
  });
});

describe("suspension", () => {
  const host = flow("host", [user("a"), say("x"), user("b"), say("y")]);

  it.each<[string, CompiledFlow[], string[], string[]]>([
    [
      "a flow without a step to take does not suspend",
      [flow("quiet", [user("q"), assign("v", literal(1))])],
      ["a", "q", "b"],
      ["x", "y"],
    ],
    [
      "a flow that waits does until it ends",
      [flow("side", [user("q"), say("side"), user("r")])],
      ["a", "q", "r", "b"],
      ["x", "side", "y"],
    ],
    [
      "an aborted flow takes down what it had suspended",
      [flow("side", [user("q"), say("side"), check(literal(false))])],
      ["a", "q", "b"],
      ["x", "side"],
    ],
    [
      "a flow that is not interruptible ends with an intent it does not expect",
      [flow("firm", [user("q"), say("side"), user("r"), say("end")], { interruptible: false })],
      ["q", "zzz", "r"],
      ["side"],
    ],
  ])("%s", (_title, flows, intents, expected) => {
    const driver = new Driver(program(host, ...flows));
    expect(intents.flatMap((intent) => driver.intent(intent))).toEqual(expected);
  });

  it.each<[string, boolean, string[]]>([
    ["suspends a flow", true, ["end"]],
    ["ends a flow that must not be interrupted", false, []],
  ])("a step of another user flow %s", (_title, interruptible, expected) => {
    const firm = flow("firm", [user("q"), say("start"), user("r"), say("end")], { interruptible });
    const driver = new Driver(program(firm, flow("other", [event("E"), say("z")])));
    driver.intent("q");
    expect(said(driver.send({ type: "E" }))).toEqual(["z"]);
    expect(driver.intent("r")).toEqual(expected);
  });

  it("a message from another source leaves the flow waiting", () => {
    const firm = flow("firm", [user("q"), say("start"), user("r"), say("end")], { interruptible: false });
    const driver = new Driver(program(firm));
    driver.intent("q");
    driver.send({ type: "BotIntent", intent: "of another flow" });
    expect(driver.intent("r")).toEqual(["end"]);
  });

  it("wakes the most recently suspended flow that waits for the answer", () => {
    const twice = flow(
      "twice",
      [user("start"), say("ask"), user("answer"), assign("who", variable("n")), say("done")],
      {
        allowMultiple: true,
      },
    );
    const side = flow("side", [user("side"), say("side"), user("more")]);
    const driver = new Driver(program(twice, side));
    for (const intent of ["start", "start", "side"]) driver.intent(intent);
    const newest = driver.state.instances.findLast((instance) => instance.flow === "twice")?.uid;
    expect(driver.intent("answer")).toEqual(["done"]);
    const finished = driver.trace.findLast((entry) => entry.type === "finished" && entry.flow === "twice");
    expect(finished).toMatchObject({ instance: newest });
  });
});

describe("two tiers", () => {
  const waits = flow("waits", [user("a"), say("x"), user("b"), say("y")]);

  it("events of the pipeline do not affect users' flows", () => {
    const driver = new Driver(program(waits, ...PIPELINE), { actions: pipelineActions({ c: "aside" }) });
    expect(["a", "c", "b"].flatMap((text) => driver.say(text))).toEqual(["x", "aside", "y"]);
  });

  it("events of the pipeline reach a flow that names them", () => {
    const hook = flow("hook", [
      event("InternalSystemActionFinished", [{ name: "action_name", test: "equals", value: literal("run_rails") }]),
      assign("hooked", literal(true)),
    ]);
    const driver = new Driver(program(hook, waits, ...PIPELINE), { actions: pipelineActions() });
    expect(driver.say("a")).toEqual(["x"]);
    expect(driver.context["hooked"]).toBe(true);
  });

  it("no step of a user flow comes between the stages", () => {
    const eager = flow("eager", [event("InputRailsFinished"), say("in between")], { priority: 1000 });
    const rails = { input: () => ({ events: [{ type: "InputRailsFinished" }] }) };
    const driver = new Driver(program(eager, waits, ...PIPELINE), { actions: pipelineActions({}, rails) });
    const types = driver.send({ type: "UtteranceUserActionFinished", final_transcript: "a" }).map(({ type }) => type);
    expect(types.indexOf("UserMessage")).toBe(types.indexOf("InputRailsFinished") + 1);
  });

  it("a stage that loses on its first step is removed", () => {
    const instead = flow("instead", [event("UserMessage"), say("instead")]);
    const driver = new Driver(program(instead, ...PIPELINE), { actions: pipelineActions() });
    expect(driver.say("a")).toEqual(["instead"]);
    expect(driver.state.instances).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ["says something else", { q: "other" }],
    ["says what the flow would say", { q: "side" }],
  ])("a flow that loses an intent to the model, which %s, neither goes on nor suspends", (_title, steps) => {
    const shy = flow("shy", [user("q"), say("side"), say("more")], { priority: 0.5 });
    const host = flow("host", [user("a"), say("x"), user("b"), say("y")]);
    const driver = new Driver(program(host, shy, ...PIPELINE), { actions: pipelineActions(steps) });
    expect(["a", "q", "b"].map((text) => driver.say(text))).toEqual([["x"], Object.values(steps), ["y"]]);
  });

  it("a pipeline keeps its rank inside its subflows", () => {
    const rude = flow("rude", [user("a"), say("x"), say("more")], { priority: 5 });
    const driver = new Driver(program(rude, ...PIPELINE), { actions: pipelineActions() });
    expect(driver.say("a")).toEqual(["x", "more"]);
  });

  it.each<[string, Record<string, EventDraft[]>, string[]]>([
    [
      "blocked at the input",
      {
        input: [
          { type: "StartUtteranceBotAction", script: "no" },
          { type: "BotIntent", intent: "stop" },
        ],
      },
      ["no"],
    ],
    [
      "blocked at the output",
      {
        output: [
          { type: "StartUtteranceBotAction", script: "no" },
          { type: "BotIntent", intent: "stop" },
        ],
      },
      ["no"],
    ],
  ])("a turn %s leaves the dialog where it was", (_title, blocked, expected) => {
    let armed = false;
    const result = (stage: string) => () => (armed && blocked[stage] ? { events: blocked[stage] } : {});
    const rails = { input: result("input"), output: result("output") };
    const driver = new Driver(program(waits, ...PIPELINE), { actions: pipelineActions({}, rails) });
    expect(driver.say("a")).toEqual(["x"]);
    armed = true;
    expect(driver.say("b")).toEqual(expected);
    armed = false;
    expect(driver.say("b")).toEqual(["y"]);
  });

  it("an utterance that an action sends with its intent is not emitted twice", () => {
    const joke = flow("joke", [user("a"), runAction("joke"), say("after")]);
    const makeJoke = () => ({
      events: [
        { type: "BotIntent", intent: "after" },
        { type: "StartUtteranceBotAction", script: "knock knock" },
      ],
    });
    const driver = new Driver(program(joke, ...PIPELINE), { actions: { ...pipelineActions(), joke: makeJoke } });
    expect(driver.say("a")).toEqual(["knock knock"]);
  });
});

describe("the raw utterance (CO-318)", () => {
  it("reaches users' flows with the passed text after the input stage", () => {
    const raw = flow("raw", [
      event("UtteranceUserActionFinished"),
      assign("seen", { kind: "Member", object: variable("event"), name: "final_transcript", start: 0, end: 0 }),
      say("raw"),
    ]);
    const rails = { input: () => ({ context: { user_message: "masked" } }) };
    const driver = new Driver(program(raw, ...PIPELINE), { actions: pipelineActions({}, rails) });
    expect(driver.say("secret")).toEqual(["raw"]);
    expect(driver.context["seen"]).toBe("masked");
  });

  it("does not reach users' flows if it was blocked", () => {
    const raw = flow("raw", [event("UtteranceUserActionFinished"), say("raw")]);
    const rails = { input: () => ({ events: [{ type: "BotIntent", intent: "stop" }] }) };
    const driver = new Driver(program(raw, ...PIPELINE), { actions: pipelineActions({}, rails) });
    expect(driver.say("secret")).toEqual([]);
  });
});

describe("stop in a dialog flow", () => {
  it("ends the flow with its callers and wakes what they had suspended", () => {
    const host = flow("host", [user("a"), say("x"), user("b"), say("y")]);
    const outer = flow("outer", [user("c"), say("z"), call("inner"), say("never")]);
    const inner = flow("inner", [say("bye"), stop], { isSubflow: true });
    const driver = new Driver(program(host, outer, inner));
    driver.intent("a");
    expect(driver.intent("c")).toEqual(["z", "bye"]);
    expect(driver.state.instances).toMatchObject([{ flow: "host", status: "active" }]);
    expect(driver.intent("b")).toEqual(["y"]);
  });

  it("keeps the variables", () => {
    const driver = new Driver(program(flow("a", [user("a"), assign("v", literal(1)), stop])));
    driver.intent("a");
    expect(driver.context).toEqual({ v: 1 });
  });
});

describe("an event that a flow creates", () => {
  it("does not end the flow that created it", () => {
    const redirect = flow("redirect", [user("a"), emit("UserIntent", { intent: literal("b") }), say("x")]);
    expect(new Driver(program(redirect)).intent("a")).toEqual(["x"]);
  });

  it("reaches the flow, or its caller, if that waits for it", () => {
    const caller = flow("caller", [user("a"), call("rings"), event("Bell"), say("x")]);
    const rings = flow("rings", [emit("Bell")], { isSubflow: true });
    expect(new Driver(program(caller, rings)).intent("a")).toEqual(["x"]);
  });
});

describe("the flow that stopped", () => {
  const host = flow("host", [user("a"), say("x"), user("b"), say("y")]);

  it.each<[string, Partial<CompiledFlow>, string[]]>([
    ["a dialog flow's action ends only that flow", {}, ["host"]],
    ["a system flow's takes the turn back", { tier: "system" }, ["host"]],
  ])("%s, whether or not the action's end announced it", (_title, flags, expected) => {
    const acts = flow("acts", [user("c"), runAction("act"), say("never")], flags);
    for (const announces of [true, false]) {
      const driver = new Driver(program(host, acts));
      driver.intent("a");
      const started = advance(driver.program, markCallStart(driver.state), { type: "UserIntent", intent: "c" });
      let state = advance(driver.program, started.state, {
        ...started.events[0],
        type: "StartInternalSystemAction",
        action_uid: "u",
      }).state;
      const events = announces ? [{ type: "BotIntent", intent: "stop" }] : [];
      ({ state } = advance(driver.program, state, {
        type: "InternalSystemActionFinished",
        action_uid: "u",
        status: "success",
        events,
      }));
      const stopped = advance(driver.program, state, { type: "BotIntent", intent: "stop" });
      expect(stopped.events).toEqual([]);
      expect(stopped.state.instances).toMatchObject(expected.map((id) => ({ flow: id, at: 2, status: "active" })));
    }
  });
});

describe("a flow that observes all events", () => {
  it("never matches a stop", () => {
    const watcher = flow("watcher", [observe("..."), say("seen")]);
    const driver = new Driver(program(flow("a", [user("a"), stop]), watcher));
    expect(driver.intent("a")).toEqual([]);
  });
});
