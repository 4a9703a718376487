// Texts next to a response that no string quotes, or under a key that sounds like a code: tokens, signatures, raw reasoning.
import { describe, expect, it } from "@jest/globals";
import { AIMessage, type AIMessageFields } from "@langchain/core/messages";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { Guardrails } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain, RAILS, realGuardrails, textActions } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

type Fields = Record<string, unknown>;

const guarded = realGuardrails({
  output: ["check answer", "hide digits of answer"],
  unseen: "report",
  actions: {
    check_words: ({ text }: { text: string }) => !text.includes("bad vault"),
    hide_digits: ({ text }: { text: string }) => text.replaceAll("walnut cake", "***"),
  },
});

const surfaces: [string, (guardrails: Guardrails, model: Runnable) => Promise<unknown>][] = [
  ["invoke", (guardrails, model) => guardrails.wrap(model).invoke("hi")],
  ["stream", async (guardrails, model) => drain(await guardrails.wrap(model).stream("hi"))],
  ["batch", (guardrails, model) => guardrails.wrap(model).batch(["hi"])],
  ["a pipe", (guardrails, model) => model.pipe(guardrails as never).invoke("hi")],
  ["a piped stream", async (guardrails, model) => drain(await model.pipe(guardrails as never).stream("hi"))],
  [
    "events",
    async (guardrails, model) => {
      const events = await drain(guardrails.wrap(model).streamEvents("hi", { version: "v2" }));
      // The raw run of the wrapped model is a trace.
      return events.filter(({ name }) => name !== "ScriptedModel" && name !== "scripted-model");
    },
  ],
  [
    "a structured response",
    (guardrails, model) => {
      const schema = { type: "object", properties: {} };
      const runnable = model as ReturnType<typeof scriptedModel>;
      return guardrails.wrap(runnable).withStructuredOutput(schema, { includeRaw: true }).invoke("hi");
    },
  ],
  [
    "a key of an object",
    (guardrails, model) => guardrails.wrap(model.pipe((draft) => ({ answer: "fine", draft }))).invoke("hi"),
  ],
  [
    "messages next to an answer",
    (guardrails, model) => {
      const chain = model.pipe((message) => ({ answer: (message as AIMessage).text, messages: [message] }));
      return guardrails.wrap(chain, { outputKey: "answer" }).invoke("hi");
    },
  ],
];

const tokens = (...texts: string[]) =>
  texts.map((token) => ({ token, logprob: -1, top_logprobs: [{ token, logprob: -1 }] }));
const TEXT = "eat walnut cake";
const SPELLED = tokens("eat ", "wal", "nut", " cake");

const masked: [string, Fields][] = [
  ["log probabilities", { response_metadata: { logprobs: { content: SPELLED } } }],
  ["log probabilities in other fields", { additional_kwargs: { logprobs: { content: SPELLED } } }],
  ["log probabilities in a record", { response_metadata: { choices: [{ logprobs: { content: SPELLED } }] } }],
  [
    "log probabilities in the raw output",
    {
      response_metadata: {
        output: [{ type: "message", content: [{ type: "output_text", text: TEXT, logprobs: SPELLED }] }],
      },
    },
  ],
  ["log probabilities of a block", { content: [{ type: "text", text: TEXT, logprobs: SPELLED }] }],
  ["log probabilities of Google", { response_metadata: { logprobsResult: { chosenCandidates: SPELLED } } }],
  ["a list of tokens", { response_metadata: { tokens: ["eat ", "wal", "nut", " cake"] } }],
  ["a list of words", { response_metadata: { words: ["eat", "walnut", "cake"] } }],
  ["a signature", { additional_kwargs: { signature: TEXT } }],
  ["headers", { response_metadata: { headers: { note: TEXT } } }],
];

describe("a masked text leaves in no", () => {
  it.each(masked.flatMap(([name, fields]) => surfaces.map(([surface, run]) => [name, surface, fields, run] as const)))(
    "%s, by %s",
    async (_name, _surface, fields, run) => {
      const shown = visibleJson(await run(await guarded, scriptedModel([new AIMessage({ content: TEXT, ...fields })])));
      expect(shown).not.toMatch(/wal|nut|cake/);
    },
  );
});

