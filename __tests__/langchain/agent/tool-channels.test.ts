import { describe, expect, it } from "@jest/globals";
import { dispatchCustomEvent } from "@langchain/core/callbacks/dispatch";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { getWriter, MemorySaver, pushMessage, task } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import { Guardrails } from "../../../src/index.js";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain, loadShared } from "../../support/langchain/real-guardrails.js";

type Work = (config: object) => unknown;

/** Ways for a text of a tool to leave it before its result is reviewed. */
const WAYS: readonly (readonly [string, (text: string) => Work])[] = [
  ["a result", (text) => () => text],
  [
    "a message that it pushes",
    (text) => (config) => (pushMessage(new AIMessage({ id: "p", content: text }), config), "fine"),
  ],
  [
    "a message that it pushes without a config",
    (text) => () => (pushMessage(new AIMessage({ id: "p", content: text })), "fine"),
  ],
  ["the result of a task", (text) => async () => (await task("write", async () => text)(), "fine")],
  [
    "the arguments of a task",
    (text) => async () => (await task("write", async (given: string) => given)(text), "fine"),
  ],
  ["a chunk of the stream `custom`", (text) => () => (getWriter()?.(text), "fine")],
  ["a custom event", (text) => async (config) => (await dispatchCustomEvent("progress", { text }, config), "fine")],
];

const progress = (text: string) =>
  async function* () {
    yield text;
    return "fine";
  };

const COLANG = `
define bot refuse words
  "REFUSED"

define subflow check result
  $allowed = execute check_words(text=$tool_message)
  if not $allowed
    bot refuse words
    stop
`;

function toolGuardrails(options: object): Promise<Guardrails> {
  return loadShared(options, function resultRails() {
    return Guardrails.fromConfig(
      { colang: COLANG, config: { rails: { tool_input: { flows: ["check result"] } } } },
      { ...options, actions: { check_words: ({ text }: { text?: unknown }) => !String(text).includes("bad") } },
    );
  });
}

const toolOf = (work: unknown) =>
  tool(((_: unknown, config: object) => (work as Work)(config)) as never, {
    name: "look_up",
    description: "d",
    schema: z.object({}),
  });

const ASKING = new AIMessage({
  content: "",
  tool_calls: [{ name: "look_up", args: {}, id: "c1", type: "tool_call" }],
});

const SURFACES = {
  guardrailsMiddleware: (guardrails: Guardrails, given: ReturnType<typeof toolOf>) => ({
    tools: [given],
    middleware: [guardrailsMiddleware(guardrails)],
  }),
  "guardrails.tool": (guardrails: Guardrails, given: ReturnType<typeof toolOf>) => ({
    tools: [guardrails.tool(given as never)],
  }),
};

const MODES = ["values", "updates", "messages", "custom", "debug", "checkpoints", "tasks", "tools"];

/** All that an agent with this tool shows, by stream mode, and what it stores. */
async function run(surface: keyof typeof SURFACES, work: unknown, options: object = {}) {
  const guardrails = await toolGuardrails(options);
  const checkpointer = new MemorySaver();
  const open = () =>
    createAgent({
      model: scriptedModel([ASKING, "done"]),
      checkpointer,
      ...(SURFACES[surface](guardrails, toolOf(work)) as object),
    } as never);
  const input = { messages: [new HumanMessage("hi")] } as never;
  const config = (id: string) => ({ configurable: { thread_id: id }, subgraphs: true });
  const streaming = open().stream(input, { ...config("t"), streamMode: MODES } as never);
  const chunks = (await drain((await streaming) as never)) as readonly (readonly [unknown, string, unknown])[];
  const events = await drain(open().streamEvents(input, { ...config("e"), version: "v2" } as never) as never);
  const protocol = await drain((await open().streamEvents(input, { ...config("p"), version: "v3" } as never)) as never);
  const states = await drain(checkpointer.list({}));
  return { all: JSON.stringify([chunks, events, protocol, states]), chunks };
}

describe.each(Object.keys(SURFACES) as (keyof typeof SURFACES)[])("a text of a tool behind %s", (surface) => {
  it.each(WAYS)("does not leave as %s", async (_, work) => {
    const { all } = await run(surface, work("bad words"));
    expect(all).not.toContain("bad words");
  });

  it("does not leave as progress of the tool", async () => {
    const made = tool(progress("bad words") as never, { name: "look_up", description: "d", schema: z.object({}) });
    const { all } = await run(surface, (config: object) => made.invoke({}, config));
    expect(all).not.toContain("bad words");
  });

  it.each([{}, { redactTraces: true }])("is shown in the stream `tools` after its review with %j", async (options) => {
    const { chunks } = await run(surface, () => "good words", options);
    const shown = chunks.filter(([, mode]) => mode === "tools").map(([, , chunk]) => chunk as { event: string });
    expect(shown.map(({ event }) => event)).toEqual(["on_tool_start", "on_tool_end"]);
    expect(JSON.stringify(shown)).toContain("good words");
  });
});
