// The READMEs of rails say what their manifests and schemas say.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { defaultRailSettings } from "../../../src/config/schema/rail-config.js";
import { LIBRARY_RAILS } from "../../../src/library/manifest.js";
import type { RailManifest } from "../../../src/library/rail-manifest.js";

const FOLDER = fileURLToPath(new URL("../../../src/library", import.meta.url));
const GUIDE = readFileSync(fileURLToPath(new URL("../../../docs/rails.md", import.meta.url)), "utf8");

const readmeOf = ({ name }: RailManifest): string => readFileSync(join(FOLDER, name, "README.md"), "utf8");

/** Names between backticks, outside of blocks of code. */
const namesIn = (text: string): readonly string[] =>
  Array.from(text.replaceAll(/```[^]*?```/g, "").matchAll(/`([^`\n]+)`/g), ([, name = ""]) => name);

/** The Colang of a rail that has its flows in files. */
const colangOf = ({ name }: RailManifest): string =>
  readdirSync(join(FOLDER, name))
    .filter((file) => file.endsWith(".co"))
    .map((file) => readFileSync(join(FOLDER, name, file), "utf8"))
    .join("\n");

const rowsOf = (text: string, title: RegExp): string =>
  text
    .split("\n")
    .filter((line) => title.test(/^\| ([^|]*) \|/.exec(line)?.[1] ?? ""))
    .join("\n");

const SERVICE_KEYS = ["timeout", "retries", "on_error"];
const DETECTION_KEYS = ["action", "score_threshold", "variants"];
const STAGES: ReadonlySet<string> = new Set(["input", "output", "retrieval", "tool_output", "tool_input"]);

/** Settings of a rail with their defaults, also inside of its sections. */
function settingsOf(key: string): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  const add = (settings: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(settings)) {
      const isSection =
        typeof value === "object" && value !== null && Object.keys(value).length > 0 && !Array.isArray(value);
      if (!STAGES.has(name) && !isSection) found.set(name, value);
      if (isSection) add(value as Readonly<Record<string, unknown>>);
    }
  };
  add(defaultRailSettings(key));
  return found;
}

describe.each(LIBRARY_RAILS.map((rail) => [rail.name, rail] as const))("the README of %s", (_, rail) => {
  const text = readmeOf(rail);
  const names = namesIn(text);
  const facts = JSON.stringify(rail) + colangOf(rail);

  it("names all flows", () => {
    const isNamed = (flow: string): boolean => {
      const stage = / (on (?:tool )?\w+)$/.exec(flow)?.[1];
      const pages = [...names, ...Array.from(text.matchAll(/^# (.*)$/gm), ([, title = ""]) => title)];
      return pages.some((name) => name.split(" $")[0] === flow || name === stage);
    };
    expect(rail.flows.map(({ name }) => name).filter((name) => !isNamed(name))).toEqual([]);
  });

  it("names the actions, and no others", () => {
    const listed = namesIn(rowsOf(text, /^actions?$/)).filter((name) => /^[a-z]+(?:_[a-z]+)+$/.test(name));
    const settings = rail.settings === undefined ? [] : [...settingsOf(rail.settings).keys()];
    const known = new Set([...rail.actions.map(({ name }) => name), ...settings, "policy_violations"]);
    expect(listed.filter((name) => !known.has(name))).toEqual([]);
  });

  it("names the environment variables", () => {
    const variables = rail.needs?.environment ?? [];
    expect(variables.filter((name) => !names.includes(name))).toEqual([]);
  });

  it("names the exceptions and refusals that its flows have", () => {
    const exceptions = names.filter((name) => /^[A-Z]\w+Exception$/.test(name));
    const general = new Set(["Input", "Output", "ToolOutput", "ToolInput"].map((stage) => `${stage}RailException`));
    expect(exceptions.filter((name) => !general.has(name) && !facts.includes(name))).toEqual([]);
    const own = Array.from(facts.matchAll(/[A-Z]\w+Exception\b/g), ([name]) => name).filter(
      (name) => !general.has(name),
    );
    const isNamed = (name: string): boolean =>
      names.includes(name) || names.some((each) => each.startsWith("…") && name.includes(each.slice(1, -1)));
    expect([...new Set(own)].filter((name) => !isNamed(name))).toEqual([]);
    const stated = rail.flows.flatMap(({ runs }) => runs?.refusal ?? []);
    expect(stated.filter((refusal) => !names.includes(`bot ${refusal}`))).toEqual([]);
  });

  it("names its settings with their defaults", () => {
    if (rail.settings === undefined) return;
    const settings = settingsOf(rail.settings);
    const isDetector = text.includes("#settings-of-all-detecting-rails");
    const shared = new Set([...SERVICE_KEYS, ...(isDetector ? DETECTION_KEYS : [])]);
    const pages = LIBRARY_RAILS.filter((other) => other.settings === rail.settings).map(readmeOf);
    const isMentioned = (name: string): boolean => shared.has(name) || pages.some((page) => page.includes(name));
    const missing = [...settings.keys()].filter((name) => !isMentioned(name));
    const unused = new Set(["mask_token", "embedding", "yara_path", "yara_rules"]);
    expect(missing.filter((name) => !unused.has(name))).toEqual([]);
    const defaults = Array.from(text.matchAll(/`([a-z_]+)` \((?:default: )?`?([^`\s);,]+)`?\)/g));
    for (const [, name = "", shown = ""] of defaults) {
      if (settings.has(name) && /^[\d.]+$|^(?:true|false)$/.test(shown)) {
        expect([name, shown]).toEqual([name, String(settings.get(name))]);
      }
    }
  });

  it("says what a stream needs", () => {
    const outputs = rail.flows.filter(({ stage }) => stage === "output");
    const whole = outputs.filter(({ stream }) => stream === "answer");
    const says = /reads the whole response/.test(text);
    expect(says).toBe(whole.length > 0);
  });

  it("is linked by the guide, with its privacy and cost", () => {
    const row = GUIDE.split("\n").filter((line) => line.includes(`](../src/library/${rail.name}/README.md)`));
    expect(row.length).toBeGreaterThan(rail.flows.filter(({ stage }) => stage !== "dialog").length);
    expect(row.at(-1)).toContain(rail.leaves ?? "nothing");
    for (const { name, stage } of rail.flows) {
      if (stage === "dialog") continue;
      const cost = { local: "this process", model: "model", network: "network" }[rail.cost];
      expect(row.find((line) => line.startsWith(`| \`${name}\``))).toContain(cost);
    }
  });
});
