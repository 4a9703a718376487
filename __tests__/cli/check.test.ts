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

  it("needs neither key nor package of a model", async () => {
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

  it("gives the problems as JSON", async () => {
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

  it("says that a folder does not exist", async () => {
    const { code, out } = await runCli(["check", "no-such-folder"]);
    expect(code).toBe(1);
    expect(out).toContain("the configuration `no-such-folder` does not exist");
  });
});
