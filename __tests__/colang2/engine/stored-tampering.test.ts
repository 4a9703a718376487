import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { EngineConversation } from "../../../src/colang2/engine/conversation.js";
import { readState } from "../../../src/colang2/engine/state/stored/read-state.js";
import { writeState } from "../../../src/colang2/engine/state/stored/encode.js";
import type { Colang2Program } from "../../../src/colang2/program.js";
import { GuardrailsError, InputShapeError } from "../../../src/diagnostics/errors.js";
import { compileAdded, compileRich, storeRich } from "./rich-conversation.js";
import { propertyRuns } from "../../support/property-runs.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const program = compileRich();
const sound = storeRich(program) as unknown as { [key: string]: Json };

function copy(): { [key: string]: Json } {
  return JSON.parse(JSON.stringify(sound)) as { [key: string]: Json };
}

/** `flows.0.status`; `flows.{flow=main}.status` takes the first item with this field. */
function place(document: Json, path: string): { readonly holder: { [key: string]: Json }; readonly key: string } {
  const steps = path.split(".");
  const key = steps.pop() ?? "";
  let holder = document;
  for (const step of steps) holder = child(holder, step);
  return { holder: holder as { [key: string]: Json }, key: step(holder, key) };
}

function child(holder: Json, name: string): Json {
  const found = (holder as { [key: string]: Json })[step(holder, name)];
  if (found === undefined) throw new Error(`nothing is at ${name}`);
  return found;
}

function step(holder: Json, name: string): string {
  const wanted = /^\{(\w+)(?:=(.*))?\}$/.exec(name);
  if (wanted === null || !Array.isArray(holder)) return name;
  const [, field = "", value] = wanted;
  const at = holder.findIndex((item) => {
    const own = (item as { [key: string]: Json })[field];
    return value === undefined ? own !== undefined : own === value;
  });
  return String(at);
}

