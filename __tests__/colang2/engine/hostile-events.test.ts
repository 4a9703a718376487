import { describe, expect, it } from "@jest/globals";
import { assert, dictionary, jsonValue, oneof, property, constantFrom, string } from "fast-check";
import { GuardrailsError, InputShapeError } from "../../../src/diagnostics/errors.js";
import { INTERNAL_EVENT_NAMES } from "../../../src/colang2/internal-events.js";
import { writeState } from "../../../src/colang2/engine/state/stored/write-state.js";
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

/** The others go on as if nothing had been. */
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
    ["a type that is no text", { type: 7 }],
    ["a type that is far too long", { type: `${"Action".repeat(200_000)}Updated` }],
    ["an identifier of an action that is none", { type: "LampActionFinished", action_uid: { toString: "x" } }],
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

describe("identifiers that were made up", () => {
  it("of an action under another name end nothing", () => {
    const there = open();
    const { driver, lamp } = there;
    expect(driver.batch({ type: "DoorActionFinished", action_uid: lamp, is_success: true })).toMatchObject([
      { type: "DoorOver", same: "DoorAction" },
    ]);
    stillWorks(there);
  });

  it("of a request do not keep the engine from stopping its action", () => {
    const { driver, lamp } = open();
    expect(driver.batch({ type: "StopLampAction", action_uid: lamp })).toEqual([]);
    expect([...driver.conversation.state.index.actions.values()].map(({ status }) => status)).toEqual(["starting"]);
    const [instance] = driver.conversation.state.index.byFlow.get("lamp");
    expect(instance?.flow).toBe("lamp");
    driver.conversation.removeFlows(["lamp"]);
    expect(driver.conversation.state.round.outgoing).toMatchObject([{ type: "StopLampAction", action_uid: lamp }]);
  });

  it.each(["main", "c-1", "c-2", "", "__proto__", "\n", "c-1\nuc-2"])("of a flow mean nothing: %j", (uid) => {
    const there = open();
    for (const type of ["Say", "Other", `FlowFinished\nu${uid}`]) {
      there.driver.batch({ type, flow_instance_uid: uid, flow_id: "lamp", action_uid: uid, uid } as GuardrailsEvent);
    }
    stillWorks(there);
  });

  it("may come twice", () => {
    const there = open();
    there.driver.batch({ type: "Say", uid: "same", t: 1 }, { type: "Say", uid: "same", t: 2 });
    there.driver.batch({ type: "DoorActionFinished", action_uid: "d", uid: "same" });
    there.driver.batch({ type: "DoorActionFinished", action_uid: "d", uid: "same" });
    stillWorks(there);
  });
});

describe("payloads that mean harm", () => {
  it.each<[string, GuardrailsEvent]>([
    ["a text that is too long for a pattern", { type: "Picky", text: "a".repeat(100_000) }],
    ["no text where one is read", { type: "Picky", text: "aaa", extra: null }],
    ["a dictionary in place of a text", { type: "Picky", text: { toString: "a" } }],
    [
      "names of internals",
      { type: "Say", t: 0, flow_id: "main", name: "StopFlow", scores: [9], fields: {}, isInternal: true },
    ],
    ["a context that is none", { type: "ContextUpdate", data: "x" }],
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

  it("is taken in, or refused by an error of our own, and the state can be stored", () => {
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
