import { describe, expect, it } from "@jest/globals";
import { packModules } from "../../scripts/assets/pack-colang2.js";
import { compileColang2 } from "../../src/colang2/compile.js";
import { resolveImports, standardModuleNames } from "../../src/colang2/imports/imports.js";
import type { ModuleInput } from "../../src/colang2/merge-flows.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import type { Colang2Program } from "../../src/colang2/program.js";
import { openModule } from "../../src/colang2/imports/packed-module.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { LIBRARY_PLACE, libraryFlows } from "../../src/runtime/colang2/compile/library-place.js";

const MAIN = "flow main\n  pass\n";

/** Every module that comes with the package, in the order of imports, as it is opened. */
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
  it("are all opened without parsing", () => {
    expect(shipped.length).toBe(modules.length - 1);
    expect(shipped.length).toBeGreaterThan(12);
  });

  it.each(shipped.map((module) => [module.name, module] as const))("%s is what its source says", (_, module) => {
    expect(plain(module.ast)).toEqual(plain(parseAgain(module).ast));
    expect(module.ast.flows.every(({ span }) => span.source === module.ast.span.source)).toBe(true);
  });

  it("are compiled to what their sources are compiled to", () => {
    expect(compile(modules)).toEqual(compile(modules.map(parseAgain)));
  });

  it.each([
    ["an action", "flow TimerBotAction $timer_name $duration\n  match Ring()\n"],
    ["an event", "flow FlowFinished\n  match Ring()\n"],
  ])("are compiled anew where a flow has the name of %s", (_, flow) => {
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

  it("keeps places, docstrings and defaults", () => {
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
