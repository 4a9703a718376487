import { describe, expect, it } from "@jest/globals";

import { compileAddedFlows, compileColang2 } from "../../src/colang2/compile.js";
import { resolveImports } from "../../src/colang2/imports/imports.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { type Diagnostic, isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { spanText } from "../../src/diagnostics/span.js";
import { mark, type GoldenOutcome, runGoldens, unmark } from "../support/golden-runner.js";

/**
 * Modules are separated by lines `## name`; the last one is the program. Flows called `rail …` are rails, `tenant` is a
 * declared variable, and `CheckAction` takes `text`.
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
    parametersOf: (action) => (action === "CheckAction" ? ["text"] : undefined),
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

function printDiagnostic({ code, severity, message, hint, labels, span }: Diagnostic): string {
  return [
    `${severity} ${code}: ${message}`,
    ...(span ? [] : ["  (no place)"]),
    ...(labels ?? []).map((label) => `  ${label.text}: ${label.span.source.name}: ${spanText(label.span)}`),
    ...(hint ? [`  hint: ${hint}`] : []),
  ].join("\n");
}

runGoldens("colang2/semantic", checkCase);

describe("flows that are added", () => {
  const known = new Map([["greet", { parameters: [{ name: "who" }] }]]);

  it("are compiled against the flows there are", () => {
    const source = createSourceFile("added.co", "flow new\n  greet 1\nflow greet\n  pass\n");
    const { flows, diagnostics } = compileAddedFlows(source, known);
    expect(diagnostics).toEqual([]);
    expect(flows.map(({ id }) => id)).toEqual(["new"]);
  });

  it("are none when there is an error", () => {
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
