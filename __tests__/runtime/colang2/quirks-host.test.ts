import { describe, expect, it } from "@jest/globals";
import { actionResult } from "../../../src/actions/action-result.js";
import { defineAction } from "../../../src/actions/define-action.js";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import type { EventSession } from "../../../src/runtime/event-session.js";
import { type BenchInput, gate, openBench } from "../bench.js";

/** Corrections about the host (`docs/conformance-colang-2.md`): actions of this process, and calls with messages. */

const YAML = 'colang_version: "2.x"\n';

const open = async (colang: string, input: Omit<BenchInput, "colang"> = {}) =>
  (await openBench({ colang, yaml: YAML, bare: true, ...input })).runtime;

const user = (content: string) => ({ role: "user", content }) as const;
const go = { role: "event", event: { type: "Go" } } as const;

async function next(session: EventSession): Promise<GuardrailsEvent | undefined> {
  const { value } = await session[Symbol.asyncIterator]().next();
  return value as GuardrailsEvent | undefined;
}

describe(" an action that fails", () => {
  it("is unsuccessful for the flow that awaits it, and a `ColangError` for all", async () => {
    const runtime = await open(
      `@active
@loop("errors")
flow errors
  match ColangError() as $e
  send Reported(kind=$e.type, error=$e.error)

flow main
  match Go()
  $value = await CallAction() as $a
  send Over(value=$value, ok=$a.is_success, why=$a.failure_reason, status=$a.status)
  match Never()
`,
      {
        actions: {
          call: () => {
            throw new Error("no line");
          },
        },
      },
    );
    const { events } = await runtime.turn([go]);
    const emitted = Object.fromEntries((events ?? []).map((event) => [event.type, event]));
    expect(emitted).toMatchObject({
      Over: { value: null, ok: false, why: "the action `call` failed: no line", status: "finished" },
      Reported: { kind: "ActionError", error: "the action `call` failed: no line" },
    });
  });
});

describe(" what an action hands back", () => {
  it("are events that flows hear after its end, with the variables it wrote before", async () => {
    const runtime = await open(
      `@active
flow hears
  match Rang() as $e
  send Observed(n=$e.n)

flow main
  global $mood
  match Go()
  $v = await CallAction()
  send Over(v=$v, mood=$mood)
  match Never()
`,
      {
        actions: {
          call: () =>
            actionResult({
              returnValue: 7,
              contextUpdates: { mood: "fine" },
              events: [{ type: "Rang", n: 1 }],
            }),
        },
      },
    );
    expect((await runtime.turn([go])).events).toMatchObject([
      { type: "Over", v: 7, mood: "fine" },
      { type: "Observed", n: 1 },
    ]);
  });

  it("and texts that begin with `$` are handed to it as they are", async () => {
    const given: unknown[] = [];
    const runtime = await open('flow main\n  match Go()\n  await CallAction(a="$secret", b=["$secret"])\n', {
      actions: { call: (params: unknown) => void given.push(params) },
    });
    await runtime.turn([{ role: "context", content: { secret: "hidden" } }, go]);
    expect(given).toEqual([{ a: "$secret", b: ["$secret"] }]);
  });
});

describe(" an action that is stopped", () => {
  it("stops an action by its signal and reports it as stopped", async () => {
    const begun = gate<AbortSignal>();
    const wait = defineAction({ name: "WaitAction", executeAsync: true }, (_params, { signal }) => {
      begun.open(signal);
      return new Promise(() => undefined);
    });
    const runtime = await open(
      "flow main\n  start WaitAction() as $a\n  match Halt()\n  stop $a\n  match $a.Finished() as $e\n  send Over(stopped=$e.was_stopped, ok=$e.is_success)\n  match Never()\n",
      { actions: { wait } },
    );
    const session = runtime.openSession();
    const signal = await begun.promise;
    expect(signal.aborted).toBe(false);
    session.send({ type: "Halt" });
    expect(await next(session)).toMatchObject({ type: "Over", stopped: true, ok: false });
    expect(signal.aborted).toBe(true);
    session.close();
  });
});

describe(" what an action comes to", () => {
  const PROGRAM = "flow main\n  match Go()\n  $v = await SlowAction()\n  send Over(v=$v)\n  match Never()\n";

  it("pushes the result of an action without a further event", async () => {
    const end = gate<number>();
    const runtime = await open(PROGRAM, { actions: { slow: () => end.promise } });
    const session = runtime.openSession();
    session.send({ type: "Go" });
    const emitted = next(session);
    end.open(5);
    expect(await emitted).toMatchObject({ type: "Over", v: 5 });
    session.close();
  });

  it("needs no timers of the library", async () => {
    const runtime = await open(`import llm\n\n${PROGRAM}`, { actions: { slow: () => 5 } });
    const session = runtime.openSession({
      startTimer: () => {
        throw new Error("a timer was started");
      },
    });
    session.send({ type: "Go" });
    expect(await next(session)).toMatchObject({ type: "Over", v: 5 });
    session.close();
  });
});

describe(" a call with too many events", () => {
  it("says so in its result", async () => {
    const runtime = await open("flow main\n  match Go()\n  while True\n    send Ping()\n    match Ping()\n");
    const result = await runtime.turn([go]);
    expect([result.status, result.log.errors.map(({ code }) => code)]).toEqual(["failed", ["RL-401"]]);
  });
});

describe(" conversations", () => {
  it("do not wait for each other", async () => {
    const gates = new Map([
      ["a", gate()],
      ["b", gate()],
    ] as const);
    const runtime = await open(
      'import core\n\nflow main\n  user said something as $u\n  await SlowAction(key=$u.transcript)\n  bot say "{$u.transcript} done"\n  match Never()\n',
      { actions: { slow: ({ key }: { key: "a" | "b" }) => gates.get(key)?.promise } },
    );
    const ended: string[] = [];
    const turns = (["a", "b"] as const).map(async (key) => {
      const { text } = await runtime.turn([user(key)], { config: { configurable: { thread_id: key } } });
      ended.push(text);
    });
    gates.get("b")?.open();
    await turns[1];
    expect(ended).toEqual(["b done"]);
    gates.get("a")?.open();
    await turns[0];
    expect(ended).toEqual(["b done", "a done"]);
  });
});

describe(" calls with messages", () => {
  const PARROT =
    'import core\n\nflow main\n  activate parrot\n  wait indefinitely\n\nflow parrot\n  user said something as $u\n  bot say "{$u.transcript}!"\n';

  it("take what the assistant has said, and no flow runs for it", async () => {
    const runtime = await open(PARROT);
    const { utterances } = await runtime.turn([user("a"), { role: "assistant", content: "b" }, user("c")]);
    expect(utterances).toEqual(["c!"]);
  });

  it("take options, and give a state that goes on", async () => {
    const runtime = await open(
      'import core\n\nflow main\n  global $n\n  user said "a"\n  $n = 1\n  bot say "one"\n  user said "a"\n  bot say "two {$n}"\n  match Never()\n',
    );
    const first = await runtime.turn([user("a")], { state: {}, outputVars: ["n"] });
    expect([first.text, first.outputData]).toEqual(["one", { n: 1 }]);
    const state: unknown = JSON.parse(JSON.stringify(first.state));
    expect((await runtime.turn([user("a")], { state })).text).toBe("two 1");
  });
});
