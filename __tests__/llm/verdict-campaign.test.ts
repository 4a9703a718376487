import { describe, expect, it } from "@jest/globals";
import { readModerationVerdict, readSupportVerdict } from "../../src/llm/parsers/verdict/verdict.js";
import { CLEAR_PASSES, STOPS } from "./verdict-campaign.js";

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

  it("reads no pass in a reply with anything behind it", () => {
    const tails = STOPS.filter(
      (text) => /[a-z]{4}/i.test(text) && !text.includes("<") && !/^(?:safe|because)/i.test(text),
    );
    expect(tails.map((tail) => `No. ${tail}`).filter(passes)).toEqual([]);
  });

  it("reads no pass once a word for the contrary stands anywhere in one", () => {
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
