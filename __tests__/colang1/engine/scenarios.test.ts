import { describe, expect, it } from "@jest/globals";
import type { EventDraft } from "../../../src/engine/events.js";
import { compileText } from "./compile-text.js";
import { Driver, pipelineActions, said, type ScriptedAction } from "./driver.js";
import { PIPELINE } from "./flows.js";

/** The prelude of the conformance scenarios without the texts of its messages. */
const P0 = `
define flow booking
  user book repair
  bot which bike
  user give bike
  bot which day
  user give day
  bot booked
`;

const G2 = `
define flow hours
  user ask hours
  bot hours
define flow quote
  user ask price
  bot hi
  user name model
  bot bye
define flow rude
  user swear
  bot deny
  stop
define parallel flow chat
  user poke
  bot hi
  user wave
  bot bye
`;

const G3 = `
define flow a1
  user ask hours
  bot hi
define flow a2
  priority 2
  user ask hours
  bot hours
define flow b1
  user sync
  bot hi
define flow b2
  user sync
  bot hours
  user thank
  bot bye
define flow c1
  user open
  bot which day
  user close
  bot bye
define flow c2
  user close
  bot deny
define flow d1
  user share
  bot booked
define flow d2
  user share
  bot booked
  user thank twice
  bot bye
define flow low
  priority 0.5
  user ask low
  bot hours
`;

const G4 = `
define flow greet
  user say hello
  bot hi
  bot which day
define extension flow ad
  bot hi
  bot hours
define flow greet two
  user say goodbye
  bot bye
  bot which bike
define extension flow ad two
  bot bye
  bot hours
  bot deny
define flow any
  user ask price
  bot deny
define flow never
  user ask price
  bot hours
`;

const G5 = `
define flow count
  user count
  $n = 0
  while True
    $n += 1
    if $n == 2
      continue
    if $n == 4
      break
    bot hi
  bot bye
define flow jump
  user jump
  $n = 0
  label again
  $n = $n + 1
  if $n < 3
    goto again
  bot tally
define flow loop
  user rent
  $n = 0
  while $n < 2
    bot which bike
    user name bike
    $n += 1
  bot booked
define flow ask
  user start
  bot which bike
  when user own road bike
    bot booked
  else when user own no bike
    bot deny
  bot bye
define flow ask wide
  user start wide
  bot which bike
  when user own road bike
    bot booked
  else when user ...
    bot deny
define flow strict
  user enter
  check $open == True
  bot hi
define flow either
  user ask phone or user ask address
  bot hours
`;

const G6 = `
define flow pick
  user order
  do pick bike
  bot booked
define subflow pick bike
  if not $bike
    bot which bike
    user name bike
    $bike = "Gravel"
define flow by name
  user go
  $next = "quick step"
  do $next
  bot booked
define subflow quick step
  if $never
    bot deny
define flow deep
  user dive
  bot hi
  do outer
  bot booked
define subflow outer
  do inner
define subflow inner
  user surface
  bot which day
define flow with value
  user sum up
  $total = do compute(a=2)
  if $total == 3
    bot booked
define subflow compute
  return $a + 1
`;

const G8 = `
define flow
  user ring
  create event Bell(times=2)
  event Bell
  $n = $event.times
  if $n == 2
    bot hi
define flow
  user hum
  create event Tune
  bot hi
define flow
  user ring late
  bot hi
  create event Gong
define flow
  event Gong
  bot bye
define flow
  user wait
  bot which bike
  event UserSilent
  bot bye
define flow
  user redirect
  create event UserIntent(intent="give hours")
define flow
  user give hours
  bot hours
`;

type Turn = readonly [intent: string, ...answers: string[]];

interface Scenario {
  readonly title: string;
  readonly source: string;
  readonly turns: readonly Turn[];
  /** Next steps of the model, by intent. */
  readonly steps?: Readonly<Record<string, string>>;
  /** Only the message action between two messages lets an extension flow go first. */
  readonly needsPipeline?: boolean;
}

