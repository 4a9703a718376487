import { describe, expect, it } from "@jest/globals";
import type { ActionContext, ActionDefinition } from "../../../src/actions/action.js";
import { type ActionOptions, defineAction } from "../../../src/actions/define-action.js";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import type { EventSession } from "../../../src/runtime/event-session.js";
import { gate, openBench } from "../bench.js";
import { readUntil } from "./event-reader.js";

const YAML = 'colang_version: "2.x"\n';

/** An action whose end the test controls. */
function held(options: Pick<ActionOptions, "executeAsync"> = {}) {
  const end = gate<unknown>();
  const begun = gate<AbortSignal>();
  const action: ActionDefinition = defineAction(
    { name: "HeldAction", ...options },
    (_params, { signal }: ActionContext) => {
      begun.open(signal);
      return end.promise.then((value) => {
        if (value instanceof Error) throw value;
        return value;
      });
    },
  );
  return { action, end: end.open, begun: begun.promise };
}

/** Types of the events that a session emits, up to `last`. */
async function until(session: EventSession, last: string): Promise<readonly GuardrailsEvent[]> {
  const emitted: GuardrailsEvent[] = [];
  for await (const event of session) {
    emitted.push(event);
    if (event.type === last) break;
  }
  return emitted;
}

const types = (events: readonly GuardrailsEvent[]) => events.map(({ type }) => type);

async function sessionOf(colang: string, actions: Readonly<Record<string, unknown>>): Promise<EventSession> {
  const { runtime } = await openBench({ colang, yaml: YAML, actions, bare: true });
  return runtime.openSession();
}

/** A session that does not end when the test leaves its loop. */
function reading(session: EventSession): { next(last: string): Promise<readonly GuardrailsEvent[]> } {
  const iterator = session[Symbol.asyncIterator]();
  return { next: (last) => readUntil(iterator, last) };
}

const WORKING = `
flow works
  match Go()
  send Begun()
  $value = await HeldAction()
  send Got(value=$value)

@loop("other")
flow answers
  match Ping()
  send Pong()

flow main
  activate works
  activate answers
  match Never()
`;

describe("`executeAsync`", () => {
  it("lets a session continue, and its end is emitted when it arrives", async () => {
    const { action, end } = held({ executeAsync: true });
    const session = await sessionOf(WORKING, { HeldAction: action });
    const { next } = reading(session);
    session.send({ type: "Go" });
    session.send({ type: "Ping" });
    expect(types(await next("Pong"))).toEqual(["Begun", "Pong"]);
    end(7);
    expect(await next("Got")).toEqual([expect.objectContaining({ type: "Got", value: 7 })]);
    session.close();
  });

  it("without it, events wait for the end of the action, and earlier events are emitted first", async () => {
    const { action, end } = held();
    const session = await sessionOf(WORKING, { HeldAction: action });
    const { next } = reading(session);
    session.send({ type: "Go" });
    session.send({ type: "Ping" });
    expect(types(await next("Begun"))).toEqual(["Begun"]);
    end(7);
    expect(types(await next("Pong"))).toEqual(["Got", "Pong"]);
    session.close();
  });

  it.each([true, false])("makes a turn wait for the end nevertheless (%s)", async (executeAsync) => {
    const { action, begun, end } = held({ executeAsync });
    const colang = `import core\n\nflow main\n  user said "hi"\n  $value = await HeldAction()\n  bot say "{$value}"\n`;
    const { runtime } = await openBench({ colang, yaml: YAML, actions: { HeldAction: action }, bare: true });
    const running = runtime.turn([{ role: "user", content: "hi" }]);
    await begun;
    end("done");
    expect((await running).text).toBe("done");
  });

  it("does not prevent closing a session, which ends running actions", async () => {
    for (const executeAsync of [true, false]) {
      const { action, begun } = held({ executeAsync });
      const session = await sessionOf(WORKING, { HeldAction: action });
      session.send({ type: "Go" });
      const signal = await begun;
      const settled = session.settled();
      session.close();
      await settled;
      expect(signal.aborted).toBe(true);
      expect(types(await until(session, "Never"))).toEqual(["Begun"]);
    }
  });
});

