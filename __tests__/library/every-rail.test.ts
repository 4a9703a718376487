import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { z } from "zod/v4";
import { parseFlowReference } from "../../src/engine/flow-reference.js";
import { Guardrails, type RailDecision } from "../../src/index.js";
import { LIBRARY_RAILS } from "../../src/library/manifest.js";
import { scriptedModel } from "../../src/testing/index.js";
import { type ScriptedService, scriptedService } from "../support/scripted-service.js";
import { MODEL_RAILS } from "./model-rails-table.js";
import { SERVICE_ROWS } from "./services/rows/all-rows.js";
import { type ServiceRow, TEXT } from "./services/rows/service-row.js";

const VERSIONS = ["1.0", "2.x"] as const;

/** Parts of a streamed response that output rails read at once; all others read windows. */
const WHOLE_ANSWER = [
  "alignscore check facts",
  "autoalign check output",
  "autoalign factcheck output",
  "autoalign groundedness output",
  "cleanlab trustworthiness",
  "crowdstrike aidr guard output",
  "fiddler bot faithfulness",
  "gliner mask pii on output",
  "gotitai rag truthcheck",
  "mask pii on output",
  "pangea ai guard output",
  "patronus api check output",
  "patronus lynx check output hallucination",
  "polygraf mask pii on output",
  "protect response",
  "self check facts",
  "self check hallucination",
];
const FINDINGS = ["mask sensitive data on output"];

const OUTPUT = LIBRARY_RAILS.flatMap(({ flows, cost }) =>
  flows.filter(({ stage }) => stage === "output").map(({ name, stream = "window" }) => ({ name, stream, cost })),
);

const ROWS = new Map(SERVICE_ROWS.map((row) => [parseFlowReference(row.flow).id, row]));

/** Settings of rails on a tool. */
const OF_SEARCH = {
  cel: { tool_output: { search: { expressions: ["false"] } }, tool_input: { search: { expressions: ["false"] } } },
  tool_safety: { policies: ["No searches for people."] },
};

/** Settings of local rails. */
const LOCAL = {
  sensitive_data_detection: { output: { entities: ["EMAIL_ADDRESS"] } },
  regex_detection: { output: { patterns: ["forbidden"] } },
  key_words: { words: ["forbidden"] },
  language_check: { allow: ["en"] },
  llm_judge: { policies: { medicine: "No advice on medicines." } },
};

const EVIDENCE = ["the fox of Ada Lovelace is quick and brown"];
const SENTENCE = "the quick brown fox of Ada Lovelace went over the hill and came home in the evening. ";

/** The words of a response; a rail that keeps findings whole buffers more of it than a window. */
const wordsFor = (scope: string): readonly string[] => SENTENCE.repeat(scope === "findings" ? 40 : 4).split(/(?<= )/);

let service: ScriptedService;
beforeAll(async () => {
  service = await scriptedService();
  for (const { env } of SERVICE_ROWS) Object.assign(process.env, withUrl(env));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

function withUrl<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll("<url>", service.url)) as Value;
}

function respond({ lines, passes: documented, flow, key }: ServiceRow): void {
  if (key === "privateai") {
    // A text without entities comes back unchanged.
    service.respond({
      jsonFor: (body) => [{ entities_present: false, processed_text: (body as { text: readonly string[] }).text[0] }],
    });
    return;
  }
  // Its entity has a position in another text.
  const passes = flow === "polygraf detect pii on output" ? [] : documented;
  const isLines = lines === true && Array.isArray(passes);
  service.respond(isLines ? { text: passes.map((line) => `${JSON.stringify(line)}\n`).join("") } : { json: passes });
}

async function open(version: string, name: string): Promise<Guardrails> {
  const row = ROWS.get(name);
  const judge = MODEL_RAILS.find(({ flow }) => flow === name);
  const models = judge === undefined ? {} : { [judge.type]: scriptedModel(judge.passes, { name: judge.model }) };
  if (row !== undefined) respond(row);
  const config = row === undefined ? LOCAL : withUrl(row.settings);
  const { stage = "output" } = FLOWS.find((flow) => flow.name === name) ?? {};
  const rails = { [stage]: { flows: [row?.flow ?? name] }, config };
  const llm = scriptedModel(name === "self check facts" ? "Yes" : "No");
  return Guardrails.fromConfig(
    { config: { colang_version: version, rails } },
    { llm, models, logger: false, streaming: { chunkSize: 20, contextSize: 0 } },
  );
}

