import { describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import {
  Guardrails,
  GuardrailViolationError,
  inputModeration,
  outputModeration,
  verdictOf,
} from "langchain-guardrails";
import { chat, scriptedModel } from "langchain-guardrails/testing";
import { railFlows } from "../support/rail-flows.js";

const COLANG = `
define user express greeting
  "hello"
  "hi"

define bot express greeting
  "Hello there!"

define flow greeting
  user express greeting
  bot express greeting
`;
const RAILS = railFlows(
  "1.0",
  {
    "check words": ["block", "user_message", "check_words"],
    "check answer": ["block", "bot_message", "check_words"],
    "hide digits": ["rewrite", "user_message", "hide_digits"],
  },
  { intent: "refuse words", text: "I cannot talk about that." },
);

const settings = (rails: object): object => ({ rails });
const actions = {
  check_words: ({ text }: { text: string }) => !text.includes("bad"),
  hide_digits: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*"),
};
const load = (rails: object, options: object = {}, colang = COLANG + RAILS): Promise<Guardrails> =>
  Guardrails.fromConfig({ colang, config: settings(rails) }, { actions, ...options });

describe("a configuration around a model", () => {
  it("input and output rails decide, and rewrite", async () => {
    const rails = { input: { flows: ["check words", "hide digits"] }, output: { flows: ["check answer"] } };
    const guardrails = await load(rails, {}, RAILS);
    const model = scriptedModel([new AIMessage({ content: "fine", id: "m" }), "a bad answer"]);
    const guarded = guardrails.wrap(model);
    expect(await guarded.invoke("pin 12")).toMatchObject({ content: "fine", id: "m" });
    expect(model.calls[0]?.prompt).toBe("human: pin **");
    const blocked = await guarded.invoke("hi");
    expect(blocked.content).toBe("I cannot talk about that.");
    expect(verdictOf(blocked)).toMatchObject({ blocked: true, stage: "output", rail: "check answer" });
    expect((await guarded.invoke("bad words")).content).toBe("I cannot talk about that.");
    model.assertDone();
  });

  it("all unseen user texts are checked, and each keeps its own rewriting (D4)", async () => {
    const guardrails = await load({ input: { flows: ["check words", "hide digits"] } }, {}, RAILS);
    const model = scriptedModel(["ok"]);
    await guardrails.wrap(model).invoke([new HumanMessage("pin 1"), new HumanMessage("pin 2")]);
    expect(model.calls[0]?.prompt).toBe("human: pin *\nhuman: pin *");
    const blocked = await guardrails.wrap(model).invoke([new HumanMessage("bad"), new HumanMessage("nice")]);
    expect(verdictOf(blocked)?.blocked).toBe(true);
  });

  it("flows respond with three model calls", async () => {
    const llm = scriptedModel(["  express greeting"]);
    const guardrails = await load({}, { llm });
    const talk = chat(guardrails);
    await talk.user("hello");
    talk.bot("Hello there!");
  });

  it("a chain keeps its shape, and never runs on a blocked input", async () => {
    const guardrails = await load(
      { input: { flows: ["check words"] }, output: { flows: ["check answer"] } },
      {},
      RAILS,
    );
    const seen: unknown[] = [];
    const chain = RunnableLambda.from((input: { question: string }) => {
      seen.push(input);
      return { answer: `a ${input.question} answer`, context: [new Document({ pageContent: "doc" })] };
    });
    const guarded = guardrails.wrap(chain, { outputKey: "answer" });
    expect(await guarded.invoke({ question: "good" })).toMatchObject({ answer: "a good answer" });
    expect(await guarded.invoke({ question: "bad" })).toEqual({ answer: "I cannot talk about that." });
    expect(seen).toHaveLength(1);
  });

  it("steps, checks and rails work alone", async () => {
    const guardrails = await load(
      { input: { flows: ["check words", "hide digits"] }, output: { flows: ["check answer"] } },
      {},
      RAILS,
    );
    expect(await guardrails.input<string>().invoke("pin 1")).toBe("pin *");
    await expect(guardrails.input<string>().invoke("bad")).rejects.toThrow(GuardrailViolationError);
    expect(await guardrails.output<string>().invoke("bad")).toBe("I cannot talk about that.");
    expect(await guardrails.check("bad")).toMatchObject({ status: "blocked", output: "I cannot talk about that." });
    expect(await guardrails.rail("check words").invoke("bad")).toMatchObject({ status: "blocked" });
  });

  it("free steps need no folder", async () => {
    const options = { actions, colang: RAILS };
    const input = inputModeration<string>({ ...options, rails: ["check words"] });
    await expect(input.invoke("bad")).rejects.toThrow(GuardrailViolationError);
    expect(await input.invoke("fine")).toBe("fine");
    const output = outputModeration<string>({ ...options, rails: ["check answer"] });
    expect(await output.invoke("bad")).toBe("I cannot talk about that.");
  });

  it("the self-check rail calls its model", async () => {
    const llm = scriptedModel(["No", "Hello!", "Yes"]);
    const guardrails = await Guardrails.fromConfig(
      { config: { rails: { input: { flows: ["self check input"] } } } },
      { llm },
    );
    const guarded = guardrails.wrap(llm);
    expect((await guarded.invoke("hi")).content).toBe("Hello!");
    expect(verdictOf(await guarded.invoke("how do I break in?"))).toMatchObject({
      blocked: true,
      rail: "self check input",
    });
    expect(llm.calls[0]?.options["temperature" as never]).toBeLessThan(0.01);
    llm.assertDone();
  });
});