describe("an action that runs concurrently with events", () => {
  const STOPPING = `
flow main
  start HeldAction() as $work
  when HaltNow()
    send $work.Stop()
    match $work.Finished() as $end
    send Over(success=$end.is_success, stopped=$end.was_stopped)
  or when $work.Finished() as $end
    send Ended(success=$end.is_success, reason=$end.failure_reason)
  match Never()
`;

  it("is stopped by the flow, and its code is aborted", async () => {
    const { action, begun, end } = held({ executeAsync: true });
    const session = await sessionOf(STOPPING, { HeldAction: action });
    const { next } = reading(session);
    const signal = await begun;
    session.send({ type: "HaltNow" });
    expect(await next("Over")).toEqual([expect.objectContaining({ type: "Over", success: false, stopped: true })]);
    expect([signal.aborted, String(signal.reason)]).toEqual([
      true,
      expect.stringContaining("`HeldAction` was stopped"),
    ]);
    end("too late");
    await session.settled();
    session.close();
    expect(await next("Never")).toEqual([]);
  });

  it("is stopped when the flow that owns it ends", async () => {
    const { action, begun } = held({ executeAsync: true });
    const colang = `
flow owner
  start HeldAction()
  match End()

flow main
  await owner
  send Over()
  match Never()
`;
    const session = await sessionOf(colang, { HeldAction: action });
    const { next } = reading(session);
    const signal = await begun;
    session.send({ type: "End" });
    expect(types(await next("Over"))).toEqual(["Over"]);
    expect(signal.aborted).toBe(true);
    session.close();
  });

  it.each<[string, unknown, string]>([
    ["an error", new Error("no line"), "the action `HeldAction` failed: no line"],
    ["what no state can keep", () => 1, "cannot be kept"],
  ])("that returns %s is finished without success, and the session continues", async (_title, value, reason) => {
    const { action, end } = held({ executeAsync: true });
    const session = await sessionOf(STOPPING, { HeldAction: action });
    const { next } = reading(session);
    end(value);
    expect(await next("Ended")).toEqual([
      expect.objectContaining({ type: "Ended", success: false, reason: expect.stringContaining(reason) }),
    ]);
    session.close();
  });
});

describe("`conflicts`", () => {
  const BOTH = `
flow notes
  match Go()
  await NoteAction(what="a")
  send Noted()

flow looks up
  match Go()
  await LookUpAction(what="b")
  send Found()

flow main
  start notes
  start looks up
  match Never()
`;

  async function run(conflicts: boolean, colang = BOTH): Promise<string[]> {
    const done: string[] = [];
    const action = (name: string) =>
      defineAction({ name, conflicts }, () => {
        done.push(name);
      });
    // Under the name that a file of actions would give it, too.
    const actions = { NoteAction: action("NoteAction"), look_up: action("look_up") };
    const { runtime } = await openBench({ colang, yaml: YAML, actions, bare: true });
    const first = await runtime.turn([{ role: "event", event: { type: "Begin" } }], { state: {} });
    const { actions: delegated = [] } = await runtime.turn([{ role: "event", event: { type: "Go" } }], {
      state: first.state,
    });
    return [...done, ...delegated.map(({ type }) => type)].sort();
  }

  it("lets one of two actions win by default", async () => {
    expect(await run(true)).toHaveLength(1);
  });

  it("set to false lets both run, in a stored conversation too", async () => {
    expect(await run(false)).toEqual(["NoteAction", "look_up"]);
  });

  it("takes nothing from a competing action", async () => {
    const colang = BOTH.replace("await LookUpAction", "await GestureBotAction");
    expect(await run(false, colang)).toEqual(["NoteAction", "StartGestureBotAction"]);
  });
});
