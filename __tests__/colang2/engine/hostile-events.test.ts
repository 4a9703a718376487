import { describe, expect, it } from "@jest/globals";
import { assert, dictionary, jsonValue, oneof, property, constantFrom, string } from "fast-check";
import { GuardrailsError, InputShapeError } from "../../../src/diagnostics/errors.js";
import { INTERNAL_EVENT_NAMES } from "../../../src/colang2/event-names.js";
import { writeState } from "../../../src/colang2/engine/state/stored/encode.js";
import type { GuardrailsEvent } from "../../../src/engine/events.js";
import { compileText, Driver } from "../engine-driver.js";
import { propertyRuns } from "../../support/property-runs.js";

/** Harmful events from outside, at the engine itself: they are refused, or harm only flows that wait for them. */

const PROGRAM = compileText(`@active
@loop("errors")
flow errors
  match ColangError() as $e
  send Reported(flow=$e.flow_id)

flow echo
  match Say() as $e
  send Observed(t=$e.t)

flow lamp
  start LampAction(level=3) as $l
  match $l.Finished() as $e
  send LampOver(ok=$e.is_success)
  match Never()

@loop("doors")
flow doors
  match DoorAction.Finished() as $e
  send DoorOver(same=$e.action.name)

@loop("picky")
flow picky
  match Picky(text=regex("^a+$")) as $e
  send Fits(n=len($e.text))

flow main
  activate echo and doors and picky
  start lamp
  match Never()
`);

function open(roundTrips = true): { readonly driver: Driver; readonly lamp: unknown } {
  const driver = new Driver(PROGRAM, { roundTrips });
  const started = driver.batch().find(({ type }) => type === "StartLampAction");
  return { driver, lamp: started?.["action_uid"] };
}

/** The other flows continue unchanged. */
function stillWorks({ driver, lamp }: ReturnType<typeof open>): void {
  expect(driver.batch({ type: "Say", t: 1 })).toMatchObject([{ type: "Observed", t: 1 }]);
  expect(driver.batch({ type: "LampActionFinished", action_uid: lamp, is_success: true })).toMatchObject([
    { type: "LampOver", ok: true },
  ]);
}

describe("events that are refused", () => {
  it.each([...INTERNAL_EVENT_NAMES].map((name) => [name]))("an event of the engine itself: %s", (type) => {
    const there = open();
    const uid = [...there.driver.conversation.state.data.flows.keys()][0];
    for (const fields of [{ flow_id: "lamp" }, { flow_instance_uid: uid }, { flow_id: "main", deactivate: true }]) {
      expect(() => there.driver.batch({ type, ...fields })).toThrow(InputShapeError);
    }
    stillWorks(there);
  });

  it.each<[string, unknown]>([
    ["no type", {}],
    ["an empty type", { type: "" }],
    ["a type that is not a string", { type: 7 }],
    ["a type that is far too long", { type: `${"Action".repeat(200_000)}Updated` }],
    ["an identifier of an action that is invalid", { type: "LampActionFinished", action_uid: { toString: "x" } }],
    [
      "a value without an end",
      (() => {
        const loop: Record<string, unknown> = { type: "Say" };
        loop["t"] = loop;
        return loop;
      })(),
    ],
    ["far too many values", { type: "Say", t: Array.from({ length: 200_000 }, () => []) }],
  ])("%s", (_, event) => {
    const there = open();
    expect(() => there.driver.batch(event as GuardrailsEvent)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^RL-/) }),
    );
    stillWorks(there);
  });
});

describe("forged identifiers", () => {
  it("of an action under another name end no action", () => {
    const there = open();
    const { driver, lamp } = there;
    expect(driver.batch({ type: "DoorActionFinished", action_uid: lamp, is_success: true })).toMatchObject([
      { type: "DoorOver", same: "DoorAction" },
    ]);
    stillWorks(there);
  });

  it("of a request do not prevent the engine from stopping its action", () => {
    const { driver, lamp } = open();
    expect(driver.batch({ type: "StopLampAction", action_uid: lamp })).toEqual([]);
    expect([...driver.conversation.state.index.actions.values()].map(({ status }) => status)).toEqual(["starting"]);
    const [instance] = driver.conversation.state.index.byFlow.get("lamp");
    expect(instance?.flow).toBe("lamp");
    driver.conversation.removeFlows(["lamp"]);
    expect(driver.conversation.state.round.outgoing).toMatchObject([{ type: "StopLampAction", action_uid: lamp }]);
  });

  it.each(["main", "c-1", "c-2", "", "__proto__", "\n", "c-1\nuc-2"])("of a flow have no effect: %j", (uid) => {
    const there = open();
    for (const type of ["Say", "Other", `FlowFinished\nu${uid}`]) {
      there.driver.batch({ type, flow_instance_uid: uid, flow_id: "lamp", action_uid: uid, uid } as GuardrailsEvent);
    }
    stillWorks(there);
  });

  it("may occur twice", () => {
    const there = open();
    there.driver.batch({ type: "Say", uid: "same", t: 1 }, { type: "Say", uid: "same", t: 2 });
    there.driver.batch({ type: "DoorActionFinished", action_uid: "d", uid: "same" });
    there.driver.batch({ type: "DoorActionFinished", action_uid: "d", uid: "same" });
    stillWorks(there);
  });
});

