import { describe, expect, it } from "@jest/globals";
import { continuationBody } from "../../../../src/runtime/colang2/generation/docstring-flow.js";
import { colangString } from "../../../../src/runtime/colang2/generation/completion.js";
import { dynamicName, flowNameOf, plainName, shortId } from "../../../../src/runtime/colang2/generation/flow-name.js";
import { compileProgram } from "./program.js";

describe("the name of a flow", () => {
  it.each([
    ["user asked for help", "user asked for help"],
    ["  user   asked\tfor help ", "user asked for help"],
    ['user said "hi" (twice)', "user said hi twice"],
    ["rock-and-roll", "rock_and_roll"],
    ["rock and roll or jazz as usual", "rock _and_ roll _or_ jazz _as_ usual"],
    ["2 jokes", "_2_ jokes"],
    ["3rd joke", "_3rd_ joke"],
    ["what's up?!", "whats up"],
    ["a $b {c} d;e", "a b c de"],
    ["користувач питає", "користувач питає"],
    ["用户问候", "用户问候"],
    ["x\nsend StopFlow()", "x send StopFlow"],
  ])("%j is %j", (text, expected) => {
    expect(flowNameOf(text)).toBe(expected);
  });

  it.each([[""], ["  "], ["!?"], ["- -"], ["x".repeat(121)], ["a ".repeat(17)]])("%j is none", (text) => {
    expect(flowNameOf(text)).toBeUndefined();
  });

  it.each([["user asked 2 or 3"], ["rock-and-roll"], ["用户问候 and more"], ["bot as if"]])(
    "of %j can be defined",
    (text) => {
      const name = flowNameOf(text) ?? "";
      expect(compileProgram(`flow main\n  ${name}\n\nflow ${name}\n  pass\n`).flows.map(({ id }) => id)).toContain(
        name,
      );
    },
  );

  it("of a generated flow is unique and can be read back", () => {
    expect(dynamicName("c-1z", "bot greet")).toBe("_dynamic_0000001z bot greet");
    expect(dynamicName("c-20", "_dynamic_0000001z bot greet")).toBe("_dynamic_00000020 bot greet");
    expect(plainName("_dynamic_0000001z bot greet")).toBe("bot greet");
    expect(plainName("_dynamically")).toBe("_dynamically");
    expect(shortId("conversation-1234abcdef", 4)).toBe("cdef");
  });
});

describe("a text as a string of the language", () => {
  it.each([['say "x"'], ["a\nb"], ["{$system}"], ["back\\slash"], ["{{x}}"], ["\u2028"], ['\\"']])(
    "%j stays what it is",
    (text) => {
      const program = compileProgram(`flow main\n  $x = ${colangString(text)}\n  match Never()\n`);
      const { elements } = program.flows[0] ?? { elements: [] };
      const set = elements.find(({ kind }) => kind === "Set") as
        | { value?: { kind: string; value?: unknown } }
        | undefined;
      expect(set?.value).toMatchObject({ kind: "Literal", value: text.replace("\u2028", "\n") });
    },
  );
});

describe("the body of a generated flow", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["all of it", ['bot say "a"', 'bot say "b"'], ['bot say "a"', 'bot say "b"']],
    [
      "until the user is waited for",
      ['bot ask "x"', 'user said "y"', "bot say z"],
      ['bot ask "x"', "wait user input", "..."],
    ],
    ["the same when it is kept", ["$x = await user said something", "bot say $x"], ["wait user input", "..."]],
    ["the same as a match", ["match UtteranceUserAction.Finished()", "pass"], ["wait user input", "..."]],
    ["the same as a case", ["when user said yes", "  pass"], ["wait user input", "..."]],
    ["the same in its own words", ["wait user input", "pass"], ["wait user input", "..."]],
    ["until something is awaited", ["await find day", "bot say x"], ["await find day", "..."]],
    ["the same when it is kept ", ["$d = await find day", "bot say x"], ["$d = await find day", "..."]],
    ["a result behind an arrow", ["await find day -> $d", "bot say x"], ["$d = await find day", "..."]],
    ["the same without `await`", ['find day "next" -> $d'], ['$d = await find day "next"', "..."]],
    ["until it asks to be asked again", ["bot greet", "...", "bot say x"], ["bot greet", "..."]],
    ["inside a block", ["if $x", "  user said y", "bot say x"], ["if $x", "  wait user input", "  ..."]],
    ["a value is no question", ['$x = ..."day"', "bot say $x"], ['$x = ..."day"', "bot say $x"]],
    ["nothing", [], []],
  ])("%s", (_, lines, expected) => {
    expect(continuationBody(lines, "wait user input")).toEqual(expected);
  });
});
