import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { Guardrails } from "../../../src/index.js";

const COLANG = `
define bot refuse
  "REFUSED"

define subflow judge
  $allowed = execute judge(text=$bot_message)
  if not $allowed
    bot refuse
    stop

define subflow hide
  $bot_message = execute hide(text=$bot_message)

define subflow hide input
  $user_message = execute hide(text=$user_message)
`;

async function open(rail: string): Promise<{ guardrails: Guardrails; judged: string[] }> {
  const judged: string[] = [];
  const actions = {
    judge: ({ text }: { text: string }) => judged.push(text) > 0 && !text.includes("bad"),
    hide: ({ text }: { text: string }) => text.replaceAll("Ada", "NAME"),
  };
  const rails = { input: { flows: ["hide input"] }, output: { flows: [rail] } };
  const guardrails = await Guardrails.fromConfig({ colang: COLANG, config: { rails } }, { actions, logger: false });
  return { guardrails, judged };
}

const call = (args: object, name = "find"): AIMessage =>
  new AIMessage({ content: "", tool_calls: [{ name, args: args as never, id: "c1", type: "tool_call" }] });
const step = (observation: unknown, messageLog: unknown[] = []): object => ({
  action: { tool: "find", toolInput: { q: "x" }, log: "", messageLog },
  observation,
});

describe("messages under other keys of an output", () => {
  it.each([
    ["an answer in a list", { steps: [new AIMessage("bad")] }],
    ["a message alone", { last: new AIMessage("bad") }],
    ["a result of a tool", { steps: [new ToolMessage({ content: "bad", tool_call_id: "c1" })] }],
    ["an argument of a call", { steps: [call({ q: "bad" })] }],
    ["a key of an argument", { steps: [call({ "bad key": 1 })] }],
    ["a name of a tool", { steps: [call({}, "bad tool")] }],
    ["messages as data", { steps: [{ role: "assistant", content: "bad" }] }],
    ["an observation of a step", { intermediate_steps: [step("bad")] }],
    ["a message log of a step", { intermediate_steps: [step("fine", [new AIMessage("bad")])] }],
    ["a message in a block", { more: { deep: [{ note: new AIMessage([{ type: "text", text: "bad" }] as never) }] } }],
  ])("are read with the answer: %s", async (_name, rest) => {
    const { guardrails, judged } = await open("judge");
    const result = await guardrails.output().invoke({ output: "fine", ...rest });
    expect(result).toEqual({ output: "REFUSED" });
    expect(judged).toHaveLength(1);
    const chain = RunnableLambda.from(() => ({ output: "fine", ...rest }));
    expect(JSON.stringify(await guardrails.wrap(chain).invoke({ input: "hi" }))).not.toContain("bad");
  });

  it("are masked each in its place", async () => {
    const { guardrails } = await open("hide");
    const value = {
      output: "of Ada",
      steps: [
        new AIMessage("I am Ada\nhi"),
        new ToolMessage({ content: "by Ada", tool_call_id: "c1" }),
        new AIMessage("x"),
      ],
      count: 1,
    };
    const left = (await guardrails.output().invoke(value)) as unknown as typeof value;
    expect(left.output).toBe("of NAME");
    expect(left.steps.map(({ content }) => content)).toEqual(["I am NAME\nhi", "by NAME", "x"]);
    expect(left.steps[2]).toBe(value.steps[2]);
    expect(left.count).toBe(1);
  });

  it("keep no call of a message whose arguments a rail changed", async () => {
    const { guardrails } = await open("hide");
    const left = await guardrails.output().invoke({ output: "fine", steps: [call({ q: "Ada" })] });
    expect((left as unknown as { steps: AIMessage[] }).steps[0]?.tool_calls).toEqual([]);
    expect(JSON.stringify(left)).not.toContain("Ada");
  });

  it("are not read again where the caller sent them", async () => {
    const { guardrails, judged } = await open("judge");
    const history = [new HumanMessage("a bad word"), new SystemMessage("be bad")];
    const chain = RunnableLambda.from((given: { input: string; chat_history: unknown[] }) => ({
      output: "fine",
      chat_history: [...given.chat_history, new HumanMessage("hi")],
    }));
    const result = await guardrails.wrap(chain).invoke({ input: "hi", chat_history: history });
    expect(result).toMatchObject({ output: "fine" });
    expect(judged).toEqual(["fine"]);
  });
});

describe("messages under other keys of an input", () => {
  it("are read with the text of the user", async () => {
    const { guardrails } = await open("judge");
    const input = { question: "hi", note: new HumanMessage("Ada"), log: [{ said: new AIMessage("by Ada") }] };
    const left = await guardrails.input().invoke(input);
    expect(left).toMatchObject({ question: "hi", note: { content: "NAME" }, log: [{ said: { content: "by NAME" } }] });
  });
});
