import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { PlaygroundDraft, PlaygroundFile, PlaygroundStart } from "../../../src/server/playground/wire.js";
import { BAKERY, createFolder } from "../../cli/run-cli.js";
import { type OpenedPlayground, openPlayground } from "./open-playground.js";

const CODE = `export async function price() { return "4 euros"; }\n`;
const PRICED = {
  "config.yml": `rails:
  dialog:
    user_messages:
      embeddings_only: true
`,
  "rails.co": `define user ask price
  "what does it cost?"

define flow price
  user ask price
  $price = execute price
  bot tell price

define bot tell price
  "It costs $price."
`,
  "actions.js": CODE,
};

let opened: OpenedPlayground;
beforeAll(async () => {
  opened = await openPlayground(BAKERY);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
});

async function filesOf(playground: OpenedPlayground): Promise<readonly PlaygroundFile[]> {
  const { configs } = (await (await playground.post("configs", {})).json()) as PlaygroundStart;
  return configs[0]?.files ?? [];
}

async function change(
  playground: OpenedPlayground,
  edit: (path: string, text: string) => string,
  more: readonly PlaygroundFile[] = [],
): Promise<PlaygroundDraft> {
  const files = (await filesOf(playground)).map(({ path, text }) => ({ path, text: edit(path, text) }));
  const response = await playground.post("drafts", { config: "demo", files: [...files, ...more] });
  expect(response.status).toBe(200);
  return (await response.json()) as PlaygroundDraft;
}

describe("files of a configuration", () => {
  it("are shown with their texts", async () => {
    const files = await filesOf(opened);
    expect(files.map(({ path }) => path)).toEqual(["config.yml", "rails.co"]);
    expect(files.find(({ path }) => path === "rails.co")?.text).toBe(BAKERY["rails.co"]);
  });

  it("are omitted if they are ignored, hidden, code or linked from elsewhere", async () => {
    const files = {
      ...BAKERY,
      "notes.txt": "x",
      "actions.js": CODE,
      "tests/a.yml": "x: 1",
      ".railsignore": "tests/\n",
    };
    await using other = await openPlayground(files);
    expect((await filesOf(other)).map(({ path }) => path)).toEqual(["config.yml", "rails.co"]);
  });
});

describe("a changed configuration", () => {
  it("runs turns next to the served one", async () => {
    const { draft } = await change(opened, (_path, text) => text.replace("Hello! I bake bread.", "Good day!"));
    expect(draft).toMatch(/^[0-9a-f]{32}$/);
    expect((await opened.turn("hello", { draft })).reply).toBe("Good day!");
    expect((await opened.turn("hello")).reply).toBe("Hello! I bake bread.");
  });

  it("has one id for the same files", async () => {
    const edit = (_path: string, text: string): string => text.replace("bread", "cake");
    const { draft } = await change(opened, edit);
    expect((await change(opened, edit)).draft).toBe(draft);
  });

  it("is reported with the positions of its mistakes, and runs no turns", async () => {
    const wrong = await change(opened, (path, text) => (path === "rails.co" ? `${text}\ndefine flow\n` : text));
    expect(wrong.draft).toBeUndefined();
    expect(wrong.problems[0]).toMatchObject({ severity: "error", file: "rails.co", line: expect.any(Number) });
    const settings = await change(opened, (path, text) => (path === "config.yml" ? `${text}bogus: 1\n` : text));
    expect(settings.problems[0]).toMatchObject({ severity: "error", code: "CF-103", file: "config.yml" });
  });

  it("is forgotten after 16 others", async () => {
    const { draft } = await change(opened, (_path, text) => text.replace("bread", "first"));
    for (let count = 0; count < 16; count += 1) {
      await change(opened, (_path, text) => text.replace("bread", `loaf ${count}`));
    }
    const response = await opened.post("turns", { config: "demo", conversation: "conversation-2", text: "hi", draft });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "draft_not_found" } });
  });

  it("uses the code of the folder if its options allow code, and adds none", async () => {
    await using priced = await openPlayground(PRICED, {}, { allowCode: true });
    const marker = join(priced.folder.path, "marker");
    const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, ""); export const price = () => "0";`;
    const brought = [
      { path: "actions.js", text: code },
      { path: "config.js", text: code },
    ];
    const { draft } = await change(priced, (_path, text) => text.replace("It costs", "That is"), brought);
    expect((await priced.turn("what does it cost?", { draft })).reply).toBe("That is 4 euros.");
    expect(existsSync(marker)).toBe(false);
  });

  it("reads and writes no other file of the machine", async () => {
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    writeFileSync(join(outside, "secret.co"), 'define bot secret\n  "the secret"\n');
    const traces = join(outside, "traces.jsonl");
    const cache = join(outside, "cache");
    const imports = await change(opened, (path, text) =>
      path === "config.yml" ? `${text}import_paths: [${outside}]\n` : text,
    );
    expect(imports.problems.map(({ code }) => code)).toEqual(["CF-120"]);
    const settings = `tracing:\n  enabled: true\n  adapters: [{ name: FileSystem, filepath: ${traces} }]\ncore:\n  embedding_search_provider:\n    cache: { enabled: true, store_config: { cache_dir: ${cache} } }\n`;
    const { draft } = await change(opened, (path, text) => (path === "config.yml" ? `${text}${settings}` : text));
    expect((await opened.turn("hello", { draft })).reply).toBe("Hello! I bake bread.");
    expect([existsSync(traces), existsSync(cache)]).toEqual([false, false]);
    rmSync(outside, { recursive: true });
  });

  it.each([
    ["too many files", Array.from({ length: 201 }, (_, at) => ({ path: `${at}.co`, text: "" }))],
    ["too much text", [{ path: "rails.co", text: "#".repeat(1_100_000) }]],
    ["a file without a path", [{ path: "", text: "" }]],
    ["no list of files", {}],
  ])("is refused with %s", async (_name, files) => {
    expect((await opened.post("drafts", { config: "demo", files })).status).toBe(400);
  });

  it("is refused with a path outside its folder", async () => {
    const files = [{ path: "../../escape.co", text: "define bot hi\n  'hi'\n" }];
    const { draft, problems } = (await (
      await opened.post("drafts", { config: "demo", files })
    ).json()) as PlaygroundDraft;
    expect([draft, problems[0]?.code]).toEqual([undefined, "CF-101"]);
  });

  it("runs turns only of the configuration that it changes", async () => {
    const second = createFolder(BAKERY);
    const configs = { demo: opened.folder.path, second: second.path };
    await using both = await openPlayground(BAKERY, { configs });
    const { draft } = await change(both, (_path, text) => text.replace("bread", "buns"));
    const body = { config: "second", conversation: "conversation-1", text: "hello", draft };
    expect((await both.post("turns", body)).status).toBe(404);
    second.remove();
  });

  it("needs a configuration that the caller may use", async () => {
    expect((await opened.post("drafts", { config: "other", files: [] })).status).toBe(404);
  });
});
