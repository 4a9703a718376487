import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { readModerationVerdict, readSupportVerdict } from "../../src/llm/parsers/verdict/verdict.js";
import { MODERATION_ANSWERS, SUPPORT_ANSWERS } from "./verdict-table.js";

const rows = <Key extends string>(table: Readonly<Record<Key, readonly string[]>>): [string, string][] => {
  return Object.entries<readonly string[]>(table).flatMap(([outcome, texts]) => {
    return texts.map((text): [string, string] => [outcome, text]);
  });
};

describe("moderation verdicts", () => {
  it.each(rows(MODERATION_ANSWERS))("%s: %j", (outcome, text) => {
    const reading = readModerationVerdict(text);
    expect(reading.ok ? reading.verdict : "unreadable").toBe(outcome);
  });
});
describe("support verdicts", () => {
  it.each(rows(SUPPORT_ANSWERS))("%s: %j", (outcome, text) => {
    const reading = readSupportVerdict(text);
    expect(reading.ok ? reading.verdict : "unreadable").toBe(outcome);
  });
});

describe("whatever the model says", () => {
  const fragments = fc.constantFrom(
    ..."no yes safe unsafe not never but it is the message harmful allowed blocked . , : ? - / \n <think> </think> { } maybe".split(
      " ",
    ),
  );
  const text = fc.array(fragments, { maxLength: 12 }).map((parts) => parts.join(" "));

  it("is read without failing, and twice the same", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (answer) => {
        expect(readModerationVerdict(answer)).toEqual(readModerationVerdict(answer));
      }),
      { numRuns: 500 },
    );
  });

  it.each(["Yes", "Unsafe.", "This is unsafe.", "It should be blocked.", "The message is not safe."])(
    "never passes beside %j",
    (contrary) => {
      fc.assert(
        fc.property(text, (answer) => {
          const before = readModerationVerdict(`${contrary}\n${answer}`);
          const after = readModerationVerdict(`No.\n${answer}\n${contrary}`);
          expect(before.ok && before.verdict === "allow" && !answer.includes("</think>")).toBe(false);
          expect(after.ok && after.verdict === "allow" && !answer.includes("<think>")).toBe(false);
        }),
        { numRuns: 300 },
      );
    },
  );

  it("ends quickly on a huge answer", () => {
    expect(readModerationVerdict("no ".repeat(400_000)).ok).toBe(false);
    expect(readModerationVerdict(`No.${" ".repeat(19_000)}x`).ok).toBe(false);
  });
});

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `S${at + 1}`);

describe("categories", () => {
  it.each([
    ["unsafe\nS1,S9", ["S1", "S9"]],
    ["unsafe S3", ["S3"]],
    ["Unsafe: violence, hate speech", ["violence", "hate speech"]],
    ["unsafe", []],
    ["Yes", []],
    ['{"safe": false, "categories": ["S1", " S2 "]}', ["S1", "S2"]],
    ['{"unsafe": true, "safety_categories": "S1, S7"}', ["S1", "S7"]],
    [JSON.stringify({ unsafe: true, codes: numbered(25) }), numbered(20)],
    [`unsafe\n${numbered(25).join(",")}`, numbered(20)],
    ["Unsafe. The user asks, at length, how to hurt someone badly with a knife.", []],
  ])("of %j", (text, categories) => {
    expect(readModerationVerdict(text)).toEqual({ ok: true, verdict: "block", categories });
  });
});
