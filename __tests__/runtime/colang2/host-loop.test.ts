import { describe, expect, it } from "@jest/globals";
import { compileColang2 } from "../../../src/colang2/compile.js";
import { EngineConversation } from "../../../src/colang2/engine/conversation.js";
import { resolveImports } from "../../../src/colang2/imports/imports.js";
import { InputShapeError } from "../../../src/diagnostics/errors.js";
import { createSourceFile } from "../../../src/diagnostics/source-file.js";
import { type EventDraft, type GuardrailsEvent, countingIds, type StartTimer } from "../../../src/engine/events.js";
import { admitEvent, completeEvent } from "../../../src/runtime/colang2/run.js";
import { HostLoop } from "../../../src/runtime/colang2/host-loop.js";
import { withTimers } from "../../../src/runtime/colang2/session/session-timers.js";
import type { LocalActions, LocalOutcome } from "../../../src/runtime/colang2/local-actions.js";
import { actionResult } from "../../../src/actions/dispatcher.js";
import { defineAction } from "../../../src/actions/define-action.js";
import type { EventSession } from "../../../src/runtime/event-session.js";
import { type BenchInput, gate, openBench } from "../bench.js";

const source = { clock: { now: () => 0 }, ids: countingIds("e"), sourceUid: "test" };

function engineOf(text: string): EngineConversation {
  const { modules } = resolveImports({ sources: [createSourceFile("main.co", text)] });
  const { program, diagnostics } = compileColang2({ modules });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return new EngineConversation(program);
}

/** Actions whose ends the test controls. */
class HeldActions implements LocalActions {
  isAsync = false;
  readonly launched: {
    readonly request: GuardrailsEvent;
    stopped: boolean;
    end(outcome?: Partial<LocalOutcome>): void;
  }[] = [];
  failWith: ((error: Error) => void) | undefined;

  launch(request: GuardrailsEvent) {
    if (!request.type.startsWith("StartHeld")) return undefined;
    const name = request.type.slice("Start".length);
    let settle: (outcome: LocalOutcome) => void = () => undefined;
    const done = new Promise<LocalOutcome>((resolve, reject) => {
      settle = resolve;
      this.failWith = reject;
    });
    const entry = {
      request,
      stopped: false,
      end: (outcome: Partial<LocalOutcome> = {}) =>
        settle({
          events: [{ type: `${name}Finished`, action_uid: request["action_uid"], return_value: 7 }],
          ...outcome,
        }),
    };
    this.launched.push(entry);
    return {
      isAsync: this.isAsync,
      done,
      stop: () => {
        entry.stopped = true;
      },
    };
  }
}

interface Options {
  readonly local?: LocalActions;
  readonly maxEvents?: number;
  readonly onArrival?: () => void;
  readonly onOutput?: (event: GuardrailsEvent) => void;
}

function loopOf(text: string, { local = new HeldActions(), maxEvents = 500, ...options }: Options = {}): HostLoop {
  return new HostLoop({
    engine: engineOf(text),
    local,
    instantActions: new Set(["UtteranceBotAction"]),
    maxEvents,
    complete: (draft) => completeEvent(draft, source),
    ...options,
  });
}

const admit = (draft: EventDraft) => admitEvent(draft, source);
const types = (events: readonly GuardrailsEvent[]) => events.map(({ type }) => type);
const free = () => new AbortController().signal;

