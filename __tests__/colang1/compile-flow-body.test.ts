import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";

import { compileColang1 } from "../../src/colang1/compile.js";
import { compileFlowBody } from "../../src/colang1/flow-body.js";
import { listElements } from "./list-elements.js";
import { readProgramCase } from "./program-case.js";

const { program } = compileColang1(
  readProgramCase(
    '@constant shop\ndefine user greet\n  "hello"\ndefine bot hi\n  "Hi."\ndefine flow a\n  user x\n  bot y',
  ).input,
);

function compileBody(completion: string, allowedActions: readonly string[] = []) {
  if (!program) throw new Error("does not compile");
  return compileFlowBody("f1", completion, { allowedActions, program });
}

function elementsOf(completion: string, allowedActions?: readonly string[]): string[] {
  const flow = compileBody(completion, allowedActions);
  return flow
    ? listElements(flow.elements)
        .split("\n")
        .map((line) => line.trim())
    : [];
}

describe("a flow written by a model", () => {
  it.each<[string, string, string[]]>([
    ["two steps", "bot hi\nbot which day", ["0 Say hi", "1 Say which day"]],
    ["a wait", "bot which day\nuser pick day\nbot bye", ["0 Say which day", "1 Match user pick day", "2 Say bye"]],
    ["indented", "\n    bot hi\n    bot bye\n\n", ["0 Say hi", "1 Say bye"]],
    ["with a header", "define flow help user\n  bot hi\n  user x", ["0 Say hi", "1 Match user x"]],
    ["with a subflow header", "define subflow x:\n  bot hi", ["0 Say hi"]],
    [
      "conditions",
      "if $x\n  bot a\nelse\n  bot b\n  then more",
      ["0 JumpIfNot $x -> 3", "1 Say a", "2 Jump -> 4", "3 Say b"],
    ],
    [
      "branches",
      "when user a\n  bot b\nelse when user ...\n  bot c",
      ["0 Choice 1 4", "1 Match user a", "2 Say b", "3 Jump -> 6", "4 Match user ...", "5 Say c"],
    ],
    [
      "values",
      '$x = 1\n$y = [-1, {"a": None}]\n$z = ...',
      [
        "0 Assign $x = 1",
        '1 Assign $y = [-1, {"a": None}]',
        '2 Run $z = generate_value(instructions=None, var_name="z")',
      ],
    ],
    ["a known example", 'user "hello"\nbot hi', ["0 Match user greet", "1 Say hi"]],
    ["instructions", "# Be kind.\nbot hi", ["0 Say hi # Be kind."]],
  ])("may hold %s", (_title, completion, lines) => {
    expect(elementsOf(completion)).toEqual(lines);
  });

  it.each<[string, string]>([
    ["prose", "bot hi\nthen we wave"],
    ["an unfinished block", "bot hi\nif $x"],
    ["an unfinished string", 'bot hi\n$x = "abc'],
    ["an action", "bot hi\nexecute delete everything"],
    ["an event", "bot hi\ncreate event BotMessage(text=1)"],
    ["waiting for an event", "bot hi\nevent Bell"],
    ["watching the bot", "bot hi\nbot ..."],
    ["a call", "bot hi\ndo something"],
    ["a loop", "bot hi\nwhile True\n  bot again"],
    ["a jump", "bot hi\nlabel x\ngoto x"],
    ["a stop", "bot hi\nbot stop"],
    ["an end", "bot hi\nreturn"],
    ["a variable as message", "bot hi\nbot $secret"],
    ["a text without a name", 'bot hi\nbot "Anything goes."'],
    ["a computed value", "bot hi\n$x = $secret"],
    ["a switch of the pipeline", "bot hi\n$skip_output_rails = True"],
    ["a generated switch", "bot hi\n$user_message = ..."],
    ["a private variable", "bot hi\n$_x = 1"],
    ["a constant", "bot hi\n$shop = 1"],
    ["an unknown example", 'bot hi\nuser "not an example"'],
    ["a branch on an event", "bot hi\nwhen event Bell\n  bot x"],
    ["another definition", "bot hi\ndefine bot hi"],
    ["2.x", "bot hi\nawait something"],
  ])("ends before %s", (_title, completion) => {
    expect(elementsOf(completion)).toEqual(["0 Say hi"]);
  });

  it.each(["", "   \n\n", "I would rather not.", "# only a comment", "stop", "define flow x", "\u0000", "pass", '"""'])(
    "is nothing when there is nothing to run: %j",
    (completion) => {
      expect(compileBody(completion)).toBeUndefined();
    },
  );

  it("keeps the name of a message and not the text, so that output rails see the text", () => {
    expect(elementsOf('bot hi "Unchecked."\nbot bye\n  "Unchecked too."')).toEqual(["0 Say hi", "1 Say bye"]);
  });

  it("runs the actions it is allowed to", () => {
    expect(elementsOf("$x = execute find order(id=1)\nexecute drop(id=1)", ["find order"])).toEqual([
      "0 Run $x = find order(id=1)",
    ]);
    expect(elementsOf("$skip_output_rails = execute find order", ["find order"])).toEqual([]);
  });

  it("cannot raise its own rank", () => {
    expect(
      compileBody('define parallel extension flow x $y\n  priority 100\n  meta {"continue": true}\n  bot hi'),
    ).toMatchObject({
      id: "f1",
      tier: "user",
      priority: 1,
      allowMultiple: false,
      isExtension: false,
      isSubflow: true,
      isInitialiser: false,
      continues: false,
      parameters: [],
    });
  });

  it("has a source text and places of its own", () => {
    const flow = compileBody("  bot hi\n  bot bye\n  nonsense");
    expect(flow?.sourceText).toBe("bot hi\nbot bye");
    expect(flow?.elements.map((element) => element.location)).toEqual([
      { file: "f1", line: 1, column: 1 },
      { file: "f1", line: 2, column: 1 },
    ]);
  });

  it("is cut at a hundred lines, and bounded in length", () => {
    expect(elementsOf("bot hi\n".repeat(500))).toHaveLength(100);
    expect(elementsOf(`bot hi\nbot ${"x".repeat(100_000)}`)).toEqual(["0 Say hi"]);
  });

  it("is read from any text", () => {
    const line = fc.constantFrom(
      "bot hi",
      "  bot x",
      "if $x",
      "else",
      "when user a",
      '"',
      "```",
      "(",
      "define flow",
      "$x = [",
      "# c",
      "\\",
      "user a or",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const flow = compileBody(lines.join("\n"));
        if (flow) expect(flow.elements.length).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    );
  });
});
