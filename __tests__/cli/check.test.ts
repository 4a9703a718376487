import { afterEach, describe, expect, it } from "@jest/globals";
import { BAKERY, createFolder, runCli } from "./run-cli.js";

const folders: { remove(): void }[] = [];

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = createFolder(files);
  folders.push(folder);
  return folder.path;
}

afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

describe("check", () => {
  it("accepts a configuration without mistakes", async () => {
    const path = folderOf(BAKERY);
    expect(await runCli(["check", path])).toEqual({
      code: 0,
      out: `${path}: 0 errors, 0 warnings, 0 notes\n`,
      err: "",
    });
  });

  it("needs neither the key nor the package of a model", async () => {
    const models = "models:\n  - { type: main, engine: openai, model: gpt-4o-mini }\n";
    const path = folderOf({ "config.yml": `${models}rails:\n  input:\n    flows: [self check input]\n` });
    expect((await runCli(["check", path])).code).toBe(0);
  });

  it.each([
    [
      "a wrong setting",
      { ...BAKERY, "config.yml": "rails:\n  input:\n    flow: []\n" },
      "error[CF-103]",
      "config.yml:3:5",
    ],
    [
      "a rail that is not defined",
      { ...BAKERY, "config.yml": "rails:\n  input:\n    flows: [check wrods]\n" },
      "error[CO-209]",
      "check words",
    ],
    ["a mistake in Colang", { ...BAKERY, "more.co": "define flow\n  bto hi\n" }, "error[CO-", "more.co:2"],
  ])("shows %s with its place", async (_title, files, code, place) => {
    const { code: exit, out } = await runCli(["check", folderOf(files)]);
    expect(exit).toBe(1);
    expect(out).toContain(code);
    expect(out).toContain(place);
    expect(out).toMatch(/[1-9]\d* errors?/);
  });

  it("shows the mistakes of rails, of flows and of lists at once, and a key that this machine lacks as a warning", async () => {
    const { code, out } = await runCli([
      "check",
      folderOf({
        "config.yml":
          "rails:\n  input:\n    flows: [self chek input, f5 guardrails scan input]\n  output:\n    flows: [self check input]\n",
        "a.co": "define flow x\n  user hi\n  do nothere\n",
      }),
    ]);
    expect(code).toBe(1);
    expect([...out.matchAll(/^(?:error|warning)\[([A-Z0-9]+-\d+)\]/gm)].map(([, found]) => found)).toEqual([
      "CF-113",
      "CF-110",
      "CO-204",
      "CO-209",
    ]);
    expect(out).toContain("warning[CF-113]");
  });

  it("prints the problems as JSON", async () => {
    const path = folderOf({ ...BAKERY, "config.yml": "rails:\n  input:\n    flow: []\n" });
    const { code, out } = await runCli(["check", path, "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      path,
      ok: false,
      diagnostics: [{ code: "CF-103", severity: "error", file: "config.yml", start: { line: 3, column: 5 } }],
    });
  });

  it("shows Python files, and counts them with --strict", async () => {
    const path = folderOf({ ...BAKERY, "actions.py": "def act(): pass\n" });
    const { code, out } = await runCli(["check", path]);
    expect(code).toBe(0);
    expect(out).toContain("`actions.py` is Python, which is not run");
    expect(out).toContain("`actions.ts` or `actions.js`");
    expect((await runCli(["check", path, "--strict"])).code).toBe(1);
  });

  it.each([
    ["1.0", "input", "detect secrets", "detect secrets on input"],
    ["2.x", "input", "detect secrets", "detect secrets on input"],
    ["1.0", "output", "self check", "self check output"],
    ["2.x", "retrieval", "mask sensitive data", "mask sensitive data on retrieval"],
    ["1.0", "tool_input", "detect jailbreak", "detect jailbreak on tool input"],
  ])(
    "suggests the rail of the stage for a name without one (Colang %s, %s: %s)",
    async (version, stage, name, near) => {
      const settings = `colang_version: "${version}"\nrails:\n  ${stage}:\n    flows: [${name}]\n`;
      const { code, out } = await runCli(["check", folderOf({ "config.yml": settings })]);
      expect(out).toContain(`did you mean \`${near}\`?`);
      expect(code).toBe(1);
    },
  );

  it("shows mistakes of settings, of lists and of names in flows at once, with their places", async () => {
    const { out } = await runCli([
      "check",
      folderOf({
        "config.yml":
          "modelz: 3\nrails:\n  input:\n    flows: [chek words]\n    paralel: true\n  config:\n    nothing_known: {}\n",
        "a.co": "define flow x\n  user hi\n  do nothere\n",
      }),
    ]);
    expect(out).toMatch(/error\[CF-103\]: unknown key `modelz`\n\s+┌ config\.yml:1:1/);
    expect(out).toMatch(/unknown key `paralel` in `rails.input`\n\s+┌ config\.yml:5:5/);
    expect(out).toMatch(/nothing_known/);
    expect(out).toMatch(/rail `chek words` is listed but not defined\n\s+┌ config\.yml:4:13/);
    expect(out).toMatch(/`nothere`.*\n\s+┌ a\.co:3:/);
    expect(out).toMatch(/[5-9] errors/);
  });

  it("shows mistakes of settings and of Colang at once", async () => {
    const path = folderOf({
      "config.yml": "rails:\n  input:\n    flow: []\n",
      "a.co": "define flow\n  bto hi\n",
      "b.co": "define bot\n",
    });
    const { out } = await runCli(["check", path]);
    for (const place of ["config.yml:3", "a.co:2", "b.co:1"]) expect(out).toContain(place);
  });

  it("warns about a key that is not set on this machine", async () => {
    const model = "{ type: main, engine: openai, model: gpt-4o-mini, api_key_env_var: NO_SUCH_KEY_HERE }";
    const path = folderOf({ ...BAKERY, "models.yml": `models:\n  - ${model}\n` });
    const { code, out } = await runCli(["check", path]);
    expect(out).toContain("warning[CF-113]");
    expect(out).toContain("1 warning");
    expect(code).toBe(0);
  });

  it.each([
    [
      "the package of a model",
      "{ type: main, engine: mistralai, model: m }",
      "CF-114",
      "npm install @langchain/mistralai",
    ],
    [
      "the package of embeddings",
      "{ type: embeddings, engine: cohere, model: m }",
      "CF-114",
      "npm install @langchain/cohere",
    ],
  ])("warns about %s that is not installed", async (_title, model, warning, hint) => {
    const path = folderOf({ ...BAKERY, "models.yml": `models:\n  - ${model}\n` });
    const { code, out } = await runCli(["check", path]);
    expect(out).toMatch(new RegExp(`warning\\[${warning}\\]: engine .*\\n\\s+┌ models\\.yml:2:`));
    expect(out).toContain(`hint: ${hint}`);
    expect(out).toContain("0 errors, 1 warning,");
    expect(code).toBe(0);
  });

  it("warns about an engine that only a program can register", async () => {
    const path = folderOf({ ...BAKERY, "models.yml": "models:\n  - { type: main, engine: opnai, model: m }\n" });
    const { code, out } = await runCli(["check", path]);
    expect(out).toMatch(/warning\[CF-112\]: unknown engine `opnai`\n\s+┌ models\.yml:2:27/);
    expect(out).toContain("hint: did you mean `openai`?");
    expect(code).toBe(0);
  });

  it("lists the files that it does not read", async () => {
    const files = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [`notes/${name}.txt`, ""]));
    const path = folderOf({ ...BAKERY, ...files, "old/a.co": "broken", ".railsignore": "old/\n", "kb/a.md": "# A" });
    const { code, out } = await runCli(["check", path]);
    expect(code).toBe(0);
    expect(out).toContain("not read, as `.railsignore` says: old/a.co\n");
    expect(out).toContain("notes/d.txt, notes/e.txt and 1 more\n");
    expect(out).not.toContain("kb/a.md");
    const { unread } = JSON.parse((await runCli(["check", path, "--json"])).out) as { unread: { ignored: string[] } };
    expect(unread.ignored).toEqual(["old/a.co"]);
  });

  it("checks again when a file changes", async () => {
    const folder = createFolder(BAKERY);
    const controller = new AbortController();
    let output = "";
    const { code } = await runCli(["check", folder.path, "--watch"], {
      signal: controller.signal,
      onOutput: (text) => {
        output += text;
        if (text.includes("waiting for changes"))
          setImmediate(() => folder.write("more.co", "define flow\n  bto hi\n"));
        if (output.includes("1 error,")) controller.abort();
      },
    });
    folder.remove();
    expect(code).toBe(0);
    expect(output).toContain("more.co:2");
  });

  it("prints nothing but JSON on stdout while it watches with --json", async () => {
    const folder = createFolder(BAKERY);
    const controller = new AbortController();
    const watching = runCli(["check", folder.path, "--watch", "--json"], {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    const { out, err } = await watching;
    folder.remove();
    expect(JSON.parse(out)).toMatchObject({ ok: true });
    expect(err).toContain("waiting for changes");
  });

  it("says that a folder does not exist", async () => {
    const { code, out } = await runCli(["check", "no-such-folder"]);
    expect(code).toBe(1);
    expect(out).toContain("the configuration `no-such-folder` does not exist");
  });
});
