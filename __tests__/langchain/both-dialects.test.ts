import { describe, expect, it } from "@jest/globals";
import { Guardrails, GuardrailViolationError } from "langchain-guardrails";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { MARKED, type Stage, type Surface, SURFACES } from "../support/langchain/guarded-surfaces.js";
import { drain, type Version } from "../support/langchain/real-guardrails.js";
import { visibleJson } from "../support/langchain/visible-json.js";
import { ChunkedModel } from "./streaming/chunked-model.js";

const VARIABLES: Readonly<Record<Stage, string>> = {
  input: "user_message",
  output: "bot_message",
  retrieval: "relevant_chunks",
  tool_output: "tool_args",
  tool_input: "tool_message",
};

/** A rail of the same meaning in each dialect. */
const COLANG: Readonly<Record<Version, (variable: string) => string>> = {
  "1.0": (variable) => `
define subflow judge
  $made = execute judge_text(text=$${variable})
  if $made == "blocked"
    bot refuse to respond
    stop
  if $made != "passed"
    $${variable} = $made
`,
  "2.x": (variable) => `
import core
flow judge
  global $${variable}
  $made = await JudgeTextAction(text=$${variable})
  if $made == "blocked"
    bot refuse to respond
    abort
  if $made != "passed"
    $${variable} = $made
`,
};

const HIDDEN = "hidden";

/** The rail's action, by the outcome of the rail. */
const ACTIONS = {
  "lets a text pass": () => "passed",
  "blocks a text": ({ text }: { text: unknown }) => (JSON.stringify(text).includes(MARKED) ? "blocked" : "passed"),
  "rewrites a text": ({ text }: { text: unknown }) =>
    JSON.parse(JSON.stringify(text).replaceAll(MARKED, HIDDEN)) as unknown,
} as const;
type Outcome = keyof typeof ACTIONS;

const loaded = new Map<string, Promise<Guardrails>>();

/** The guardrails of a row, shared by the surfaces with the same stage and reply. */
function load(version: Version, stage: Stage, outcome: Outcome, reply = "fine"): Promise<Guardrails> {
  const key = [version, stage, outcome, reply].join();
  const guardrails = loaded.get(key) ?? loadJudge(version, stage, outcome, reply);
  loaded.set(key, guardrails);
  return guardrails;
}

function loadJudge(version: Version, stage: Stage, outcome: Outcome, reply: string): Promise<Guardrails> {
  return Guardrails.fromConfig(
    {
      colang: COLANG[version](VARIABLES[stage]),
      config: { colang_version: version, rails: { [stage]: { flows: ["judge"] } } },
    },
    {
      llm: scriptedModel(() => reply),
      actions: { judge_text: ACTIONS[outcome] },
      logger: false,
    },
  );
}

/** Times, and the history of a conversation, which each dialect prints in its own syntax. */
const DIFFERING = /"(?:\w+DurationMs":[\d.]+|colangHistory":"(?:[^"\\]|\\.)*")/g;

/** Runs a surface under a rail; violations and results as comparable text. */
async function runIn(version: Version, surface: Surface, outcome: Outcome): Promise<string> {
  const guardrails = await load(version, surface.stage, outcome, surface.reply);
  try {
    return visibleJson(await surface.run(guardrails)).replaceAll(DIFFERING, "");
  } catch (error) {
    if (!GuardrailViolationError.isInstance(error)) throw error;
    return visibleJson([error.name, error.message, error.refusal, error.decisions]);
  }
}

describe.each(SURFACES)("$name, $stage: both dialects give the same result when a rail", (surface) => {
  it.each(Object.keys(ACTIONS) as Outcome[])("%s", async (outcome) => {
    const colang1 = await runIn("1.0", surface, outcome);
    expect(await runIn("2.x", surface, outcome)).toBe(colang1);
    if (outcome !== "lets a text pass") expect(colang1).not.toContain(MARKED);
  });
});

/** Rails on windows: one that only judges, and one that rewrites word by word. */
const WINDOW_RAILS: Readonly<Record<Version, string>> = {
  "1.0": `
define subflow judge
  $made = execute judge_text(text=$bot_message)
  if $made == "blocked"
    bot refuse to respond
    stop
define subflow hide
  meta {"stream": "word"}
  $bot_message = execute hide_digits(text=$bot_message)
`,
  "2.x": `
import core
flow judge
  global $bot_message
  $made = await JudgeTextAction(text=$bot_message)
  if $made == "blocked"
    bot refuse to respond
    abort
@meta(stream="word")
flow hide
  global $bot_message
  $bot_message = await HideDigitsAction(text=$bot_message)
`,
};

it("both dialects keep the same conversation on a thread, without the turns that were blocked", async () => {
  const [colang1, colang2] = await Promise.all(
    (["1.0", "2.x"] as const).map(async (version) => {
      const llm = scriptedModel(["one", "two", "three"]);
      const guarded = (await load(version, "input", "blocks a text")).wrap(llm);
      const thread = { configurable: { thread_id: "t" } };
      const responses: string[] = [];
      for (const text of ["hi", MARKED, "again", MARKED, "bye"])
        responses.push((await guarded.invoke(text, thread)).text);
      return { responses, prompts: llm.calls.map(({ prompt }) => prompt) };
    }),
  );
  expect(colang2).toEqual(colang1);
  expect(colang1?.responses.filter((text) => /^(?:one|two|three)$/.test(text))).toEqual(["one", "two", "three"]);
  expect(JSON.stringify(colang1?.prompts)).not.toContain(MARKED);
});

describe("both dialects release the same windows of a stream when an output rail", () => {
  const chunks = ["one ", "two ", "three ", MARKED, " four ", "five ", "six"];

  async function windowsIn(version: Version, rail: string, outcome: Outcome): Promise<string[]> {
    const guardrails = await Guardrails.fromConfig(
      { colang: WINDOW_RAILS[version], config: { colang_version: version, rails: { output: { flows: [rail] } } } },
      {
        actions: {
          judge_text: ACTIONS[outcome],
          hide_digits: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*"),
        },
        logger: false,
        streaming: { chunkSize: 2, contextSize: 1 },
      },
    );
    return (await drain(await guardrails.wrap(new ChunkedModel(chunks)).stream("hi"))).map((chunk) =>
      visibleJson(chunk),
    );
  }

  it.each([
    ["lets a text pass", "judge", "lets a text pass"],
    ["blocks a text", "judge", "blocks a text"],
    ["rewrites word by word", "hide", "lets a text pass"],
  ] as const)("%s", async (title, rail, outcome) => {
    const colang1 = await windowsIn("1.0", rail, outcome);
    expect(await windowsIn("2.x", rail, outcome)).toEqual(colang1);
    expect(colang1.length).toBeGreaterThan(2);
    if (title !== "lets a text pass") expect(colang1.join("")).not.toContain("77");
  });
});
