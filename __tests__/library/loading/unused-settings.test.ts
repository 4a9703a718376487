import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import type { Field } from "../../../src/config/schema/fields.js";
import { RAIL_SETTING_KEYS } from "../../../src/config/schema/rail-config.js";
import { settingsField } from "../../../src/config/schema/settings-schema.js";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic.js";
import { DiagnosticError } from "../../../src/diagnostics/errors.js";
import { Guardrails } from "../../../src/index.js";
import { LIBRARY_RAILS } from "../../../src/library/manifest.js";
import { SOURCES } from "../../../src/library/subject.js";
import { scriptedModel } from "../../../src/testing/index.js";

type Kind = Field<unknown>["kind"];

function unwrap({ kind }: Field<unknown>): Kind {
  if (kind.name === "optional" || kind.name === "rewritten") return unwrap(kind.field);
  return kind.name === "late" ? unwrap(kind.field()) : kind;
}

function partsOf(field: Field<unknown>): readonly (readonly [key: string, part: Field<unknown>])[] {
  const kind = unwrap(field);
  if (kind.name === "section" || kind.name === "entry") return Object.entries(kind.shape);
  if (kind.name === "list") return [["0", kind.items]];
  return kind.name === "map" ? [["one", kind.values]] : [];
}

function settingsOf(key: string): Field<unknown> {
  return ["rails", "config", key].reduce<Field<unknown>>((field, step) => {
    const part = partsOf(field).find(([name]) => name === step)?.[1];
    if (part === undefined) throw new Error(`no setting ${step}`);
    return part;
  }, settingsField());
}

/** Paths of all settings without parts, each with a valid value. */
function leaves(
  field: Field<unknown>,
  path: readonly string[] = [],
): readonly (readonly [readonly string[], unknown])[] {
  const kind = unwrap(field);
  const inner = partsOf(field).filter(([, part]) => unwrap(part).name !== "anything");
  if (inner.length === 0 || kind.name === "list") return [[path, valueOf(kind)]];
  return inner.flatMap(([key, part]) => leaves(part, [...path, key]));
}

function valueOf(kind: Kind): unknown {
  switch (kind.name) {
    case "flag":
      return true;
    case "number":
      return 1;
    case "choice":
      return kind.values[0];
    case "list":
      return [valueOf(unwrap(kind.items))];
    case "map":
      return {};
    default:
      return "en";
  }
}

const nest = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

const ROOT = fileURLToPath(new URL("../../../src", import.meta.url));
const codeIn = (folder: string): string =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".ts") && !["rail.ts", "assets.ts", "packed.ts"].includes(name))
    .map((name) => readFileSync(join(ROOT, folder, name), "utf8"))
    .join("\n");
const SHARED = ["library", "library/http", "library/judges", "runtime/create"].map(codeIn).join("\n");

/** Returns true if code of the rails with these settings uses the name outside of types and comments. */
function isRead(key: string, name: string): boolean {
  const own = LIBRARY_RAILS.filter(({ settings }) => settings === key).map((rail) => codeIn(`library/${rail.name}`));
  const code = [...own, SHARED].join("\n").replaceAll(/readonly \w+\??:|^ *(?:\/\/|\/?\*).*$/gm, "");
  return new RegExp(`\\b${name}\\b`).test(code);
}

/** Returns the warnings and errors about a configuration. */
async function diagnosticsOf(config: object): Promise<readonly Diagnostic[]> {
  try {
    const options = { llm: scriptedModel([]), logger: false } as const;
    return (await Guardrails.fromConfig({ files: { "config.yml": JSON.stringify(config, null, 2) } }, options))
      .warnings;
  } catch (error) {
    if (!DiagnosticError.isInstance(error)) throw error;
    return error.diagnostics;
  }
}

const warned = (problems: readonly Diagnostic[]) => problems.filter(({ code }) => code === "CF-211");

