import { describe, expect, it } from "@jest/globals";
import { compileColang2 } from "../../../src/colang2/compile.js";
import { EngineConversation } from "../../../src/colang2/engine/conversation.js";
import { resolveImports } from "../../../src/colang2/imports/imports.js";
import { InputShapeError } from "../../../src/diagnostics/errors.js";
import { createSourceFile } from "../../../src/diagnostics/source-file.js";
import type { EventDraft, GuardrailsEvent } from "../../../src/engine/events.js";
import { countingIds } from "../../../src/engine/ids.js";
import { admitEvent, completeEvent } from "../../../src/runtime/colang2/complete-event.js";
import { HostLoop } from "../../../src/runtime/colang2/host-loop.js";
import { withTimers } from "../../../src/runtime/colang2/session/session-timers.js";
import type { LocalActions, LocalOutcome } from "../../../src/runtime/colang2/local-actions.js";

const source = { clock: { now: () => 0 }, ids: countingIds("e"), sourceUid: "test" };

function engineOf(text: string): EngineConversation {
  const { modules } = resolveImports({ sources: [createSourceFile("main.co", text)] });
  const { program, diagnostics } = compileColang2({ modules });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return new EngineConversation(program);
}

/** Actions whose ends the test decides. */
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

  it("report their end by themselves where no call waits", async () => {
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

  it("are waited for by a call that does not block unless they are asynchronous", async () => {
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

  it("end the call with what is no problem of theirs", async () => {
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
    const local = withTimers({ launch: () => undefined }, (ms, ring) => {
      const timer = { ms, stopped: false, ring };
      started.push(timer);
      return () => {
        timer.stopped = true;
      };
    });
    return { started, local };
  }

  it("ring after their time", async () => {
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

  it("of a time that is none fail", async () => {
    const { local } = timers();
    const program =
      'flow main\n  await TimerBotAction(timer_name="t", duration="later") as $t\n  send Over(reason=$t.failure_reason)\n  match Never()\n';
    const { output } = await loopOf(program, { local }).run([], { signal: free(), blocking: true });
    expect(output).toEqual([expect.objectContaining({ type: "Over", reason: expect.stringContaining("seconds") })]);
  });
});

describe("bounds", () => {
  it("ends a call with too many events, and says so", async () => {
    const loop = loopOf("flow main\n  while True\n    match Ping()\n    send Ping()\n", { maxEvents: 40 });
    const { overflow } = await loop.run([admit({ type: "Ping" })], { signal: free(), blocking: true });
    expect(overflow).toMatchObject({ limit: "events_per_turn", maximum: 40 });
  });

  it.each([
    [{ type: "FinishFlow", flow_id: "main" }, /event of the engine itself/],
    [{ type: "UtteranceUserActionFinished", final_transcript: 7 }, /`final_transcript`.*must be a text/],
    [{ type: "LampActionStarted", action_uid: 3 }, /`action_uid`.*must be a text/],
    [{ type: "" }, /`type`/],
    [null, /must be a map/],
  ])("refuses %j", (event, message) => {
    expect(() => admitEvent(event, source)).toThrow(InputShapeError);
    expect(() => admitEvent(event, source)).toThrow(message);
  });
});
