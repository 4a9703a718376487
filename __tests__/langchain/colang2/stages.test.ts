import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";

const COLANG = `import core
import llm

flow main
  bot say "Welcome."
  activate llm continuation
  activate greeting
  activate leaving
  activate paying
  match Never()

flow greeting
  user expressed greeting
  bot express greeting

flow leaving
  user said goodbye
  bot say "Bye!"

flow paying
  user asked to pay
  await ChargeCardAction(amount=3)

flow user expressed greeting
  user said "hi" or user said "good morning"

flow user said goodbye
  user said "bye" or user said "see you later"

flow user asked to pay
  """The user wants to pay."""
  user said "I want to pay"

flow bot express greeting
  bot say "Hello there!"
`;

async function load(replies: readonly string[] | undefined, rails: object = {}) {
  const charged: unknown[] = [];
  const llm = replies === undefined ? undefined : scriptedModel(replies);
  const guardrails = await Guardrails.fromConfig(
    { colang: COLANG, config: { colang_version: "2.x", rails } },
    { ...(llm === undefined ? {} : { llm }), actions: { charge_card: () => void charged.push("charged") } },
  );
  return { guardrails, llm, charged };
}

describe("canonicalForm()", () => {
  it("knows an example word for word", async () => {
    const { guardrails } = await load([]);
    expect(await guardrails.canonicalForm().invoke("good morning")).toEqual({
      intent: "user expressed greeting",
      score: 1,
      alternatives: [],
      source: "embeddings",
    });
  });

  it("finds the nearest example where there is no model", async () => {
    const { guardrails } = await load(undefined);
    const form = await guardrails.canonicalForm().invoke([new HumanMessage("see you later then")]);
    expect(form).toMatchObject({ intent: "user said goodbye", score: expect.any(Number), source: "embeddings" });
  });

  it("asks the model, which is shown what flows wait for and what was said before", async () => {
    const { guardrails, llm } = await load(["user intent: user asked to pay"]);
    const form = await guardrails
      .canonicalForm()
      .invoke([new HumanMessage("two teas"), new AIMessage("Here they are"), new HumanMessage("the bill please")]);
    expect(form).toMatchObject({ intent: "user asked to pay", score: null, source: "llm" });
    const prompt = llm?.calls[0]?.prompt ?? "";
    for (const shown of ["The user wants to pay.", "user expressed greeting", "two teas", "Here they are"]) {
      expect(prompt).toContain(shown);
    }
  });

  it("reports a model's unusable response as unclear", async () => {
    const { guardrails } = await load(["Sure! Here it is:"]);
    expect(await guardrails.canonicalForm().invoke("mumble")).toMatchObject({ intent: "user was unclear" });
  });
});

describe("nextStep()", () => {
  it.each([
    ["user expressed greeting", { intent: "bot express greeting", source: "flow", flow: "greeting" }],
    ["user said goodbye", { action: "UtteranceBotAction", source: "flow", flow: "leaving" }],
    ["user asked to pay", { action: "ChargeCardAction", source: "flow", flow: "paying" }],
  ])("%s", async (intent, step) => {
    const { guardrails, charged } = await load([]);
    expect(await guardrails.nextStep().invoke(intent)).toEqual(step);
    expect(charged).toEqual([]);
  });

  it("asks the model where no flow waits for the intent", async () => {
    const { guardrails, llm } = await load(['bot intent: bot made joke\nbot action: bot say "Knock knock"']);
    expect(await guardrails.nextStep().invoke({ intent: "user asked joke", messages: "tell me one" })).toEqual({
      intent: "bot made joke",
      source: "llm",
    });
    expect(llm?.calls[0]?.prompt).toContain("user intent: user asked joke");
  });

  it("works with output rails listed", async () => {
    const { guardrails } = await load([], { output: { flows: ["self check output"] } });
    expect(await guardrails.nextStep().invoke("user expressed greeting")).toMatchObject({
      intent: "bot express greeting",
    });
  });
});

describe("the stages one after the other", () => {
  it("come to what a turn comes to", async () => {
    const { guardrails } = await load([]);
    const chain = guardrails.canonicalForm().pipe(guardrails.nextStep() as never);
    const step = (await chain.invoke("hi")) as { readonly intent: string };
    expect(await guardrails.botMessage().invoke(step.intent)).toEqual({ text: "Hello there!", source: "predefined" });
  });
});

describe("messages given as history", () => {
  it("are shown to models, also several of the user at once", async () => {
    const { guardrails, llm } = await load(["user intent: user expressed greeting"]);
    const answer = (await guardrails.invoke([
      new HumanMessage("two teas"),
      new AIMessage("Here they are"),
      new HumanMessage("thanks a lot"),
      new HumanMessage("so good to see you"),
    ])) as AIMessage;
    expect(answer.text).toBe("Welcome.\nHello there!");
    const prompt = llm?.calls[0]?.prompt ?? "";
    for (const said of ["two teas", "Here they are", "thanks a lot"]) expect(prompt).toContain(said);
  });
});