describe.each(["1.0", "2.x"])("a setting without effect in Colang %s", (colang_version) => {
  const warningsOf = async (config: object) => warned(await diagnosticsOf({ colang_version, rails: { config } }));

  it.each<[string, object, object, string]>([
    ["jailbreak_detection.embedding", { embedding: "e" }, { embedding: null }, "an embedding model of its own"],
    ["jailbreak_detection.nim_server_endpoint", { nim_server_endpoint: "x" }, { nim_base_url: "http://a" }, "below"],
    [
      "jailbreak_detection.api_key",
      { api_key: "k", api_key_env_var: "K" },
      { api_key_env_var: null },
      "remove `api_key`",
    ],
    ["gliner.api_key", { api_key: "k", api_key_env_var: "K" }, { api_key_env_var: null }, "remove `api_key`"],
    [
      "gliner.model",
      { model: "m", server_endpoint: "http://a/v1/extract" },
      { server_endpoint: "http://a/v1/chat/completions/" },
      "change `server_endpoint`",
    ],
    [
      "gcpnlp.access_token_env_var",
      { access_token_env_var: "T", api_key_env_var: "K" },
      { api_key_env_var: null },
      "keep one of the two",
    ],
    ["sensitive_data_detection.language", { language: "de" }, { server_endpoint: "http://a" }, "set `server_endpoint`"],
    [
      "sensitive_data_detection.on_error",
      { on_error: "allow" },
      { server_endpoint: "http://a" },
      "set `server_endpoint`",
    ],
    [
      "sensitive_data_detection.output.mask_token",
      { output: { mask_token: "x" } },
      { output: {} },
      "replaced by its type",
    ],
    ["regex_detection.retrieval.mask_token", { retrieval: { mask_token: "x" } }, { retrieval: {} }, "replaces nothing"],
    [
      "patronus.input",
      { input: { evaluate_config: { success_strategy: "any_pass" } } },
      { input: null },
      "to `output`",
    ],
    ["self_check_hallucination.threshold", { threshold: 0.4 }, { method: "each" }, "set `method: each`"],
    ["ai_defense.fail_open", { fail_open: true, on_error: "block" }, { on_error: null }, "`on_error` decides"],
    [
      "content_safety.multilingual.refusal_messages",
      { multilingual: { refusal_messages: { de: "Nein." } } },
      { multilingual: { enabled: false, refusal_messages: { de: "Nein." } } },
      "set `enabled: true`",
    ],
  ])("is reported with its place and a hint: %s", async (path, settings, other, hint) => {
    const [key = "", ...keys] = path.split(".");
    const [found, ...more] = await warningsOf({ [key]: settings });
    expect(more).toEqual([]);
    expect(found).toMatchObject({ path: `rails.config.${path}`, message: `\`rails.config.${path}\` has no effect` });
    expect(found?.hint).toContain(hint);
    const { source, start = 0, end } = found?.span ?? {};
    expect(source?.text.slice(start, end)).toBe(`"${keys.at(-1)}"`);
    expect(await warningsOf({ [key]: { ...settings, ...other } })).toEqual([]);
  });

  it.each<[object, boolean]>([
    [{}, true],
    [{ input: { policies: [] } }, true],
    [{ output: { policies: ["No advice."] } }, true],
    [{ input: { policies: ["No advice."] } }, false],
  ])("is a variant without policies: %j", async (strict, isReported) => {
    const config = { self_check: { variants: { strict } } };
    const rails = { input: { flows: ["self check input $variant=strict"] }, config };
    const found = warned(await diagnosticsOf({ colang_version, rails }));
    expect(found.map(({ message, path }) => [message, path])).toEqual(
      isReported ? [["the variant `strict` has no policies for `input`", "rails.input.flows[0]"]] : [],
    );
  });

  it.each([
    ["toxic_words", { retrieval: { action: "report" } }, "retrieval", "the rail has flows for `input`, `output` alone"],
    [
      "prompt_leak",
      { variants: { strict: { input: {} } } },
      "variants.strict.input",
      "flows for `output`, `tool_output` alone",
    ],
  ])("is refused if no flow of `%s` is in its stage: %j", async (key, settings, path, hint) => {
    const problems = await diagnosticsOf({ colang_version, rails: { config: { [key]: settings } } });
    expect(problems.map((problem) => [problem.code, problem.path])).toEqual([
      ["CF-103", `rails.config.${key}.${path}`],
    ]);
    expect(problems[0]?.hint).toContain(hint);
    expect(problems[0]?.span).toBeDefined();
  });
});

describe("settings of rails", () => {
  it.each(RAIL_SETTING_KEYS.map((key) => [key]))("of `%s` are read by its code, or reported", async (key) => {
    for (const [path, value] of leaves(settingsOf(key))) {
      const [name = ""] = path.filter((step) => step !== "one").slice(-1);
      if (name === "" || isRead(key, name)) continue;
      const found = warned(await diagnosticsOf({ rails: { config: { [key]: nest(path, value) } } }));
      expect(found.map((each) => each.path)).toEqual([`rails.config.${[key, ...path].join(".")}`]);
    }
  });

  it.each(RAIL_SETTING_KEYS.map((key) => [key]))("of `%s` are those of stages that have its flows", async (key) => {
    const stages = new Set(
      LIBRARY_RAILS.filter(({ settings }) => settings === key).flatMap(({ flows }) => flows.map(({ stage }) => stage)),
    );
    for (const [name, field] of partsOf(settingsOf(key))) {
      const stage = SOURCES.find((source) => source === name);
      if (stage === undefined || stages.has(stage)) continue;
      for (const [path, value] of leaves(field, [name])) {
        const found = warned(await diagnosticsOf({ rails: { config: { [key]: nest(path, value) } } }));
        expect([path, found.map((each) => each.path)]).toEqual([path, [`rails.config.${key}.${name}`]]);
      }
    }
  });
});

describe("a fallback intent that looks like another one", () => {
  const COLANG = `
define user ask price
  "how much is it?"

define flow
  user ask something else
  bot explain limits

define bot explain limits
  "I only know prices."
`;

  it.each<[string, string | undefined]>([
    ["ask price", undefined],
    ["ask something else", undefined],
    ["user ask something else", "did you mean `ask something else`?"],
    ["ask somthing else", "did you mean `ask something else`?"],
    ["leave it to the model", undefined],
  ])("is a warning with its place: %s", async (intent, hint) => {
    const yaml = `rails:
  dialog:
    user_messages:
      embeddings_only: true
      embeddings_only_fallback_intent: ${intent}
`;
    const { warnings } = await Guardrails.fromConfig({ yaml, colang: COLANG }, { logger: false });
    const path = "rails.dialog.user_messages.embeddings_only_fallback_intent";
    const message = `no flow and no example has the intent \`${intent}\``;
    expect(warned(warnings)).toMatchObject(hint === undefined ? [] : [{ message, hint, path, span: {} }]);
  });
});
