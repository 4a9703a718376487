import { describe, expect, it } from "@jest/globals";
import { compileAddedFlows, compileColang2 } from "../../src/colang2/compile.js";
import { resolveImports } from "../../src/colang2/imports/imports.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { type Diagnostic, isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile, spanText } from "../../src/diagnostics/source-file.js";
import { mark, type GoldenOutcome, runGoldens, unmark } from "../support/golden-runner.js";
import { listFlow } from "./list-elements.js";
import { EngineConversation } from "../../src/colang2/engine/conversation.js";
import { compileText } from "./engine-driver.js";
import { COLANG_2_DIALECT } from "../../src/colang2/expression-dialect.js";
import { compileWrittenFlows } from "../../src/colang2/written-flows.js";

/**
 * Modules are separated by lines `## name`; the last one is the program. Flows called `rail …` are rails, `tenant` is a
 * declared variable, and there are the actions `CheckAction`, which takes `text`, and
 * `LookAction`.
 */
function checkCase(marked: string): GoldenOutcome {
  const parts = unmark(marked).text.split(/^## (.*)\n/m);
  const [first = ""] = parts;
  const named = parts.slice(1).flatMap((name, at, rest) => (at % 2 === 0 ? [[name, rest[at + 1] ?? ""] as const] : []));
  const texts = first.trim() === "" && named.length > 0 ? named : [["main.co", first] as const];
  const sources = texts.map(([name, text]) => createSourceFile(name, text));
  const { modules, diagnostics: imported } = resolveImports({ sources });
  expect(imported.filter(({ code }) => code !== "C2-102" && code !== "C2-311")).toEqual([]);
  const { program, diagnostics: compiled } = compileColang2({
    modules,
    needsMain: sources.length > 1,
    rails: modules.flatMap(({ ast }) => ast.flows.map(({ id }) => id)).filter((id) => id.startsWith("rail ")),
    variables: ["tenant"],
    actions: {
      has: (action) => ["CheckAction", "LookAction"].includes(action),
      acceptedBy: (action) => (action === "CheckAction" ? ["text"] : undefined),
      names: ["CheckAction"],
    },
  });
  expect(program === undefined).toBe(compiled.some(isError));
  const diagnostics = [...imported, ...compiled];
  const shown = sources.map((source) =>
    mark(
      source.text,
      diagnostics.flatMap(({ span }) => (span?.source === source ? [span] : [])),
    ),
  );
  const source =
    named.length > 0 ? shown.map((text, at) => `## ${sources[at]?.name}\n${text}`).join("") : (shown[0] ?? "");
  return { source, expected: diagnostics.map(printDiagnostic).join("\n") || "nothing" };
}

function printDiagnostic({ code, severity, message, hint, labels, span, path = "no place" }: Diagnostic): string {
  return [
    `${severity} ${code}: ${message}`,
    ...(span ? [] : [`  (${path})`]),
    ...(labels ?? []).map((label) => `  ${label.text}: ${label.span.source.name}: ${spanText(label.span)}`),
    ...(hint ? [`  hint: ${hint}`] : []),
  ].join("\n");
}

runGoldens("colang2/semantic", checkCase);

describe("flows that are added", () => {
  const known = new Map([["greet", { parameters: [{ name: "who" }] }]]);

  it("are compiled against the existing flows", () => {
    const source = createSourceFile("added.co", "flow new\n  greet 1\nflow greet\n  pass\n");
    const { flows, diagnostics } = compileAddedFlows(source, known);
    expect(diagnostics).toEqual([]);
    expect(flows.map(({ id }) => id)).toEqual(["new"]);
  });

  it("are refused if there is an error", () => {
    const { flows, diagnostics } = compileAddedFlows(createSourceFile("added.co", "flow new\n  send (\n"), known);
    expect(flows).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["C2-115"]);
  });
});

