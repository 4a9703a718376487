import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { loadConfigFromContent, loadConfigFromPath } from "../../src/config/load/load.js";
import type { LoadOptions } from "../../src/config/load/load-options.js";
import type { RailsConfig } from "../../src/config/rails-config.js";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { readIgnoreFile } from "../../src/config/load/ignore-file.js";
import { propertyRuns } from "../support/property-runs.js";

describe("loading a path", () => {
  let base = "";

  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "config-")));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  function write(files: Record<string, string | Uint8Array>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(base, name)), { recursive: true });
      writeFileSync(join(base, name), content);
    }
  }

  const load = (path: string, options: LoadOptions = {}): Promise<RailsConfig> =>
    loadConfigFromPath(join(base, path), { env: {}, ...options });

  async function failure(path: string, options: LoadOptions = {}): Promise<ConfigError> {
    try {
      await load(path, options);
    } catch (error) {
      if (ConfigError.isInstance(error)) return error;
      throw error;
    }
    throw new Error("loaded without an error");
  }

  const codes = (error: ConfigError): string[] => error.diagnostics.map(({ code }) => code);
  const names = (config: RailsConfig): string[] => config.colang.map(({ source }) => source.name);
  const colangImports: LoadOptions["colangImports"] = (source) =>
    [...source.text.matchAll(/^import (\S+)/gm)].map((match) => {
      const start = match.index + "import ".length;
      return { path: match[1] ?? "", span: { source, start, end: start + (match[1] ?? "").length } };
    });

  describe("a folder", () => {
    it("is read whole, in the order of its paths", async () => {
      write({
        "app/config.yml": "models: [{ type: main, engine: openai, model: m }]",
        "app/prompts.yml": "prompts: [{ task: general, content: x }]",
        "app/rails/z.co": "",
        "app/rails/a.co": "",
        "app/b.co": "",
        "app/kb/a.md": "# A",
        "app/README.txt": "not read",
      });
      const config = await load("app");
      expect(names(config)).toEqual(["b.co", "rails/a.co", "rails/z.co"]);
      expect(config.documents).toEqual([{ path: "kb/a.md", format: "md", content: "# A" }]);
      expect(config.path).toBe(join(base, "app"));
      expect(config.settings.prompts).toHaveLength(1);
    });

    it("may be named by a file URL", async () => {
      write({ "app/config.yml": "models: []" });
      const config = await loadConfigFromPath(pathToFileURL(join(base, "app")), { env: {} });
      expect(config.settings.models).toEqual([]);
    });

    it.each<[string, Record<string, string>, string, RegExp]>([
      ["does not exist", {}, "app", /the configuration `.*app` does not exist/],
      ["is empty", { "app/notes.txt": "" }, "app", /the folder `.*app` holds no configuration/],
      ["is a file of another kind", { "app.json": "{}" }, "app.json", /`.*app.json` is not a configuration/],
    ])("that %s is an error", async (_, files, path, message) => {
      write(files);
      const error = await failure(path);
      expect(codes(error)).toEqual(["CF-101"]);
      expect(error.message).toMatch(message);
    });
  });

  describe("a single file", () => {
    it("with settings is read as settings alone", async () => {
      write({ "app/config.yml": "lowest_temperature: 0.5", "app/main.co": "", "app/kb/a.md": "x" });
      const config = await load("app/config.yml");
      expect(config.settings.lowest_temperature).toBe(0.5);
      expect([config.colang, config.documents]).toEqual([[], []]);
    });

    it("with flows is read as flows alone", async () => {
      write({ "app/config.yml": "lowest_temperature: 0.5", "app/main.co": "define bot hi\n" });
      const config = await load("app/main.co");
      expect(config.settings.lowest_temperature).toBe(0);
      expect(names(config)).toEqual(["main.co"]);
    });
  });

  describe(".railsignore", () => {
    it("is searched upwards, and the nearest one applies", async () => {
      write({
        ".railsignore": "*.co\n",
        "app/.railsignore": "b.co\nrails/**/d?.co\n",
        "app/a.co": "",
        "app/b.co": "",
        "app/rails/b.co": "",
        "app/rails/d1.co": "",
        "app/rails/x/y/d2.co": "",
        "app/rails/x/y/d10.co": "",
        "other/config.yml": "models: []",
        "other/a.co": "",
      });
      expect(names(await load("app"))).toEqual(["a.co", "rails/x/y/d10.co"]);
      expect(names(await load("other"))).toEqual([]);
    });
  });

  describe("links", () => {
    it("are followed, but never in a cycle", async () => {
      write({ "app/config.yml": "models: []", "shared/hello.co": "", "shared/deep/more.co": "" });
      symlinkSync(join(base, "shared"), join(base, "app/shared"));
      symlinkSync(join(base, "app"), join(base, "shared/deep/back"));
      symlinkSync(join(base, "shared/hello.co"), join(base, "app/again.co"));
      expect(names(await load("app"))).toEqual(["again.co", "shared/deep/more.co"]);
    });

    it("to missing files are reported, unless they are ignored", async () => {
      write({ "app/config.yml": "models: []" });
      symlinkSync(join(base, "gone"), join(base, "app/rails"));
      symlinkSync(join(base, "app/loop.co"), join(base, "app/loop.co"));
      const error = await failure("app");
      expect(error.message).toContain("`loop.co` cannot be read: the link leads nowhere");
      expect(error.message).toContain("`rails` cannot be read: the link leads nowhere");
      write({ "app/.railsignore": "rails\nloop.*\n" });
      await expect(load("app")).resolves.toBeDefined();
    });
  });

  /** The superuser reads every file, so the process runs as an unprivileged user for a while. */
  async function asOrdinaryUser<Result>(work: () => Promise<Result>): Promise<Result> {
    if (process.geteuid?.() !== 0) return work();
    chmodSync(base, 0o755);
    process.seteuid?.(65_534);
    try {
      return await work();
    } finally {
      process.seteuid?.(0);
    }
  }

  describe("files that are not text", () => {
    it("are reported by name", async () => {
      const noise = new Uint8Array(1_000_000).map((_, index) => (index * 31) % 256);
      write({ "app/config.yml": noise, "app/main.co": noise, "app/kb/a.md": noise });
      const error = await failure("app");
      expect(codes(error)).toEqual(["CF-101", "CF-101", "CF-101"]);
      expect(error.message).toContain("`config.yml` cannot be read: it is not UTF-8 text");
    });

    it("or that cannot be read are reported by name", async () => {
      write({ "app/config.yml": "models: []" });
      // Imports the modules that loading needs before the rights are dropped.
      await load("app");
      chmodSync(join(base, "app/config.yml"), 0);
      const error = await asOrdinaryUser(() => failure("app"));
      expect(error.message).toContain("`config.yml` cannot be read: EACCES");
    });

    it("or that are too large are reported by name", async () => {
      write({ "app/config.yml": "models: []", "app/main.co": " ".repeat(4 * 1024 * 1024 + 1) });
      expect((await failure("app")).message).toContain("`main.co` is larger than 4 MiB");
    });
  });

  describe("imports", () => {
    it("are searched next to the file, below the root, and on the search path", async () => {
      write({
        "app/config.yml": "import_paths: [../beside, below, found, alone]\nlowest_temperature: 0.1",
        "app/below/flows.co": "",
        "beside/config.yml": "lowest_temperature: 0.9\nprompting_mode: compact\nimport_paths: [deeper]",
        "beside/flows.co": "",
        "beside/kb/a.md": "A",
        "beside/deeper/flows.co": "",
        "path/found/flows.co": "",
        "path/alone.co": "",
      });
      const config = await load("app", { env: { COLANGPATH: join(base, "path") } });
      expect(config.colang.map(({ source, origin }) => `${origin} ${source.name}`)).toEqual([
        "root below/flows.co",
        "import ../beside/deeper/flows.co",
        "import ../beside/flows.co",
        "import found/flows.co",
        "import alone.co",
      ]);
      expect(config.settings).toMatchObject({ lowest_temperature: 0.1, prompting_mode: "compact" });
      expect(config.documents.map(({ path }) => path)).toEqual(["../beside/kb/a.md"]);
      expect(config.settings.import_paths).toEqual(["../beside", "below", "found", "alone", "deeper"]);
    });

    it("put the rails of the configuration before those it imports, and its prompts after theirs", async () => {
      write({
        "app/config.yml":
          "import_paths: [../base]\nrails: { input: { flows: [mine] } }\nprompts: [{ task: general, content: mine }]",
        "base/config.yml": "rails: { input: { flows: [theirs] } }\nprompts: [{ task: general, content: theirs }]",
      });
      const { settings } = await load("app");
      expect(settings.rails.input.flows).toEqual(["mine", "theirs"]);
      expect(settings.prompts.map(({ content }) => content)).toEqual(["theirs", "mine"]);
    });

    it("of Colang files are followed too, and never in a cycle", async () => {
      write({
        "app/main.co": "import ../shared/greetings\nimport ../shared\n",
        "shared/greetings.co": "import ../app\n",
        "shared/other.co": "",
      });
      const config = await load("app", { colangImports });
      expect(names(config)).toEqual(["main.co", "../shared/greetings.co", "../shared/other.co"]);
    });

    it("that are missing list the searched places", async () => {
      write({ "app/config.yml": "import_paths: [nowhere]\n", "app/rails/main.co": "import lost\n" });
      const error = await failure("app", {
        colangImports,
        env: { LANGCHAIN_GUARDRAILS_COLANGPATH: join(base, "path") },
      });
      expect(codes(error)).toEqual(["CF-120", "CO-102"]);
      expect(error.diagnostics[0]?.hint).toContain(join(base, "path", "nowhere"));
      expect(error.diagnostics[1]?.hint).toContain(join(base, "app", "rails", "lost"));
    });
  });

  describe("prompts of the environment", () => {
    it("come before those of the configuration", async () => {
      write({
        "app/config.yml": "prompts: [{ task: general, content: mine }]",
        "prompts/all.yml": "prompts: [{ task: general, content: everyone }]",
      });
      const { settings } = await load("app", { env: { PROMPTS_DIR: join(base, "prompts") } });
      expect(settings.prompts.map(({ content }) => content)).toEqual(["everyone", "mine"]);
    });

    it("must exist, and contain only prompts", async () => {
      write({ "app/config.yml": "models: []", "prompts/all.yml": "rails: {}" });
      expect(codes(await failure("app", { env: { PROMPTS_DIR: join(base, "gone") } }))).toEqual(["CF-101"]);
      expect(codes(await failure("app", { env: { PROMPTS_DIR: join(base, "prompts") } }))).toEqual(["CF-103"]);
    });
  });

  describe("linked documents", () => {
    it.each([
      ["a file", "secret/a.md", "app/kb/a.md"],
      ["a folder", "secret", "app/kb/more"],
      ["the knowledge base itself", "secret", "app/kb"],
    ])("out of the folder are refused: %s", async (_name, target, link) => {
      write({ "app/config.yml": "models: []", "secret/a.md": "# secret" });
      mkdirSync(dirname(join(base, link)), { recursive: true });
      symlinkSync(join(base, target), join(base, link));
      const error = await failure("app");
      expect(error.message).toContain("is a link out of the folder");
      expect(error.message).not.toContain("# secret");
    });

    it("inside the folder are read, as in Kubernetes volumes", async () => {
      write({ "app/..data/kb/a.md": "# A", "app/config.yml": "models: []" });
      symlinkSync(join(base, "app/..data/kb"), join(base, "app/kb"));
      expect((await load("app")).documents).toEqual([{ path: "kb/a.md", format: "md", content: "# A" }]);
    });
  });

  describe("files of Python", () => {
    it.each([["config.py"], ["actions.py"], ["actions/shop.py"], ["rails/deep.py"]])(
      "are not run, and a warning names what to write instead: %s",
      async (name) => {
        write({ "app/config.yml": "models: []", [`app/${name}`]: "def init(app): pass" });
        const { warnings } = await load("app");
        expect(warnings).toMatchObject([
          { code: "CF-208", path: name, hint: expect.stringMatching(/TypeScript|JavaScript/) },
        ]);
      },
    );

    it.each([
      ["actions.py", "actions.js", []],
      ["config.py", "config.ts", []],
      ["actions/shop.py", "actions/shop.mjs", []],
      ["rails/deep.py", "rails/deep.js", ["CF-208"]],
      ["actions.py", "config.js", ["CF-208"]],
    ])("are reported unless code of the same name is loaded: %s next to %s", async (python, script, codes) => {
      write({ "app/config.yml": "models: []", [`app/${python}`]: "", [`app/${script}`]: "" });
      const { warnings } = await load("app", { allowCode: true, importModule: async () => ({}) });
      expect(warnings.map(({ code }) => code)).toEqual(codes);
    });
  });

  describe("code", () => {
    const init = (): void => undefined;
    const action = (): string => "done";

    it("is imported by its URL, imports first for init and last for actions", async () => {
      write({
        "app/config.yml": "import_paths: [../base]",
        "app/config.js": "",
        "app/config.ts": "",
        "app/actions.mjs": "",
        "app/actions/shop.js": "",
        "app/actions/types.d.ts": "",
        "base/config.yml": "models: []",
        "base/config.cjs": "",
        "base/actions.cjs": "",
      });
      const modules: Record<string, Record<string, unknown>> = {
        "app/config.js": { init },
        "app/actions.mjs": { check: action, LIMIT: 3, default: action },
        "app/actions/shop.js": { check: action },
        "base/config.cjs": { default: { init }, "module.exports": { init } },
        "base/actions.cjs": { default: { check: action, other: action }, "module.exports": {} },
      };
      const asked: string[] = [];
      const config = await load("app", {
        codeFolders: [join(base, "base")],
        importModule: async (url) => {
          const path = url.slice(pathToFileURL(base).href.length + 1);
          asked.push(path);
          return modules[path] ?? {};
        },
      });
      expect(asked.sort()).toEqual(Object.keys(modules).sort());
      expect(config.code.inits.map(({ path }) => path)).toEqual(["../base/config.cjs", "config.js"]);
      expect(config.code.actions.map(({ path, name }) => `${path} ${name}`)).toEqual([
        "actions/shop.js check",
        "actions.mjs action",
        "actions.mjs check",
        "../base/actions.cjs check",
        "../base/actions.cjs other",
      ]);
    });

    it.each([
      ["a folder that its text names", { "app/config.yml": "import_paths: [../base]", "base/actions.mjs": "" }],
      ["a folder that a flow imports", { "app/main.co": "import ../base", "base/config.js": "", "base/a.co": "" }],
    ])("is refused from %s, unless the caller names the folder too", async (_name, files) => {
      write(files);
      const importModule = async () => ({});
      const error = await failure("app", { importModule, colangImports });
      expect(error.diagnostics).toMatchObject([{ code: "CF-115", hint: expect.stringContaining("codeFolders") }]);
      await load("app", { importModule, colangImports, codeFolders: [join(base, "base")] });
      await load("app", { importModule, colangImports, codeFolders: [base] });
    });

    it("is refused if linked from outside the folder", async () => {
      write({ "app/config.yml": "models: []", "secret/actions.mjs": "" });
      symlinkSync(join(base, "secret/actions.mjs"), join(base, "app/actions.mjs"));
      expect(codes(await failure("app"))).toEqual(["CF-115"]);
    });

    it("is refused from folders that a configuration passed as text names", async () => {
      write({ "base/actions.mjs": "", "base/config.yml": "models: []" });
      const yaml = `import_paths: [${JSON.stringify(join(base, "base"))}]`;
      const importModule = async () => ({});
      await expect(loadConfigFromContent({ yaml }, { env: {}, importModule })).rejects.toMatchObject({
        code: "CF-115",
      });
      await loadConfigFromContent({ yaml }, { env: {}, importModule, codeFolders: [join(base, "base")] });
    });

    it("runs", async () => {
      write({
        "app/config.yml": "models: []",
        "app/config.mjs": "export function init(app) { app.ready = true; }",
        "app/actions.mjs": "export async function check_stock() { return 3; }",
      });
      const { code } = await load("app");
      const app: { ready?: boolean } = {};
      code.inits[0]?.init(app);
      expect(app.ready).toBe(true);
      const checkStock = code.actions[0]?.value as () => Promise<number>;
      await expect(checkStock()).resolves.toBe(3);
    });

    it("does not run if turned off, nor for a configuration with errors", async () => {
      write({ "app/config.yml": "models: []", "app/config.mjs": "", "app/actions/shop.ts": "" });
      const importModule = (): never => {
        throw new Error("imported");
      };
      const { code, warnings } = await load("app", { allowCode: false, importModule });
      expect(code).toEqual({ inits: [], actions: [] });
      expect(warnings.map(({ code: id, severity }) => [id, severity])).toEqual([
        ["CF-115", "warning"],
        ["CF-115", "warning"],
      ]);
      write({ "app/config.yml": "modles: []" });
      expect(codes(await failure("app", { importModule }))).toEqual(["CF-103"]);
    });

    const typescript = Object.assign(new TypeError("Unknown file extension"), { code: "ERR_UNKNOWN_FILE_EXTENSION" });

    it.each<[string, string, unknown, string, string]>([
      ["config.js", "", new Error("no database"), "CF-116", "`config.js` failed to load: Error: no database"],
      ["actions.js", "", new Error("no database"), "CO-501", "`actions.js` failed to load: Error: no database"],
      ["actions.mts", "", typescript, "CF-116", "`actions.mts` is TypeScript, which this platform does not load"],
      [
        "config.ts",
        "",
        new SyntaxError("type"),
        "CF-116",
        "`config.ts` is TypeScript, which this platform does not load",
      ],
    ])("that fails to load is an error: %s", async (name, content, thrown, code, message) => {
      write({ "app/config.yml": "models: []", [`app/${name}`]: content });
      const error = await failure("app", { importModule: () => Promise.reject(thrown) });
      expect(codes(error)).toEqual([code]);
      expect(error.diagnostics[0]?.message).toBe(message);
      expect(error.cause).toBe(thrown);
    });

    const unsupported = Object.assign(new SyntaxError("enum"), { code: "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" });

    it.each<[string, unknown, string]>([
      [
        "on a platform that does not load it",
        typescript,
        "use Node.js 22.18 or newer, which loads TypeScript, or compile it to `actions.mjs`",
      ],
      [
        "with syntax that is more than types",
        unsupported,
        "use only types, no enums, namespaces or parameter properties, or compile it to `actions.mjs`",
      ],
    ])("names both solutions for TypeScript %s", async (_title, thrown, hint) => {
      write({ "app/config.yml": "models: []", "app/actions.mts": "" });
      const error = await failure("app", { importModule: () => Promise.reject(thrown) });
      expect(error.diagnostics[0]?.hint).toBe(hint);
    });

    it("of actions may fail when configured to", async () => {
      write({ "app/config.yml": "actions: { ignore_errors: true }", "app/actions.js": "" });
      const { warnings } = await load("app", { importModule: () => Promise.reject(new Error("no")) });
      expect(warnings.map(({ code, severity }) => [code, severity])).toEqual([["CO-501", "warning"]]);
    });

    it("must export `init` as a function", async () => {
      write({ "app/config.yml": "models: []", "app/config.js": "" });
      const error = await failure("app", { importModule: async () => ({ init: 3 }) });
      expect(error.diagnostics[0]?.message).toBe("`init` in `config.js` is not a function");
    });
  });
});

