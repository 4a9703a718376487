import { describe, expect, it } from "@jest/globals";
import type { Field } from "../../../src/config/schema/fields.js";
import { RAIL_SETTING_KEYS } from "../../../src/config/schema/rail-config.js";
import { settingsField } from "../../../src/config/schema/settings-schema.js";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic.js";
import { DiagnosticError } from "../../../src/diagnostics/errors.js";
import { Guardrails } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";

type Settings = Readonly<Record<string, unknown>>;

const VERSIONS = ["1.0", "2.x"] as const;
const KEY = "key-0123456789abcdef";

/** Loads a configuration, given as a file or as an object. */
const load = (config: Settings, as: "file" | "object" = "file") =>
  Guardrails.fromConfig(as === "file" ? { files: { "config.yml": JSON.stringify(config, null, 2) } } : { config }, {
    llm: scriptedModel([]),
    logger: false,
  });

async function problemsOf(config: Settings, as?: "file" | "object"): Promise<readonly Diagnostic[]> {
  try {
    await load(config, as);
    return [];
  } catch (error) {
    if (!DiagnosticError.isInstance(error)) throw error;
    return error.diagnostics;
  }
}

const lineOf = ({ span }: Diagnostic): number => span?.source.text.slice(0, span.start).split("\n").length ?? 0;

function unwrap({ kind }: Field<unknown>): Field<unknown>["kind"] {
  if (kind.name === "optional" || kind.name === "rewritten") return unwrap(kind.field);
  return kind.name === "late" ? unwrap(kind.field()) : kind;
}

/** Returns a value in which each setting has the wrong type, and the paths of the settings. */
function wrongValue(field: Field<unknown>, path: string, paths: string[]): unknown {
  const kind = unwrap(field);
  switch (kind.name) {
    case "section":
    case "entry":
      return Object.fromEntries(
        Object.entries(kind.shape).map(([name, child]) => [name, wrongValue(child, `${path}.${name}`, paths)]),
      );
    case "list":
      return [wrongValue(kind.items, `${path}[0]`, paths)];
    case "map":
      return { one: wrongValue(kind.values, `${path}.one`, paths) };
    case "anything":
      return null;
    default:
      paths.push(path);
      return kind.name === "text" ? 5 : kind.name === "union" ? true : "nonsense";
  }
}

function settingsOfRails(): Readonly<Record<string, Field<unknown>>> {
  let kind = unwrap(settingsField());
  for (const step of ["rails", "config"]) {
    const child: Field<unknown> | undefined =
      kind.name === "section" || kind.name === "entry" ? kind.shape[step] : undefined;
    if (child === undefined) throw new Error(`no setting ${step}`);
    kind = unwrap(child);
  }
  return kind.name === "section" ? kind.shape : {};
}

const FIELDS = settingsOfRails();