describe("flow settings", () => {
  it("come from decorators", () => {
    const text = `@active
@interruptible
@loop("NEW", priority=3)
@meta(user_action="said {$text}", tags=["a"])
@meta(llm_exclude=True)
flow a $text="x" -> $out
  """About {$text}"""
  # a remark
  send E(x="# no remark")  # another

flow
  pass
`;
    const { ast } = parseColang2(createSourceFile("main.co", text));
    const { program } = compileColang2({ modules: [{ name: "main.co", ast }], needsMain: false });
    const [flow, nameless] = program?.flows ?? [];
    expect(flow).toMatchObject({
      id: "a",
      isActive: true,
      isInterruptible: true,
      isNameless: false,
      isHiddenFromPrompts: true,
      loop: { id: "NEW", priority: 3 },
      meta: { tags: ["a"], llm_exclude: true },
      metaTemplates: { user_action: { kind: "Template" } },
      docstring: "About {$text}",
      docstringTemplate: { kind: "Template" },
      parameters: [{ name: "text", default: { value: "x" } }],
      returnMembers: [{ name: "out" }],
    });
    const [, body = ""] = flow?.sourceText.split("-> $out\n") ?? [];
    expect(body).toBe('  """About {$text}"""\n  send E(x="# no remark")');
    expect(nameless).toMatchObject({ id: "_anonymous_main_1", isActive: true, isNameless: true });
    expect(program?.activeFlows).toEqual(["a", "_anonymous_main_1"]);
  });
});

function compile(text: string): ReturnType<typeof compileColang2> {
  const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
  expect(diagnostics.filter(isError)).toEqual([]);
  return compileColang2({ modules: [{ name: "main.co", ast }], needsMain: false });
}

runGoldens("colang2/lower", (text) => {
  const { program, diagnostics } = compile(text);
  expect(diagnostics.filter(isError)).toEqual([]);
  return (program?.flows ?? []).map(listFlow).join("\n\n");
});

describe("size", () => {
  it("reports at most 500 problems of a file, and how many follow", () => {
    const { diagnostics } = compile(`flow a\n${"  await fetch orders\n".repeat(700)}flow b\n  await fetch orders\n`);
    expect(diagnostics).toHaveLength(500);
    expect(diagnostics.at(0)?.message).toBe("flow `fetch orders` is not defined");
    expect(diagnostics.at(-1)?.message).toBe("flow `fetch orders` is not defined, and 201 more warnings follow");
  });

  const count = (line: string): number => compile(`flow a\n  ${line}`).program?.flows[0]?.elements.length ?? 0;

  it.each([
    ["match", (at: number) => `(A${at}() or B${at}())`],
    ["await", (at: number) => `(a${at} or b${at})`],
    ["start", (at: number) => `(a${at} or b${at})`],
    ["send", (at: number) => `(A${at}() or B${at}())`],
  ])("%s grows with the number of alternatives, not with their combinations", (operator, pair) => {
    const sizes = [10, 20, 40].map((pairs) =>
      count(`${operator} ${Array.from({ length: pairs }, (_, at) => pair(at)).join(" and ")}`),
    );
    const [ten = 0, twenty = 0, forty = 0] = sizes;
    expect(forty - twenty).toBe((twenty - ten) * 2);
    expect(twenty).toBeLessThan(20 * 30);
  });

  it("bodies of `when` are compiled once", () => {
    const nested = (depth: number, margin: string): string =>
      depth === 0
        ? `${margin}send Done()\n`
        : `${margin}when a or b\n${nested(depth - 1, `${margin}  `)}${margin}or when c\n${nested(depth - 1, `${margin}  `)}`;
    const [two = 0, three = 0, four = 0] = [2, 3, 4].map((depth) => {
      const { program } = compile(`flow f\n${nested(depth, "  ")}`);
      return program?.flows[0]?.elements.length ?? 0;
    });
    // The source itself doubles with each level here.
    expect(four - three).toBe((three - two) * 2);
  });

  it("the hash of a flow does not depend on its position", () => {
    const [first] = compile("flow a\n  await b\n").program?.flows ?? [];
    const [second] = compile("# remark\n\nflow a\n   await b\n").program?.flows ?? [];
    const [third] = compile("flow a\n  await c\n").program?.flows ?? [];
    expect(second?.hash).toBe(first?.hash);
    expect(third?.hash).not.toBe(first?.hash);
  });

  it("programs are plain JSON", () => {
    const { program } = compile("@meta(a=True)\nflow a $x=1\n  when b as $r or not C()\n    $y = await $r\n");
    expect(JSON.parse(JSON.stringify(program))).toEqual(program);
  });
});

