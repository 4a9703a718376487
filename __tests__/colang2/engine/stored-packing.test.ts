import { describe, expect, it } from "@jest/globals";
import { array, assert, constantFrom, integer, oneof, property, record, tuple, type Arbitrary } from "fast-check";
import { EngineConversation } from "../../../src/colang2/engine/conversation.js";
import { writeState } from "../../../src/colang2/engine/state/stored/encode.js";
import { Packing, type Scalar, type StoredRow, writeRuns } from "../../../src/colang2/engine/state/stored/pack.js";
import { readState } from "../../../src/colang2/engine/state/stored/read-state.js";
import { Unpacking } from "../../../src/colang2/engine/state/stored/unpack.js";
import { InputShapeError } from "../../../src/diagnostics/errors.js";
import { propertyRuns } from "../../support/property-runs.js";
import { compileText } from "../engine-driver.js";

const program = compileText(`flow listen $id
  match E(id=$id)
  match Then(id=$id)
  send Received(id=$id)

flow main
  global $list
  $list = []
  $id = 0
  while $id < 60
    activate listen $id
    $id += 1
  match Never()
`);

type Document = Record<string, never> & { readonly flows: { groups: Record<string, never>[]; rows: unknown[] } };

function play(events: readonly number[], isReadEachTime: boolean): readonly string[] {
  let conversation = new EngineConversation(program, { seed: 1, prefix: "p" });
  conversation.begin();
  return events.map((id) => {
    const type = id < 0 ? "Then" : "E";
    const sent = conversation.process({ type, id: Math.abs(id), uid: "e" }).events;
    const state = JSON.stringify(writeState(conversation.state));
    if (isReadEachTime) conversation = new EngineConversation(readState(program, JSON.parse(state)));
    return JSON.stringify(sent) + state;
  });
}

function packed(): Document {
  const conversation = new EngineConversation(program, { seed: 1, prefix: "p" });
  conversation.begin();
  return JSON.parse(JSON.stringify(writeState(conversation.state))) as Document;
}

const id: Arbitrary<string> = integer({ min: 0, max: 2000 }).map((number) => `p-${number.toString(36)}`);
const scalar: Arbitrary<Scalar> = oneof(
  id,
  integer({ min: 0, max: 30 }),
  constantFrom<Scalar>(
    null,
    true,
    "p-",
    "p-01",
    "p-Z",
    "p-9zzzzzzzzzzzzzzz",
    "text",
    "",
    0.5,
    -3,
    2 ** 53 - 1,
    -(2 ** 53 - 1),
  ),
);
const row: Arbitrary<StoredRow> = oneof(
  record({ uid: id, flow: constantFrom("a", "b"), order: integer({ min: 0, max: 9 }), value: scalar }),
  record({
    flow: constantFrom("a", "b"),
    heads: tuple(record({ id: scalar, names: array(scalar, { maxLength: 2 }) })),
  }),
  record({ name: constantFrom("a"), ["__proto__"]: scalar }, { noNullPrototype: false }),
) as Arbitrary<StoredRow>;

describe("tables of similar rows", () => {
  it("are the same when they are packed and unpacked, also after some rows have changed", () => {
    assert(
      property(array(row, { minLength: 8, maxLength: 60 }), array(row, { maxLength: 5 }), (rows, others) => {
        const packing = new Packing("p");
        for (const table of [rows, [...rows.slice(0, 20), ...others, ...rows.slice(21)], rows]) {
          const stored: unknown = JSON.parse(JSON.stringify(packing.pack("flows", table)));
          const read = Array.isArray(stored) ? stored : new Unpacking("p").table(stored, "flows");
          expect(JSON.stringify(read)).toBe(JSON.stringify(table));
        }
      }),
      { numRuns: propertyRuns(40), seed: 20261123 },
    );
  });

  it.each<readonly [string, readonly Scalar[], readonly unknown[]]>([
    ["nothing", [], []],
    ["one item", ["a"], ["a"]],
    ["equal items", ["a", "a", "b"], [["a", 2], "b"]],
    ["two numbers", [1, 5], [1, 5]],
    ["numbers with equal steps", [7, 10, 13, 16, 3], [[7, 4, 3], 3]],
    ["a number that does not belong to the steps after it", [9, 1, 2, 3], [9, [1, 3, 1]]],
    ["numbers that go down", [3, 2, 1], [[3, 3, -1]]],
    ["fractions", [0.5, 1.5, 2.5], [0.5, 1.5, 2.5]],
    ["steps that are not exact", [-(2 ** 53 - 1), 2 ** 53 - 1, 1], [-(2 ** 53 - 1), 2 ** 53 - 1, 1]],
    ["a text and a number that look alike", ["1", 1, true], ["1", 1, true]],
  ])("write a column of %s", (_title, items, runs) => {
    expect(writeRuns(items)).toEqual(runs);
  });
});

