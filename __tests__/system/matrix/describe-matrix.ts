// Every surface with every shape of message, every outcome of a rail and every way to call: a marked word reaches neither
// the model behind the rails, nor a result, a stream, an event, a decision, a stored state, a log or an error.
// An eighth of the cells runs here, chosen evenly; LANGCHAIN_GUARDRAILS_MATRIX=all runs every one.
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { writeFileSync } from "node:fs";
import { Cell, type CellKey, WAYS } from "./cell.js";
import { INPUT_SHAPES } from "./input-shapes.js";
import { KNOWN_HOLES } from "./known-holes.js";
import { contains, textOf } from "./observe.js";
import { DIALECTS } from "./outcomes.js";
import { OUTPUT_SHAPES } from "./output-shapes.js";
import { type CellCase, outcomesOf, problemsOf } from "./run-cell.js";
import { SURFACES, type Surface } from "./surfaces.js";

/** A file that gets all red cells, by row and surface. */
const REPORT = process.env["LANGCHAIN_GUARDRAILS_HOLES"];
const RUNS_ALL = process.env["LANGCHAIN_GUARDRAILS_MATRIX"] === "all";

const found: Record<string, Record<string, readonly string[]>> = {};
const labelOf = ({ dialect, outcome, way }: CellKey): string => `${dialect} ${outcome} ${way}`;
const logged: string[] = [];
let cells = 0;

function casesOf(surface: Surface): CellCase[] {
  const inputs = INPUT_SHAPES.filter(({ kind }) => surface.takes?.includes(kind) === true);
  const outputs = OUTPUT_SHAPES.filter(
    ({ kind, ask }) =>
      surface.gives?.includes(kind) === true && (ask === undefined || surface.takes?.includes("object") === true),
  );
  return [
    ...inputs.map((shape) => ({ surface, shape, side: "input" as const })),
    ...outputs.map((shape) => ({ surface, shape, side: "output" as const })),
  ];
}

/** Cells of a row: all, or one for each outcome, so that its ways take turns, and the dialects over several rows. */
function keysOf(one: CellCase, row: number): CellKey[] {
  const { surface, side } = one;
  const dialects = surface.dialects ?? DIALECTS;
  const ways = (surface.ways ?? WAYS).filter(
    (way) => way !== "events" || side === "output" || surface.showsInput !== true,
  );
  return outcomesOf(one).flatMap((outcome, at) =>
    ways.flatMap((way, index) => {
      if (!RUNS_ALL && (row + at + index) % ways.length !== 0) return [];
      const isTurnOf = (_: string, place: number): boolean =>
        RUNS_ALL || (Math.floor(row / ways.length) + at + index) % dialects.length === place;
      return dialects.filter(isTurnOf).map((dialect) => ({ dialect, outcome, way, side }));
    }),
  );
}

async function redCellsOf(one: CellCase, keys: readonly CellKey[], reviewed: Set<string>): Promise<string[]> {
  const red: string[] = [];
  const run = async (key: CellKey): Promise<void> => {
    const cell = new Cell(key, (cells += 1));
    const problems = await problemsOf(one, cell);
    if (logged.some((text) => contains(text, cell.marker))) problems.push("is logged");
    if (cell.wasReviewed) reviewed.add(`${key.side} ${key.outcome}`);
    red.push(...problems.map((problem) => `${labelOf(key)}: ${problem}`));
  };
  await Promise.all(keys.map(run));
  logged.length = 0;
  return red.toSorted();
}

/** Runs the matrix for the surfaces of a group. */
export function describeMatrix(group: Surface["group"]): void {
  beforeAll(() => {
    for (const method of ["log", "info", "warn", "error", "debug"] as const) {
      jest.spyOn(console, method).mockImplementation((...args: unknown[]) => void logged.push(textOf(args)));
    }
  });

  afterAll(() => {
    jest.restoreAllMocks();
    if (REPORT !== undefined) writeFileSync(`${REPORT}.${group}`, JSON.stringify({ cells, found }, null, 1));
  });

  const surfaces = SURFACES.filter((surface) => surface.group === group);
  describe.each(surfaces.map((surface) => [surface.name, surface] as const))("%s", (name, surface) => {
    it("never emits a marked word, in any form", async () => {
      const known = Object.keys(KNOWN_HOLES).filter((title) => KNOWN_HOLES[title]?.includes(name) === true);
      const reviewed = new Set<string>();
      const wanted = new Set<string>();
      const red: Record<string, readonly string[]> = {};
      for (const [row, one] of casesOf(surface).entries()) {
        const title = `${one.side}: ${one.shape.name}`;
        const keys = keysOf(one, row);
        for (const { side, outcome } of keys) wanted.add(`${side} ${outcome}`);
        const cellsOfRow = await redCellsOf(one, keys, reviewed);
        if (cellsOfRow.length > 0) (found[title] ??= {})[name] = red[title] = cellsOfRow;
      }
      if (REPORT !== undefined) return;
      expect(Object.fromEntries(Object.entries(red).filter(([title]) => !known.includes(title)))).toEqual({});
      expect(known.filter((title) => red[title] === undefined)).toEqual([]);
      // Rows that fail before any rail runs prove nothing.
      expect([...wanted].filter((key) => !reviewed.has(key))).toEqual([]);
    });
  });
}