describe("malicious payloads", () => {
  it.each<[string, GuardrailsEvent]>([
    ["a text that is too long for a pattern", { type: "Picky", text: "a".repeat(100_000) }],
    ["no text where one is read", { type: "Picky", text: "aaa", extra: null }],
    ["a dictionary in place of a text", { type: "Picky", text: { toString: "a" } }],
    [
      "names of internals",
      { type: "Say", t: 0, flow_id: "main", name: "StopFlow", scores: [9], fields: {}, isInternal: true },
    ],
    ["a context that is invalid", { type: "ContextUpdate", data: "x" }],
    ["a context of odd names", { type: "ContextUpdate", data: { self: 1, system: 2, "%t1": 3, "a b": 4, "": 5 } }],
    ["temporaries of the compiler", { type: "Say", "%a1": 1, t: "{$self.uid}" }],
  ])("%s", (_, event) => {
    const there = open();
    there.driver.batch(event);
    stillWorks(there);
    expect(there.driver.conversation.state.index.main?.status).toBe("started");
  });

  it("are texts, and never templates", () => {
    const { driver } = open();
    const t = "{$system.config} {{x}} \" ' \\ {1 + 1}";
    expect(driver.batch({ type: "Say", t })).toMatchObject([{ type: "Observed", t }]);
  });
});

describe("any event", () => {
  const names = constantFrom(
    "Say",
    "Picky",
    "ContextUpdate",
    "LampActionFinished",
    "DoorActionFinished",
    "FlowFinished",
    "",
  );
  const fields = constantFrom("t", "text", "data", "action_uid", "uid", "type2", "flow_id", "is_success", "__proto__");

  it("is accepted, or refused with a GuardrailsError, and the state can be stored", () => {
    assert(
      property(
        oneof(names, string()),
        dictionary(oneof(fields, string()), jsonValue({ maxDepth: 3 })),
        (type, payload) => {
          const there = open(false);
          try {
            there.driver.batch({ ...payload, type } as GuardrailsEvent);
          } catch (error) {
            if (!GuardrailsError.isInstance(error)) throw error;
          }
          expect(there.driver.conversation.state.round.queue).toEqual([]);
          const stored = JSON.stringify(writeState(there.driver.conversation.state));
          expect(JSON.stringify(JSON.parse(stored))).toBe(stored);
          expect(there.driver.batch({ type: "Say", t: 1 })).toMatchObject([{ type: "Observed", t: 1 }]);
        },
      ),
      { numRuns: propertyRuns(30), seed: 5 },
    );
  });
});

const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

/** A flow that sends, one that observes errors, and one that always continues. */
function program(statement: string): string {
  return `flow sender
  match Go()
  ${statement}
  send Sent()
  match Never()

@loop("reports")
flow reports
  match ColangError() as $e
  send Report(type=$e.type, flow=$e.flow_id, error=$e.error)
  match Never()

flow main
  activate reports
  start sender as $sender
  when $sender.Failed() as $end
    send Over(reason=$end.reason)
  match Never()
`;
}

describe("an event that may not be emitted fails the flow that sends it", () => {
  it.each([
    ["a script that is not a string", "start UtteranceBotAction(script=5)", "`script` of `StartUtteranceBotAction`"],
    ["a script that is nothing", "await UtteranceBotAction(script=None)", "`script` of `StartUtteranceBotAction`"],
    ["an interim script", "send UtteranceBotActionScriptUpdated(interim_script=[1])", "`interim_script` of"],
    ["a final script", 'send UtteranceBotActionFinished(final_script={"a": 1})', "`final_script` of"],
    ["a transcript", "send UtteranceUserActionFinished(final_transcript=1.5)", "`final_transcript` of"],
    ["an uid", "send Thing(uid=7)", "`uid` of `Thing`"],
    ["a time", "send Thing(event_created_at=0)", "`event_created_at` of `Thing`"],
    ["a source", "send Thing(source_uid=None)", "`source_uid` of `Thing`"],
    ["a time of an action", "send WalkActionFinished(action_finished_at=3)", "`action_finished_at` of"],
    ["a success that is invalid", 'send WalkActionFinished(is_success="yes")', "`is_success` of `WalkActionFinished`"],
    ["a failure without a reason", "send WalkActionFinished(is_success=False)", "needs a `failure_reason`"],
  ])("%s", (_title, statement, message) => {
    const driver = new Driver(program(statement), { roundTrips: true });
    driver.batch();
    const sent = driver.batch({ type: "Go" });
    expect(types(sent).sort()).toEqual(["Over", "Report"]);
    expect(sent.find(({ type }) => type === "Report")).toMatchObject({
      type: "Report",
      flow: "sender",
      error: expect.stringContaining(message),
    });
    expect(sent.find(({ type }) => type === "Over")).toMatchObject({ reason: "error" });
  });

  it.each([
    ["a text of a plain event", "send Thing(script=5)", "Thing"],
    ["an end with a reason", 'send WalkActionFinished(is_success=False, failure_reason="rain")', "WalkActionFinished"],
    ["an end with success", "send WalkActionFinished(is_success=True)", "WalkActionFinished"],
    ["an uid of its own", 'send Thing(uid="mine")', "Thing"],
  ])("%s is emitted", (_title, statement, type) => {
    const driver = new Driver(program(statement));
    driver.batch();
    expect(types(driver.batch({ type: "Go" }))).toEqual([type, "Sent"]);
  });

  it("takes nothing from competing flows", () => {
    const source = `flow sender
  match Go()
  send Thing(uid=7)

flow other
  match Go()
  send Fine()

flow main
  start sender
  start other
  match Never()
`;
    for (let seed = 0; seed < 8; seed += 1) {
      const driver = new Driver(source, { seed });
      driver.batch();
      expect(types(driver.batch({ type: "Go" }))).toEqual(["Fine"]);
    }
  });

  it("can be observed only by a flow that waits for the failed flow", () => {
    const driver = new Driver(`flow speaks
  start UtteranceBotAction(script=5)

flow main
  when speaks
    send Wrong()
  else
    send Caught()
  match Never()
`);
    expect(types(driver.batch())).toEqual(["Caught"]);
  });
});