describe("actions of this process", () => {
  const text = "flow main\n  match Go()\n  $x = await HeldAction(n=1)\n  send Got(value=$x)\n  match Never()\n";

  it("are waited for by a call that blocks", async () => {
    const local = new HeldActions();
    const loop = loopOf(text, { local });
    await loop.run([], { signal: free(), blocking: true });
    const running = loop.run([admit({ type: "Go" })], { signal: free(), blocking: true });
    await Promise.resolve();
    expect(local.launched.map(({ request }) => [request.type, request["n"]])).toEqual([["StartHeldAction", 1]]);
    local.launched[0]?.end();
    expect((await running).output).toEqual([expect.objectContaining({ type: "Got", value: 7 })]);
  });

  it("report their end without a waiting call", async () => {
    const local = new HeldActions();
    local.isAsync = true;
    let notify: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      notify = resolve;
    });
    const loop = loopOf(text, { local, onArrival: () => notify() });
    const first = await loop.run([admit({ type: "Go" })], { signal: free(), blocking: false });
    expect([types(first.output), loop.isBusy]).toEqual([[], true]);
    local.launched[0]?.end();
    await arrived;
    const second = await loop.run([], { signal: free(), blocking: false });
    expect([types(second.output), loop.isBusy]).toEqual([["Got"], false]);
  });

  it("are waited for by a non-blocking call unless they are asynchronous", async () => {
    const local = new HeldActions();
    const emitted: string[] = [];
    const loop = loopOf("flow main\n  send Begun()\n  await HeldAction()\n  send Got()\n  match Never()\n", {
      local,
      onOutput: ({ type }) => emitted.push(type),
    });
    const running = loop.run([], { signal: free(), blocking: false });
    expect(emitted).toEqual(["Begun"]);
    local.launched[0]?.end();
    expect(types((await running).output)).toEqual(["Begun", "Got"]);
  });

  it("are cancelled by `Stop`, and their later result is ignored", async () => {
    const local = new HeldActions();
    local.isAsync = true;
    const loop = loopOf(
      "flow main\n  start HeldAction() as $a\n  match Halt()\n  send $a.Stop()\n  match $a.Finished() as $e\n" +
        "  send Ended(stopped=$e.was_stopped, success=$e.is_success)\n  match Never()\n",
      { local },
    );
    await loop.run([], { signal: free(), blocking: false });
    const { output } = await loop.run([admit({ type: "Halt" })], { signal: free(), blocking: true });
    expect(output).toEqual([expect.objectContaining({ type: "Ended", stopped: true, success: false })]);
    expect(local.launched[0]?.stopped).toBe(true);
    local.launched[0]?.end();
    await Promise.resolve();
    expect(loop.hasArrivals).toBe(false);
  });

  it("report their problems to flows as a `ColangError`", async () => {
    const local = new HeldActions();
    const loop = loopOf(
      `flow spy\n  match ColangError(type="ActionError") as $e\n  send Reported(error=$e.error)\n  match Never()\nflow main\n  activate spy\n  await HeldAction()\n  match Never()\n`,
      { local },
    );
    const running = loop.run([], { signal: free(), blocking: true });
    local.launched[0]?.end({ error: { type: "ActionError", message: "no line" } });
    expect((await running).output).toEqual([expect.objectContaining({ type: "Reported", error: "no line" })]);
  });

  it("end the call with an error that is not theirs", async () => {
    const local = new HeldActions();
    const loop = loopOf("flow main\n  await HeldAction()\n  match Never()\n", { local });
    const running = loop.run([], { signal: free(), blocking: true });
    local.failWith?.(new Error("the model is gone"));
    await expect(running).rejects.toThrow("the model is gone");
  });

  it("are left when the caller aborts", async () => {
    const local = new HeldActions();
    const loop = loopOf("flow main\n  await HeldAction()\n  match Never()\n", { local });
    const controller = new AbortController();
    const running = loop.run([], { signal: controller.signal, blocking: true });
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    loop.close();
    expect(local.launched[0]?.stopped).toBe(true);
  });
});

describe("timers", () => {
  const text =
    "import core\nimport timing\nflow main\n  when wait 2.5\n    send Rang()\n  or when Halt()\n    send Halted()\n  match Never()\n";

  function timers() {
    const started: { readonly ms: number; stopped: boolean; ring(): void }[] = [];
    const failures: unknown[] = [];
    const startTimer: StartTimer = (ms, ring) => {
      const timer = { ms, stopped: false, ring };
      started.push(timer);
      return () => {
        timer.stopped = true;
      };
    };
    const local = withTimers(
      { launch: () => undefined },
      { startTimer, onFailure: (error) => void failures.push(error) },
    );
    return { started, failures, local };
  }

  it("fire after their time", async () => {
    const { started, local } = timers();
    const loop = loopOf(text, { local });
    const first = await loop.run([], { signal: free(), blocking: false });
    expect([types(first.output), started.map(({ ms }) => ms)]).toEqual([[], [2500]]);
    started[0]?.ring();
    await Promise.resolve();
    expect(types((await loop.run([], { signal: free(), blocking: false })).output)).toEqual(["Rang"]);
  });

  it("are cancelled", async () => {
    const { started, local } = timers();
    const loop = loopOf(text, { local });
    await loop.run([], { signal: free(), blocking: false });
    const { output } = await loop.run([admit({ type: "Halt" })], { signal: free(), blocking: false });
    expect([types(output), started[0]?.stopped]).toEqual([["Halted"], true]);
  });

  it.each([
    ["a text", '"1"'],
    ["`None`", "None"],
    ["a list", "[1]"],
    ["a dictionary", '{"s": 1}'],
    ["a boolean", "True"],
    ["a negative number", "-1"],
  ])("with %s as their time fail, which is reported", async (kind, value) => {
    const { failures, local } = timers();
    const program = `import core\nimport timing\nflow main\n  activate reports\n  $time = ${value}\n  wait $time\n  send Over()\n  match Never()\n
flow reports\n  match ColangError() as $error\n  send Report(text=$error.error)\n`;
    const { output } = await loopOf(program, { local }).run([], { signal: free(), blocking: true });
    const text = `the action \`TimerBotAction\` failed: expected \`duration\` to be a number of seconds from 0, got ${kind}`;
    expect(output).toContainEqual(expect.objectContaining({ type: "Report", text }));
    expect(types(output)).toContain("Over");
    expect(failures).toMatchObject([{ action: "TimerBotAction", code: "RL-201", hint: expect.any(String) }]);
  });
});

