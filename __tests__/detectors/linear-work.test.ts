import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";
import { type CountedWork, SHORT, SIZE } from "./counted-work.js";

const LOADER = new URL("../../scripts/typescript-loader.mjs", import.meta.url).href;
const SCRIPT = fileURLToPath(new URL("count-work.ts", import.meta.url));

/** Twice the text takes twice the work; the rest is what stands at the ends. */
const MOST_RATIO = 2.25;
/** Bound for each character, for all detectors together. */
const MOST_STEPS = 1200;

type Counts = readonly (readonly [name: string, work: CountedWork])[];

const argv = ["--no-warnings", "--import", LOADER, SCRIPT];
const { families, triggers, pairs } = JSON.parse(execFileSync(process.execPath, argv, { encoding: "utf8" })) as {
  readonly families: Counts;
  readonly triggers: Counts;
  readonly pairs: CountedWork;
};

it.each(families)("all detectors together take work linear in a text of %s", (_, [half, whole]) => {
  // Regular expressions alone pass over each character a few times.
  expect(half).toBeGreaterThan(5 * SIZE);
  expect(whole / half).toBeLessThan(MOST_RATIO);
  expect(whole / (2 * SIZE)).toBeLessThan(MOST_STEPS);
});

it.each(triggers)("the triggers from %j on take work linear in how often each is repeated", (_, [half, whole]) => {
  expect(half).toBeGreaterThan(SHORT);
  expect(whole / half).toBeLessThan(MOST_RATIO);
});

it("counts a loop inside a loop as more than linear", () => {
  const [half, whole] = pairs;
  expect(whole / half).toBeGreaterThan(3);
});
