import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { loadConfigFromPath } from "../../../src/config/load/load.js";
import { DiagnosticError } from "../../../src/diagnostics/errors.js";
import { Guardrails } from "../../../src/index.js";
import { engineLoadOptions } from "../../../src/runtime/create/load-options.js";

const YAML = 'colang_version: "2.x"\n';

async function failureOf(yaml: string, files: Readonly<Record<string, string>> = {}): Promise<DiagnosticError> {
  const error: unknown = await Guardrails.fromConfig({ yaml: YAML + yaml, files }).catch((cause: unknown) => cause);
  if (DiagnosticError.isInstance(error)) return error;
  throw error;
}

const SPEAKING = 'import core\n\nflow main\n  user said "hi"\n  bot say "from main"\n';

describe("what a Colang 2.x configuration says", () => {
  it.each([
    ["self chekc input", "the rail `self chekc input` is not defined", "did you mean `self check input`?"],
    ["hide nothing", "the rail `hide nothing` is not defined", "define it as a flow"],
    ["mine $level=3", "the rail `mine` has no parameter `$level`", undefined],
  ])("names the place of the listed rail %s", async (rail, message, hint) => {
    const yaml = `rails:\n  input:\n    flows:\n      - self check output\n      - ${rail}\n`;
    const error = await failureOf(yaml.replace("self check output", "mine"), { "a.co": "flow mine\n  pass\n" });
    expect(error.diagnostics.map((one) => [one.code, one.message])).toEqual([["CF-110", message]]);
    expect(error.diagnostics[0]?.path).toBe("rails.input.flows[1]");
    expect(error.diagnostics[0]?.span?.source.name).toBe("config.yml");
    if (hint !== undefined) expect(error.diagnostics[0]?.hint).toContain(hint);
  });

  it("suggests rails of the library that it lists beside", async () => {
    const error = await failureOf("rails:\n  input:\n    flows: [self check inpt, self check input]\n");
    expect(error.diagnostics[0]?.hint).toContain("`self check input`");
  });

  it("takes modules from its own folder, the path of modules and the standard library, in this order", async () => {
    const files = {
      "main.co": 'import core\nimport shop.prices\n\nflow main\n  user said "hi"\n  give prices\n',
      "shop/prices.co": 'import core\n\nflow give prices\n  bot say "12"\n',
    };
    const guardrails = await Guardrails.fromConfig({ yaml: YAML, files });
    expect((await guardrails.generate("hi")).response).toBe("12");
  });

  it("complains about a module that is nowhere", async () => {
    const error = await failureOf("", { "main.co": "import nowhere.at.all\n\nflow main\n  pass\n" });
    expect(error.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["CO-102", "nothing to import at `nowhere/at/all`"],
    ]);
  });

  const OLD = { "old.co": 'define user greet\n  "hi"\ndefine subflow check old\n  stop\n' };

  it("skips files of the other version, and says so", async () => {
    const guardrails = await Guardrails.fromConfig({ yaml: YAML, files: { ...OLD, "main.co": SPEAKING } });
    expect(guardrails.warnings.map(({ code, span }) => [code, span?.source.name])).toEqual([["C2-311", "old.co"]]);
    expect((await guardrails.generate("hi")).response).toBe("from main");
  });

  it.each([
    ["nothing but flows of the other version", YAML, OLD, "C2-101"],
    ["one beside a file without flows", YAML, { ...OLD, "empty.co": "# nothing yet\n" }, "C2-101"],
    [
      "a listed rail that was in such a file",
      `${YAML}rails: {input: {flows: [check old]}}\n`,
      { ...OLD, "main.co": SPEAKING },
      "CF-110",
    ],
  ])("refuses %s", async (_title, yaml, files, code) => {
    const error = await Guardrails.fromConfig({ yaml, files }).catch((cause: unknown) => cause);
    expect((error as DiagnosticError).diagnostics.map((one) => one.code)).toEqual([code]);
  });

  it("says when nothing is guarded", async () => {
    const guardrails = await Guardrails.fromConfig({ yaml: YAML });
    expect(guardrails.warnings.map(({ code }) => code)).toEqual(["CF-201"]);
    expect((await Guardrails.fromConfig({ yaml: YAML, colang: SPEAKING })).warnings).toEqual([]);
  });

  it("delegates actions that are not instant", async () => {
    const yaml = `${YAML}rails:\n  actions:\n    instant_actions: [UtteranceBotAction, GestureBotAction]\n`;
    const colang =
      'import core\n\nflow main\n  user said "hi"\n  await GestureBotAction(gesture="bow")\n  bot say "hello"\n';
    expect((await (await Guardrails.fromConfig({ yaml, colang })).generate("hi")).response).toBe("hello");
    expect((await (await Guardrails.fromConfig({ yaml: YAML, colang })).generate("hi")).response).toBe("");
  });
});

describe("modules on disk", () => {
  let root = "";
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "colang2-"));
    const files: Readonly<Record<string, string>> = {
      "app/config.yml": YAML,
      "app/main.co": "import core\nimport greetings\nimport timing\n\nflow main\n  greet\n",
      "modules/greetings/hello.co": 'import core\n\nflow greet\n  bot say "hello"\n',
      "timing.co": "flow hijacked\n  pass\n",
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    }
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it("are found on `COLANGPATH`, and never beside the program", async () => {
    const env = { COLANGPATH: join(root, "modules") };
    const config = await loadConfigFromPath(join(root, "app"), { ...engineLoadOptions(), env });
    expect(config.colang.map(({ source, origin }) => [source.name, origin])).toEqual([
      ["main.co", "root"],
      ["greetings/hello.co", "import"],
    ]);
    const { response } = await (
      await Guardrails.fromConfig(config)
    ).generate([{ role: "event", event: { type: "Go" } }]);
    expect(response).toEqual([{ role: "assistant", content: "hello" }]);
  });
});