const raw = (item: object): Fields => ({ response_metadata: { output: [item] } });

const blocked: [string, Fields][] = [
  ["tokens", { response_metadata: { logprobs: { content: tokens("bad", " vault") } } }],
  ["tokens in other fields", { additional_kwargs: { logprobs: { content: tokens("bad", " vault") } } }],
  ["tokens of a block", { content: [{ type: "text", text: "fine", logprobs: tokens("bad", " vault") }] }],
  ["a note next to tokens", { response_metadata: { logprobs: { note: "bad vault" } } }],
  [
    "an alternative",
    { response_metadata: { logprobs: { content: [{ token: "fine", top_logprobs: tokens("bad vault") }] } } },
  ],
  ["headers", { response_metadata: { headers: { note: "bad vault" } } }],
  ["a name of a header", { response_metadata: { headers: { "bad vault": "1" } } }],
  ["a signature", { additional_kwargs: { signature: "bad vault" } }],
  ["a signature of raw reasoning", raw({ type: "reasoning", signature: "bad vault" })],
  ["raw reasoning", raw({ type: "reasoning", summary: [{ type: "summary_text", text: "bad vault" }] })],
  ["an error of a call", { tool_calls: [{ name: "send", args: {}, id: "c1", error: "bad vault" }] }],
  [
    "an error of an unreadable call",
    { invalid_tool_calls: [{ name: "send", args: "{", id: "c1", error: "bad vault" }] },
  ],
  ["reasoning in a record", { response_metadata: { choices: [{ message: { reasoning: "bad vault" } }] } }],
  ["reasoning in a field", { additional_kwargs: { raw: { thinking: "bad vault" } } }],
];

describe("a blocked text leaves in no", () => {
  it.each(blocked.flatMap(([name, fields]) => surfaces.map(([surface, run]) => [name, surface, fields, run] as const)))(
    "%s, by %s",
    async (_name, _surface, fields, run) => {
      const message = new AIMessage({ content: "fine", ...fields } as AIMessageFields);
      expect(visibleJson(await run(await guarded, scriptedModel([message])))).not.toContain("vault");
    },
  );

  it.each<[string, Fields]>([
    ["a signature of reviewed reasoning", { type: "thinking", thinking: "hm", signature: "bad vault" }],
    ["a word in the place of encrypted reasoning", { type: "redacted_thinking", data: "vault" }],
  ])("%s", async (_, block) => {
    const output = { flows: ["check answer"], apply_to_reasoning_traces: true };
    const guardrails = await Guardrails.fromConfig(
      { colang: RAILS["1.0"], config: { rails: { output } } },
      { actions: { ...textActions(), check_words: ({ text }: { text: string }) => !text.includes("vault") } },
    );
    const message = new AIMessage({ content: [block, { type: "text", text: "fine" }] } as AIMessageFields);
    const model = guardrails.wrap(scriptedModel(message));
    const shown = visibleJson([await model.invoke("hi"), await drain(await model.stream("hi"))]);
    expect(shown).toContain("REFUSED");
    expect(shown).not.toContain("vault");
  });
});

describe("log probabilities of a response that passes", () => {
  const logprobs = { content: tokens("fine ", "wo", "rds") };

  it("stay, and are read no second time", async () => {
    const read: string[] = [];
    const guardrails = await realGuardrails({ onCheck: (text) => read.push(text) });
    const message = new AIMessage({ content: "fine words", response_metadata: { logprobs } });
    const response = await guardrails.wrap(scriptedModel([message])).invoke("hi");
    expect(response.response_metadata["logprobs"]).toEqual(logprobs);
    expect(read).toEqual(["hi", "fine words"]);
  });

  it("are an error if there are too many to be read", async () => {
    const many = { content: Array.from({ length: 1_000_001 }, () => 0) };
    const message = new AIMessage({ content: "fine words", response_metadata: { logprobs: many } });
    const chain = (await guarded).wrap(RunnableLambda.from(() => message));
    await expect(chain.invoke("hi")).rejects.toThrow("expected log probabilities of fewer tokens");
  });
});