/** Warnings of an engine about a running program, by code. */
function warningsOf(text: string, ...events: readonly string[]): readonly string[] {
  const conversation = new EngineConversation(compileText(text), {});
  const steps = [conversation.begin(), ...events.map((type) => conversation.process({ type }))];
  return steps.flatMap(({ trace }) => trace.flatMap((one) => (one.type === "warning" ? [one.code] : [])));
}

describe("long programs", () => {
  it("with very many decorators are read", () => {
    const { ast } = parseColang2(createSourceFile("main.co", `${"@x\n".repeat(130_000)}flow main\n  match A()\n`));
    const { diagnostics } = compileColang2({ modules: [{ name: "main.co", ast }] });
    expect(diagnostics).toHaveLength(130_000);
  });

  it("with very many branches forget the same list of references in each", () => {
    const branches = Array.from({ length: 200 }, (_, at) => `  ${at === 0 ? "" : "or "}when job\n    pass\n`);
    const { ast } = parseColang2(
      createSourceFile("main.co", `flow main\n${branches.join("")}flow job\n  match Done()\n`),
    );
    const flow = compileColang2({ modules: [{ name: "main.co", ast }] }).program?.flows.find(({ id }) => id === "main");
    const lists = flow?.elements.flatMap((element) => (element.kind === "Forget" ? [element.variables] : []));
    expect(lists).toHaveLength(201);
    expect(new Set(lists).size).toBe(1);
  });
});

describe("warnings of the engine", () => {
  it.each([
    ["C2-403", 'flow main\n  send StartFlow(flow_id="main")\n  match Never()'],
    ["C2-404", 'flow main\n  send PauseFlow(flow_id="main")\n  match Never()'],
    ["C2-405", "flow main\n  start_new_flow_instance:\n  match Never()"],
  ])("%s", (code, text) => {
    expect(warningsOf(text)).toContain(code);
  });

  it("C2-406: a wait for an ended action", () => {
    const text = "flow job\n  match Done()\nflow main\n  start job as $j\n  match Other()\n  match $j.Finished()";
    expect(warningsOf(text, "Done", "Other")).toContain("C2-406");
  });
});

