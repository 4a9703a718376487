import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatPromptTemplate, MessagesPlaceholder } from "@langchain/core/prompts";
import { withoutBlockedTurns } from "../../src/langchain/verdict.js";
import { scriptedModel } from "../../src/testing/index.js";
import { realGuardrails } from "../support/langchain/real-guardrails.js";

const HIDDEN = "(this message is hidden)";
const refusal = (stage: string): AIMessage =>
  new AIMessage({ content: "no", response_metadata: { guardrails: { blocked: true, stage, decisions: [] } } });
const asks = new AIMessage({ content: "", tool_calls: [{ name: "f", args: {}, id: "1" }] });
const texts = (messages: readonly BaseMessage[]): string[] => messages.map(({ text }) => text);

describe("a conversation as models read it", () => {
  it.each<[string, BaseMessage[], string[]]>([
    [
      "what input rails blocked",
      [new HumanMessage("bad"), refusal("input"), new HumanMessage("hi")],
      [HIDDEN, "no", "hi"],
    ],
    ["all of it", [new HumanMessage("bad"), new HumanMessage("worse"), refusal("input")], [HIDDEN, HIDDEN, "no"]],
    [
      "a tool's result, but not the question before it",
      [new HumanMessage("q"), asks, new ToolMessage({ content: "bad", tool_call_id: "1" }), refusal("input")],
      ["q", "", HIDDEN, "no"],
    ],
    [
      "nothing that the application says itself",
      [new SystemMessage("be nice"), new HumanMessage("bad"), refusal("input")],
      ["be nice", HIDDEN, "no"],
    ],
    ["nothing before an answer that was blocked", [new HumanMessage("q"), refusal("output")], ["q", "no"]],
    ["nothing before a usual answer", [new HumanMessage("q"), new AIMessage("a")], ["q", "a"]],
  ])("hides %s", (_what, messages, expected) => {
    const read = withoutBlockedTurns(messages);
    expect(texts(read)).toEqual(expected);
    expect(read === messages).toBe(!expected.includes(HIDDEN));
  });
});

describe("a guarded turn after one that was blocked", () => {
  it("shows the model nothing of it, where the caller sends the whole conversation", async () => {
    const llm = scriptedModel(["fine"]);
    const model = (await realGuardrails()).wrap(llm);
    const messages: BaseMessage[] = [new HumanMessage("a bad thing")];
    messages.push(await model.invoke(messages), new HumanMessage("hi"));
    expect((await model.invoke(messages)).text).toBe("fine");
    expect(llm.calls.map(({ prompt }) => prompt)).toEqual([`human: ${HIDDEN}\nai: REFUSED\nhuman: hi`]);
    // The caller's own messages are not touched.
    expect(messages[0]?.text).toBe("a bad thing");
  });

  it("shows a chain nothing of it, where the history stands beside the question", async () => {
    const llm = scriptedModel(["fine"]);
    const prompt = ChatPromptTemplate.fromMessages([new MessagesPlaceholder("history"), ["human", "{input}"]]);
    const chain = (await realGuardrails()).wrap(prompt.pipe(llm));
    const refused = (await chain.invoke({ input: "a bad thing", history: [] })) as BaseMessage;
    const history = [new HumanMessage("a bad thing"), refused];
    expect(((await chain.invoke({ input: "hi", history })) as BaseMessage).text).toBe("fine");
    expect(llm.calls.map(({ prompt: asked }) => asked)).toEqual([`human: ${HIDDEN}\nai: REFUSED\nhuman: hi`]);
  });
});
