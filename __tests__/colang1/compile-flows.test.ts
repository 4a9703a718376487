import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { compileColang1 } from "../../src/colang1/compile.js";
import type { YamlColang } from "../../src/colang1/compile-input.js";
import { listElements } from "./list-elements.js";
import { createSourceFile, createSpan, type Span } from "../../src/diagnostics/source-file.js";
import { compileFlowBody } from "../../src/colang1/flow-body.js";
import { readProgramCase } from "./program-case.js";
import { propertyRuns } from "../support/property-runs.js";

function compileYaml(flows: unknown, more: Omit<YamlColang, "flows"> = {}) {
  return compileColang1({ files: [], yaml: { flows, ...more } });
}

function elementsOf(elements: unknown): string[] {
  const callee = { id: "pick", elements: [{ stop: null }] };
  const { program, diagnostics } = compileYaml([{ id: "f", elements }, callee]);
  expect(diagnostics.filter((one) => one.severity === "error")).toEqual([]);
  return listElements(program?.flows[0]?.elements ?? [])
    .split("\n")
    .map((line) => line.trim());
}

describe("flows in the settings", () => {
  it.each<[string, unknown[], string[]]>([
    [
      "user",
      [{ user: "ask hours" }, { intent: "a" }, { you: "..." }],
      ["0 Match user ask hours", "1 Match user a", "2 Match user ..."],
    ],
    [
      "bot",
      [{ user: "x" }, { bot: "a" }, { utter: "b" }, { ask: "$c" }, { bot_ask: '"d"' }],
      ["0 Match user x", "1 Say a", "2 Say b", "3 Say $c", '4 Say say "d"'],
    ],
    [
      "run",
      [{ event: "E" }, { run: "add(a=1)" }, { action: "$x = add" }, { execute: "$x.y = execute add(b=$x)" }],
      ["0 Match event E", "1 Run add(a=1)", "2 Run $x = add()", "3 Run $x.y = add(b=$x)"],
    ],
    [
      "set",
      [{ user: "x" }, { set: "$n = 1 + 1" }, { set: "$n += 1" }, { set: "$v = ..." }],
      [
        "0 Match user x",
        "1 Assign $n = 1 + 1",
        "2 Assign $n = $n + 1",
        '3 Run $v = generate_value(instructions=None, var_name="v")',
      ],
    ],
    [
      "if",
      [{ if: "$x > 1", then: [{ bot: "a" }], else: [{ if: "$y", then: [{ bot: "b" }] }] }, { bot: "c" }],
      ["0 JumpIfNot $x > 1 -> 3", "1 Say a", "2 Jump -> 5", "3 JumpIfNot $y -> 5", "4 Say b", "5 Say c"],
    ],
    [
      "while",
      [{ while: "$x", do: [{ break: null }, { continue: null }, { pass: null }] }, { bot: "c" }],
      ["0 JumpIfNot $x -> 4", "1 Jump -> 4", "2 Jump -> 0", "3 Jump -> 0", "4 Say c"],
    ],
    ["any", [{ any: [{ user: "a" }, { event: "B" }] }], ["0 Match user a or event B"]],
    [
      "infer",
      [{ infer: "Bell(n=1)" }, { add: [{ event: "A" }, { user: "x" }, { bot: "y" }] }],
      ["0 Emit Bell(n=1)", "1 Emit A()", '2 Emit UserIntent(intent="x")', '3 Emit BotIntent(intent="y")'],
    ],
    [
      "flow",
      [{ flow: "pick" }, { call: "pick(a=1)" }, { activate: "$next" }],
      ["0 Call pick()", "1 Call pick(a=1)", "2 Call $next()"],
    ],
    ["jumps", [{ label: "a" }, { user: "x" }, { goto: "a" }, { checkpoint: "b" }], ["0 Match user x", "1 Jump -> 0"]],
    [
      "ends",
      [{ user: "x" }, { check: "$a" }, { return: null }, { return: "$a" }, { stop: null }, { abort: null }],
      ["0 Match user x", "1 Check $a", "2 Return", "3 Return $a", "4 Stop", "5 Stop"],
    ],
    [
      "branches",
      [
        { user: "x" },
        [{ user: "a" }, { bot: "b" }],
        [{ any: [{ user: "c" }, { user: "d" }, { event: "F" }] }],
        { bot: "e" },
      ],
      [
        "0 Match user x",
        "1 Choice 2 5",
        "2 Match user a",
        "3 Say b",
        "4 Jump -> 6",
        "5 Match user c | d or event F",
        "6 Say e",
      ],
    ],
  ])("compile `%s`", (_title, elements, lines) => {
    expect(elementsOf(elements)).toEqual(lines);
  });

  it("have metadata, ids and a source text", () => {
    const elements = [{ meta: { priority: 2, allow_multiple: true } }, { user: "x" }, { bot: "y" }];
    const { program } = compileYaml([{ id: "a flow", elements }, { elements: [{ bot: "z" }] }]);
    expect(program?.flows[0]).toMatchObject({
      id: "a flow",
      priority: 2,
      allowMultiple: true,
      sourceText: "user x\nbot y",
    });
    expect(program?.flows[1]?.id).toBe("anonymous-config.yml-flows[1]");
  });

  it("come before all files, like messages of the settings", () => {
    const { program } = compileColang1({
      files: [],
      yaml: {
        flows: [{ id: "f", elements: [{ user: "x" }] }],
        botMessages: { hi: ["Hi."] },
        userMessages: { x: ["ex"] },
      },
    });
    expect(program?.flows.map((flow) => flow.id)).toEqual(["f"]);
    expect({ ...program?.botMessages }).toEqual({ hi: ["Hi."] });
    expect({ ...program?.userMessages }).toEqual({ x: ["ex"] });
  });
});