describe("flows that a model wrote", () => {
  const { modules } = resolveImports({
    sources: [createSourceFile("main.co", "import core\n\nflow main\n  match Go()\n")],
  });
  const definitions = new Map(compileColang2({ modules }).program?.flows.map((flow) => [flow.id, flow]));

  function compile(text: string, allowedActions: readonly string[] = []) {
    const { flows, problems } = compileWrittenFlows(text, { definitions, allowedActions });
    return { names: flows.map(({ id }) => id), problems };
  }

  const body = (...lines: readonly string[]): string =>
    ["flow bot goes on", ...lines.map((line) => `  ${line}`)].join("\n");

  describe("a flow that a model wrote", () => {
    it.each([
      ["utters a text", 'bot say "Hi"'],
      ["utters one of two texts", 'bot say "Hi" or bot say "Ho"'],
      ["waits for the user", 'user said "yes"'],
      [
        "distinguishes responses",
        'when user said "yes"\n    bot say "Good"\n  or when user said "no"\n    bot say "Bad"',
      ],
      ["waits for an event", "match Knock(times=2) as $e"],
      ["keeps a value", '$x = 1\n  while $x < 3\n    $x = $x + 1\n  bot say "{$x}"'],
      ["asks for a value", '$day = ..."the day"\n  bot say $day'],
      ["keeps what a flow returns", '$said = await user said something\n  bot say "You said {$said}"'],
      ["requests another generation", "user said something\n  ..."],
      ["starts a flow and stops it again", 'start bot say "long" as $f\n  stop $f'],
      ["ends", "if True\n    return 1\n  else\n    abort"],
      ["calls a flow that is not defined", "bot dance"],
    ])("%s", (_, text) => {
      expect(compile(body(text))).toEqual({ names: ["bot goes on"], problems: [] });
    });

    it.each([
      ["runs an action", "PayAction(sum=100)"],
      ["awaits an action", "await PayAction(sum=100)"],
      ["keeps what an action returns", "$x = await PayAction(sum=100)"],
      ["starts an action", "start PayAction() as $a"],
      ["bypasses the output rails", 'start UtteranceBotAction(script="x")'],
      ["runs an action when something happens", "when PayAction()\n    pass"],
      ["runs an action next to a flow", 'bot say "x" and PayAction()'],
      ["makes an action a value", '$a = action("PayAction")'],
      ["makes one inside a text", 'bot say "{action(\\"PayAction\\")}"'],
      ["starts what a variable holds", "start $a"],
      ["awaits what a variable holds", "await $a"],
      ["sends an event", "send OrderCancelled()"],
      ["starts an action by its event", 'send StartUtteranceBotAction(script="x")'],
      ["ends a flow by an event", 'send FinishFlow(flow_id="input rails")'],
      ["sends what a variable holds", "send $e"],
      ["stops a flow by its name", "stop bot say"],
      ["deactivates a flow", "deactivate bot say"],
      ["reads global variables", "global $secret"],
      ["changes a value in place", "($x.append(1))"],
      ["sets what rails made of a text", '$user_message = "x"'],
      ["sets it otherwise", 'bot say "x" as $bot_message'],
      ["sets it in a loop", "for $user_message in [1]\n    pass"],
      ["sets a value of the library's own", "$_user_intent = 1"],
      ["reads the configuration", 'bot say "{$system.config}"'],
      ["prints", 'print "x"'],
    ])("is refused when it %s", (_, text) => {
      const { names, problems } = compile(body(text));
      expect(names).toEqual([]);
      expect(problems).not.toEqual([]);
    });

    it.each([
      ["with an import", 'import llm\n\nflow bot goes on\n  bot say "x"'],
      ["that is active of itself", '@active\nflow bot goes on\n  bot say "x"'],
      ["in a separate loop", '@loop("x")\nflow bot goes on\n  bot say "x"'],
      ["that overrides", '@override\nflow bot goes on\n  bot say "x"'],
      ["without a name", 'flow\n  bot say "x"'],
      ["that the rails look for", "flow input rails $input_text\n  return"],
      ["in the place of a hook", "flow _new hook\n  return"],
      ["with the configuration as a default", 'flow bot goes on $x="{$system.config}"\n  bot say $x'],
      ["of Colang 1.0", 'define flow x\n  bot say "x"'],
      ["that is not Colang", "flow x\n  (((("],
      ["that is empty", "Sure, here you are!"],
      ["that is nothing", ""],
      ["among too many", Array.from({ length: 11 }, (_, at) => `flow f${at}\n  pass`).join("\n")],
      ["of too many lines", `flow f\n${"  pass\n".repeat(500)}`],
      ["that is too long", body(`bot say "${"x".repeat(20_000)}"`)],
      [
        "nested too deeply",
        `flow f\n${Array.from({ length: 40 }, (_, at) => `${"  ".repeat(at + 1)}if True`).join("\n")}`,
      ],
    ])("is refused: one %s", (_, text) => {
      const { names, problems } = compile(text);
      expect(names).toEqual([]);
      expect(problems).not.toEqual([]);
    });

    describe("may compute, but not change a value in any expression", () => {
      const POSITIONS: readonly (readonly [string, (call: string) => string])[] = [
        ["an assignment", (call) => `$y = ${call}`],
        ["an assignment that adds", (call) => `$y += ${call}`],
        ["a condition", (call) => `if ${call}\n    pass`],
        ["an else condition", (call) => `if True\n    pass\n  elif ${call}\n    pass`],
        ["the condition of a loop", (call) => `while ${call}\n    break`],
        ["the values of a loop", (call) => `for $i in [${call}]\n    pass`],
        ["an argument of a flow", (call) => `bot say (${call})`],
        ["a named argument of a flow", (call) => `await bot say(text=${call})`],
        ["an unpacked argument", (call) => `await bot say(*[${call}])`],
        ["an argument of an event", (call) => `match Knock(times=${call})`],
        ["an argument of an event member", (call) => `match bot say("x").Finished(value=${call})`],
        ["an argument in a group", (call) => `match Knock(times=1) or Knock(times=${call})`],
        ["a case", (call) => `when Knock(times=${call})\n    pass`],
        ["a text", (call) => `bot say "{${call.replaceAll('"', "'")}}"`],
        ["the format of a text", (call) => `bot say "{1:{${call.replaceAll('"', "'")}}}"`],
        ["a return value", (call) => `return ${call}`],
        ["a log line", (call) => `log (${call})`],
        ["a priority", (call) => `priority (${call})`],
        ["instructions", (call) => `$y = ..."{${call.replaceAll('"', "'")}}"`],
        ["an item of a list", (call) => `$y = [1, [${call}]]`],
        ["a key of a dictionary", (call) => `$y = {(${call}): 1}`],
        ["an operand", (call) => `$y = 1 if not ${call} else 2`],
        ["an index", (call) => `$y = [1, 2][${call}]`],
        ["a slice", (call) => `$y = [1, 2][${call}:]`],
        ["the value of a method", (call) => `$y = ${call}.copy()`],
        ["an argument of a method", (call) => `$y = "a".join(${call})`],
        ["an argument of a function", (call) => `$y = len(str(${call}))`],
      ];
      const METHODS = (["list", "map", "set"] as const).flatMap((type) => [...COLANG_2_DIALECT.methods[type].values()]);
      const callOf = ({ name, minimum }: { readonly name: string; readonly minimum: number }): string =>
        `$x.${name}(${Array.from({ length: minimum }, () => "1").join(", ")})`;
      const withParameter = (line: string): string => `flow bot goes on $x\n  ${line}`;

      it.each(POSITIONS)("%s", (_, line) => {
        for (const method of METHODS) {
          const { names, problems } = compile(withParameter(line(callOf(method))));
          // The name of a method that changes one type of value is refused for all.
          const isMutating = COLANG_2_DIALECT.mutatingMethods.has(method.name);
          expect(problems).toEqual(isMutating ? [`a method that changes a value: ${method.name}`] : []);
          expect(names).toEqual(isMutating ? [] : ["bot goes on"]);
        }
      });

      it.each([
        ["a default of a parameter", "flow bot goes on $x=[1].pop()\n  pass"],
        ["a default of a return value", "flow bot goes on -> $x=[1].pop()\n  pass"],
        ["a docstring", 'flow bot goes on $x\n  """Go on {$x.pop()}"""\n  ...'],
        ["a member of a value", withParameter("$x.a = 1")],
        ["an item of a value", withParameter('$x["a"] = 1')],
        ["a member that is added to", withParameter("$x.a += 1")],
        ["an alias", withParameter("$y = $x\n  $y.a = 1")],
        ["a member of an event", withParameter("match Knock() as $e\n  $e.arguments.times = 1")],
        ["a member that takes a result", withParameter("$x.a = await user said something")],
        ["a member that is generated", withParameter('$x.a = ..."the day"')],
        ["the key of a member", withParameter("$y[$x.pop()] = 1")],
      ])("%s", (_, text) => {
        const { names, problems } = compile(text);
        expect(names).toEqual([]);
        expect(problems).not.toEqual([]);
      });

      it.each(["{{ secret }}", "{% for k in history %}{% endfor %}"])(
        "a docstring that is a template: %s",
        (template) => {
          expect(compile(`flow bot goes on\n  """${template}"""\n  ...`).names).toEqual([]);
        },
      );
    });

    it("may run allowed actions and send allowed events", () => {
      const text = body("await LookUpAction(id=1)", "send OrderSeen()");
      expect(compile(text).names).toEqual([]);
      expect(compile(text, ["LookUpAction", "OrderSeen"]).names).toEqual(["bot goes on"]);
      expect(
        compile(body("send FinishFlow()", "send StartPayAction()"), ["FinishFlow", "StartPayAction"]).names,
      ).toEqual([]);
    });

    it("may be tagged", () => {
      expect(compile('@meta(bot_intent=True, user_action="x")\nflow bot goes on\n  bot say "x"').names).toEqual([
        "bot goes on",
      ]);
      expect(compile('@meta(bot_intent="{$system.config}")\nflow bot goes on\n  bot say "x"').names).toEqual([]);
    });

    it("omits flows whose names are already defined", () => {
      expect(compile('flow main\n  PayAction()\n\nflow bot say\n  pass\n\nflow bot dance\n  bot say "x"')).toEqual({
        names: ["bot dance"],
        problems: [],
      });
    });

    it("is refused without quoting its text", () => {
      const { problems } = compile(body("PayAction(secret=SECRET)", "send SECRET()", "bot say ((SECRET"));
      expect(problems.join(" ")).not.toContain("SECRET");
      expect(compile("flow SECRET\n  PayAction(a=((").problems.join(" ")).toMatch(/^C2-\d+ in line 2/);
    });
  });
});
