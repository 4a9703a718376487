import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { compileColang2 } from "../../src/colang2/compile.js";
import { placeOfFiles, openModule } from "../../src/colang2/imports/import-place.js";
import { resolveImports, standardModuleNames } from "../../src/colang2/imports/imports.js";
import { createSourceFile, spanText } from "../../src/diagnostics/source-file.js";
import { packModules } from "../../scripts/assets/pack-colang2.js";
import type { ModuleInput } from "../../src/colang2/merge-flows.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import type { Colang2Program } from "../../src/colang2/program.js";
import { LIBRARY_RAILS } from "../../src/library/manifest.js";
import { isWrittenLate, moduleName2 } from "../../src/library/written-flows.js";
import { LIBRARY_PLACE, libraryFlows } from "../../src/runtime/colang2/compile/library-place.js";
import { printColang2 } from "../../scripts/print/print-colang2.js";
import { Driver } from "./engine-driver.js";

const file = createSourceFile;
const flow = (name: string, imports = ""): string => `${imports}flow ${name}\n  pass\n`;

describe("imports", () => {
  it("are found in the configuration first, then in each place, last in the standard library", () => {
    const places = [
      placeOfFiles("the configuration", [file("shop/checkout.co", flow("a")), file("shop/cart.co", flow("b"))]),
      placeOfFiles("/opt/colang", [file("shop.co", flow("never")), file("core.co", flow("own core"))]),
    ];
    const source = file("main.co", 'import shop\nimport core\nimport "timing"\nflow main\n  pass\n');
    const { modules, diagnostics } = resolveImports({ sources: [source], places });
    expect(diagnostics).toEqual([]);
    expect(modules.map(({ name }) => name)).toEqual([
      "shop/checkout.co",
      "shop/cart.co",
      "core.co",
      "timing",
      "main.co",
    ]);
  });

  it("are transitive, loaded once, and may be circular", () => {
    const places = [
      placeOfFiles("the configuration", [
        file("a.co", flow("a", "import b\n")),
        file("b.co", flow("b", "import a\nimport c\n")),
        file("c.co", flow("c")),
      ]),
    ];
    const { modules } = resolveImports({ sources: [file("main.co", "import a\n")], places });
    expect(modules.map(({ name }) => name)).toEqual(["c.co", "b.co", "a.co", "main.co"]);
  });

  it("that are not found list the searched places or similar names (C2-102)", () => {
    const source = file("main.co", 'import shop.cart\nimport tming\nimport "../secret"\nflow main\n  pass\n');
    const { diagnostics } = resolveImports({ sources: [source], places: [placeOfFiles("/opt/colang", [])] });
    expect(diagnostics.map(({ code, span, hint }) => [code, span && spanText(span), hint])).toEqual([
      [
        "C2-102",
        "shop.cart",
        "searched in /opt/colang, the standard library for a directory of that name and for `shop/cart.co`",
      ],
      ["C2-102", "tming", "did you mean `timing`?"],
      ["C2-102", '"../secret"', expect.any(String)],
    ]);
  });

  it("of a configuration are followed like those of a file", () => {
    const { modules } = resolveImports({ sources: [file("main.co", flow("main"))], imports: ["guardrails"] });
    expect(modules.map(({ name }) => name)).toEqual(["core", "guardrails", "main.co"]);
  });

  it("definitions of an importing file override those of imported files", () => {
    const text = "import guardrails\n@override\nflow run input rails $input_text\n  abort\nflow main\n  pass\n";
    const { modules } = resolveImports({ sources: [file("main.co", text)] });
    const { program, diagnostics } = compileColang2({ modules });
    expect(diagnostics).toEqual([]);
    expect(program?.flows.find(({ id }) => id === "run input rails")?.module).toBe("main.co");
    expect(program?.flows.find(({ id }) => id === "_bot_say")?.module).toBe("guardrails");
  });
});

