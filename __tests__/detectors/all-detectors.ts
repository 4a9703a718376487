import type { Detector } from "../../src/detectors/index.js";
import * as entry from "../../src/detectors/index.js";

/** Arguments of detectors that need some. */
const ARGUMENTS: Readonly<Record<string, unknown>> = {
  keyWords: { words: ["forbidden", "very forbidden"] },
  patterns: { patterns: ["foo\\d{1,9}", "b[a-z]{1,3}r"] },
  promptEcho: "You are a careful assistant of the example bank and never name the vault of the bank.",
  canaryTokens: ["canary-1f4a9c"],
  urls: { deny: ["evil.example"] },
  language: { allow: ["en", "de"] },
};

/** Every exported function that makes a detector, by name: detectors that are added take part in the tests of all. */
export const ALL_DETECTORS: readonly (readonly [name: string, detector: Detector])[] = Object.entries(entry).flatMap(
  ([name, value]) => {
    if (typeof value !== "function" || /^[A-Z]/.test(name)) return [];
    const detector = make(value as (argument: unknown) => unknown, ARGUMENTS[name] ?? {});
    return detector === undefined ? [] : [[name, detector] as const];
  },
);

function make(factory: (argument: unknown) => unknown, argument: unknown): Detector | undefined {
  try {
    const made = factory(argument);
    // Functions that make no detector may fail later.
    if (made instanceof Promise) made.catch(() => undefined);
    return typeof made === "object" && made !== null && "rules" in made && "name" in made
      ? (made as Detector)
      : undefined;
  } catch {
    return undefined;
  }
}
