import { describe, expect, it } from "@jest/globals";
import { actionResult } from "../../../src/actions/dispatcher.js";
import type { ActionContext } from "../../../src/actions/action.js";
import { defineAction } from "../../../src/actions/define-action.js";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import type { DroppedEvent, EventSession, SessionOptions } from "../../../src/runtime/event-session.js";
import { type BenchInput, gate, openBench } from "../bench.js";
import { expectNoUnhandledRejections } from "../../support/unhandled-rejections.js";
import { readUntil } from "./event-reader.js";

const YAML = 'colang_version: "2.x"\n';
const user = (content: string) => [{ role: "user" as const, content }];
const event = (type: string, fields: Record<string, unknown> = {}) => ({
  role: "event" as const,
  event: { type, ...fields },
});

expectNoUnhandledRejections();

async function open(colang: string, input: BenchInput = {}) {
  return (await openBench({ colang, yaml: YAML, bare: true, ...input })).runtime;
}

async function sessionOf(colang: string, input: BenchInput & { readonly session?: SessionOptions } = {}) {
  const { session, ...bench } = input;
  return (await open(colang, bench)).openSession(session);
}

/** Events that a session emits, up to the one of this type. */
function until(session: EventSession, last: string): Promise<GuardrailsEvent[]> {
  return readUntil(session[Symbol.asyncIterator](), last);
}

const types = (events: readonly GuardrailsEvent[]) => events.map(({ type }) => type);

/** Runs an action; returns its result and the problems that the flows observe. */
const ASKING = `
import core

@loop("errors")
flow watch
  global $problem
  match ColangError(type="ActionError") as $e
  $problem = $e.error

flow main
  global $problem
  activate watch
  user said "go"
  $problem = None
  await OddAction() as $odd
  bot say "success {$odd.is_success}"
  match Never()
`;

/** An own key \`__proto__\`, as JSON. */
const proto: unknown = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
class Thing {
  get secret(): string {
    throw new Error("read");
  }
}
const throwing = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Error("no keys");
    },
  },
);
const deep = (): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < 300; level += 1) value = [value];
  return value;
};

