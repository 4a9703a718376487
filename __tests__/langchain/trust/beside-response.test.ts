import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { Guardrails } from "../../../src/index.js";
import { guardrailsNode } from "../../../src/langchain/langgraph.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { REASONING_FORMS } from "../../support/langchain/messages-without-text.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";
import { textOf } from "../../system/matrix/observe.js";

const NOTE = "a long note about the vault";
const FORMS_WITHOUT_RESPONSE = REASONING_FORMS.filter(([, make]) => make(NOTE).text === "");

type Run = (guardrails: Guardrails, message: AIMessage) => Promise<unknown>;

const node: Run = (guardrails, message) =>
  new StateGraph(MessagesAnnotation)
    .addNode("guarded", guardrailsNode(guardrails, "output", { around: async () => ({ messages: [message] }) }))
    .addEdge(START, "guarded")
    .compile()
    .invoke({ messages: [new HumanMessage("hi")] });

const SURFACES: readonly (readonly [string, Run])[] = [
  ["a model", (guardrails, message) => guardrails.wrap(scriptedModel([message])).invoke("hi")],
  [
    "a streamed model",
    async (guardrails, message) => drain(await guardrails.wrap(scriptedModel([message])).stream("hi")),
  ],
  ["a chain", (guardrails, message) => guardrails.wrap(RunnableLambda.from(() => message)).invoke("hi")],
  ["an output step", (guardrails, message) => guardrails.output().invoke(message)],
  ["a streamed output step", async (guardrails, message) => drain(await guardrails.output().stream(message))],
  ["an object", (guardrails, message) => guardrails.output().invoke({ answer: message })],
  ["a list", (guardrails, message) => guardrails.output().invoke([new HumanMessage("hi"), message])],
  ["a node", node],
];

describe.each(["1.0", "2.x"] as const)("text beside a response in Colang %s", (version) => {
  const cells = SURFACES.flatMap(([surface, run]) =>
    FORMS_WITHOUT_RESPONSE.map(([form, make]) => ({ surface, form, run, make })),
  );

  it.each(cells)("is not released as reasoning without a response: $surface, $form", async ({ run, make }) => {
    const guardrails = await realGuardrails({ version, input: [], output: ["check answer"] });
    expect(textOf(await run(guardrails, make(NOTE) as AIMessage))).not.toContain("vault");
  });

  it.each(cells)("stays as reasoning without output rails: $surface, $form", async ({ run, make }) => {
    const guardrails = await realGuardrails({ version, input: ["check words"], output: [] });
    expect(textOf(await run(guardrails, make(NOTE) as AIMessage))).toContain("vault");
  });

  it("stays as reasoning next to the calls of tools, whose results need it", async () => {
    const asking = new AIMessage({
      content: [{ type: "reasoning", reasoning: NOTE }],
      tool_calls: [{ name: "look", args: {}, id: "1", type: "tool_call" }],
    });
    const guardrails = await realGuardrails({ version, input: [], output: ["check answer"] });
    expect(textOf(await guardrails.output().invoke(asking))).toContain("vault");
  });

  describe.each(["notes", "messages"])("in a message under the key `%s`", (key) => {
    const beside = (text: string, make: (text: string) => unknown) => ({ answer: "fine", [key]: [make(text)] });

    const calling = (text: string): AIMessage =>
      new AIMessage({
        content: "fine",
        tool_calls: [{ name: "look", args: { q: text }, id: "1", type: "tool_call" }],
      });

    it.each([...REASONING_FORMS, ["calls of tools", calling] as const])(
      "is read with the response: %s",
      async (_name, make) => {
        const run = async (output: readonly string[], text: string): Promise<string> => {
          const guardrails = await realGuardrails({ version, input: [], output });
          const chain = guardrails.wrap(
            RunnableLambda.from(() => beside(text, make)),
            { outputKey: "answer" },
          );
          return textOf(await chain.invoke("hi"));
        };
        expect(await run(["check answer"], "a bad secret")).not.toContain("bad secret");
        expect(await run(["hide digits of answer"], "the pin 4711")).not.toContain("pin 4711");
        expect(await run(["check answer"], NOTE)).toContain("vault");
      },
    );
  });
});
