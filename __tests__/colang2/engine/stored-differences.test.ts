import { describe, expect, it } from "@jest/globals";
import { ComparedRecords } from "../../../src/colang2/engine/state/stored/compared-records.js";
import { writeState } from "../../../src/colang2/engine/state/stored/encode.js";
import type { EngineState } from "../../../src/colang2/engine/state/state.js";
import { copyState } from "../../../src/colang2/engine/state/copy.js";
import { EngineConversation } from "../../../src/colang2/engine/conversation.js";
import { readState } from "../../../src/colang2/engine/state/stored/read-state.js";
import type { Value } from "../../../src/expressions/values/value.js";
import { compileAdded, compileRich, playRich } from "./rich-conversation.js";

const program = compileRich();

/** Every position of the records with a text, a number or a flag, with its object. */
function placesOf(state: EngineState): { readonly holder: Record<string, unknown>; readonly name: string }[] {
  const { flows, ended, activations, actions } = state.data;
  const places: { holder: Record<string, unknown>; name: string }[] = [];
  const open: object[] = [flows, ended, activations, actions].flatMap((table) => [...table.values()]);
  const met = new Set<object>(open);
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [name, item] of Object.entries(holder) as [string, unknown][]) {
      if (["string", "number", "boolean"].includes(typeof item)) {
        places.push({ holder: holder as Record<string, unknown>, name });
      } else if (typeof item === "object" && item !== null && !met.has(item)) {
        met.add(item);
        open.push(item);
      }
    }
  }
  return places;
}

function written(state: EngineState): string {
  return JSON.stringify(writeState(state));
}

/** The state as written without an earlier stored form. */
function writtenAnew(state: EngineState): string {
  const records = new ComparedRecords(state.data.prefix);
  return written({ ...state, written: () => records });
}

describe("a copy of a conversation", () => {
  const EVENTS = [
    { type: "Typed", what: "abc", like: "abc", n: 1, set: [1], list: [[1, { deep: [2] }]] },
    { type: "Skip", n: 4 },
    { type: "AsideOver" },
    { type: "Report", part: 2 },
    { type: "Added" },
  ];

  it("is stored and continues like the original, and does not change it", () => {
    const { state } = playRich(program);
    const before = written(state);
    const copy = copyState(state);
    expect(written(copy)).toBe(before);
    const [own, same] = [copy, readState(program, JSON.parse(before), { compileAdded })].map((one) => {
      const conversation = new EngineConversation(one);
      return [...EVENTS.map((event) => conversation.process({ ...event, uid: "e" }).events), written(one)];
    });
    expect(own).toEqual(same);
    expect(own?.at(-1)).not.toBe(before);
    expect(writtenAnew(state)).toBe(before);
  });

  it("holds values of any depth, and those that contain themselves", () => {
    const conversation = playRich(program);
    const deep: Value[] = [];
    let inner = deep;
    for (let depth = 0; depth < 50_000; depth += 1) inner.push((inner = []));
    inner.push(deep);
    conversation.state.data.globals["deep"] = deep;
    const copied = copyState(conversation.state).data.globals["deep"] as Value[];
    let at = copied;
    for (let depth = 0; depth < 50_001; depth += 1) at = at[0] as Value[];
    expect(at).toBe(copied);
    expect(copied).not.toBe(deep);
  });
});

describe("a conversation that is stored again", () => {
  it("reuses the stored form of unchanged records", () => {
    const { state } = playRich(program);
    const first = writeState(state);
    const again = writeState(state);
    const rows = again["flows"] as readonly object[];
    const same = rows.filter((row) => (first["flows"] as readonly object[]).includes(row));
    expect(again).toEqual(first);
    expect(same.length).toBeGreaterThan(rows.length / 3);
  });

  // The engine replaces these parts only as a whole, so it never makes a change inside them.
  const REPLACED = new Set(["hierarchy", "bound", "startArguments", "pattern"]);

  it("includes every change of any part", () => {
    const { state } = playRich(program);
    const replaced = new Set<unknown>();
    const note = (part: unknown): void => {
      if (typeof part !== "object" || part === null || replaced.has(part)) return;
      replaced.add(part);
      for (const item of Object.values(part) as unknown[]) note(item);
    };
    for (const { holder, name } of allPartsOf(state)) if (REPLACED.has(name)) note(holder[name]);
    const places = placesOf(state).filter(({ holder }) => !replaced.has(holder));
    expect(places.length).toBeGreaterThan(200);
    for (const { holder, name } of places) {
      const before = holder[name];
      // Links between records are followed while they are written.
      if (LINKS.has(name)) continue;
      written(state);
      holder[name] = typeof before === "number" ? before + 0.5 : typeof before === "string" ? `${before}!` : !before;
      const anew = writtenAnew(state);
      expect({ name, text: written(state) }).toEqual({ name, text: anew });
      holder[name] = before;
    }
  });

  const LINKS = new Set(["uid", "parent", "id", "action", "sharedWith"]);

  function allPartsOf(state: EngineState): { readonly holder: Record<string, unknown>; readonly name: string }[] {
    const { flows, activations, actions, ended } = state.data;
    const parts: { holder: Record<string, unknown>; name: string }[] = [];
    for (const record of [...flows.values(), ...ended.values(), ...activations.values(), ...actions.values()]) {
      const open: object[] = [record, ...("heads" in record ? record.heads : [])];
      for (const part of open) {
        for (const name of Object.keys(part)) parts.push({ holder: part as Record<string, unknown>, name });
      }
    }
    return parts;
  }
});