describe("the standard library", () => {
  it.each([...standardModuleNames()])("%s compiles without diagnostics", (name) => {
    const source = file("main.co", `import ${name}\nflow main\n  pass\n`);
    const { modules, diagnostics } = resolveImports({ sources: [source] });
    expect(diagnostics).toEqual([]);
    const { program, diagnostics: problems } = compileColang2({ modules });
    expect(problems.map(({ message, span }) => `${message}: ${span && spanText(span)}`)).toEqual([]);
    expect(program?.flows.length).toBeGreaterThan(3);
  });

  it("can be imported whole", () => {
    const text = `${standardModuleNames()
      .map((name) => `import ${name}\n`)
      .join("")}flow main\n  pass\n`;
    const { modules } = resolveImports({ sources: [file("main.co", text)] });
    const { diagnostics } = compileColang2({ modules });
    expect(diagnostics.filter(({ code }) => code !== "C2-304")).toEqual([]);
  });
});

const MAIN = "flow main\n  pass\n";

/** Every module of the package as it is opened, in the order of imports. */
function shippedModules(): readonly ModuleInput[] {
  const library = [...new Set(libraryFlows().values())];
  const imports = [...standardModuleNames(), ...library];
  const sources = [createSourceFile("main.co", MAIN)];
  return resolveImports({ sources, imports, places: [LIBRARY_PLACE] }).modules;
}

/** The same module from its text alone. */
function parseAgain({ name, ast }: ModuleInput): ModuleInput {
  return { name, ast: parseColang2(ast.span.source).ast };
}

function compile(modules: readonly ModuleInput[]): Colang2Program {
  const { program, diagnostics } = compileColang2({ modules });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return program;
}

