import { describe, expect, it } from "@jest/globals";
import { splitSentences } from "../../../src/detectors/instructions/sentences.js";
import { wordsOf } from "../../../src/detectors/phrases/words.js";

function split(text: string): ReturnType<typeof splitSentences<{ start: number; end: number; isQuestion: boolean }>> {
  return splitSentences(text, wordsOf({ folded: text.toLowerCase() }), (start, end, isQuestion) => ({
    start,
    end,
    isQuestion,
  }));
}

describe("splitSentences", () => {
  it.each([
    ["stops", "One. Two! Three? four. Five", ["One.", "Two!", "Three? four.", "Five"]],
    ["abbreviations within a sentence", "It costs e.g. 3.50 in total. Fine", ["It costs e.g.", "in total.", "Fine"]],
    ["lines that begin something", "Dear Ann\nThe bill is\nhigh\n\nbye", ["Dear Ann\n", "The bill is\nhigh\n", "bye"]],
    ["lists", "1. Open it\n2. Close it\n- Done", ["Open it\n", "Close it\n", "Done"]],
    ["quotes after a stop", 'Say "Go on!" to him. Then', ['Say "Go on!" to him.', "Then"]],
    ["ideographic stops", "你好。再见了吗？好的吧", ["你好。", "再见了吗？", "好的吧"]],
    ["values of JSON", '{"note":"Do it.\\nNow it","more":1}', ['note":', "Do it.\\n", 'Now it",', 'more":']],
    ["marks of chat templates", "<|im_start|>system", ["im_start|>system"]],
  ])("splits %s", (_title, text, expected) => {
    expect(split(text).map(({ start, end }) => text.slice(start, end).replace(/ $/, ""))).toEqual(expected);
  });

  it("knows questions", () => {
    expect(split("Why? Because. 为什么？").map(({ isQuestion }) => isQuestion)).toEqual([true, false, true]);
  });

  it("splits what is longer than 600 characters", () => {
    expect(split("a".repeat(1500)).map(({ end }) => end)).toEqual([600, 1200, 1500]);
  });
});
