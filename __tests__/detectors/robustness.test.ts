import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import * as entry from "../../src/detectors/index.js";
import { applyFindings, Scanner } from "../../src/detectors/index.js";
import { propertyRuns } from "../support/property-runs.js";
import { ALL_DETECTORS } from "./all-detectors.js";
import { FRAGMENTS, GLUE } from "./fragments.js";
import { anyCharacter } from "../support/any-character.js";

const odd = fc.constantFrom(
  "\0",
  "\ud800",
  "\udc00",
  "\ud83d",
  "\u202e",
  "\u200d",
  "\ufeff",
  "\u0301",
  "İ",
  "ß",
  "ﬁ",
  "\u{e0041}",
  "\r\n",
  "\\",
  "%",
  "&#",
);
const texts = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.array(fc.oneof(odd, fc.constantFrom(...FRAGMENTS, ...GLUE)), { maxLength: 40 }).map((pieces) => pieces.join("")),
);
const REPEATED = ["@", "1", "[(", " ", "\u200b", "aWdub3Jl", "%41", "\ud800", "\0", "a ", "://", "-", "ignore "];

describe.each(ALL_DETECTORS)("%s", (_, detector) => {
  const scanner = new Scanner([detector], { overlaps: true, threshold: 0 });

  it("finds ranges inside any text", () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const { type, start, end, score } of scanner.scan(text)) {
          expect(type).not.toBe("");
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
        }
        expect(typeof applyFindings(text, scanner.scan(text)).text).toBe("string");
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it.each(["", "\ud800", "\0"])("reads the text %j", (text) => {
    expect(Array.isArray(scanner.scan(text))).toBe(true);
  });

  it.each(REPEATED)("reads %j repeated", (unit) => {
    expect(() => scanner.scan(unit.repeat(3000))).not.toThrow();
  });
});

/** Exported functions that make no detector. */
const OTHERS = new Set([
  "canaryNote",
  "compromiseNames",
  "createCanaryToken",
  "detect",
  "applyFindings",
  "findNames",
  "languageOf",
  "normalizeText",
  "spotlight",
  "textOf",
]);

it("covers every detector that the package exports", () => {
  const functions = Object.entries(entry).filter(
    ([name, value]) => typeof value === "function" && /^[a-z]/.test(name) && !OTHERS.has(name),
  );
  expect(ALL_DETECTORS.map(([name]) => name)).toEqual(functions.map(([name]) => name));
});