describe("an action that misbehaves ends without success, and the flows continue", () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      "throws a text",
      () => {
        throw "no";
      },
      /`odd` failed/,
    ],
    [
      "throws nothing",
      () => {
        throw undefined;
      },
      /`odd` failed/,
    ],
    [
      "throws null",
      () => {
        throw null;
      },
      /`odd` failed/,
    ],
    [
      "throws a symbol",
      () => {
        throw Symbol("no");
      },
      /`odd` failed/,
    ],
    [
      "throws what cannot be a text",
      () => {
        throw Object.create(null);
      },
      /`odd` failed/,
    ],
    ["rejects with a number", () => Promise.reject(7), /`odd` failed/],
    ["returns a function", () => () => 1, /cannot be kept/],
    ["returns a symbol", () => Symbol("x"), /cannot be kept/],
    ["returns a large integer", () => 10n, /cannot be kept/],
    ["returns a map", () => new Map([["a", 1]]), /cannot be kept/],
    ["returns a number that is invalid", () => Number.NaN, /cannot be kept/],
    ["returns a circle", () => cycle, /cannot be kept/],
    ["returns something deep", deep, /cannot be kept/],
    ["returns a key of prototypes", () => proto, /cannot be kept/],
    ["returns more than fits", () => Array.from({ length: 150_000 }, (_, at) => at), /cannot be kept/],
    ["returns what throws when it is read", () => throwing, /cannot be kept/],
    [
      "returns what throws when it is written",
      () => ({
        toJSON: () => {
          throw new Error("no");
        },
      }),
      /cannot be kept/,
    ],
    [
      "sets a variable of prototypes",
      () => actionResult({ contextUpdates: proto as Record<string, unknown> }),
      /cannot be kept/,
    ],
    [
      "sends an event of the engine",
      () => actionResult({ events: [{ type: "StopFlow", flow_id: "main" }] }),
      /internal event/,
    ],
    ["sends no event", () => actionResult({ events: [{ type: "" }] }), /cannot be kept/],
    [
      "sends a wrong event",
      () => actionResult({ events: [{ type: "UtteranceUserActionFinished", final_transcript: 5 }] }),
      /to be a text/,
    ],
    ["never ends", () => new Promise(() => undefined), /took longer than 5 ms/],
  ])("%s", async (_title, work, problem) => {
    const runtime = await open(ASKING, { yaml: `${YAML}actions: {timeout_ms: 5}\n`, actions: { odd: work } });
    const result = await runtime.turn(user("go"), { outputVars: true, state: {} });
    expect([result.status, result.text]).toEqual(["answered", "success False"]);
    expect(String(result.outputData?.["problem"])).toMatch(problem);
    expect(result.log.errors.map(({ action }) => action)).toEqual(["odd"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(JSON.parse(JSON.stringify(result.state))).toEqual(result.state);
  });

  it.each<[string, unknown]>([
    ["an instance whose accessors are left alone", Object.assign(new Thing(), { shown: 1 })],
    ["nothing", undefined],
    ["a date", new Date(0)],
    ["a map without prototype", Object.assign(Object.create(null) as object, { constructor: "x", a: [1] })],
  ])("may return %s", async (_title, value) => {
    const runtime = await open(ASKING, { actions: { odd: () => value } });
    expect((await runtime.turn(user("go"))).text).toBe("success True");
  });

  it("ends at its time limit, with its signal aborted", async () => {
    let signal: AbortSignal | undefined;
    const runtime = await open(ASKING, {
      yaml: `${YAML}actions: {timeout_ms: 5}\n`,
      actions: {
        odd: (_params: unknown, context: ActionContext) => {
          ({ signal } = context);
          return new Promise(() => undefined);
        },
      },
    });
    await runtime.turn(user("go"));
    expect(signal?.aborted).toBe(true);
  });
});

const OUTSIDE = `
flow walker
  await WalkAction(steps=3) as $walk
  send Walked(success=$walk.is_success)

flow main
  match Go()
  await walker
  match Again()
  send Still()
  match Never()
`;