describe("patterns", () => {
  const matches = async (pattern: string, path: string): Promise<boolean> => (await readIgnoreFile(pattern))(path);

  it.each<[string, string, boolean]>([
    ["main.co", "main.co", true],
    ["main.co", "main_co", false],
    ["*.co", "a.co", true],
    ["*.co", ".co", true],
    ["./*.co", "a/b.co", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["a?c", "a/c", false],
    ["[abc].co", "b.co", true],
    ["[a-c0].co", "c.co", true],
    ["[a-c0].co", "0.co", true],
    ["[!a-c].co", "d.co", true],
    ["[!a-c].co", "b.co", false],
    ["[]].co", "].co", true],
    ["[abc", "[abc", true],
    ["**", "a/b/c", true],
    ["a/**", "a/b/c.co", true],
    ["a/**", "b/c.co", false],
    ["**/c.co", "c.co", true],
    ["**/c.co", "a/b/c.co", true],
    ["**/c.co", "a/xc.co", false],
    ["a/**/c.co", "a/c.co", true],
    ["a/**/c.co", "a/b/d/c.co", true],
    ["a/**/c.co", "a/bc.co", false],
    ["", "a", false],
    ["x/[.-0]", "x//", false],
    ["x/[.-0]", "x/0", true],
    ["x/[!.-0]", "x/a", true],
    ["x/[/]", "x//", false],
    ["[c-a]", "b", false],
    ["[!]", "[!]", true],
    ["[^]", "^", true],
    ["(a|b)+$", "(a|b)+$", true],
  ])("%j on %j: %j", async (pattern, text, expected) => {
    expect(await matches(pattern, text)).toBe(expected);
  });

  it("take linear time for any number of stars", async () => {
    expect(await matches(`${"*a".repeat(200)}b`, "a".repeat(5000))).toBe(false);
  });

  it("agree with a regular expression of the same meaning", async () => {
    const parts = fc.array(fc.constantFrom("a", "b", "/", "*", "?"), { maxLength: 8 });
    const texts = fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(parts, texts, async (pattern, text) => {
        const glob = `x/${pattern.join("").replace(/\*+/g, "*")}x`;
        const meaning = new RegExp(`^${glob.replaceAll("?", "[^/]").replaceAll("*", "[^/]*")}$`);
        const path = `x/${text.join("")}x`;
        expect(await matches(glob, path)).toBe(meaning.test(path));
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe("an ignore file", () => {
  const reading = readIgnoreFile("# notes\n\n*.bak\r\n/top.co\n./here.co\nold/\nrails/*.draft.co\n");

  it.each<[string, boolean]>([
    ["a.bak", true],
    ["deep/a.bak", true],
    ["top.co", true],
    ["deep/top.co", false],
    ["here.co", true],
    ["old/a.co", true],
    ["old/b/a.co", true],
    ["older/a.co", false],
    ["rails/a.draft.co", true],
    ["rails/x/a.draft.co", false],
    ["# notes", false],
  ])("%j: %j", async (path, expected) => {
    expect((await reading)(path)).toBe(expected);
  });
});
