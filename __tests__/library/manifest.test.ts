import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { compileColang1 } from "../../src/colang1/compile.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import type { ConfigError } from "../../src/diagnostics/errors.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { openPackedFile } from "../../src/colang1/packed-file.js";
import { PIPELINE_SOURCES } from "../../src/runtime/colang1/assets.js";
import { LIBRARY_PACKED, PIPELINE_PACKED } from "../../src/runtime/colang1/packed.js";
import { LIBRARY_SOURCES } from "../../src/library/assets.js";
import { findLibraryFlow, LIBRARY_RAILS } from "../../src/library/manifest.js";
import { isWrittenLate, writtenFile1 } from "../../src/library/written-flows.js";
import { PROMPT_CATALOG } from "../../src/llm/catalog/catalog.js";
import type { ModelSet } from "../../src/llm/model.js";
import { checkNeeds } from "../../src/runtime/create/check-guard.js";
import { engineLoadOptions } from "../../src/runtime/create/runtime-input.js";
import { ScriptedLanguageModel } from "../support/language-models/scripted-language-model.js";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "../../src/library");

function compileLibrary() {
  const packed = LIBRARY_SOURCES.map(({ name, text }) => createSourceFile(name, text));
  const files = [...packed, ...LIBRARY_RAILS.filter(isWrittenLate).map(writtenFile1)].map((source) => {
    const parsed = parseColang1(source);
    expect(parsed.diagnostics).toEqual([]);
    return { file: parsed.file, origin: "library" as const };
  });
  const rails = { input: [{ text: "self check input" }], output: [{ text: "self check facts" }] };
  const constants = { config: { enable_rails_exceptions: false } };
  return compileColang1({ files, rails, constants });
}

describe("packed files of the package", () => {
  it.each([
    ["the pipeline", PIPELINE_SOURCES, PIPELINE_PACKED],
    ["the library", LIBRARY_SOURCES, LIBRARY_PACKED],
  ])("are %s as parsed", (_, sources, packed) => {
    expect(packed).toHaveLength(sources.length);
    for (const [at, { name, text }] of sources.entries()) {
      const source = createSourceFile(name, text);
      expect(openPackedFile(source, packed[at] ?? "")).toEqual(parseColang1(source).file);
    }
  });
});

describe("the library", () => {
  it("compiles without diagnostics", () => {
    const { program, diagnostics } = compileLibrary();
    expect(diagnostics).toEqual([]);
    expect(program).toBeDefined();
  });

  it.each(LIBRARY_RAILS.map((rail) => [rail.name, rail] as const))(
    "%s provides what its manifest states",
    (folder, rail) => {
      const { program } = compileLibrary();
      const flows = new Map(program?.flows.map((flow) => [flow.id, flow]));
      for (const { name, stage } of rail.flows)
        expect([name, flows.get(name)?.isSubflow]).toEqual([name, stage !== "dialog"]);
      const run = [...flows.values()]
        .filter(({ location }) => location.file.startsWith(`library/${folder}/`))
        .flatMap(({ elements }) => elements.flatMap((element) => (element.kind === "Run" ? [element.action] : [])));
      const ofThePipeline = "render_bot_message";
      const changed = ["mask", "truncate", "omit", "drop"].flatMap((action) => rail.flowsFor?.({ action }) ?? []);
      const runInstead = changed.flatMap(({ runs }) => runs?.action ?? []);
      expect(new Set([...run, ...runInstead].filter((name) => name !== ofThePipeline))).toEqual(
        new Set(rail.actions.map(({ name }) => name)),
      );
      const prompts = new Set(PROMPT_CATALOG.map(({ task }) => task));
      expect((rail.needs?.tasks ?? []).filter((task) => !prompts.has(task))).toEqual([]);
      expect(readFileSync(join(FOLDER, folder, "README.md"), "utf8")).toContain(`# ${rail.flows[0]?.name}`);
    },
  );

  it("defines every message that its flows utter", () => {
    const { program } = compileLibrary();
    const said = program?.flows.flatMap(({ elements }) =>
      elements.flatMap((element) =>
        element.kind === "Say" && element.content.type === "intent" ? [element.content.intent] : [],
      ),
    );
    for (const intent of said ?? []) expect([intent, program?.botMessages[intent]?.length]).toEqual([intent, 1]);
  });

  /** Diagnostics of loading without a model: an error for the model itself, a warning for a judge, or none. */
  it.each<[string, string, "CF-119" | "CF-204" | undefined]>([
    ["self check input", "input", "CF-204"],
    ["self check output", "output", "CF-204"],
    ["self check facts", "output", "CF-204"],
    ["self check hallucination", "output", "CF-119"],
    ["tool safety check tool output", "tool_output", "CF-204"],
    ["tool safety check tool input", "tool_input", "CF-204"],
    ["tool call validation", "tool_output", undefined],
    ["tool result validation", "tool_input", undefined],
    ["regex check tool output", "tool_output", undefined],
    ["regex check tool input", "tool_input", undefined],
  ])("checks at load time that `%s` is listed under %s, and its requirements", async (name, stage, missed) => {
    const problemsOf = async (listed: string, models: ModelSet): Promise<readonly string[]> => {
      const config = await loadConfigFromContent(
        { config: { rails: { [listed]: { flows: [name] } } } },
        engineLoadOptions(),
      );
      try {
        return checkNeeds(config, models).map(({ code }) => code);
      } catch (error) {
        return (error as ConfigError).diagnostics.map(({ code }) => code);
      }
    };
    const main = new ScriptedLanguageModel([]);
    expect(await problemsOf(stage, { main, byType: {} })).toEqual([]);
    expect(await problemsOf(stage, { byType: {} })).toEqual(missed === undefined ? [] : [missed]);
    for (const other of ["input", "output", "retrieval", "tool_output", "tool_input"]) {
      if (other !== stage) expect([other, await problemsOf(other, { main, byType: {} })]).toEqual([other, ["CF-110"]]);
    }
    // A model for its own task is enough for a judge.
    const tasks = findLibraryFlow(name)?.rail.needs?.tasks ?? [];
    for (const task of missed === "CF-204" ? tasks : []) {
      expect(await problemsOf(stage, { byType: { [task]: main } })).toEqual([]);
    }
  });

  /** Folders with code that rails share. */
  const SHARED = new Set(["http", "judges"]);

  it("lists every folder that has a rail", () => {
    const folders = readdirSync(FOLDER, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !SHARED.has(entry.name),
    );
    expect(folders.map(({ name }) => name).sort()).toEqual(LIBRARY_RAILS.map(({ name }) => name).sort());
  });

  it.each<[string, string | undefined]>([
    ["self check input", "self-check-input"],
    ["hallucination warning", "self-check-hallucination"],
    ["self check inptu", undefined],
    ["constructor", undefined],
  ])("finds the rail of %s", (name, folder) => {
    expect(findLibraryFlow(name)?.rail.name).toBe(folder);
  });
});
