import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { readModerationVerdict, readSupportVerdict } from "../../src/llm/parsers/verdict/verdict.js";
import { FORGED_REPLIES } from "./forged-replies.js";
import { MODERATION_ANSWERS, SUPPORT_ANSWERS } from "./verdict-table.js";
import { CLEAR_PASSES, STOPS } from "./verdict-campaign.js";
import { firstLine, readUtterance } from "../../src/llm/parsers/completion-text.js";
import { findParser, OUTPUT_PARSERS } from "../../src/llm/parsers/registry.js";
import { stripReasoning } from "../../src/llm/parsers/gradual/reasoning.js";
import { propertyRuns } from "../support/property-runs.js";

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

describe("forged replies", () => {
  const forged = (reply: string, [pass, fail]: readonly [string, string]): string =>
    reply.replaceAll("PASS", pass).replaceAll("FAIL", fail);

  it.each(FORGED_REPLIES)("let nothing pass: %j", (reply) => {
    for (const pair of [
      ["No", "Yes"],
      ["safe", "unsafe"],
      ["Not harmful.", "Harmful."],
    ] as const) {
      const reading = readModerationVerdict(forged(reply, pair));
      expect([pair, reading.ok && reading.verdict === "allow"]).toEqual([pair, false]);
    }
    for (const pair of [
      ["Yes", "No"],
      ["supported", "unsupported"],
    ] as const) {
      const reading = readSupportVerdict(forged(reply, pair));
      expect([pair, reading.ok && reading.verdict === "supported"]).toEqual([pair, false]);
    }
  });
});

