import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { openCacheFolder } from "../../../src/engine/cache-folder.js";
import { Guardrails, type GuardrailsOptions, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { railFlows } from "../../support/rail-flows.js";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "guardrails-cache-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const COLANG = railFlows("1.0", { "check words": ["block", "user_message", "check_words"] });

const CONFIG = { colang: COLANG, config: { rails: { input: { flows: ["check words"] } } } };

const actions = { check_words: ({ text }: { text?: string }) => !String(text).includes("forbidden") };

const load = (options: GuardrailsOptions = {}, config: object = CONFIG): Promise<Guardrails> =>
  Guardrails.fromConfig(config, { actions, cacheDir: folder, logger: false, ...options });

/** Responses of a guarded model to a message that passes and to one that does not. */
async function behaviour(guardrails: Guardrails): Promise<unknown[]> {
  const model = guardrails.wrap(scriptedModel(["Fine.", "Fine."]));
  const results = [await model.invoke("hello"), await model.invoke("a forbidden word")];
  return results.map((message) => [
    message.text,
    verdictOf(message)?.decisions.map(({ rail, status }) => [rail, status]),
  ]);
}

const files = (): readonly string[] => readdirSync(folder).sort();
const only = (): string => join(folder, files()[0] ?? "");

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const sealed = (text: string): string => `${digest(text)}\n${text}`;

describe("the option `cacheDir`", () => {
  it("keeps a program, and reads it again instead of writing it", async () => {
    const expected = await behaviour(await load({ cacheDir: join(folder, "other") }));
    expect(await behaviour(await load())).toEqual(expected);
    const kept = files().filter((name) => name.endsWith(".colang1"));
    expect(kept).toHaveLength(1);
    const path = join(folder, kept[0] ?? "");
    utimesSync(path, 1, 1);
    expect(await behaviour(await load())).toEqual(expected);
    expect(statSync(path).mtimeMs).toBe(1000);
  });

  it("holds plain data and no code", async () => {
    await load();
    const [, text = ""] = readFileSync(only(), "utf8").split("\n");
    expect(Object.keys(JSON.parse(text) as object)).toEqual(["hash", "flows", "userMessages", "botMessages"]);
  });

  it.each<[string, (text: string) => string | Buffer]>([
    ["empty", () => ""],
    ["cut off", (text) => text.slice(0, text.length / 2)],
    ["changed in one character", (text) => text.replace("check_words", "check_wordz")],
    ["of bytes", () => Buffer.from([0, 255, 1, 254])],
    ["of another form", () => sealed('{"flows": 1}')],
    ["not JSON", () => sealed("module.exports = 1")],
    ["with an unknown element", (text) => sealed((text.split("\n")[1] ?? "").replace('"kind":"Run"', '"kind":"Eval"'))],
    [
      "with a jump out of its flow",
      (text) => sealed((text.split("\n")[1] ?? "").replace(/"target":\d+/, '"target":999')),
    ],
    ["with a further field", (text) => sealed((text.split("\n")[1] ?? "").replace('{"hash"', '{"code":"x","hash"'))],
  ])("ignores a file that is %s, and writes it again", async (_, damage) => {
    const expected = await behaviour(await load());
    const path = only();
    const good = readFileSync(path, "utf8");
    const bad = damage(good);
    expect(bad).not.toBe(good);
    writeFileSync(path, bad);
    expect(await behaviour(await load())).toEqual(expected);
    expect(readFileSync(path, "utf8")).toBe(good);
  });

  it.each<[string, object, GuardrailsOptions]>([
    ["another text", { ...CONFIG, colang: `${COLANG}\n# more\n` }, {}],
    ["other rails", { ...CONFIG, config: { rails: { output: { flows: ["check words"] } } } }, {}],
    ["other actions", CONFIG, { actions: { ...actions, further: () => 1 } }],
    ["messages in the settings", { ...CONFIG, config: { ...CONFIG.config, bot_messages: { hi: ["Hi."] } } }, {}],
  ])("compiles again for %s", async (_, config, options) => {
    await load();
    await load(options, config);
    expect(files()).toHaveLength(2);
  });

  it("stores nothing for flows in the settings, or for a program with warnings", async () => {
    await load({}, { config: { flows: [{ id: "greet", elements: [{ user: "hi" }, { bot: "hi" }] }] } });
    await load({}, { colang: 'define flow\n  user say hello\n  bot say "Hi."\n' });
    expect(files()).toEqual([]);
  });

  it("reports a folder that cannot be used, once, and loads", async () => {
    const file = join(folder, "a-file");
    writeFileSync(file, "x");
    const warnings: string[] = [];
    const logger = { warn: (text: string) => void warnings.push(text), error: () => undefined };
    const cacheDir = join(file, "below");
    const expected = await behaviour(await load());
    expect(await behaviour(await load({ cacheDir, logger }))).toEqual(expected);
    await load({ cacheDir, logger });
    expect(warnings.filter((text) => text.includes("cacheDir"))).toHaveLength(1);
  });

  it("follows no link", async () => {
    await load();
    const path = only();
    const elsewhere = join(tmpdir(), `elsewhere-${process.pid}`);
    writeFileSync(elsewhere, readFileSync(path));
    rmSync(path);
    symlinkSync(elsewhere, path);
    await load();
    expect(statSync(path).isFile()).toBe(true);
    expect(readFileSync(elsewhere, "utf8")).toContain("check_words");
    rmSync(elsewhere);
  });

  it("leaves only complete files when many processes load at once", async () => {
    const loaded = await Promise.all(Array.from({ length: 8 }, () => load()));
    expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.colang1$/)]);
    const [first, ...others] = await Promise.all(loaded.map(behaviour));
    for (const other of others) expect(other).toEqual(first);
  });
});