const scenarios: readonly Scenario[] = [
  {
    title: "three-turn flow",
    source: P0,
    turns: [
      ["book repair", "which bike"],
      ["give bike", "which day"],
      ["give day", "booked"],
    ],
  },
  {
    title: "interruption and resumption",
    source: P0 + G2,
    turns: [
      ["book repair", "which bike"],
      ["ask hours", "hours"],
      ["give bike", "which day"],
    ],
  },
  {
    title: "nested interruption unwinds",
    source: P0 + G2,
    turns: [
      ["book repair", "which bike"],
      ["ask price", "hi"],
      ["ask hours", "hours"],
      ["name model", "bye"],
      ["give bike", "which day"],
    ],
  },
  {
    title: "off-script turn by the model",
    source: P0,
    steps: { chat: "chat back" },
    turns: [
      ["book repair", "which bike"],
      ["chat", "chat back"],
      ["give bike", "which day"],
    ],
  },
  {
    title: "start intent again while running",
    source: P0,
    steps: { "book repair": "remind" },
    turns: [
      ["book repair", "which bike"],
      ["book repair", "remind"],
      ["give bike", "which day"],
    ],
  },
  {
    title: "restart after completion",
    source: G2,
    turns: [
      ["ask hours", "hours"],
      ["ask hours", "hours"],
    ],
  },
  {
    title: "a suspended flow receives a response",
    source: P0 + G2,
    turns: [
      ["book repair", "which bike"],
      ["ask price", "hi"],
      ["give bike", "which day"],
      ["give day", "booked"],
      ["name model", "bye"],
    ],
  },
  {
    title: "stop in a dialog flow keeps the others",
    source: P0 + G2,
    turns: [
      ["book repair", "which bike"],
      ["swear", "deny"],
      ["give bike", "which day"],
    ],
  },
  {
    title: "parallel flow",
    source: G2,
    turns: [
      ["poke", "hi"],
      ["poke", "hi"],
      ["wave", "bye"],
    ],
  },
  { title: "higher priority wins", source: G3, turns: [["ask hours", "hours"]] },
  {
    title: "priority below 0.9 loses to the model",
    source: G3,
    steps: { "ask low": "shrug" },
    turns: [["ask low", "shrug"]],
  },
  {
    title: "the first of equals wins and the loser is gone",
    source: G3,
    steps: { thank: "nod" },
    turns: [
      ["sync", "hi"],
      ["thank", "nod"],
    ],
  },
  {
    title: "a waiting flow beats a fresh one",
    source: G3,
    turns: [
      ["open", "which day"],
      ["close", "bye"],
      ["close", "deny"],
    ],
  },
  {
    title: "a shared prefix advances together",
    source: G3,
    turns: [
      ["share", "booked"],
      ["thank twice", "bye"],
    ],
  },
  {
    title: "two-step extension",
    source: G4,
    needsPipeline: true,
    turns: [["say hello", "hi", "hours", "which day"]],
  },
  {
    title: "three-step extension",
    source: G4,
    needsPipeline: true,
    turns: [["say goodbye", "bye", "hours", "deny", "which bike"]],
  },
  { title: "first defined wins", source: G4, turns: [["ask price", "deny"]] },
  { title: "while, continue, break", source: G5, turns: [["count", "hi", "hi", "bye"]] },
  { title: "label, goto", source: G5, turns: [["jump", "tally"]] },
  {
    title: "loop over user turns",
    source: G5,
    turns: [
      ["rent", "which bike"],
      ["name bike", "which bike"],
      ["name bike", "booked"],
    ],
  },
  {
    title: "when, common tail",
    source: G5,
    turns: [
      ["start", "which bike"],
      ["own no bike", "deny", "bye"],
    ],
  },
  {
    title: "an unmatched branch point keeps waiting",
    source: G5,
    steps: { yawn: "nudge" },
    turns: [
      ["start", "which bike"],
      ["yawn", "nudge"],
      ["own road bike", "booked", "bye"],
    ],
  },
  {
    title: "the first of overlapping branches",
    source: G5,
    turns: [
      ["start wide", "which bike"],
      ["own road bike", "booked"],
    ],
  },
  { title: "check fails", source: G5, steps: { enter: "sleepy" }, turns: [["enter", "sleepy"]] },
  { title: "alternatives", source: G5, turns: [["ask address", "hours"]] },
  {
    title: "subflow spanning turns",
    source: G6,
    turns: [
      ["order", "which bike"],
      ["name bike", "booked"],
    ],
  },
  { title: "through a variable, finishing at once", source: G6, turns: [["go", "booked"]] },
  {
    title: "nested, the inner one waits",
    source: G6,
    turns: [
      ["dive", "hi"],
      ["surface", "which day", "booked"],
    ],
  },
  { title: "the value a subflow returns", source: G6, turns: [["sum up", "booked"]] },
  { title: "create, then wait for it", source: G8, turns: [["ring", "hi"]] },
  { title: "create, then something else", source: G8, turns: [["hum", "hi"]] },
  { title: "create after a message", source: G8, turns: [["ring late", "hi", "bye"]] },
  { title: "redirect to another intent", source: G8, turns: [["redirect", "hours"]] },
  {
    title: "continues a step the model chose",
    source: "define flow tail\n  bot hi\n  bot which bike\n",
    steps: { mumble: "hi" },
    turns: [["mumble", "hi", "which bike"]],
  },
];

describe("scenarios without the pipeline", () => {
  const alone = scenarios.filter((scenario) => !scenario.steps && !scenario.needsPipeline);
  it.each(alone)("$title", ({ source, turns }) => {
    const driver = new Driver(compileText(source));
    for (const [intent, ...answers] of turns) expect([intent, ...driver.intent(intent)]).toEqual([intent, ...answers]);
  });
});

describe("scenarios through the pipeline", () => {
  it.each(scenarios)("$title", ({ source, turns, steps }) => {
    const driver = new Driver(compileText(source, PIPELINE), { actions: pipelineActions(steps) });
    for (const [intent, ...answers] of turns) expect([intent, ...driver.say(intent)]).toEqual([intent, ...answers]);
  });
});

