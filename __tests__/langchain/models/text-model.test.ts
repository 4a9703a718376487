import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { PromptTemplate } from "@langchain/core/prompts";
import { FakeLLM, FakeStreamingLLM } from "@langchain/core/utils/testing";
import { GuardrailViolationError, Guardrails } from "langchain-guardrails";
import { drain } from "../../support/langchain/real-guardrails.js";
import { toolGuardrails } from "../../support/langchain/tool-guardrails.js";

const INPUTS: readonly (readonly [name: string, passed: unknown, blocked: unknown])[] = [
  ["a text", "hi", "bad"],
  ["a message", [new HumanMessage("hi")], [new HumanMessage("bad")]],
  [
    "a conversation",
    [new HumanMessage("one"), new AIMessage("two"), new HumanMessage("hi")],
    [new HumanMessage("one"), new AIMessage("two"), new HumanMessage("bad")],
  ],
];

describe.each(["1.0", "2.x"] as const)("a guarded text model (Colang %s)", (version) => {
  const guarded = async (reply: string, onBlocked: "refuse" | "throw" = "refuse") => {
    const guardrails = await toolGuardrails({ version, input: ["check words"], output: ["check answer"] });
    return guardrails.wrap(new FakeStreamingLLM({ responses: Array.from({ length: 9 }, () => reply), sleep: 0 }), {
      onBlocked,
    });
  };

  it.each(INPUTS)("returns and streams texts for %s", async (_name, passed, blocked) => {
    const model = await guarded("fine words");
    for (const [input, expected] of [
      [passed, "fine words"],
      [blocked, "REFUSED"],
    ] as const) {
      expect(await model.invoke(input as never)).toBe(expected);
      const chunks = await drain(await model.stream(input as never));
      expect(chunks.every((chunk) => typeof chunk === "string")).toBe(true);
      expect(chunks.join("")).toBe(expected);
    }
  });

  it.each(INPUTS)("refuses a bad answer to %s as a text", async (_name, passed) => {
    const model = await guarded("a bad answer");
    expect(await model.invoke(passed as never)).toBe("REFUSED");
    expect((await drain(await model.stream(passed as never))).join("")).toBe("REFUSED");
  });

  it("works in a batch and in a pipe, and throws when it should", async () => {
    const model = await guarded("fine");
    expect(await model.batch(["hi", "bad"] as never[])).toEqual(["fine", "REFUSED"]);
    const chain = PromptTemplate.fromTemplate("Say {what}").pipe(model as never);
    expect(await chain.invoke({ what: "it" })).toBe("fine");
    expect(await chain.invoke({ what: "bad" })).toBe("REFUSED");
    const guardrails = await toolGuardrails({ version, input: ["check words"] });
    const inside = PromptTemplate.fromTemplate("{question}").pipe(new FakeLLM({ response: "fine" }));
    expect(await guardrails.wrap(inside, { inputKey: "question" }).invoke({ question: "bad" })).toBe("REFUSED");
    const error: unknown = await (await guarded("fine", "throw")).invoke("bad").catch((thrown: unknown) => thrown);
    expect(GuardrailViolationError.isInstance(error)).toBe(true);
  });
});

it("a guarded text model is asked by rails and by the dialog that have no model of their own", async () => {
  const judge =
    "rails:\n  input:\n    flows: [self check input]\nprompts:\n  - task: self_check_input\n    content: 'Q {{ user_input }}'\n";
  const judged = await Guardrails.fromConfig({ yaml: judge }, { logger: false });
  expect(await judged.wrap(new FakeLLM({ response: "No" })).invoke("hi")).toBe("No");
  expect(await judged.wrap(new FakeLLM({ response: "Yes" })).invoke("hi")).toMatch(/^I'm sorry/);
  const colang = 'define user greet\n  "hello"\ndefine bot greet\n  "HELLO!"\ndefine flow\n  user greet\n  bot greet\n';
  const dialog = await Guardrails.fromConfig({ colang }, { logger: false });
  expect(await dialog.wrap(new FakeLLM({ response: "  greet" })).invoke("hello")).toBe("HELLO!");
});