/**
 * Streams the response; returns its text, and the number of received words when the first chunk was emitted. If it is
 * read in parts, the last word waits for the first of them.
 */
async function stream(
  guardrails: Guardrails,
  words: readonly string[],
  scope: string,
): Promise<{ readonly text: string; readonly wordsBefore: number }> {
  let made = 0;
  let wordsBefore = 0;
  let onFirst = (): void => undefined;
  const first = new Promise<void>((resolve) => (onFirst = resolve));
  const chain = RunnableLambda.from(async function* () {
    yield { context: EVIDENCE };
    for (const answer of words) {
      if (scope !== "answer" && made === words.length - 1) await first;
      made += 1;
      yield { answer };
    }
  });
  let text = "";
  for await (const chunk of (await guardrails.wrap(chain).stream({ input: "hi" })) as AsyncIterable<unknown>) {
    const part = typeof chunk === "string" ? chunk : ((chunk as { readonly answer?: string }).answer ?? "");
    if (text === "" && part !== "") wordsBefore = made;
    text += part;
    if (text !== "") onFirst();
  }
  return { text, wordsBefore };
}

it("states for every output rail which part of a stream it reads", () => {
  const stated = (scope: string) => OUTPUT.filter(({ stream: each }) => each === scope).map(({ name }) => name);
  expect(stated("answer").sort()).toEqual([...WHOLE_ANSWER].sort());
  expect(stated("findings")).toEqual(FINDINGS);
  expect(OUTPUT.length - stated("window").length).toBe(WHOLE_ANSWER.length + FINDINGS.length);
});

it("has a contract with its service for every rail that asks one", () => {
  const network = LIBRARY_RAILS.filter(({ cost }) => cost === "network").flatMap(({ flows }) => flows);
  expect(network.map(({ name }) => name).filter((name) => !ROWS.has(name))).toEqual([]);
});

const FLOWS = LIBRARY_RAILS.flatMap(({ flows }) => flows.filter(({ stage }) => stage !== "dialog"));
const ALONE = FLOWS.filter(({ stage }) => !stage.startsWith("tool_"));
const OF_TOOLS = FLOWS.filter(({ stage }) => stage.startsWith("tool_"));

describe.each(VERSIONS)("each rail of the library in Colang %s", (version) => {
  it.each(ALONE.map(({ name, stage }) => [name, stage] as const))("runs alone: `%s` (%s)", async (name, stage) => {
    const guardrails = await open(version, name);
    const text = { input: { userMessage: TEXT }, output: { botMessage: TEXT } }[stage as string] ?? {};
    const relevantChunks = stage === "retrieval" ? [TEXT] : EVIDENCE;
    const decision = await guardrails.rail(ROWS.get(name)?.flow ?? name).invoke({ ...text, relevantChunks });
    expect(decision).toMatchObject({ stage, flow: name, status: expect.stringMatching(/^(?:passed|modified)$/) });
  });

  it.each(OF_TOOLS.map(({ name, stage }) => [name, stage] as const))(
    "guards a tool: `%s` (%s)",
    async (name, stage) => {
      const rails = { [stage]: { flows: [name] }, config: { ...LOCAL, ...OF_SEARCH } };
      const decisions: RailDecision[] = [];
      const search = tool(({ query }: { query: string }) => `found ${query}`, {
        name: "search",
        description: "Searches.",
        schema: z.object({ query: z.string() }),
      });
      const guarded = await Guardrails.fromConfig(
        { config: { colang_version: version, rails } },
        { llm: scriptedModel("safe"), logger: false, onDecision: (decision) => void decisions.push(decision) },
      );
      expect(await guarded.tool(search).invoke({ query: "rye" })).toBe("found rye");
      expect(decisions.filter(({ flow }) => flow === name)).toMatchObject([{ status: "passed" }]);
    },
  );
});

describe.each(VERSIONS)("a stream with an output rail of the library in Colang %s", (version) => {
  it.each(OUTPUT.map(({ name, stream: scope }) => [name, scope] as const))(
    "is emitted whole if `%s` passes it (%s)",
    async (name, scope) => {
      const words = wordsFor(scope);
      const { text, wordsBefore } = await stream(await open(version, name), words, scope);
      expect(text).toBe(words.join(""));
      if (scope === "answer") expect(wordsBefore).toBe(words.length);
      else expect(wordsBefore).toBeLessThan(words.length);
    },
  );
});
