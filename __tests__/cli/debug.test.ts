import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BAKERY, createFolder, runCli } from "./run-cli.js";

const ORDER = `import core

flow main
  activate ordering
  wait indefinitely

flow ordering
  user said "roll"
  bot say "One roll."
`;

describe("debug", () => {
  const folders: ReturnType<typeof createFolder>[] = [];
  let bakery = "";
  let order = "";
  const folderOf = (files: Readonly<Record<string, string>>): string => {
    const folder = createFolder(files);
    folders.push(folder);
    return folder.path;
  };
  beforeAll(() => {
    bakery = folderOf(BAKERY);
    order = folderOf({ "config.yml": 'colang_version: "2.x"\n', "main.co": ORDER });
  });
  afterAll(() => folders.forEach((folder) => folder.remove()));

  it("shows each step with its place and its line", async () => {
    const { code, out } = await runCli(["debug", bakery, "hello"]);
    expect(code).toBe(0);
    expect(out.replace(/\d+\.\d ms/, "0 ms")).toBe(
      [
        "> hello",
        "               check words: starts on `start_flow`",
        "               check words: finishes",
        "               greeting: starts on `UserIntent`",
        "  rails.co:10  greeting: takes `bot express greeting`",
        "               greeting: goes on",
        "               greeting: finishes",
        "Hello! I bake bread.",
        '  input rail "check words": passed in 0 ms',
        "",
      ].join("\n"),
    );
  });

  it("shows the line of a place, but not twice", async () => {
    const { out } = await runCli(["debug", bakery, "a cake"]);
    expect(out).toContain("  rails.co:18  check words: goes on\n               │ stop\n");
    expect(out).toContain("  rails.co:17  check words: takes `bot refuse to respond`\n  rails.co:18");
  });

  it("shows a step in Colang 2.x if the configuration asks for it", async () => {
    const { out } = await runCli(["debug", order, "roll"]);
    expect(out).toContain(
      '  main.co:9  ordering: takes `StartUtteranceBotAction`\n             │ bot say "One roll."\n',
    );
    expect(out).not.toContain("_bot_say");
    expect((await runCli(["debug", order, "roll", "--all"])).out).toContain("_bot_say: finishes");
  });

  it("leaves out flows that come from settings", async () => {
    const preset = folderOf({ ...BAKERY, "preset.yml": "extends: preset:local\n" });
    const { out } = await runCli(["debug", preset, "hello"]);
    expect(out).toContain("greeting: finishes");
    expect(out).not.toContain("rails/");
    expect((await runCli(["debug", preset, "hello", "--all"])).out).toContain("rails/secrets-detection/flows.co:");
  });

  it("shows the steps of one flow, of several turns", async () => {
    const { out } = await runCli(["debug", bakery, "hello", "a cake", "--flow", "greeting"]);
    expect(out).toContain("> a cake\nI only talk about bread.\n");
    expect(out).not.toContain("check words: starts");
  });

  it("reports that no step belongs to the flow", async () => {
    const { code, err } = await runCli(["debug", bakery, "a cake", "--flow", "greeting"]);
    expect(err).toContain("no step of a flow `greeting`\n");
    expect(code).toBe(2);
  });

  it.each([
    ["bakery", "greting", "unknown flow `greting`; did you mean `greeting`?\n"],
    ["bakery", "weather forecast", "unknown flow `weather forecast`\n"],
    ["order", "mian", "unknown flow `mian`; did you mean `main`?\n"],
  ])("rejects an unknown flow of the %s before any turn: %s", async (folder, flow, message) => {
    const path = folder === "order" ? order : bakery;
    const { code, out, err } = await runCli(["debug", path, "hello", "--flow", flow]);
    expect(err).toContain(message);
    expect(out).toBe("");
    expect(code).toBe(64);
  });

  it("prints the steps as JSON, and exits with 2 if a rail blocks", async () => {
    const { code, out } = await runCli(["debug", bakery, "a cake", "--json"]);
    expect(code).toBe(2);
    const [turn] = JSON.parse(out) as { readonly steps: readonly object[] }[];
    expect(turn?.steps).toContainEqual({
      flow: "check words",
      text: "takes `bot refuse to respond`",
      location: { file: "rails.co", line: 17, column: 5 },
    });
  });
});