describe("bounds", () => {
  it("ends a call with too many events, and reports it", async () => {
    const loop = loopOf("flow main\n  while True\n    match Ping()\n    send Ping()\n", { maxEvents: 40 });
    const { overflow } = await loop.run([admit({ type: "Ping" })], { signal: free(), blocking: true });
    expect(overflow).toMatchObject({ limit: "events_per_turn", maximum: 40 });
  });

  it.each([
    [{ type: "FinishFlow", flow_id: "main" }, /internal event/],
    [{ type: "UtteranceUserActionFinished", final_transcript: 7 }, /`final_transcript`.*to be a text/],
    [{ type: "LampActionStarted", action_uid: 3 }, /`action_uid`.*to be a text/],
    [{ type: "" }, /`type`/],
    [null, /to be a map/],
  ])("refuses %j", (event, message) => {
    expect(() => admitEvent(event, source)).toThrow(InputShapeError);
    expect(() => admitEvent(event, source)).toThrow(message);
  });
});

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

describe("an action that fails", () => {
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

describe("the result of an action", () => {
  it("may be events that flows receive after its end, with its variables set before", async () => {
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

  it("keeps texts that begin with `$` unchanged", async () => {
    const given: unknown[] = [];
    const runtime = await open('flow main\n  match Go()\n  await CallAction(a="$secret", b=["$secret"])\n', {
      actions: { call: (params: unknown) => void given.push(params) },
    });
    await runtime.turn([{ role: "context", content: { secret: "hidden" } }, go]);
    expect(given).toEqual([{ a: "$secret", b: ["$secret"] }]);
  });
});

describe("an action that is stopped", () => {
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

describe("the end of an action", () => {
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

describe("a call with too many events", () => {
  it("reports it in its result", async () => {
    const runtime = await open("flow main\n  match Go()\n  while True\n    send Ping()\n    match Ping()\n");
    const result = await runtime.turn([go]);
    expect([result.status, result.log.errors.map(({ code }) => code)]).toEqual(["failed", ["RL-401"]]);
  });
});

describe("conversations", () => {
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

describe("calls with messages", () => {
  const PARROT =
    'import core\n\nflow main\n  activate parrot\n  wait indefinitely\n\nflow parrot\n  user said something as $u\n  bot say "{$u.transcript}!"\n';

  it("accept messages of the assistant, for which no flow runs", async () => {
    const runtime = await open(PARROT);
    const { utterances } = await runtime.turn([user("a"), { role: "assistant", content: "b" }, user("c")]);
    expect(utterances).toEqual(["c!"]);
  });

  it("accept options, and return a state that continues", async () => {
    const runtime = await open(
      'import core\n\nflow main\n  global $n\n  user said "a"\n  $n = 1\n  bot say "one"\n  user said "a"\n  bot say "two {$n}"\n  match Never()\n',
    );
    const first = await runtime.turn([user("a")], { state: {}, outputVars: ["n"] });
    expect([first.text, first.outputData]).toEqual(["one", { n: 1 }]);
    const state: unknown = JSON.parse(JSON.stringify(first.state));
    expect((await runtime.turn([user("a")], { state })).text).toBe("two 1");
  });
});