describe("events from outside", () => {
  const source = `${G8}
define flow
  event Click(button="ok")
  bot booked
define flow
  event Click(button="...")
  bot deny
`;

  it.each<[string, EventDraft, string[]]>([
    ["an equal property", { type: "Click", button: "ok" }, ["booked"]],
    ["the wildcard", { type: "Click", button: "no" }, ["deny"]],
    ["the wildcard without the property", { type: "Click" }, ["deny"]],
    ["another type", { type: "Clack" }, []],
  ])("%s", (_title, event, expected) => {
    const driver = new Driver(compileText(source));
    expect(said(driver.send(event))).toEqual(expected);
  });

  it("an event in the middle of a flow", () => {
    const driver = new Driver(compileText(source));
    expect(driver.intent("wait")).toEqual(["which bike"]);
    expect(said(driver.send({ type: "UserSilent" }))).toEqual(["bye"]);
  });
});

describe("values", () => {
  it("a flow that finishes in its first step runs once per event", () => {
    const driver = new Driver(
      compileText("define flow tally\n  user ping\n  $n = ($n or 0) + 1\ndefine flow show\n  user ping\n  bot count\n"),
    );
    for (const expected of [1, 2, 3]) {
      expect(driver.intent("ping")).toEqual(["count"]);
      expect(driver.context["n"]).toBe(expected);
    }
  });

  it("statements before the first matcher count when the flow starts", () => {
    const source = "define flow\n  $seen = ($seen or 0) + 1\n  user ping\n  bot count\n";
    const driver = new Driver(compileText(source, PIPELINE), { actions: pipelineActions() });
    expect(driver.say("ping")).toEqual(["count"]);
    expect(driver.context["seen"]).toBe(1);
  });

  it("$config is readable and not a variable", () => {
    const source = 'define flow\n  user ask\n  if $config.mode == "closed"\n    bot deny\n';
    const driver = new Driver(compileText(source));
    expect(driver.intent("ask")).toEqual(["deny"]);
    expect(driver.context).not.toHaveProperty("config");
  });
});

const ACTIONS = `
define flow
  user ask total
  $sum = execute add(a=2, b=$extra)
  if $sum == 5
    bot booked
define flow
  user ask order
  $order = execute fetch order
  $order.qty = $order.qty + 1
  bot $order.qty
define flow
  user ask joke
  execute joke
  bot bye
define flow
  user ask riddle
  execute joke and stop
  bot bye
define flow t1
  user mark
  execute touch
  bot hi
define flow t2
  user mark
  execute touch
  bot bye
define flow
  user peek
  if $shop.open
    bot hi
define flow
  user unknown
  bot $nothing
define flow
  user refuse
  execute redirect
  bot hi
`;

describe("actions", () => {
  let touched = 0;
  const actions: Record<string, ScriptedAction> = {
    ...pipelineActions(),
    add: ({ a, b }) => ({ value: Number(a) + Number(b) }),
    "fetch order": () => ({ value: { qty: 4 } }),
    joke: () => ({ events: [{ type: "StartUtteranceBotAction", script: "knock knock" }] }),
    "joke and stop": () => ({
      events: [
        { type: "StartUtteranceBotAction", script: "knock knock" },
        { type: "BotIntent", intent: "stop" },
      ],
    }),
    touch: () => {
      touched += 1;
      return {};
    },
    redirect: () => ({ events: [{ type: "BotIntent", intent: "no way" }] }),
  };

  it.each<[string, string, string[]]>([
    ["parameters and result", "ask total", ["booked"]],
    ["an expression as message, a property assigned", "ask order", ["$order.qty"]],
    ["an utterance returned by an action", "ask joke", ["knock knock", "bye"]],
    ["an action that stops", "ask riddle", ["knock knock"]],
    ["two flows on one action", "mark", ["hi"]],
    ["a returned message pre-empts the flow's own", "refuse", ["no way"]],
  ])("%s", (_title, intent, expected) => {
    touched = 0;
    const driver = new Driver(compileText(ACTIONS, PIPELINE), { actions, context: { extra: 3 } });
    expect(driver.say(intent)).toEqual(expected);
    expect(touched).toBe(intent === "mark" ? 1 : 0);
    expect(driver.state.instances).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    ["an expression error", "peek", "CO-410", "if $shop.open"],
    ["an undefined message variable", "unknown", "CO-401", "bot $nothing"],
  ])("%s fails the turn with its place", (_title, intent, code, line) => {
    const driver = new Driver(compileText(ACTIONS, PIPELINE), { actions });
    driver.say(intent);
    const failed = driver.history.find((event) => event.type === "FlowFailed");
    expect(failed).toMatchObject({ code, location: { file: "main.co" } });
    const place = failed?.["location"] as { readonly line: number } | undefined;
    expect(ACTIONS.split("\n")[(place?.line ?? 0) - 1]?.trim()).toBe(line);
    expect(driver.say("ask total")).toEqual([]);
  });
});
