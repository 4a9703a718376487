import { describe, expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { assert, asyncProperty, constantFrom, record } from "fast-check";
import { Guardrails, GuardrailViolationError, type RailDecision } from "langchain-guardrails";
import { z } from "zod/v4";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { MARKED, type Stage, type Surface, SURFACES } from "../support/langchain/guarded-surfaces.js";
import { drain, type Version } from "../support/langchain/real-guardrails.js";
import { visibleJson } from "../support/langchain/visible-json.js";
import { propertyRuns } from "../support/property-runs.js";

const VARIABLES: Readonly<Record<Stage, string>> = {
  input: "user_message",
  output: "bot_message",
  retrieval: "relevant_chunks",
  tool_output: "tool_args",
  tool_input: "tool_message",
};

const FLOWS: Readonly<Record<Version, (name: string, variable: string) => string>> = {
  "1.0": (name, variable) => `
define subflow ${name}
  $made = execute ${name}_text(text=$${variable})
  if $made == "blocked"
    bot refuse to respond
    stop
  if $made != "passed"
    $${variable} = $made
`,
  "2.x": (name, variable) => `
flow ${name}
  global $${variable}
  $made = await ${name[0]?.toUpperCase() ?? ""}${name.slice(1)}TextAction(text=$${variable})
  if $made == "blocked"
    bot refuse to respond
    abort
  if $made != "passed"
    $${variable} = $made
`,
};

/** The implementation of a rail's action. */
const ACTIONS = {
  passes: () => "passed",
  blocks: ({ text }: { text: unknown }) => (JSON.stringify(text).includes(MARKED) ? "blocked" : "passed"),
  rewrites: ({ text }: { text: unknown }) => JSON.parse(JSON.stringify(text).replaceAll(MARKED, "hidden")) as unknown,
  fails: () => {
    throw new Error("broken");
  },
} as const;
type Work = keyof typeof ACTIONS;

interface Setup {
  readonly version: Version;
  readonly stage: Stage;
  readonly verdict: Work | undefined;
  readonly shadow: Work | undefined;
  readonly reply?: string | undefined;
  readonly onError?: "allow" | "throw" | undefined;
  readonly parallel?: boolean | undefined;
}

interface Loaded {
  readonly guardrails: Guardrails;
  readonly decisions: RailDecision[];
}

const loaded = new Map<string, Promise<Loaded>>();

/** Guardrails of a setup, shared by the surfaces that use the same. */
async function load(setup: Setup): Promise<Loaded> {
  const key = JSON.stringify(setup);
  const loading = loaded.get(key) ?? loadNew(setup);
  loaded.set(key, loading);
  const { decisions } = await loading;
  decisions.length = 0;
  return loading;
}

async function loadNew({ version, stage, verdict, shadow, reply = "fine", onError, parallel }: Setup): Promise<Loaded> {
  const decisions: RailDecision[] = [];
  const listed = {
    flows: verdict === undefined ? [] : ["judge"],
    ...(shadow === undefined ? {} : { shadow: ["watch"] }),
    ...(parallel === undefined || stage === "retrieval" ? {} : { parallel }),
  };
  const colang = ["judge", "watch"].map((name) => FLOWS[version](name, VARIABLES[stage])).join("");
  const guardrails = await Guardrails.fromConfig(
    {
      colang: version === "2.x" ? `import core\n${colang}` : colang,
      config: { colang_version: version, rails: { [stage]: listed } },
    },
    {
      llm: scriptedModel(() => reply),
      actions: { judge_text: ACTIONS[verdict ?? "passes"], watch_text: ACTIONS[shadow ?? "passes"] },
      logger: false,
      onDecision: (decision) => decisions.push(decision),
      ...(onError === undefined ? {} : { onError }),
    },
  );
  return { guardrails, decisions };
}

const DIFFERING = /"(?:\w*[dD]urationMs":[\d.]+|colangHistory":"(?:[^"\\]|\\.)*"),?/g;

/** The value without decisions of shadow rails. */
function withoutShadows(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => (item as { shadow?: true } | null)?.shadow !== true).map(withoutShadows);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutShadows(inner)]));
}

async function run(setup: Setup, surface: Surface) {
  const { guardrails, decisions } = await load({ ...setup, reply: surface.reply });
  let result: string;
  try {
    result = visibleJson(await surface.run(guardrails));
  } catch (error) {
    if (GuardrailViolationError.isInstance(error)) {
      result = visibleJson([error.name, error.message, error.refusal, error.decisions]);
    } else result = JSON.stringify(String(error));
  }
  return {
    visible: JSON.stringify(withoutShadows(JSON.parse(result))).replaceAll(DIFFERING, ""),
    shadows: decisions.filter(({ shadow }) => shadow === true),
  };
}

const VERSIONS = ["1.0", "2.x"] as const;
const NAMES = new Set([
  "check",
  "wrap(model).invoke",
  "wrap(model).stream",
  "wrap(chain).stream",
  "input()",
  "output()",
  "generate",
  "guardrails.stream",
  "retrieval()",
  "tool() arguments",
  "tool() result",
  "wrap(model) with a call",
  "wrap(model) after a result",
]);
const ROWS = SURFACES.filter(({ name, stage }) => NAMES.has(name) || (name === "middleware" && stage === "output"));

describe.each(VERSIONS)("a shadow rail in Colang %s", (version) => {
  it.each(ROWS)("that would block does not change $name, $stage, and reports", async (surface) => {
    const setup = { version, stage: surface.stage, verdict: "passes" } as const;
    const alone = await run({ ...setup, shadow: undefined }, surface);
    const watched = await run({ ...setup, shadow: "blocks" }, surface);
    expect(watched.visible).toBe(alone.visible);
    expect(watched.shadows).toContainEqual(expect.objectContaining({ rail: "watch", status: "blocked" }));
    expect(JSON.stringify(watched.shadows)).not.toContain(MARKED);
  });
});