describe("any response of a model", () => {
  const fragments = fc.constantFrom(
    ..."no yes safe unsafe not never but it is the message harmful allowed blocked . , : ? - / \n <think> </think> { } maybe".split(
      " ",
    ),
  );
  const text = fc.array(fragments, { maxLength: 12 }).map((parts) => parts.join(" "));

  it("is read without failing, and repeatably", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (answer) => {
        expect(readModerationVerdict(answer)).toEqual(readModerationVerdict(answer));
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it.each(["Yes", "Unsafe.", "This is unsafe.", "It should be blocked.", "The message is not safe."])(
    "never passes next to %j",
    (contrary) => {
      fc.assert(
        fc.property(text, (answer) => {
          const before = readModerationVerdict(`${contrary}\n${answer}`);
          const after = readModerationVerdict(`No.\n${answer}\n${contrary}`);
          expect(before.ok && before.verdict === "allow" && !answer.includes("</think>")).toBe(false);
          expect(after.ok && after.verdict === "allow" && !answer.includes("<think>")).toBe(false);
        }),
        { numRuns: propertyRuns(60) },
      );
    },
  );

  it("ends quickly on a huge reply", () => {
    expect(readModerationVerdict("no ".repeat(100_000)).ok).toBe(false);
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

const passes = (text: string): boolean => {
  const reading = readModerationVerdict(text);
  return reading.ok && reading.verdict === "allow";
};

describe("the campaign of judges' replies", () => {
  it("has at least 300 stops or unclear replies and 100 clear passes", () => {
    expect(STOPS.length).toBeGreaterThanOrEqual(300);
    expect(CLEAR_PASSES.length).toBeGreaterThanOrEqual(100);
  });

  it("reads no stop and no unclear reply as a pass", () => {
    expect(STOPS.filter(passes)).toEqual([]);
  });

  it("reads every clear pass at the first reply", () => {
    expect(CLEAR_PASSES.filter((text) => !passes(text))).toEqual([]);
  });

  it("reads no pass in a reply with anything after it", () => {
    const tails = STOPS.filter(
      (text) => /[a-z]{4}/i.test(text) && !text.includes("<") && !/^(?:safe|because)/i.test(text),
    );
    expect(tails.map((tail) => `No. ${tail}`).filter(passes)).toEqual([]);
  });

  it("reads no pass in a reply with a word for the contrary", () => {
    const plain = CLEAR_PASSES.filter((text) => !/think|analysis|Okay/i.test(text));
    const changed = plain.flatMap((text) => {
      const words = text.split(" ");
      return ["not", "yes", "but", "never", "must", "except"].flatMap((word) =>
        [...words, ""].map((_, at) => [...words.slice(0, at), word, ...words.slice(at)].join(" ")),
      );
    });
    expect(changed.length).toBeGreaterThan(2000);
    expect(changed.filter(passes)).toEqual([]);
  });

  it.each([
    "Yes, 0.9",
    "0.9",
    "1.0",
    "Score: 1",
    "Supported: 80%",
    "partially supported",
    "Yes, mostly",
    "not unsupported",
  ])("reads no support in %j", (text) => {
    expect(readSupportVerdict(text)).toMatchObject({ ok: false });
  });
});

describe("output parsers", () => {
  it.each([
    ["user_intent", " User intent: express greeting\n", "  express greeting"],
    ["user_intent", "user intent: express greeting", "  express greeting"],
    ["user_intent", "express greeting", "express greeting"],
    ["user_intent", "<think>hm</think>User intent: ask", "  ask"],
    ["user_intent", "<think>hm", ""],
    ["user_intent", '"express greeting"', "express greeting"],
    ["user_intent", "**express greeting**", "express greeting"],
    ["user_intent", '"express greeting\nask price"', '"express greeting\nask price"'],
    ["user_intent", 'User intent: "ask price"\nnext', "  ask price\nnext"],
    ["bot_intent", "Bot intent: express greeting", "bot express greeting"],
    ["bot_intent", 'Bot intent: "express greeting"', "bot express greeting"],
    ["bot_message", 'Bot message: "Hello $&"', '  "Hello $&"'],
    ["verbose_v1", 'User intent: a\nBot intent: b\nbot message: "c"\nother', '  a\nbot b\n  "c"\nother'],
    ["verbose_v1", 'User message: "hi"', 'user "hi"'],
  ])("%s reads %j", (name, completion, expected) => {
    expect(findParser(OUTPUT_PARSERS, name)?.(completion)).toBe(expected);
  });

  it("finds only names of its outcomes", () => {
    expect(findParser(OUTPUT_PARSERS, "constructor")).toBeUndefined();
    expect(findParser(OUTPUT_PARSERS, "is_content_safe")?.("not safe")).toMatchObject({ verdict: "block" });
  });
});

describe("texts of completions", () => {
  it.each([
    ["", undefined],
    ["\n \n", undefined],
    ["\n  a \nb", "a"],
  ])("first line of %j", (text, expected) => {
    expect(firstLine(text)).toBe(expected);
  });

  it.each([
    ['  "Hello there!"\nuser "hi"', "Hello there!"],
    ['"Sure:\n\n  - one\n  - two"\nbot ask', "Sure:\n\n  - one\n  - two"],
    ['"He said "hi" to me."', 'He said "hi" to me.'],
    ['"He said \\"hi\\"."', 'He said "hi".'],
    ['"never closed\nuser "next"', "never closed"],
    ["plain text\n\nmore\nuser asks again", "plain text\n\nmore"],
    ["The user is right.\nUsers like it.", "The user is right.\nUsers like it."],
    ["text\nUser message: x", "text"],
    ['"\nHello"', "Hello"],
    ["", ""],
    ['"', ""],
    ['"a"', "a"],
    ['"a', "a"],
    ['a"', 'a"'],
  ])("reads the utterance of %j", (completion, expected) => {
    expect(readUtterance(completion)).toBe(expected);
  });

  it.each([
    ["No", "No"],
    ["<think>a</think> No", "No"],
    ["<thinking>a<think>b</think></thinking>No", "No"],
    ["a</think>No", "No"],
    ["<think>No", undefined],
    ["No<reasoning>", undefined],
  ])("strips the reasoning of %j", (text, expected) => {
    expect(stripReasoning(text)).toBe(expected);
  });
});
