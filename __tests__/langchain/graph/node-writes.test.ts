import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Overwrite,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { guardrailsNode } from "../../../src/langchain/langgraph.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  notes: Annotation<unknown>(),
  seen: Annotation<unknown>(),
});
type Work = (text: string) => unknown;

const fine = { messages: [new AIMessage("fine")] };

/** A graph whose node passes a value to the graph around it. */
const inner = (result: (text: string) => unknown): Work => {
  return (text) =>
    new StateGraph(State)
      .addNode("a", () => result(text) as object, { ends: [END] })
      .addEdge(START, "a")
      .compile();
};

/** Ways in which a node emits a text. */
const WRITES: readonly (readonly [string, Work])[] = [
  ["a message in the name of the user", (text) => () => ({ messages: [new HumanMessage(text), ...fine.messages] })],
  ["another channel without messages", (text) => () => ({ messages: [], notes: text })],
  ["another channel, which it overwrites", (text) => () => ({ ...fine, notes: new Overwrite(text) })],
  ["messages, which it overwrites", (text) => () => ({ messages: new Overwrite([new AIMessage(text)]) })],
  ["messages, overwritten in plain data", (text) => () => ({ messages: { __overwrite__: [new AIMessage(text)] } })],
  [
    "the arguments of another node",
    (text) => () => new Command({ update: fine, goto: [new Send("after", { messages: [], notes: text })] }),
  ],
  ["arguments of another node alone", (text) => () => new Command({ goto: [new Send("after", { notes: text })] })],
  [
    "messages for another node",
    (text) => () => new Command({ goto: new Send("after", { notes: "", messages: [new HumanMessage(text)] }) }),
  ],
  [
    "a question to a person",
    (text) => () => ({ messages: [new AIMessage(`got ${String(interrupt({ ask: text }))}`)] }),
  ],
  ["a question that is a text", (text) => () => ({ messages: [new AIMessage(`got ${String(interrupt(text))}`)] })],
  [
    "a command of a graph inside",
    inner((text) => new Command({ graph: Command.PARENT, update: { messages: [new AIMessage(text)] }, goto: "after" })),
  ],
  [
    "arguments that a graph inside sends",
    inner((text) => new Command({ graph: Command.PARENT, goto: [new Send("after", { notes: text })] })),
  ],
];

const STAGES = ["output", "turn"] as const;
const OUTCOMES = {
  blocked: { version: "1.0", output: ["check answer"], text: "bad words", hides: "bad words" },
  masked: { version: "2.x", output: ["hide digits of answer"], text: "call 4242", hides: "4242" },
} as const;

async function run(stage: (typeof STAGES)[number], version: "1.0" | "2.x", work: unknown, output: string[]) {
  const guardrails = await realGuardrails({ version, input: [], output });
  const checkpointer = new MemorySaver();
  const graph = new StateGraph(State)
    .addNode("guarded", guardrailsNode(guardrails, stage, { around: work as never }) as never, {
      ends: ["after"],
    })
    .addNode("after", ({ notes, messages }: { notes?: unknown; messages?: unknown }) => ({ seen: { notes, messages } }))
    .addEdge(START, "guarded" as never)
    .compile({ checkpointer });
  const config = { configurable: { thread_id: "t" }, streamMode: ["values", "updates", "messages", "custom"] as never };
  const chunks = await drain(await graph.stream({ messages: [new HumanMessage("hi")] } as never, config));
  const states = await drain(checkpointer.list(config));
  const state = (await graph.getState(config)) as { values: { messages: AIMessage[]; seen?: unknown }; next: string[] };
  return { all: JSON.stringify([chunks, states, state]), state };
}

describe.each(STAGES)("a text of a node inside a node of the stage %s", (stage) => {
  describe.each(Object.entries(OUTCOMES))("%s by a rail", (_, { version, output, text, hides }) => {
    it.each(WRITES)("is not emitted as %s", async (_title, work) => {
      const { all, state } = await run(stage, version, work(`say ${text}`), [...output]);
      expect(all).not.toContain(hides);
      expect(all).toContain(hides === "4242" ? "****" : "REFUSED");
      expect(hides === "4242" || state.next.length === 0).toBe(true);
    });
  });

  it.each(WRITES)("is emitted unchanged if rails pass it: %s", async (_title, work) => {
    const { all } = await run(stage, "1.0", work("a good word"), ["check answer"]);
    expect(all).toContain("a good word");
  });
});