/** Without the sources that every span holds: comparing them takes seconds. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, part: unknown) => (key === "source" ? undefined : part)));
}

const modules = shippedModules();
const shipped = modules.filter((module) => module.shipped !== undefined);

describe("modules that come with the package", () => {
  it("are all opened without parsing, except for rails that ask a service", () => {
    const late = LIBRARY_RAILS.filter(isWrittenLate).map(moduleName2);
    const others = modules.filter((module) => !shipped.includes(module)).map(({ name }) => name);
    expect(others.sort()).toEqual([...late, "main.co"].sort());
    expect(shipped.length).toBeGreaterThan(12);
  });

  it("are compiled without a diagnostic", () => {
    const { diagnostics } = compileColang2({ modules });
    expect(diagnostics.filter(({ span }) => span?.source.name.startsWith("library/"))).toEqual([]);
  });

  it.each(shipped.map((module) => [module.name, module] as const))(
    "%s is compiled as its source defines it",
    (_, module) => {
      expect(plain(module.ast)).toEqual(plain(parseAgain(module).ast));
      expect(module.ast.flows.every(({ span }) => span.source === module.ast.span.source)).toBe(true);
    },
  );

  it("equal their compiled sources", () => {
    expect(compile(modules)).toEqual(compile(modules.map(parseAgain)));
  });

  it.each([
    ["an action", "flow TimerBotAction $timer_name $duration\n  match Ring()\n"],
    ["an event", "flow FlowFinished\n  match Ring()\n"],
  ])("are compiled again if a flow has the name of %s", (_, flow) => {
    const { ast } = parseColang2(createSourceFile("own.co", `${flow}\n${MAIN}`));
    const own: ModuleInput = { name: "own.co", ast };
    const outcome = compileColang2({ modules: [...shipped, own] });
    expect(plain(outcome)).toEqual(plain(compileColang2({ modules: [...shipped.map(parseAgain), own] })));
    const timing = outcome.program?.flows.filter(({ module }) => module === "timing");
    expect(timing).not.toEqual(compile(modules).flows.filter(({ module }) => module === "timing"));
  });
});

describe("packing", () => {
  const pack = (text: string): readonly string[] => packModules([{ name: "own", text }]);

  it.each([
    ["an error", "flow a\n  match\n", /own:2 C2-/],
    ["a remark", "flow a\n  b\n", /own:2 C2-306/],
    ["what depends on the parameters of another flow", 'flow a $x\n  pass\n\nflow b\n  a ..."a number"\n', /flow `b`/],
  ])("refuses a module with %s", (_, text, message) => {
    expect(() => pack(text)).toThrow(message);
  });

  it("keeps positions, docstrings and defaults", () => {
    const text = 'import core\n\n@meta(user_intent=True)\nflow a $x=[1] -> $y\n  """Says {$x}."""\n  match E(x=$x)\n';
    const source = createSourceFile("own", text);
    const [packed = ""] = packModules([{ name: "own", text }]);
    const { ast } = parseColang2(source);
    const opened = openModule(source, packed);
    const [flow] = compileColang2({ modules: [{ name: "own", ast }], needsMain: false }).program?.flows ?? [];
    expect(opened.shipped?.flows.get("a")).toEqual(flow);
    expect(plain(opened.ast)).toEqual(plain(ast));
  });
});

const CASES: readonly (readonly [title: string, expression: string, value: unknown])[] = [
  ["a dictionary in a dictionary", '{**$d, "b": 2}', { a: 1, b: 2 }],
  ["the later definition wins", '{"a": 0, **$d, "b": 3, **{"b": 4}}', { a: 1, b: 4 }],
  ["an empty one", "{**{}}", {}],
  ["a list among arguments", "max(*$l)", 3],
  ["a list between arguments", "max(0, *$l, 9)", 9],
  ["a set among arguments", "max(*{4, 2})", 4],
  ["a dictionary as named arguments", 'flow("f", **$d).arguments', { a: 1 }],
  ["among arguments of methods", '"a,b,c".split(*[","])', ["a", "b", "c"]],
];

const START = 'flow main\n  $d = {"a": 1}\n  $l = [1, 3]\n';

describe("unpacking", () => {
  it.each(CASES)("%s", (_title, expression, value) => {
    const driver = new Driver(`${START}  send X(v=${expression})\n  match Never()\n`);
    expect(driver.batch()).toMatchObject([{ type: "X", v: value }]);
  });

  it.each([
    ["a number with one star", "max(*5)"],
    ["a list with two stars", "{**$l}"],
    ["an argument given twice", 'flow("f", **$d, a=2).arguments'],
    ["too many arguments", "len(*[1, 2])"],
  ])("fails the flow for %s", (_title, expression) => {
    const driver = new Driver(
      `@active\n@loop("w")\nflow watch\n  match ColangError() as $e\n  send Wrong(what=$e.type)\n\n${START}  send X(v=${expression})\n  match Never()\n`,
    );
    expect(driver.batch()).toMatchObject([{ type: "Wrong" }]);
  });

  it("restores the source as it was written", () => {
    const text = `${START}  $x = {**$d, "b": max(*$l, 4)}\n`;
    const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
    expect(diagnostics).toEqual([]);
    expect(printColang2(ast)).toContain('{**$d, "b": max(*$l, 4)}');
  });
});

type Place = readonly [file: string, title: string];

const flows = (title: string): Place => ["colang2/library/flows", title];
const avatars = (title: string): Place => ["colang2/library/modules", title];
const llm = (title: string): Place => ["colang2/library/modules", title];
const speech = (title: string): Place => ["colang2/library/guarded-speech", title];
const dialog = (title: string): Place => ["runtime/colang2/generation/dialog", title];

/** The test of each flow of the standard library: the beginning of its title. */
const TESTED: Readonly<Record<string, Readonly<Record<string, Place>>>> = {
  core: {
    _user_said: flows("user said with a pattern"),
    _user_saying: flows("user saying: at most two more words, in any case"),
    _user_said_something_unexpected: flows("user said something unexpected"),
    "_attention gate": flows("counts every utterance until attention is tracked"),
    "_input rails gate": flows("user said"),
    "user said": flows("user said"),
    "user said something": flows("user said something"),
    "user said something unexpected": flows("user said something unexpected"),
    "user saying": flows("user saying: at most two more words, in any case"),
    "user saying something": flows("user saying something"),
    "user started saying something": flows("user started saying something"),
    _bot_say: flows("emits a value that is not a text as one, and logs that"),
    "bot say": flows("bot %s"),
    "bot inform": flows("bot %s"),
    "bot ask": flows("bot %s"),
    "bot express": flows("bot %s"),
    "bot respond": flows("bot %s"),
    "bot clarify": flows("bot %s"),
    "bot suggest": flows("bot %s"),
    "bot started saying": flows('bot started saying "a"'),
    "bot started saying something": flows("bot started saying something"),
    "bot said": flows('bot said "a"'),
    "bot said something": flows("bot said something"),
    "bot informed something": flows("bot informed something"),
    "bot asked something": flows("bot asked something"),
    "bot expressed something": flows("bot expressed something"),
    "bot responded something": flows("bot responded something"),
    "bot clarified something": flows("bot clarified something"),
    "bot suggested something": flows("bot suggested something"),
    "bot refuse to respond": flows("bot refuse to respond"),
    "tracking bot talking state": flows("tracks who is talking"),
    "tracking user talking state": flows("tracks who is talking"),
    "debugging helpers": flows("debugging helpers: warning of colang errors and warning of undefined flow start"),
    "warning of colang errors": flows("debugging helpers: warning of colang errors and"),
    "warning of undefined flow start": flows("debugging helpers: warning of colang errors and"),
    "warning of unexpected user utterance": flows("warning of unexpected user utterance"),
    "notification of colang errors": flows("notification of colang errors"),
    "notification of undefined flow start": flows("notification of undefined flow start"),
    "notification of unexpected user utterance": flows("notification of unexpected user utterance"),
    "observation of flow": flows("observation of flow: its start and its end"),
    "observation of flow start": flows("observation of flow: its start and its end"),
    "observation of flow finished": flows("observation of flow: its start and its end"),
    "observation of flow failed": flows("observation of flow: its failure"),
    "wait indefinitely": flows("wait indefinitely"),
    await_flow_by_name: flows("await_flow_by_name: an end"),
    "it finished": flows("it finished: later"),
    flow_failed: flows("flow_failed: later"),
  },
  timing: {
    wait: flows("wait"),
    "repeating timer": flows("repeating timer"),
    "user was silent": flows("user was silent"),
    "user didnt respond": flows("user didnt respond"),
    "bot was silent": flows("bot was silent"),
  },
  guardrails: {
    "_input rails gate": flows("runs the input rails once for each utterance, however many flows wait for it"),
    "_input rails verdict": flows("runs the input rails once for each utterance, however many flows wait for it"),
    _bot_say: flows("emits a text as the output rails rewrote it, and no text that they block"),
    "_output rails of others": speech("emits each text and what its flow does next"),
    "run input rails": flows("passes on an utterance as the input rails rewrote it, also a partial one"),
    "run output rails": flows("emits a text as the output rails rewrote it, and no text that they block"),
    "_become started": speech("the flow that started it continues: %s"),
  },
  llm: {
    "bot say something like": dialog("emits a rephrased message"),
    "wait user input": dialog("predicts the bot message from a merged completion"),
    "polling llm request response": llm("exists, waits and calls no model"),
    "llm continuation": dialog("finishes the awaited intent, which the model sees with its examples"),
    "generating user intent for unhandled user utterance": dialog("finishes the awaited intent"),
    "continuation on unhandled user utterance": dialog("a flow of the program, which utters its own text and stays"),
    "unhandled user intent": llm("unhandled user intent: returns it"),
    "continuation on unhandled user intent": llm("continuation on unhandled user intent: asks the model"),
    "continuation on undefined flow": dialog("is generated from its name and removed at its end"),
    "llm generate interaction continuation flow": llm("llm generate interaction continuation flow: adds it"),
    "llm continue interaction": llm("llm continue interaction: %s"),
    _run_once: llm("llm continue interaction: %s"),
    "execute llm instruction": dialog("runs instructions"),
    "automating intent detection": llm("marking and logging marked user intent flows, and those of the bot"),
    "marking user intent flows": llm("marking and logging marked user intent flows, and those of the bot"),
    "marking bot intent flows": llm("marking and logging marked user intent flows, and those of the bot"),
    "logging marked user intent flows": llm("marking and logging marked user intent flows, and those of the bot"),
    "logging marked bot intent flows": llm("marking and logging marked user intent flows, and those of the bot"),
    "_is flow running": speech("an unexpected utterance of the user"),
    "_forgetting cancelled intents": llm("does not log, and forgets, a cancelled one"),
    "tracking unhandled user intent state": llm("tracking unhandled user intent state: keeps the last one"),
  },
  avatars: {
    "user selected choice": flows("user selected choice"),
    "user has selected choice": flows("user has selected choice"),
    "user typing": flows("user typing"),
    "user gestured": flows("user gestured"),
    "user became present": flows("user became present"),
    "user became absent": flows("user became absent"),
    "user interrupted bot talking": avatars("treats %s as an interruption"),
    "bot gesture": flows("bot gesture"),
    "bot gesture with delay": flows("bot gesture with delay"),
    "bot posture": flows("bot posture"),
    "scene show choice": flows("scene show choice"),
    "scene show textual information": flows("scene show textual information"),
    "scene show short information": flows("scene show short information"),
    "scene show form": flows("scene show form"),
    "bot started gesture": flows('bot started gesture "wave"'),
    "bot started a gesture": flows("bot started a gesture"),
    "bot started posture": flows('bot started posture "calm"'),
    "bot started a posture": flows("bot started a posture"),
    "bot started an action": flows("bot started an action"),
    "tracking visual choice selection state": flows("user has selected choice"),
    "finish all bot actions": flows("finish all bot actions"),
    "fail all bot actions": flows("fail all bot actions"),
    "finish all scene actions": flows("finish all scene actions"),
    "handling bot talking interruption": avatars("inform shows a notice for three seconds"),
    "managing bot postures": avatars("managing bot postures: all of them"),
    "managing listening posture": avatars("managing listening posture: while the user speaks"),
    "managing talking posture": avatars("managing talking posture: while the bot speaks"),
    "managing thinking posture": avatars("managing thinking posture: from the end of an utterance"),
    "managing attentive posture": avatars("managing attentive posture with idling"),
  },
  passthrough: {
    "llm continuation": dialog("passes an utterance that no flow expects to the model unchanged"),
    "context free bot response generation on unhandled user intent": dialog(
      "passes an utterance that no flow expects to the model unchanged",
    ),
  },
  attention: {
    "_attention gate": flows("counts an utterance by the share of engaged time"),
    "attention checks": flows("counts an utterance by the share of engaged time"),
    "tracking user attention": flows("counts an utterance by the share of engaged time"),
    "user changed attention": flows('user changed attention "low"'),
    "user lost attention": flows("user lost attention"),
    "user changed attention somehow": flows("user changed attention somehow"),
    "user said something inattentively": flows("user said something inattentively"),
  },
};

