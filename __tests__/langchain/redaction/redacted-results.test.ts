import { describe, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { Document } from "@langchain/core/documents";
import { RunnableLambda } from "@langchain/core/runnables";
import type { ActionContext } from "../../../src/actions/action.js";
import type { RailDecision } from "../../../src/turn/decision.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { drain, realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

const VERSIONS: readonly Version[] = ["1.0", "2.x"];
/** A short text that a rail blocks; its marker stands nowhere else. */
const BLOCKED = "bad zq7";
const MARKER = /zq7/iu;

const LOG = { activatedRails: true, llmCalls: true, internalEvents: true, colangHistory: true } as const;

type Quoting = (text: string, context: ActionContext) => void;

/** Ways in which an action repeats the text that it was given. */
const QUOTING: Readonly<Record<string, Quoting>> = {
  "a reason": (text, context) => context.annotate({ reason: `I read: ${text.toUpperCase()}` }),
  "details in nested JSON": (text, context) =>
    context.annotate({
      metadata: { raw: JSON.stringify({ body: JSON.stringify({ text }) }), list: [text], [text]: 1 },
    }),
  categories: (text, context) => context.annotate({ categories: [text, "insult"] }),
  "an error": (text) => {
    throw new Error(`cannot judge ${text}`, { cause: { text } });
  },
  "an error of data": (text) => void JSON.parse(text),
};

describe.each(VERSIONS)("Colang %s: a short blocked text leaves", (version) => {
  describe.each(Object.entries(QUOTING))("nowhere, though an action repeats it as %s", (_, action) => {
    const decided: RailDecision[] = [];
    const make = (onError?: "throw") =>
      realGuardrails({
        version,
        input: ["check words"],
        output: ["check answer"],
        actions: {
          check_words: ({ text }: { text: string }, context: unknown) => {
            action(text, context as ActionContext);
            return !text.includes("bad");
          },
        },
        llm: scriptedModel([BLOCKED]),
        onDecision: (decision) => decided.push(decision),
        ...(onError === undefined ? {} : { onError }),
      });

    it.each<[string, (guardrails: Awaited<ReturnType<typeof make>>) => Promise<unknown>]>([
      ["generate", (guardrails) => guardrails.generate(BLOCKED, { log: LOG, outputVars: true, state: {} })],
      ["check", (guardrails) => guardrails.check(BLOCKED, { stage: "input" })],
      ["check of an answer", (guardrails) => guardrails.check(BLOCKED)],
      ["rail", (guardrails) => guardrails.rail("check words").invoke(BLOCKED)],
      ["wrap", (guardrails) => guardrails.wrap(scriptedModel([BLOCKED])).invoke("hello")],
      [
        "an input step",
        (guardrails) =>
          guardrails
            .input()
            .invoke(BLOCKED)
            .catch((error: unknown) => error),
      ],
      ["an output step", (guardrails) => guardrails.output().invoke(new AIMessage(BLOCKED))],
      [
        "events",
        async (guardrails) => {
          const chain = guardrails.wrap(RunnableLambda.from(() => BLOCKED));
          return drain(chain.streamEvents("hello", { version: "v2" }));
        },
      ],
    ])("%s", async (_route, run) => {
      decided.length = 0;
      const guardrails = await make();
      const result = await run(guardrails);
      expect(visibleJson(result)).not.toMatch(MARKER);
      expect(String((result as { message?: unknown }).message)).not.toMatch(MARKER);
      expect(visibleJson(decided)).not.toMatch(MARKER);
      expect(decided.some(({ status }) => status === "blocked" || status === "error")).toBe(true);
    });

    it("an error that leaves", async () => {
      const guardrails = await make("throw");
      const error: unknown = await guardrails.check(BLOCKED, { stage: "input" }).catch((thrown: unknown) => thrown);
      for (let at = error; at instanceof Error; at = at.cause) {
        expect([at.message, at.stack, visibleJson({ ...at })].join("\n")).not.toMatch(MARKER);
      }
    });
  });

  it("neither in prompts nor in completions that `explain` shows", async () => {
    const judge = scriptedModel(["Yes"]);
    const guardrails = await realGuardrails({ version, input: ["check words"], output: [], llm: judge });
    const { explain, log, response } = await guardrails.generate(BLOCKED, { log: LOG });
    expect(response).toBe("REFUSED");
    expect(visibleJson([explain, log, explain.summary(), log.why("check words")])).not.toMatch(MARKER);
  });

  it("nor does a masked one", async () => {
    const llm = scriptedModel(["the number 90417 is yours"]);
    const guardrails = await realGuardrails({
      version,
      input: ["hide digits"],
      output: ["hide digits of answer"],
      llm,
    });
    const result = await guardrails.generate([{ role: "user", content: "is 81326 mine?" }], {
      log: LOG,
      outputVars: true,
      state: {},
    });
    expect(visibleJson(result)).not.toMatch(/90417|81326/u);
    expect(visibleJson(result)).toContain("the number *****");
  });
});

describe("copies beside a masked answer", () => {
  const text = 'call "Bob" at 90417';
  const copies: readonly [string, unknown][] = [
    ["parsed data", { parsed: { number: "90417", note: text } }],
    ["nested JSON", { raw: JSON.stringify({ a: JSON.stringify({ text }) }) }],
    ["unicode escapes", { raw: "\\u0039\\u0030\\u0034\\u0031\\u0037" }],
    ["other blanks and letters", { raw: text.toUpperCase().replaceAll(" ", " \n") }],
    ["a list", { tokens: ["call", "90417"] }],
    ["a key", { "90417": true }],
  ];

  it.each(copies)("%s do not leave", async (_, extra) => {
    const guardrails = await realGuardrails({ output: ["hide digits of answer"] });
    const message = new AIMessage({
      content: text,
      additional_kwargs: extra as Record<string, unknown>,
      response_metadata: { provider: extra, model_name: "m" },
    });
    const shapes: readonly unknown[] = [
      message,
      [new HumanMessage("hi"), message],
      { answer: text, extra, context: [new Document({ pageContent: `notes: ${text}` })], kept: "x" },
      { messages: [new HumanMessage("hi"), message] },
    ];
    for (const shape of shapes) {
      const result = await guardrails.output().invoke(shape);
      expect(visibleJson(result)).not.toContain("90417");
      expect(visibleJson(result)).not.toContain("u0037");
      expect(visibleJson(result)).toContain("*****");
      const wrapped = guardrails.wrap(RunnableLambda.from(() => shape));
      expect(visibleJson(await wrapped.invoke("hi"))).not.toContain("90417");
    }
    const model = guardrails.wrap(
      RunnableLambda.from(async function* () {
        yield new AIMessageChunk({ content: text, additional_kwargs: extra as Record<string, unknown> });
      }),
    );
    expect(visibleJson(await drain(await model.stream("hi")))).not.toContain("90417");
  });
});