describe.each(VERSIONS)("wrong settings in Colang %s", (version) => {
  it.each(RAIL_SETTING_KEYS.map((key) => [key] as const))(
    "of `%s` are all reported, with place and hint",
    async (key) => {
      const paths: string[] = [];
      const field = FIELDS[key];
      if (field === undefined) throw new Error(`no settings ${key}`);
      const wrong = wrongValue(field, `rails.config.${key}`, paths);
      const problems = await problemsOf({ colang_version: version, rails: { config: { [key]: wrong } } });
      const found = problems.filter(({ hint, span }) => hint !== undefined && span !== undefined);
      const limit = 200;
      expect(found.map(({ path }) => path).sort()).toEqual(expect.arrayContaining(paths.slice(0, limit).sort()));
      expect(problems.length).toBe(Math.min(paths.length, limit));
    },
  );

  it.each<[string, Settings, string, string]>([
    ["f5", { timeout: 1e308 }, "must be at most 86400", "time limit for the service"],
    ["f5", { retries: 1e15 }, "must be at most 100", "further attempts"],
    ["self_check_hallucination", { num_samples: 11 }, "must be at most 10", "further answers"],
    ["cleanlab", { quality: "hihg" }, "must be `base`, `low`, `medium`, `high` or `best`", "did you mean `high`?"],
    ["self_check", { input: { policies: [" "] } }, "must not be blank", "rules in plain words"],
    ["tool_safety", { per_tool: { pay: { policies: [""] } } }, "must not be blank", "rules in plain words"],
    ["tools", { forbidden_in_arguments: [""] }, "must not be blank", "patterns that no argument"],
    ["tools", { allowed: ["search", ""] }, "must not be blank", "the only tools"],
    ["regex_detection", { input: { patterns: ["  "] } }, "must not be blank", "regular expressions"],
    ["jailbreak_detection", { api_key: " " }, "must not be blank", "the key"],
    ["sensitive_data_detection", { api_key_env_var: "" }, "must not be blank", "the environment variable"],
    ["sensitive_data_detection", { language: "English" }, "must be a code of a language", "language of the texts"],
    ["clavata", { policies: { one: "" } }, "must not be blank", "policy ids by alias"],
    ["content_safety", { multilingual: { refusal_messages: { de: "" } } }, "must not be blank", "refusals by language"],
    [
      "content_safety",
      { multilingual: { refusal_messages: { german: "Nein." } } },
      "`german` is not the code of a language that is recognised",
      "write codes of ISO 639-1",
    ],
  ])("%s: %j is refused", async (key, settings, message, hint) => {
    for (const as of ["file", "object"] as const) {
      const problems = await problemsOf({ colang_version: version, rails: { config: { [key]: settings } } }, as);
      expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
      expect(problems[0]?.hint).toContain(hint);
      expect(problems[0]?.path).toContain(`rails.config.${key}.`);
      if (as === "file") expect(lineOf(problems[0] as Diagnostic)).toBeGreaterThan(4);
    }
  });

  it.each<[string, string, Settings, string, string]>([
    [
      "input",
      "detect secrets on input $variant=strikt",
      { secrets_detection: { variants: { strict: {} } } },
      "there is no variant `strikt`",
      "did you mean `strict`?",
    ],
    [
      "input",
      "detect secrets on input $variant=strict",
      {},
      "there is no variant `strict`",
      "describe it under `rails.config.secrets_detection.variants`",
    ],
    [
      "input",
      "regex check input $variant=strict",
      { regex_detection: { input: { patterns: ["a"] } } },
      "there is no variant `strict`",
      "the rail has no variants; take `$variant` off",
    ],
    [
      "input",
      "f5 guardrails scan input $variant=__proto__",
      {},
      "there is no variant `__proto__`",
      "the rail has no variants",
    ],
    [
      "input",
      "self check input $variant=",
      {},
      "no value is given for the parameter `$variant`",
      "write it as `$variant=value`",
    ],
    [
      "input",
      "content safety check input $model",
      {},
      "no value is given for the parameter `$model`",
      "write it as `$model=value`",
    ],
    [
      "tool_output",
      'regex check tool output $argument=""',
      {},
      "no value is given for the parameter `$argument`",
      "write it as `$argument=value`",
    ],
    [
      "tool_output",
      "cel check tool output $argument=",
      { cel: { tool_output: { pay: { expressions: ["true"] } } } },
      "no value is given for the parameter `$argument`",
      "write it as `$argument=value`",
    ],
    [
      "input",
      "detect secrets on input $variant=a $variant=b",
      { secrets_detection: { variants: { a: {}, b: {} } } },
      "`$variant=b` is not a parameter",
      "each of them once",
    ],
    [
      "input",
      "content safety check input $model=main $model=guard",
      {},
      "`$model=guard` is not a parameter",
      "each of them once",
    ],
    [
      "input",
      "llm judge check input",
      { llm_judge: { policies: { one: "No advice.", two: [" "] } } },
      "the policy `two` is empty",
      "write `policies",
    ],
    [
      "input",
      "llm judge check input $policy=long",
      { llm_judge: { policies: { long: "No advice on medicines. ".repeat(700), other: "No advice." } } },
      "the policies have 16800 characters, more than a prompt of 16000 has room for",
      "shorten them, or give the task a prompt with a larger `max_length`",
    ],
    [
      "output",
      "llm judge check output",
      { llm_judge: { policies: { one: "No advice. ".repeat(800), two: "No doses. ".repeat(800) } } },
      "the policies have 16801 characters, more than a prompt of 16000 has room for",
      "shorten them",
    ],
    ["input", "self check input $foo=bar", {}, "has no parameter `$foo`", "read it in the flow, or remove it"],
    [
      "input",
      "autoalign check input",
      { autoalign: { parameters: { endpoint: "http://127.0.0.1:9" }, input: { guardrails_config: { pii: "on" } } } },
      "the settings of the task `pii` are not keys and values",
      "write `pii: {}`",
    ],
    [
      "input",
      "gliner detect pii on input",
      { gliner: { server_endpoint: "http://127.0.0.1:9/v1/extract", chunk_length: 100, overlap: 100 } },
      "cannot share as much",
      "set `overlap` below `chunk_length`",
    ],
    ["input", "detect other languages on input", {}, "the rail allows no language", "such as `allow: [en]`"],
    [
      "input",
      "detect other languages on input",
      { language_check: { allow: ["xx"] } },
      "unknown name `xx`",
      "the names are",
    ],
  ])("rails.%s lists `%s` with %j", async (stage, flow, config, message, hint) => {
    process.env["AUTOALIGN_API_KEY"] = KEY;
    process.env["F5_GUARDRAILS_API_KEY"] = KEY;
    const problems = await problemsOf({ colang_version: version, rails: { [stage]: { flows: [flow] }, config } });
    const problem = problems.find((each) => each.message.includes(message));
    expect(problem?.hint).toContain(hint);
    expect(problem && lineOf(problem)).toBeGreaterThan(2);
  });

  it.each<[string, string, Settings, string]>([
    ["input", "detect secrets on input", { secrets_detection: { entropy: 9 } }, "secrets_detection.entropy"],
    [
      "input",
      "detect secrets on input $variant=one",
      { secrets_detection: { variants: { one: { entropy: 0.5 } } } },
      "secrets_detection.variants.one.entropy",
    ],
    ...[
      [{ supported_entity: "X", patterns: [{ regex: "a", score: 2 }] }, ".patterns[0].score"],
      [{ supported_entity: "X", patterns: [{ regex: "a", score: "high" }] }, ".patterns[0].score"],
      [
        {
          supported_entity: "X",
          patterns: [
            { regex: "a", score: 1 },
            { regex: "(", score: 1 },
          ],
        },
        ".patterns[1].regex",
      ],
      [{ supported_entity: "X", patterns: [] }, ""],
      [{ supported_entity: "X", deny_list: ["a"], deny_list_score: -1 }, ".deny_list_score"],
      [{ supported_entity: "X", deny_list: [" "] }, ".deny_list"],
      [{ supported_entity: "X", deny_list: ["a"], context: [""] }, ".context"],
      [{ deny_list: ["a"] }, ""],
    ].map(([own, place]): [string, string, Settings, string] => [
      "input",
      "detect sensitive data on input",
      { sensitive_data_detection: { recognizers: [own], input: { entities: ["X"] }, output: { entities: ["X"] } } },
      `sensitive_data_detection.recognizers[0]${String(place)}`,
    ]),
    ["input", "detect other languages on input", { language_check: { allow: ["en", "xx"] } }, "language_check.allow"],
    ["input", "detect urls on input", { url_check: { allow: ["not a domain!"] } }, "url_check.allow"],
    ["output", "detect prompt leak on output", { prompt_leak: { canary_tokens: ["a"] } }, "prompt_leak.canary_tokens"],
    [
      "output",
      "detect prompt leak on output",
      { prompt_leak: { prompts: ["a b c d e", "a"] } },
      "prompt_leak.prompts[1]",
    ],
    ["input", "detect key words on input", { key_words: { words: ["a"], lists: { X: [] } } }, "key_words.lists.X"],
    [
      "output",
      "mask sensitive data on output",
      { sensitive_data_detection: { output: { entities: ["NOPE"] } } },
      "sensitive_data_detection.output.entities",
    ],
  ])("rails.%s lists `%s` with %j: one error with place and hint", async (stage, flow, config, path) => {
    for (const as of ["file", "object"] as const) {
      const rails = { [stage]: { flows: [flow] }, config };
      const problems = await problemsOf({ colang_version: version, rails }, as);
      expect(problems.map((problem) => problem.path)).toEqual([expect.stringContaining(`rails.config.${path}`)]);
      expect(problems[0]?.hint).toMatch(/\w/);
      if (as === "file") expect(lineOf(problems[0] as Diagnostic)).toBeGreaterThan(5);
    }
  });

  it.each([
    ["input", "regex check input", { regex_detection: { output: { patterns: ["a"] } } }],
    ["output", "mask sensitive data on output", {}],
  ])("CF-210: warns that rails.%s lists `%s`, which looks for nothing", async (stage, flow, config) => {
    const guardrails = await load({ colang_version: version, rails: { [stage]: { flows: [flow] }, config } });
    const warnings = guardrails.warnings.filter(({ code }) => code === "CF-210");
    expect(warnings.map(({ message, hint }) => ({ message, hint }))).toEqual([
      {
        message: `the settings name nothing for \`${flow}\` to look for, so it lets every text pass`,
        hint: `add settings for \`${stage}\`, or take the rail off the list`,
      },
    ]);
    expect(lineOf(warnings[0] as Diagnostic)).toBeGreaterThan(2);
  });

  it.each([
    ["tool_output", "regex check tool output", "forbidden_in_arguments"],
    ["tool_input", "regex check tool input", "forbidden_in_results"],
  ])("CF-210: warns that rails.%s lists `%s` without patterns", async (stage, flow, setting) => {
    const warn = async (config: Settings, list: Settings = { flows: [flow] }) =>
      (await load({ colang_version: version, rails: { [stage]: list, config } })).warnings.map(({ code, hint }) => [
        code,
        hint,
      ]);
    const expected = [["CF-210", `add \`rails.config.tools.${setting}\`, or take the rail off the list`]];
    expect(await warn({})).toEqual(expected);
    expect(await warn({}, { per_tool: { pay: [flow] } })).toEqual(expected);
    expect(await warn({ tools: { per_tool: { pay: { [setting]: ["a"] } } } })).toEqual([]);
  });

  it("names the environment variable whose value is not valid in a header, but not the value", async () => {
    process.env["F5_GUARDRAILS_API_KEY"] = "key-\u00e9";
    const problems = await problemsOf({
      colang_version: version,
      rails: { input: { flows: ["f5 guardrails scan input"] } },
    });
    expect(problems).toMatchObject([
      {
        message: expect.stringContaining("`F5_GUARDRAILS_API_KEY`"),
        hint: expect.stringContaining("letters of ASCII"),
      },
    ]);
    expect(JSON.stringify(problems)).not.toContain("key-");
  });
});

it("says what a variable may be called", async () => {
  expect(await problemsOf({ context_variables: ["$plan"] })).toMatchObject([
    { message: "`context_variables[0]` must be the name of a variable, without `$`, not `$plan`" },
  ]);
});
