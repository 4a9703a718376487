import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod/v4";
import { Guardrails, type GuardrailsOptions, type RailDecision } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";

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

define subflow judge call
  execute fail(args=$tool_args)

`;

const lookUp = tool(async () => "fine", { name: "look_up_2", description: "d", schema: z.object({ q: z.unknown() }) });
const asking = (name: string, args: object = {}, content = ""): AIMessage =>
  new AIMessage({ content, tool_calls: [{ name, args: args as never, id: "c1", type: "tool_call" }] });

async function open(
  rails: { readonly output?: readonly string[]; readonly tool_output?: readonly string[] },
  options: GuardrailsOptions = {},
): Promise<{ guardrails: Guardrails; judged: string[]; decisions: RailDecision[] }> {
  const judged: string[] = [];
  const decisions: RailDecision[] = [];
  const actions = {
    judge: ({ text }: { text: string }) => judged.push(text) > 0 && !text.includes("bad"),
    hide: ({ text }: { text: string }) => text.replaceAll("Ada", "NAME"),
    fail: ({ args }: { args: object }) => {
      throw new Error(`cannot read ${JSON.stringify(args)} of ${Object.keys(args).join(" ")}`);
    },
  };
  const section = Object.fromEntries(Object.entries(rails).map(([stage, flows]) => [stage, { flows: [...flows] }]));
  const guardrails = await Guardrails.fromConfig(
    { colang: COLANG, config: { rails: section } },
    { actions, logger: false, onDecision: (decision) => void decisions.push(decision), ...options },
  );
  return { guardrails, judged, decisions };
}

describe("names of tools in the calls of a model", () => {
  it("say nothing where the tool was offered", async () => {
    const { guardrails, judged } = await open({ output: ["judge"] });
    const model = guardrails.wrap(scriptedModel([asking("look_up_2")])).bindTools([lookUp]);
    expect((await model.invoke("hi")).tool_calls).toHaveLength(1);
    expect(judged.join()).not.toContain("look_up_2");
  });

  it.each([
    ["a bad name", "", "a bad name"],
    ["bad", "some text", "some text\nbad"],
  ])("are read with the answer where it was not: %s", async (name, content, read) => {
    const { guardrails, judged } = await open({ output: ["judge"] });
    const model = guardrails.wrap(scriptedModel([asking(name, {}, content)])).bindTools([lookUp]);
    const answer = await model.invoke("hi");
    expect(judged).toEqual([read]);
    expect(answer).toMatchObject({ content: "REFUSED", tool_calls: [] });
    expect(JSON.stringify(answer)).not.toContain("bad");
  });

  it.each([["invoke"], ["stream"]])("refuse the answer when a rail changes them, with `%s`", async (way) => {
    const { guardrails } = await open({ output: ["hide"] });
    const model = guardrails.wrap(scriptedModel([asking("of Ada", {}, "fine")])).bindTools([lookUp]);
    let text = "";
    if (way === "invoke") text = JSON.stringify(await model.invoke("hi"));
    else for await (const chunk of await model.stream("hi")) text += JSON.stringify(chunk);
    expect(text).not.toMatch(/Ada|NAME/);
    expect(text).toContain('"blocked":true');
  });

  it("are recognized by their form where the tools are unknown", async () => {
    const { guardrails, judged } = await open({ output: ["judge"] });
    const plain = guardrails.wrap(scriptedModel([asking("look_up"), asking("bad words")]));
    expect((await plain.invoke("hi")).tool_calls).toHaveLength(1);
    expect(await plain.invoke("hi")).toMatchObject({ content: "REFUSED" });
    expect(judged.at(-1)).toBe("bad words");
    expect(judged.join()).not.toContain("look_up");
  });
});

describe("keys of arguments", () => {
  it("are quoted in no decision of a rail that failed over them", async () => {
    const { guardrails, decisions } = await open({ tool_output: ["judge call"] });
    const secret = "the secret 4711";
    const model = guardrails.wrap(scriptedModel([asking("look_up_2", { q: { [secret]: 1 } })])).bindTools([lookUp]);
    const answer = await model.invoke("hi");
    const result = await guardrails.tool(lookUp).invoke({ q: { [secret]: 1 } });
    expect(JSON.stringify([answer, result, decisions])).not.toContain("4711");
    expect(decisions.map(({ status }) => status)).toContain("error");
  });
});