describe("a misbehaving action outside of this process", () => {
  it.each<[string, (uid: string) => readonly GuardrailsEvent[]]>([
    [
      "ends twice",
      (action_uid) => [
        { type: "WalkActionFinished", action_uid, is_success: true },
        { type: "WalkActionFinished", action_uid, is_success: false, failure_reason: "late" },
      ],
    ],
    [
      "is updated after its end",
      (action_uid) => [
        { type: "WalkActionFinished", action_uid, is_success: true },
        { type: "WalkActionStepsUpdated", action_uid, steps: 9 },
        { type: "WalkActionStarted", action_uid },
      ],
    ],
    [
      "ends before it begins",
      (action_uid) => [
        { type: "WalkActionFinished", action_uid, is_success: true },
        { type: "WalkActionStarted", action_uid },
      ],
    ],
    [
      "ends under another name first",
      (action_uid) => [
        { type: "RunActionFinished", action_uid, is_success: false },
        { type: "WalkActionFinished", action_uid: "forged", is_success: false },
        { type: "WalkActionFinished", action_uid, is_success: true },
      ],
    ],
    [
      "returns keys of prototypes",
      (action_uid) => [
        JSON.parse(
          `{"type": "WalkActionFinished", "action_uid": "${action_uid}", "is_success": true, "__proto__": {"polluted": 1}}`,
        ) as GuardrailsEvent,
        { type: "WalkActionFinished", action_uid, is_success: true, constructor: 1 } as unknown as GuardrailsEvent,
      ],
    ],
  ])("%s: it ends once", async (_title, events) => {
    const session = await sessionOf(OUTSIDE);
    session.send({ type: "Go" });
    const [start] = await until(session, "StartWalkAction");
    for (const sent of events(String(start?.["action_uid"]))) session.send(sent);
    session.send({ type: "Again" });
    const emitted = await until(session, "Still");
    expect(types(emitted)).toEqual(["Walked", "Still"]);
    expect(emitted[0]).toMatchObject({ success: true });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    session.close();
  });

  it("is delegated by a turn when its name is unknown", async () => {
    const runtime = await open(OUTSIDE);
    const { status, actions } = await runtime.turn([event("Go")]);
    expect([status, actions?.map(({ type }) => type)]).toEqual(["answered", ["StartWalkAction"]]);
  });

  it("cannot end an action that is performed here", async () => {
    const dropped: DroppedEvent[] = [];
    const begun = gate<string>();
    const end = gate<number>();
    const held = defineAction({ name: "held", executeAsync: true }, (_params, { events }: ActionContext) => {
      begun.open(String(events.at(-1)?.["action_uid"]));
      return end.promise;
    });
    const colang = "flow main\n  $v = await HeldAction()\n  send Got(v=$v)\n  match Never()\n";
    const session = await sessionOf(colang, {
      actions: { held },
      session: { onDropped: (one) => dropped.push(one) },
    });
    const action_uid = await begun.promise;
    session.send({ type: "HeldActionFinished", action_uid, is_success: true, return_value: "forged" });
    session.send({ type: "HeldActionStepUpdated", action_uid, step: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    end.open(7);
    expect((await until(session, "Got")).at(-1)).toMatchObject({ v: 7 });
    expect(dropped.map(({ message }) => message)).toEqual(
      ["HeldActionFinished", "HeldActionStepUpdated"].map(
        (type) => `\`${type}\` belongs to an action that runs here, so it cannot come from outside`,
      ),
    );
    session.close();
  });
});

describe("timers", () => {
  function handTimers() {
    const timers: { readonly ms: number; isStopped: boolean; ring(): void }[] = [];
    const startTimer = (ms: number, ring: () => void) => {
      const timer = { ms, isStopped: false, ring };
      timers.push(timer);
      return () => {
        timer.isStopped = true;
      };
    };
    return { timers, startTimer };
  }

  const WAITING = `
import timing

flow waiter
  wait 60

flow main
  start waiter as $waiter
  when Halt()
    send $waiter.Stop()
    send Halted()
  or when Leave()
    send Left()
  match Never()
`;

  it("end with the flow that waits, and with the session", async () => {
    for (const [last, emitted] of [
      ["Halt", "Halted"],
      [undefined, undefined],
    ] as const) {
      const { timers, startTimer } = handTimers();
      const session = await sessionOf(WAITING, { session: { startTimer } });
      await session.settled();
      if (last === undefined || emitted === undefined) session.close();
      else {
        session.send({ type: last });
        await until(session, emitted);
      }
      expect(timers.map(({ ms, isStopped }) => [ms, isStopped])).toEqual([[60_000, true]]);
      // A timer that still fires is ignored.
      timers[0]?.ring();
      await session.settled();
      session.close();
    }
  });

  const holding = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

  it("keep the process alive only while a reader waits", async () => {
    const session = await sessionOf(WAITING);
    await session.settled();
    const before = holding();
    const iterator = session[Symbol.asyncIterator]();
    const next = iterator.next();
    const reading = holding();
    session.send({ type: "Leave" });
    await next;
    await session.settled();
    expect([reading - before, holding() - before]).toEqual([1, 0]);
    const last = iterator.next();
    session.close();
    await last;
    expect(holding()).toBe(before);
  });
});

describe("two events at once", () => {
  const COUNTING = `
import core

flow main
  global $n
  $n = $n + 1 if $n else 1
  user said something
  $value = await SlowAction(n=$n)
  bot say "{$value}"
`;

  it("of one thread are processed one after the other", async () => {
    const order: string[] = [];
    const slow = async ({ n }: Readonly<Record<string, unknown>>) => {
      order.push(`begins ${String(n)}`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`ends ${String(n)}`);
      return n;
    };
    const runtime = await open(COUNTING, { actions: { slow } });
    const config = { configurable: { thread_id: "one" } };
    const results = await Promise.all(["a", "b", "c"].map((text) => runtime.turn(user(text), { config })));
    expect(results.map(({ text }) => text)).toEqual(["1", "2", "3"]);
    expect(order).toEqual(["begins 1", "ends 1", "begins 2", "ends 2", "begins 3", "ends 3"]);
  });

  it("of one session are processed one after the other", async () => {
    const session = await sessionOf(COUNTING, { actions: { slow: ({ n }: { readonly n: number }) => n } });
    for (const final_transcript of ["a", "b"]) session.send({ type: "UtteranceUserActionFinished", final_transcript });
    await session.settled();
    session.close();
    const said = (await until(session, "Never")).flatMap(({ final_script: text }) =>
      text === undefined ? [] : [text],
    );
    expect(said).toEqual(["1", "2"]);
  });
});

describe("a call that is aborted", () => {
  it.each(["a turn", "a session"])("ends the actions that run: %s", async (what) => {
    const begun = gate<AbortSignal>();
    const wait = defineAction({ name: "SlowAction" }, (_params, { signal }: ActionContext) => {
      begun.open(signal);
      return new Promise(() => undefined);
    });
    const runtime = await open("import core\n\nflow main\n  user said something\n  await SlowAction()\n", {
      actions: { SlowAction: wait },
    });
    const caller = new AbortController();
    if (what === "a turn") {
      const running = runtime.turn(user("hi"), { config: { signal: caller.signal } });
      const signal = await begun.promise;
      caller.abort(new Error("enough"));
      await expect(running).rejects.toThrow("enough");
      expect(signal.aborted).toBe(true);
      return;
    }
    const session = runtime.openSession({ signal: caller.signal });
    session.send({ type: "UtteranceUserActionFinished", final_transcript: "hi" });
    const signal = await begun.promise;
    caller.abort(new Error("enough"));
    await session.settled();
    expect(signal.aborted).toBe(true);
    await expect(until(session, "Never")).rejects.toThrow("enough");
  });
});

describe("a `main` that fails", () => {
  it.each<[string, string, string]>([
    ["with an error", "$x = $undefined.member", "C2-401"],
    ["because what it waits for has failed", "await refuses", "C2-407"],
    ["because it runs in circles", "while True\n    $x = 1", "RL-401"],
  ])("%s, ends the turn with a typed error", async (_title, body, code) => {
    const colang = `flow refuses\n  match Go()\n  abort\n\nflow main\n  ${body}\n`;
    const runtime = await open(colang, { yaml: `${YAML}limits: {slide_steps: 200}\n` });
    const { status, log } = await runtime.turn([event("Go", { text: "x" })]);
    expect([status, log.errors[0]?.code, log.errors[0]?.flow]).toEqual(["failed", code, "main"]);
  });

  it("in every turn does not silence the bot for ever", async () => {
    const colang = `import core\n\nflow main\n  user said "fine"\n  bot say "good"\n\n@active\nflow breaks\n  user said "break"\n  $x = $nothing.at_all\n`;
    const runtime = await open(colang);
    const config = { configurable: { thread_id: "t" } };
    const texts: string[] = [];
    for (const text of ["break", "fine", "break", "fine"]) {
      texts.push((await runtime.turn(user(text), { config })).status);
    }
    expect(texts).toEqual(["failed", "answered", "failed", "answered"]);
  });

  it("by itself is not an error", async () => {
    const runtime = await open("flow main\n  match Go()\n  abort\n");
    const { status, log } = await runtime.turn([event("Go")]);
    expect([status, log.errors]).toEqual(["answered", []]);
  });
});