/** A value for each place; undefined removes the value. */
const CHANGES: readonly (readonly [title: string, path: string, value: Json | undefined])[] = [
  ["another format", "format", "langchain-guardrails/colang-1.0"],
  ["no format", "format", undefined],
  ["another version", "version", 4],
  ["a version as text", "version", "1"],
  ["another program", "programHash", "0000"],
  ["no prefix", "prefix", undefined],
  ["a prefix that is not a string", "prefix", 7],
  ["a broken counter", "ids", -1],
  ["a counter with a fraction", "orders", 1.5],
  ["a counter that is too low", "orders", 3],
  ["a random state that is not a number", "random", "x"],
  ["no flows", "flows", undefined],
  ["flows that are no list", "flows", {}],
  ["flows of nothing", "flows", [null]],
  ["an unknown flow", "flows.{flow=story}.flow", "unknown"],
  ["a flow of the prototype", "flows.{flow=story}.flow", "__proto__"],
  ["an unknown status", "flows.{flow=story}.status", "dancing"],
  ["a status between two others", "flows.{flow=story}.status", "stopping"],
  ["a pause without a paused flow", "flows.{flow=sleeper}.status", "started"],
  ["a paused flow without a pause", "flows.{flow=sleeper}.pause", undefined],
  ["a pause for an unknown reason", "flows.{flow=sleeper}.pause.reason", "tired"],
  ["an unknown latched event", "flows.{flow=sleeper}.pause.latched", ["nothing"]],
  ["a flow that ended long ago and continues", "flows.{flow=story}.status", "finished"],
  ["an unknown parent of a flow", "flows.{flow=asker}.parent", "unknown"],
  ["an unknown parent of a flow that an activation keeps running", "flows.{activation}.parent", "unknown"],
  ["an unknown parent of an activation", "activations.0.parent", "unknown"],
  ["a parent that is a list", "flows.{flow=asker}.parent", ["c-1"]],
  ["a parent that is a number", "flows.{flow=asker}.parent", 1],
  ["a flow as its own parent", "flows.{flow=asker}.parent", "SELF"],
  ["a flow that is too old", "flows.{flow=asker}.order", 999_999],
  ["a priority above 1", "flows.{flow=lamp}.priority", 2],
  ["no heads", "flows.{flow=story}.heads", undefined],
  ["a head outside of its flow", "flows.{flow=story}.heads.0.at", 4000],
  ["a head at a negative place", "flows.{flow=story}.heads.0.at", -1],
  ["a wait at a statement without one", "flows.{flow=story}.heads.0.at", 0],
  ["a handler outside of its flow", "flows.{flow=story}.heads.0.handlers", [4000]],
  ["an unknown scope", "flows.{flow=story}.heads.0.scopes", [4000]],
  ["a merge at a statement without one", "flows.{flow=story}.heads.0.status", "merging"],
  ["a head that is gone", "flows.{flow=story}.heads.0.status", "gone"],
  ["a dormant head without others", "flows.{flow=story}.heads.0.status", "dormant"],
  ["a head twice", "flows.{flow=story}.heads.0.id", "DUPLICATE"],
  ["an act that sends nothing", "flows.{flow=story}.heads.0.act", {}],
  ["an action at a statement without one", "flows.{flow=story}.heads.0.act", { requests: [{ name: "X" }] }],
  ["a pattern without names", "flows.{flow=story}.heads.0.pattern", {}],
  ["a pattern bound to nothing known", "flows.{flow=story}.heads.0.pattern.bound", { kind: "spirit", uid: "x" }],
  ["a regular expression that is invalid", "globals.held", { $: "pattern", v: "(" }],
  ["a value of an unknown kind", "globals.held", { $: "function", v: "x" }],
  ["an unknown shared value", "globals.held", { $: "same", i: 99 }],
  ["an unknown reference", "globals.held", { $: "flow", v: { uid: "x" } }],
  ["an unknown action", "globals.held", { $: "action", id: 9999 }],
  ["an incomplete event", "globals.held", { $: "event", v: { uid: "x" } }],
  ["a number that is a word", "globals.held", { $: "number", v: "12" }],
  ["an activation of an unknown flow", "activations.0.owners", [{ flow: "x", order: 1 }]],
  ["an activation with a broken order", "activations.0.order", "x"],
  ["an action in an unknown state", "actions.0.status", "lost"],
  ["an action twice", "actions.1", "FIRST"],
  ["a fork of an unknown head", "flows.{flow=asker}.heads.0.fork.next", { into: 4000, target: 1 }],
  ["an unknown part", "main", "x"],
  ["an unknown field of a flow", "flows.{flow=story}.definition", {}],
  ["an unknown field of a head", "flows.{flow=story}.heads.0.instance", {}],
  ["a head of another flow", "flows.{flow=story}.heads.0.flow", "c-1"],
  ["a head below an unknown one", "flows.{flow=story}.heads.0.parent", 4000],
  ["a head below itself", "flows.{flow=asker}.heads.0.parent", "ID"],
  ["variables shared with an unknown flow", "flows.{flow=watcher}.sharesVariables", true],
  ["an ownership of another flow", "flows.{flow=main}.ownerships", [{ flow: "c-2", action: 1 }]],
  ["an ownership of an unknown action", "flows.{flow=main}.ownerships", [{ flow: "UID", action: 4000 }]],
  ["an unknown activation", "flows.{flow=story}.activation", 4000],
  ["a live flow among the ended ones", "ended.0.status", "started"],
  ["an ended flow with heads", "ended.0.heads", [{ id: 1, flow: "c-1", address: 1, status: "active", waits: "no" }]],
  ["a flow that is alive and has ended", "ended.0.uid", "FLOW"],
  ["an action that is replaced by itself", "actions.0.sharedWith", "ID"],
  ["an action that is replaced by an unknown one", "actions.0.sharedWith", 4000],
  ["an action number that is not reached yet", "actions.0.id", 4000],
  ["a log of an unknown kind", "history", [{ name: "Other", flow: "x", parameter: null }]],
  ["a log of an unknown number", "history", [[9, "user said"]]],
  ["a log without a flow", "history", [[2]]],
  ["a log with a text that is not there", "history", [[2, "user said", 4]]],
  ["a log in pieces around a text that is not there", "history", [[2, ['user said "', 4, '"']]]],
  ["a log in pieces that are no texts", "history", [[2, [7, 7]]]],
  ["a log with an intent that is not a string", "history", [[3, "bot say", "hi", 5]]],
  ["an added flow in the place of another", "added", { story: "flow story\n  send Stolen()\n" }],
  ["an added flow whose source defines another", "added", { missing: "flow added\n  match Added()\n" }],
  ["an added flow without a source", "added", { added: 5 }],
];