/** The flows of a module of the library. */
function flowsOf(module: string): readonly string[] {
  const { modules } = resolveImports({ sources: [createSourceFile("main.co", `import ${module}\n`)] });
  return modules.find(({ name }) => name === module)?.ast.flows.map(({ id }) => id) ?? [];
}

const titles = new Map<string, readonly string[]>();

/** The texts of a test file that could be titles. */
function textsIn(file: string): readonly string[] {
  const known = titles.get(file);
  if (known !== undefined) return known;
  const source = readFileSync(new URL(`../${file}.test.ts`, import.meta.url), "utf8");
  const found = [...source.matchAll(/"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'/g)].map(([, a, b]) => a ?? b ?? "");
  titles.set(file, found);
  return found;
}

describe("every flow of the standard library has a test", () => {
  it("every module is listed", () => {
    expect(Object.keys(TESTED).toSorted()).toEqual([...standardModuleNames()].toSorted());
  });

  it.each(Object.keys(TESTED))("%s", (module) => {
    expect(flowsOf(module).toSorted()).toEqual(Object.keys(TESTED[module] ?? {}).toSorted());
  });

  it.each(Object.values(TESTED).flatMap((module) => Object.entries(module).map(([flow, place]) => [flow, ...place])))(
    "%s: %s has `%s`",
    (_, file, title) => {
      expect(textsIn(file).some((text) => text.startsWith(title))).toBe(true);
    },
  );
});