describe("a conversation with many flows that wait", () => {
  it("continues as if it had not been stored, whatever flows have moved", () => {
    const events = array(integer({ min: -59, max: 59 }), { minLength: 1, maxLength: 8 });
    assert(
      property(events, (ids) => expect(play(ids, true)).toEqual(play(ids, false))),
      { numRuns: propertyRuns(6), seed: 20261123 },
    );
  });

  it("takes as little space as a few of them, and a little more for each that has moved", () => {
    const sizes = play([0, 7, 9, 9, 22, 23, 59, 31], false).map((state) => state.length);
    expect(sizes[0]).toBeLessThan(3000);
    expect(Math.max(...sizes) - (sizes[0] ?? 0)).toBeLessThan(8 * 350);
  });

  it("is stored with the same groups while none of their rows changes", () => {
    const conversation = new EngineConversation(program, { seed: 1, prefix: "p" });
    conversation.begin();
    const groupsOf = (): unknown => (writeState(conversation.state)["flows"] as Document["flows"]).groups[0];
    const before = groupsOf();
    conversation.process({ type: "Other" });
    expect(groupsOf()).toBe(before);
    conversation.process({ type: "E", id: 3 });
    expect(groupsOf()).not.toBe(before);
  });

  it.each<readonly [string, (document: Document) => void]>([
    ["a version without packed tables", (document) => Object.assign(document, { version: 3 })],
    ["a table without groups", ({ flows }) => delete (flows as Partial<Document["flows"]>).groups],
    ["a table with another field", ({ flows }) => Object.assign(flows, { other: 1 })],
    ["rows of an unknown group", ({ flows }) => flows.rows.push([7, 1])],
    ["rows of a negative group", ({ flows }) => flows.rows.push([-1, 1])],
    ["more rows than there are", ({ flows }) => flows.rows.push([0, 1])],
    ["fewer rows than there are", ({ flows }) => flows.rows.splice(1, 1)],
    ["a count that is not whole", ({ flows }) => flows.rows.push([0, 0.5])],
    ["far too many rows", ({ flows }) => flows.rows.push([0, 1e9])],
    ["the same rows twice", ({ flows }) => flows.groups.push(flows.groups[0] ?? {})],
    ["a missing column", ({ flows }) => columnsOf(flows).pop()],
    ["a column too many", ({ flows }) => columnsOf(flows).push([["x", 60]])],
    ["a column of lists", ({ flows }) => setColumn(flows, [[[1], 60]])],
    ["a column with an endless run", ({ flows }) => setColumn(flows, [["x", 1e9]])],
    ["a column with steps of a text", ({ flows }) => setColumn(flows, [["x", 60, 1]])],
    ["a column with steps that are texts", ({ flows }) => setColumn(flows, [[1, 60, "1"]])],
    ["a column with a longer run", ({ flows }) => setColumn(flows, [[1, 60, 1, 1]])],
    ["identifiers that are no numbers", ({ flows }) => setColumn(flows, [["x", 60]])],
    ["identifiers below zero", ({ flows }) => setColumn(flows, [[-100, 60, 1]])],
    ["a shape that is a text", ({ flows }) => Object.assign(flows.groups[0] ?? {}, { shape: "x" })],
    ["a shape of another number", ({ flows }) => Object.assign(flows.groups[0] ?? {}, { shape: { uid: 2 } })],
    ["a shape without an end", ({ flows }) => Object.assign(flows.groups[0] ?? {}, { shape: endless() })],
  ])("is refused with %s", (_title, change) => {
    const document = packed();
    expect(() => readState(program, JSON.parse(JSON.stringify(document)))).not.toThrow();
    change(document);
    expect(() => readState(program, document)).toThrow(InputShapeError);
  });

  it("is refused as a packed one if nothing of it is packed", () => {
    const conversation = new EngineConversation(compileText("flow main\n  match Never()\n"), { seed: 1 });
    const document = writeState(conversation.state);
    expect(document.version).toBe(3);
    expect(() => readState(conversation.state.program, { ...document, version: 4 })).toThrow(InputShapeError);
  });
});

function columnsOf({ groups }: Document["flows"]): unknown[] {
  return groups[0]?.["columns"] ?? [];
}

/** Replaces the column of the first field, which holds identifiers. */
function setColumn(flows: Document["flows"], column: readonly unknown[]): void {
  columnsOf(flows)[0] = column;
}

function endless(): unknown {
  let shape: unknown = 0;
  for (let depth = 0; depth < 20_000; depth += 1) shape = [shape];
  return shape;
}