describe("a stored conversation with", () => {
  it.each(CHANGES)("%s is refused", (_title, path, value) => {
    const document = copy();
    const { holder, key } = place(document, path);
    if (value === undefined) delete holder[key];
    else if (value === "SELF") holder[key] = (holder as { uid: string }).uid;
    else if (value === "ID") holder[key] = (holder as { id: number }).id;
    else if (value === "FLOW") holder[key] = (child(child(document, "flows"), "0") as { uid: string }).uid;
    else if (value === "FIRST") holder[key] = (holder as unknown as Json[])[0] ?? null;
    else if (value === "DUPLICATE") {
      const heads = child(document, "flows") as { heads: { id: number }[] }[];
      const own = heads.find((flow) => flow.heads[0] === (holder as unknown));
      own?.heads.push(JSON.parse(JSON.stringify(own.heads[0])) as { id: number });
    } else
      holder[key] = JSON.parse(JSON.stringify(value).replace('"UID"', JSON.stringify(holder["uid"] ?? ""))) as Json;
    expect(() => readState(program, document, { compileAdded })).toThrow(InputShapeError);
  });

  it.each([[null], ["text"], [7], [[]], [{}], [undefined]])("no content (%j) is refused", (document) => {
    expect(() => readState(program, document, { compileAdded })).toThrow(InputShapeError);
  });

  it("endlessly nested forks or values is refused", () => {
    const document = copy();
    const heads = child(child(child(document, "flows"), "{flow=asker}"), "heads") as Json[];
    const last = child(heads, String(heads.length - 1)) as { [key: string]: Json };
    for (let id = 20_000; id < 40_000; id += 1) heads.push({ ...last, id, parent: id - 1, fork: { number: 1 } });
    expect(() => readState(program, { ...document, orders: 40_000 }, { compileAdded })).toThrow(InputShapeError);
    const old = fixture("state-v2.json");
    let fork: Json = { number: 1, heads: [], notes: [], ready: false };
    for (let depth = 0; depth < 20_000; depth += 1) {
      fork = { number: 1, heads: [{ id: depth, at: 1, status: "dormant", fork }], notes: [], ready: false };
    }
    (child(child(child(child(old.state, "flows"), "{flow=asker}"), "heads"), "0") as { fork: Json }).fork = fork;
    expect(() => readState(old.program, old.state, { compileAdded })).toThrow(InputShapeError);
    let value: Json = [];
    for (let depth = 0; depth < 20_000; depth += 1)
      value = depth % 2 === 0 ? [value] : { $: "specification", of: "flow", name: "x", v: [["a", value]] };
    expect(() => readState(program, { ...sound, globals: { held: value } }, { compileAdded })).toThrow(InputShapeError);
  });

  it.each([
    ["the current form", program, sound],
    ["the form of version 2", fixture("state-v2.json").program, fixture("state-v2.json").state],
  ])("any part of %s replaced is refused, or continues without a crash", (_form, tampered, whole) => {
    const replacements: readonly Json[] = [null, -1, 1, "c-1", [], {}, true, [null], { $: "set" }];
    let read = 0;
    let at = 0;
    const paths = pathsOf(whole);
    const step = Math.max(1, Math.floor(paths.length / propertyRuns(100)));
    for (const path of paths.filter((_, index) => index % step === 0)) {
      const document = JSON.parse(JSON.stringify(whole)) as { [key: string]: Json };
      let holder: Json = document;
      for (const name of path.slice(0, -1)) holder = (holder as { [key: string]: Json })[name] ?? null;
      (holder as { [key: string]: Json })[path.at(-1) ?? ""] = replacements[(at += 1) % replacements.length] ?? null;
      read += Number(survives(document, tampered));
    }
    expect(read).toBeGreaterThan(10);
  });
});

/** Released files, which are never regenerated: they represent states that users have stored. */
function fixture(file: string): { readonly program: Colang2Program; readonly state: { [key: string]: Json } } {
  return JSON.parse(readFileSync(new URL(`./fixtures/${file}`, import.meta.url), "utf8"));
}

function pathsOf(value: Json, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return path.length === 0 ? [] : [path];
  const inner = Object.keys(value).flatMap((key) =>
    pathsOf((value as { [key: string]: Json })[key] ?? null, [...path, key]),
  );
  return path.length === 0 ? inner : [path, ...inner];
}

/** Returns true if it was read; then it must continue as any conversation does. */
function survives(document: Json, tampered: Colang2Program): boolean {
  let conversation: EngineConversation;
  try {
    conversation = new EngineConversation(readState(tampered, document, { compileAdded }));
  } catch (error) {
    expect(InputShapeError.isInstance(error) || error).toBe(true);
    return false;
  }
  try {
    for (const type of ["Tell", "Report", "Skip", "AsideOver", "Added", "Proceed"])
      conversation.process({ type, part: 2, n: 1 });
    conversation.process({ type: "ColangError" });
    JSON.stringify(writeState(conversation.state));
  } catch (error) {
    expect(GuardrailsError.isInstance(error) || error).toBe(true);
  }
  return true;
}

describe.each(["state-v1.json", "state-v2.json", "state-v3.json"])(
  "a conversation stored by this or an earlier version, %s,",
  (file) => {
    it("continues", () => {
      const { program: released, state } = fixture(file);
      const conversation = new EngineConversation(readState(released, state, { compileAdded }));
      const play = (type: string, payload: object = {}): unknown[] =>
        conversation.process({ type, ...payload }).events.map((event) => [event.type, event["n"]]);
      expect(conversation.state.definitions.has("added")).toBe(true);
      expect(play("Skip", { n: 4 })).toEqual([
        ["StopLampAction", undefined],
        ["Skipped", 4],
        ["StartLampAction", undefined],
      ]);
      expect(play("AsideOver")).toEqual([]);
      expect(play("Tell", { part: 2 })).toEqual([["Told", undefined]]);
      expect(play("ColangError")).toEqual([["Watched", undefined]]);
      expect(conversation.state.data.globals["city"]).toBe("Bern");
    });
  },
);