describe("problems in flows of the settings", () => {
  it.each<[string, unknown, string, string, string]>([
    ["no list", { a: 1 }, "CF-104", "`flows` must be a list", "flows"],
    ["no map", ["x"], "CF-104", "a flow is a map with `id` and `elements`", "flows[0]"],
    [
      "another key",
      [{ id: "a", element: [], elements: [{ stop: null }] }],
      "CF-104",
      "a flow has no key `element`",
      "flows[0].element",
    ],
    ["no elements", [{ id: "a" }], "CF-104", "expected a list of elements", "flows[0].elements"],
    [
      "a text as element",
      [{ elements: ["bot hi"] }],
      "CF-104",
      "an element is a map with one key",
      "flows[0].elements[0]",
    ],
    ["an unknown key", [{ elements: [{ say: "hi" }] }], "CF-104", "unknown element `say`", "flows[0].elements[0].say"],
    [
      "a foreign key",
      [{ elements: [{ user: "x", bot: "y" }] }],
      "CF-104",
      "`bot` does not belong here",
      "flows[0].elements[0].bot",
    ],
    ["no text", [{ elements: [{ user: { a: 1 } }] }], "CF-104", "expected a text", "flows[0].elements[0]"],
    [
      "a comment",
      [{ elements: [{ user: "ask #1" }] }],
      "CF-104",
      "`#` begins a comment in Colang",
      "flows[0].elements[0]",
    ],
    [
      "no matcher",
      [{ elements: [[{ set: "$x = 1" }]] }],
      "CF-104",
      "a branch begins with `user`, `bot`, `event` or `any`",
      "flows[0].elements[0][0]",
    ],
    ["no then", [{ elements: [{ if: "$x" }] }], "CF-104", "expected a list of elements", "flows[0].elements[0].then"],
    ["a bad expression", [{ elements: [{ user: "x" }, { set: "$x = 1 +" }] }], "CO-109", "", "flows[0].elements[1]"],
    [
      "an unknown flow",
      [{ elements: [{ flow: "missing" }] }],
      "CO-204",
      "unknown subflow `missing`",
      "flows[0].elements[0]",
    ],
    [
      "a label",
      [{ elements: [{ user: "x" }, { if: "$x", then: [{ goto: "out" }] }] }],
      "CO-202",
      "unknown label `out`",
      "flows[0].elements[1].then[0]",
    ],
    [
      "the same id twice",
      [
        { id: "a", elements: [{ bot: "x" }] },
        { id: "a", elements: [{ bot: "y" }] },
      ],
      "CO-201",
      "duplicate flow `a`",
      "flows[1]",
    ],
  ])("%s", (_title, flows, code, message, path) => {
    const { program, diagnostics } = compileYaml(flows);
    expect(program).toBeUndefined();
    const error = diagnostics.find((one) => one.severity === "error");
    expect(error).toMatchObject({ code, path });
    if (message) expect(error?.message).toBe(message);
    expect(error?.span).toBeUndefined();
  });

  it("are underlined in the settings if their positions are known", () => {
    const source = createSourceFile("config.yml", "flows:\n  - id: a\n    elements:\n      - flow: missing\n");
    const at = source.text.indexOf("flow: missing");
    const spanOf = (path: readonly (string | number)[]): Span | undefined =>
      path.join(".") === "flows.0.elements.0" ? createSpan(source, at, at + 13) : undefined;
    const { diagnostics } = compileYaml([{ id: "a", elements: [{ flow: "missing" }] }], { source, spanOf });
    expect(diagnostics[0]).toMatchObject({ code: "CO-204", span: { start: at, end: at + 13 } });
    const { program } = compileYaml([{ id: "a", elements: [{ bot: "x" }] }], { source, spanOf });
    expect(program?.flows[0]?.elements[0]?.location).toEqual({ file: "config.yml", line: 4, column: 9 });
  });

  it("cannot inject lines", () => {
    const { diagnostics } = compileYaml([{ elements: [{ user: "x\n  stop\ndefine bot y" }] }]);
    expect(diagnostics.filter((one) => one.severity === "error")).toEqual([]);
    const { program } = compileYaml([{ elements: [{ user: "x\n  stop\ndefine bot y" }] }]);
    expect(program?.flows).toHaveLength(1);
    expect(program?.flows[0]?.elements).toHaveLength(1);
  });

  it("include endless nesting", () => {
    const element: Record<string, unknown> = { if: "$x" };
    element["then"] = [element];
    const { diagnostics } = compileYaml([{ elements: [element] }]);
    expect(diagnostics[0]).toMatchObject({ code: "CF-104", message: "elements are nested more than 64 deep" });
  });
});

describe("flows that a model wrote", () => {
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

    it.each([
      "",
      "   \n\n",
      "I would rather not.",
      "# only a comment",
      "stop",
      "define flow x",
      "\u0000",
      "pass",
      '"""',
    ])("is empty if there is nothing to run: %j", (completion) => {
      expect(compileBody(completion)).toBeUndefined();
    });

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

    it("has its own source text and positions", () => {
      const flow = compileBody("  bot hi\n  bot bye\n  nonsense");
      expect(flow?.sourceText).toBe("bot hi\nbot bye");
      expect(flow?.elements.map((element) => element.location)).toEqual([
        { file: "f1", line: 1, column: 1 },
        { file: "f1", line: 2, column: 1 },
      ]);
    });

    it("is shortened to a hundred lines and a maximum length", () => {
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
        { numRuns: propertyRuns(50) },
      );
    });
  });
});
