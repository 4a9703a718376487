import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { readMerged } from "../../../../src/runtime/colang1/generation/completions.js";

describe("a merged completion: intent, next step and message", () => {
  it.each<[string, string, string | null, string | null, string]>([
    ["three parts", '  ask price\nbot give price\n  "Four euros."', "ask price", "give price", "Four euros."],
    ["with the speaker", 'user ask price\nbot give price\n"Four."', "ask price", "give price", "Four."],
    ["blank lines and comments", '\n# hm\nask price\n\nbot give price\n\n "Four."', "ask price", "give price", "Four."],
    ["the utterance repeated", 'user "how much?"\n  ask price\nbot give price\n "4"', "ask price", "give price", "4"],
    ["nothing", "", null, null, ""],
    ["blanks", " \n\n ", null, null, ""],
    ["one line", "ask price", "ask price", null, ""],
    ["prose", "I cannot do that.\nSorry.", "I cannot do that.", null, ""],
    ["no intent", 'bot give price\n  "Four."', null, "give price", "Four."],
    ["no step", 'ask price\n  "Four."', "ask price", null, "Four."],
    ["words only", '"Four."', null, null, "Four."],
    ["no message", "ask price\nbot give price", "ask price", "give price", ""],
    ["the message in the line of the step", 'ask price\nbot give price "Four."', "ask price", "give price", "Four."],
    ["a text without quotes", "ask price\nbot give price\n  Four euros.", "ask price", "give price", "Four euros."],
    ["a quote that is not closed", 'ask price\nbot give price\n  "Four', "ask price", "give price", "Four"],
    ["the next turn after it", 'ask price\nbot give price\n  "4"\nuser "ok"\n  thank', "ask price", "give price", "4"],
    ["the next turn instead of a message", 'ask price\nbot give price\nuser "ok"', "ask price", "give price", ""],
    ["several lines in the words", 'a\nbot b\n  "One:\n\n  - two"', "a", "b", "One:\n\n  - two"],
    ["an attempt to end the turn", 'a\nbot stop\n"x"', "a", "general response", "x"],
    ["an attempt to print a variable", 'a\nbot $api_key\n"x"', "a", "general response", "x"],
    ["line ends of another system", 'a\r\nbot b\r\n"One:\r\n- two"\r\n', "a", "b", "One:\n- two"],
    ["line ends of a third one", 'a\rbot b\r"c"', "a", "b", "c"],
    ["several steps before the words", 'a\nbot b\nbot c\n"x"', "a", "b", ""],
    ["several steps with words", 'a\nbot b\n"x"\nbot c\n"y"', "a", "b", "x"],
    ["a step without a name", 'a\nbot "x"', "a", "general response", "x"],
    ["a step that is too long", `a\nbot ${"b ".repeat(200)}\n"x"`, "a", null, "x"],
    ["no more than three dots", "...", "...", null, ""],
    ["three dots for a step", "a\n...", "a", null, ""],
    ["a step that is an action", 'a\nexecute rm\n"x"', "a", null, "x"],
    ["a line without end", "a ".repeat(500), null, null, ""],
    [
      "another language",
      "preguntar precio\nbot decir precio\n«Cuatro.»",
      "preguntar precio",
      "decir precio",
      "«Cuatro.»",
    ],
  ])("%s", (_, completion, userIntent, botIntent, message) => {
    expect(readMerged(completion, true)).toEqual({ userIntent, botIntent, message });
  });
});

it("says of a beginning what the whole completion says, or nothing", () => {
  const line = fc.oneof(
    fc.constantFrom("", "  ask price", "bot give price", '  "Four."', 'user "x"', '"', "# c", "bot stop", '"a', 'b"'),
    fc.string({ maxLength: 8 }).map((text) => text.replaceAll("\n", " ")),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 7 }), fc.nat(7), (lines, count) => {
      const whole = readMerged(lines.join("\n"), true);
      const begun = readMerged(`${lines.slice(0, Math.min(count, lines.length - 1)).join("\n")}\n`, false);
      for (const part of ["userIntent", "botIntent", "message"] as const) {
        if (begun[part] !== undefined) expect(begun[part]).toEqual(whole[part]);
      }
    }),
    { numRuns: 500 },
  );
});