it("a shadow rail changes no result, whatever it and the other rail do", async () => {
  const works = constantFrom(...(Object.keys(ACTIONS) as Work[]));
  const setup = record({
    surface: constantFrom(...ROWS),
    version: constantFrom(...VERSIONS),
    verdict: works,
    shadow: works,
    onError: constantFrom(undefined, "allow" as const, "throw" as const),
    parallel: constantFrom(undefined, true, false),
  });
  await assert(
    asyncProperty(setup, async ({ surface, ...given }) => {
      const { stage } = surface;
      const alone = await run({ ...given, stage, shadow: undefined }, surface);
      const watched = await run({ ...given, stage }, surface);
      expect(watched.visible).toBe(alone.visible);
    }),
    { numRuns: propertyRuns(8) },
  );
});

describe.each(VERSIONS)("a stage in Colang %s with only shadow rails", (version) => {
  it.each(ROWS.filter(({ name }) => /^(?:wrap.*(?:invoke|call|result)|check)$/.test(name)))(
    "lets $name, $stage pass and reports",
    async (surface) => {
      const setup = { version, stage: surface.stage, verdict: undefined } as const;
      const { visible, shadows } = await run({ ...setup, shadow: "blocks" }, surface);
      expect(visible).toContain(surface.passed ?? (surface.stage === "input" ? "fine" : MARKED));
      expect(shadows.map(({ status }) => status)).toEqual(["blocked"]);
    },
  );

  it("reports a rail that fails, and passes the text", async () => {
    const { guardrails, decisions } = await load({ version, stage: "input", verdict: undefined, shadow: "fails" });
    expect(await guardrails.check(MARKED, { stage: "input" })).toMatchObject({ status: "passed", blocked: false });
    expect(decisions).toMatchObject([{ rail: "watch", status: "error", shadow: true }]);
    expect(decisions[0]?.refusal).toBeUndefined();
  });

  it.each(["passes", undefined] as const)(
    "reports once about a streamed response (other rail: %s)",
    async (verdict) => {
      const { guardrails, decisions } = await load({ version, stage: "output", verdict, shadow: "blocks" });
      const reply = `${"word ".repeat(200)}${MARKED}`;
      const chunks = await drain(await guardrails.wrap(scriptedModel([reply])).stream("hi"));
      expect(chunks.map(({ text }) => text).join("") === reply).toBe(true);
      expect(decisions.filter(({ shadow }) => shadow === true)).toMatchObject([{ status: "blocked" }]);
    },
  );

  it("reads texts as rewriting rails left them", async () => {
    const { guardrails, decisions } = await load({ version, stage: "input", verdict: "rewrites", shadow: "blocks" });
    expect(await guardrails.check(MARKED, { stage: "input" })).toMatchObject({ status: "modified", output: "hidden" });
    expect(decisions).toMatchObject([
      { rail: "judge", status: "modified" },
      { rail: "watch", status: "passed", shadow: true },
    ]);
  });

  it("cannot also list a rail with the others of its stage", async () => {
    const config = { colang_version: version, rails: { input: { flows: ["judge"], shadow: ["judge"] } } };
    const loading = Guardrails.fromConfig({ colang: FLOWS[version]("judge", "user_message"), config });
    await expect(loading).rejects.toThrow(ConfigError);
    await expect(loading).rejects.toThrow("listed under `flows` and under `shadow`");
  });
});

describe.each(VERSIONS)("a shadow rail for one tool in Colang %s", (version) => {
  const stages = ["tool_output", "tool_input"] as const;

  it.each(stages)("decides only there and never blocks: %s", async (stage) => {
    const flow = `detect secrets on ${stage.replace("_", " ")}`;
    const config = {
      colang_version: version,
      rails: { [stage]: { shadow_per_tool: { watched: [flow] }, per_tool: { guarded: [flow] } } },
    };
    const decisions: RailDecision[] = [];
    const onDecision = (decision: RailDecision): void => void decisions.push(decision);
    const guardrails = await Guardrails.fromConfig({ config }, { logger: false, onDecision });
    const secret = ["AKIA", "Z7QX4M2N5B6V3C4D"].join("");
    const run = async (name: string): Promise<unknown> => {
      decisions.length = 0;
      const inner = tool(({ q }: { q: string }) => q, { name, description: "d", schema: z.object({ q: z.string() }) });
      return guardrails.tool(inner).invoke({ q: `key ${secret}` });
    };
    expect(await run("watched")).toBe(`key ${secret}`);
    expect(decisions).toMatchObject([{ rail: flow, status: "blocked", shadow: true }]);
    expect(await run("guarded")).not.toContain(secret);
    expect(decisions).toMatchObject([{ rail: flow, status: "blocked" }]);
    expect(decisions[0]?.shadow).toBeUndefined();
    expect(await run("other")).toContain(secret);
    expect(decisions).toEqual([]);
  });

  it.each(["flows", "per_tool"])("cannot also be listed with the others of the tool: %s", async (key) => {
    const flow = "detect secrets on tool output";
    const counting = key === "flows" ? [flow] : { watched: [flow] };
    const config = {
      colang_version: version,
      rails: { tool_output: { [key]: counting, shadow_per_tool: { watched: [flow] } } },
    };
    await expect(Guardrails.fromConfig({ config })).rejects.toThrow(
      `listed under \`${key}\` and under \`shadow_per_tool\``,
    );
  });
});
