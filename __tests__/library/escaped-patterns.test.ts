// Escapes of JSON in front of a word that a regular expression of the configuration looks for.
import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { z } from "zod/v4";
import { Guardrails } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { ChunkedModel } from "../langchain/streaming/chunked-model.js";
import { drain, loadShared, type Version } from "../support/langchain/real-guardrails.js";

const raw = String.raw;
const PATTERNS = { patterns: [raw`\bforbidden\b`] };

const configOf = (version: Version) => ({
  colang_version: version,
  rails: {
    config: {
      regex_detection: { input: PATTERNS, output: PATTERNS },
      tools: { forbidden_in_arguments: PATTERNS.patterns, forbidden_in_results: PATTERNS.patterns },
    },
    input: { flows: ["regex check input"] },
    output: { flows: ["regex check output"] },
  },
});

function guardrailsOf(version: Version): Promise<Guardrails> {
  return loadShared({ version }, function escapedPatterns() {
    return Guardrails.fromConfig({ config: configOf(version) });
  });
}

const returning = (value: unknown): Runnable => RunnableLambda.from(() => value) as unknown as Runnable;
const lookUp = (work: () => string) =>
  tool(work, { name: "look_up", description: "d", schema: z.object({ q: z.string() }) });

type Run = (guardrails: Guardrails, text: string, version: Version) => unknown;

/** Surfaces that emit or forward the text unless a rail blocks it. */
const SURFACES: Readonly<Record<string, Run>> = {
  "a response of a model": (guardrails, text) => guardrails.wrap(scriptedModel([text])).invoke("hi"),
  "a stream of a model": async (guardrails, text) =>
    (await drain(await guardrails.wrap(new ChunkedModel(text.match(/.{1,4}/g) ?? [])).stream("hi")))
      .map((chunk) => chunk.text)
      .join(""),
  "a key next to a response": (guardrails, text) =>
    guardrails.wrap(returning({ answer: "fine", note: text })).invoke({ question: "hi" } as never),
  "metadata of a response": (guardrails, text) =>
    guardrails.wrap(returning(new AIMessage({ content: "fine", additional_kwargs: { note: text } }))).invoke("hi"),
  "an output step": (guardrails, text) => guardrails.output().invoke(new AIMessage(text)),
  "a message of the user": (guardrails, text) =>
    guardrails.wrap(RunnableLambda.from((given: unknown) => given) as unknown as Runnable).invoke(text as never),
  "a key of the input": async (guardrails, text) => {
    let seen: unknown;
    const chain = RunnableLambda.from((given: unknown) => ((seen = given), "fine")) as unknown as Runnable;
    return [await guardrails.wrap(chain).invoke({ question: "hi", note: text } as never), seen];
  },
  "metadata of a message of the user": async (guardrails, text) => {
    const model = scriptedModel(["fine"]);
    const message = new HumanMessage({ content: "hi", additional_kwargs: { note: text } });
    return [await guardrails.wrap(model).invoke([message]), model.calls];
  },
  "a response of `generate`": async (_, text, version) => {
    const guardrails = await Guardrails.fromConfig({ config: configOf(version) }, { llm: scriptedModel([text]) });
    return (await guardrails.generate("hi")).response;
  },
  "a message to `generate`": async (_, text, version) => {
    const llm = scriptedModel(["fine"]);
    const guardrails = await Guardrails.fromConfig({ config: configOf(version) }, { llm });
    return [(await guardrails.generate(text)).response, llm.calls];
  },
  "a rail on its own": (guardrails, text) => guardrails.rail("regex check input").invoke(text),
  "check of a message": (guardrails, text) => guardrails.check(text, { stage: "input" }),
  "the result of a tool": (guardrails, text) => guardrails.tool(lookUp(() => text) as never).invoke({ q: "x" }),
  "an argument of a tool": (guardrails, text) => {
    let seen = "";
    const given = tool(({ q }) => (seen = q), {
      name: "look_up",
      description: "d",
      schema: z.object({ q: z.string() }),
    });
    const running = guardrails.tool(given as never).invoke({ q: text });
    return running.then((result) => [result, seen]);
  },
};

const ESCAPES: Readonly<Record<string, string>> = {
  "a line break": raw`{"a": "x\nforbidden"}`,
  "a tab": raw`x\tforbidden y`,
  "a line break of JSON in JSON": raw`{"a": "{\"b\": \"x\\nforbidden\"}"}`,
  "a line break as a code": raw`{"a": "x\u000aforbidden"}`,
  "letters as codes": raw`{"a": "x\n\u0066orbidde\u006e"}`,
};

describe.each<Version>(["1.0", "2.x"])("a pattern of the configuration, in Colang %s", (version) => {
  describe.each(Object.entries(SURFACES))("in %s", (_, run) => {
    it.each(Object.entries(ESCAPES))("finds a word after %s", async (_escape, text) => {
      const result = await Promise.resolve(run(await guardrailsOf(version), text, version)).catch(
        (error: unknown) => error,
      );
      expect(JSON.stringify(result)).not.toMatch(/orbidd/);
    });

    it("passes a longer word", async () => {
      const text = raw`{"a": "x\nforbiddens"}`;
      const result = await run(await guardrailsOf(version), text, version);
      expect(JSON.stringify(result)).toMatch(/forbiddens|"passed"|"blocked":false/);
    });
  });
});
