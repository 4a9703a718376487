import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { ConfigError } from "../../../src/diagnostics/errors.js";
import { detect, type Detector, Scanner, textOf, type TriggerRule } from "../../../src/detectors/index.js";
import { TriggerAutomaton } from "../../../src/detectors/scan/trigger-automaton.js";

const literal = (name: string, ...triggers: string[]): TriggerRule => ({
  name,
  type: name.toUpperCase(),
  score: 1,
  triggers,
  find: (_view, start, end) => ({ start, end }),
});
const detector = (...rules: Detector["rules"]): Detector => ({ name: "test", rules });

function occurrences(text: string, triggers: readonly string[]): string[] {
  return triggers.flatMap((trigger, index) => {
    const found: string[] = [];
    for (let at = text.indexOf(trigger); at !== -1; at = text.indexOf(trigger, at + 1)) {
      found.push(`${index}@${at + trigger.length}`);
    }
    return found;
  });
}

describe("TriggerAutomaton", () => {
  it("finds all occurrences of all literals", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "é"), minLength: 1, maxLength: 4 });
    const texts = fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "x"), maxLength: 60 });
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 12 }), texts, (triggers, text) => {
        const automaton = new TriggerAutomaton(triggers);
        const found: string[] = [];
        let state = 0;
        for (let at = 0; at < text.length; at++) {
          const symbol = automaton.classes[text.charCodeAt(at)] ?? 0;
          state = symbol === 0 ? 0 : automaton.next(state, symbol);
          automaton.visitOutputs(state, (trigger) => found.push(`${trigger}@${at + 1}`));
        }
        expect(found.sort()).toEqual(occurrences(text, triggers).sort());
      }),
    );
  });
});

describe("Scanner", () => {
  it.each([
    ["case", "An APPLE", [literal("fruit", "apple")], ["FRUIT:APPLE"]],
    ["two rules of one trigger", "an apple", [literal("fruit", "apple"), literal("pie", "apple pie")], ["FRUIT:apple"]],
    [
      "the longer of two that overlap",
      "apple pie",
      [literal("fruit", "apple"), literal("pie", "apple pie")],
      ["PIE:apple pie"],
    ],
    ["nothing", "a pear", [literal("fruit", "apple")], []],
    ["a character whose lower case is longer", "İ apple", [literal("fruit", "apple")], ["FRUIT:apple"]],
  ] as const)("finds %s", (_, text, rules, expected) => {
    const findings = detect(text, [detector(...rules)]);
    expect(findings.map((finding) => `${finding.type}:${textOf(finding, text)}`)).toEqual(expected);
  });

  it("runs a rule at runs of digits, also at the end of the text", () => {
    const pin: TriggerRule = {
      name: "pin",
      type: "PIN",
      score: 1,
      digits: 4,
      find: (_view, start, end) => (end - start === 4 ? { start, end } : undefined),
    };
    const found = detect("123 1234 12345 9876", [detector(pin)]);
    expect(found.map(({ start }) => start)).toEqual([4, 15]);
  });

  it("raises the score of a match near a context word", () => {
    const rule: TriggerRule = { ...literal("code", "x1"), score: 0.3, context: ["passport"] };
    expect(detect("the box x1 is full", [detector(rule)])).toEqual([]);
    expect(detect("passport number x1", [detector(rule)])).toMatchObject([{ score: 0.65 }]);
  });

  it.each([
    ["tax_id=x1", true],
    ["customerTaxId: x1", true],
    ["taxid x1", true],
    ["syntax id x1", false],
    ["my SIN: x1", true],
    ["x1 is my sin", true],
    ["since x1", false],
    ["x1 is not what I thought since then", false],
    ["私の税番号はx1", true],
    ["x1 あ税番号", true],
  ])("takes %j as a text with a context word: %j", (text, isRaised) => {
    const rule: TriggerRule = { ...literal("code", "x1"), score: 0.3, context: ["tax id", "sin ", "税番号"] };
    expect(detect(text, [detector(rule)])).toHaveLength(isRaised ? 1 : 0);
  });

  it.each([
    ["no list", () => new Scanner(undefined as unknown as Detector[]), /expected a list of detectors/],
    ["no detector", () => new Scanner([{}] as Detector[]), /expected detectors with `name` and `rules`/],
    ["a threshold beyond 1", () => new Scanner([], { threshold: 2 }), /expected a number from 0 to 1, got `2`/],
    ["a threshold as text", () => new Scanner([], { threshold: "a" as unknown as number }), /expected a number/],
    ["an unknown option", () => new Scanner([], { overlap: true } as object), /did you mean `overlaps`/],
    ["capital letters in a trigger", () => new Scanner([detector(literal("id", "TCK-"))]), /write `tck-`/],
    ["an empty trigger", () => new Scanner([detector(literal("id", ""))]), /in the rule `id`/],
  ])("refuses %s", (_name, make, message) => {
    expect(make).toThrow(ConfigError);
    expect(make).toThrow(message);
  });

  it("keeps findings that overlap when asked to", () => {
    const rules = [literal("fruit", "apple"), literal("pie", "apple pie")];
    expect(new Scanner([detector(...rules)], { overlaps: true }).scan("apple pie")).toHaveLength(2);
  });
});