describe("the embedded matcher", () => {
  const DIALOG = `define user ask price
  "how much is it"
  "what does it cost"

define user ask hours
  "when do you open"
  "are you open today"

define bot tell price
  "Four euros."

define flow
  user ask price
  bot tell price
`;
  const config = { colang: DIALOG, config: { rails: { dialog: { user_messages: { embeddings_only: true } } } } };

  /** The response to a text, and the phases of training before it. */
  async function ask(options: GuardrailsOptions = {}): Promise<readonly unknown[]> {
    const phases: string[] = [];
    const guardrails = await load({ ...options, onLearning: ({ phase }) => void phases.push(phase) }, config);
    const { text } = await guardrails.wrap(scriptedModel([])).invoke("how much does it cost");
    return [text, [...new Set(phases)]];
  }

  it("stores its training there, and trains again when the file is damaged", async () => {
    expect(await ask()).toEqual(["Four euros.", ["reading", "training", "calibrating"]]);
    const kept = files().filter((name) => name.endsWith(".matcher"));
    expect(kept).toHaveLength(1);
    expect(await ask()).toEqual(["Four euros.", ["reading"]]);
    const path = join(folder, kept[0] ?? "");
    const good = readFileSync(path);
    writeFileSync(path, good.subarray(9));
    expect(await ask()).toEqual(["Four euros.", ["reading", "training", "calibrating"]]);
    expect(readFileSync(path).equals(good)).toBe(true);
  });

  it("works without a usable folder", async () => {
    const file = join(folder, "a-file");
    writeFileSync(file, "x");
    expect((await ask({ cacheDir: join(file, "below") }))[0]).toBe("Four euros.");
    expect(files()).toEqual(["a-file"]);
  });
});

describe("a cache folder", () => {
  it("keeps the newest files, and removes unfinished ones", async () => {
    const cache = await openCacheFolder(folder, {
      kind: "text",
      maxFiles: 3,
      onError: (error) => {
        throw error as Error;
      },
    });
    const keys = ["a", "b", "c", "d", "e"].map((name) => cache?.keyOf(name) ?? "");
    const left = join(folder, `${keys[0]}.text.left`);
    writeFileSync(left, "half");
    utimesSync(left, 1, 1);
    writeFileSync(join(folder, "notes.md"), "mine");
    for (const [index, key] of keys.entries()) {
      await cache?.write(key, `text ${key}`);
      utimesSync(join(folder, `${key}.text`), 1000 * 60 * 60 + index, 1000 * 60 * 60 + index);
    }
    await cache?.write(keys[4] ?? "", "again");
    expect(files()).toHaveLength(4);
    expect(files()).toContain("notes.md");
    expect(await cache?.read(keys[4] ?? "")).toBe("again");
    expect(await cache?.read(keys[0] ?? "")).toBeUndefined();
  });

  it.each(["", "../x", "A".repeat(64), `${"a".repeat(64)}/`])("does not accept `%s` as a key", async (key) => {
    const cache = await openCacheFolder(folder, { kind: "text", maxFiles: 3, onError: () => undefined });
    await cache?.write(key, "x");
    expect([await cache?.read(key), files()]).toEqual([undefined, []]);
  });
});
