import { describe, expect, it } from "@jest/globals";
import { AIMessage, type AIMessageChunk } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import { Guardrails, verdictOf } from "../../../src/index.js";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import { defineRail } from "../../../src/langchain/rails.js";
import { scriptedModel } from "../../../src/testing/index.js";

const CALL = { name: "look", args: {}, id: "c1", type: "tool_call" as const };
const look = tool(() => "rye", { name: "look", schema: z.object({}) });

/** Opens guardrails whose output rail notes what it reads. */
async function open(version: string, reasoning = false) {
  const seen: string[] = [];
  const check = (text: string): boolean => {
    seen.push(text);
    return text.includes("forbidden");
  };
  const library = [defineRail({ name: "words", flows: [{ name: "check words", stage: "output", check }] })];
  const output = { flows: ["check words"], apply_to_reasoning_traces: reasoning };
  const config = { colang_version: version, rails: { output } };
  const colang = version === "2.x" ? { colang: "import core\n" } : {};
  return { guardrails: await Guardrails.fromConfig({ ...colang, config }, { library, logger: false }), seen };
}

type Open = Awaited<ReturnType<typeof open>>;

const SURFACES: Readonly<Record<string, (opened: Open, message: AIMessage) => Promise<AIMessage>>> = {
  invoke: ({ guardrails }, message) =>
    guardrails
      .wrap(scriptedModel([message]))
      .bindTools([look])
      .invoke("hi") as Promise<AIMessage>,
  stream: async ({ guardrails }, message) => {
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await guardrails
      .wrap(scriptedModel([message]))
      .bindTools([look])
      .stream("hi")) {
      whole = whole === undefined ? chunk : whole.concat(chunk);
    }
    return whole as AIMessageChunk;
  },
  agent: async ({ guardrails }, message) => {
    const model = scriptedModel([message, "Rye."]);
    const agent = createAgent({ model, tools: [look], middleware: [guardrailsMiddleware(guardrails)] });
    const { messages } = await agent.invoke({ messages: "hi" as never });
    return messages[1] as AIMessage;
  },
};

const VERSIONS = ["1.0", "2.x"];
const CELLS = VERSIONS.flatMap((version) =>
  Object.entries(SURFACES).map(([name, run]) => [version, name, run] as const),
);

describe.each(CELLS)("a message that only calls tools, in Colang %s, by %s", (version, name, run) => {
  it.each<[string, AIMessage["content"]]>([
    ["no text", ""],
    ["blanks", " \n"],
    ["a block of blanks", [{ type: "text", text: "\n" }]],
  ])("costs no output rail, with %s", async (_, content) => {
    const opened = await open(version);
    const message = await run(opened, new AIMessage({ content, tool_calls: [CALL] }));
    expect(message.content).toEqual(content);
    expect(message.tool_calls).toMatchObject([{ name: "look", args: {}, id: "c1" }]);
    expect(opened.seen).toEqual(name === "agent" ? ["Rye."] : []);
    expect(verdictOf(message)).toMatchObject({ blocked: false, decisions: [] });
  });

  it.each<[string, object, boolean]>([
    ["a text", { content: "the forbidden text" }, false],
    ["a note of the provider", { content: "", additional_kwargs: { note: "the forbidden note" } }, false],
    ["reasoning that rails read", { content: "", additional_kwargs: { reasoning_content: "the forbidden way" } }, true],
  ])("is blocked for %s", async (_, fields, reasoning) => {
    const opened = await open(version, reasoning);
    const message = await run(opened, new AIMessage({ ...fields, tool_calls: [CALL] }));
    expect(opened.seen.filter((text) => text.includes("forbidden"))).not.toEqual([]);
    expect(JSON.stringify(message)).not.toContain("forbidden");
    expect(message.text).toBe("I'm sorry, I can't respond to that.");
    expect(message.tool_calls).toEqual([]);
  });
});

describe.each(VERSIONS)("a model that says nothing and calls nothing, in Colang %s", (version) => {
  it("is answered by the text for it, which rails read", async () => {
    const { guardrails, seen } = await open(version);
    const message = await guardrails.wrap(scriptedModel([new AIMessage("  ")])).invoke("hi");
    expect(message.text).toBe("Sorry, I do not have an answer to that.");
    expect(seen).toEqual(["Sorry, I do not have an answer to that."]);
  });
});
