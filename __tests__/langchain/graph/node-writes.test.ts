import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  END,
  GraphInterrupt,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Overwrite,
  pushMessage,
  Send,
  START,
  StateGraph,
  task,
} from "@langchain/langgraph";
import { Document } from "@langchain/core/documents";
import { Guardrails } from "../../../src/index.js";
import { guardrailsNode } from "../../../src/langchain/langgraph.js";
import { drain, realGuardrails, textActions } from "../../support/langchain/real-guardrails.js";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  notes: Annotation<unknown>(),
  seen: Annotation<unknown>({ reducer: (before, after) => [before, after] }),
  context: Annotation<unknown>(),
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
    "the form of a response to a question",
    (text) => () => {
      // Newer versions of LangGraph put `responseSchema` of `interrupt` there.
      const response_schema = { type: "object", properties: { city: { type: "string", description: text } } };
      throw new GraphInterrupt([{ id: "q", value: "where?", response_schema }] as never);
    },
  ],
  [
    "a command of a graph inside",
    inner((text) => new Command({ graph: Command.PARENT, update: { messages: [new AIMessage(text)] }, goto: "after" })),
  ],
  [
    "arguments that a graph inside sends",
    inner((text) => new Command({ graph: Command.PARENT, goto: [new Send("after", { notes: text })] })),
  ],
  [
    "a message that it pushes",
    (text) => (_: unknown, config: object) => (pushMessage(new AIMessage({ id: "p", content: text }), config), fine),
  ],
  [
    "a message that it pushes without a config",
    (text) => () => (pushMessage(new AIMessage({ id: "p", content: text })), fine),
  ],
];

/** Lists of commands and updates that a node returns. */
const LISTS: typeof WRITES = (
  [
    [
      "a message in the second of two commands",
      (text) => [
        new Command({ update: fine }),
        new Command({ update: { messages: [new AIMessage(text)] }, goto: "after" }),
      ],
    ],
    [
      "another channel in the second of two commands",
      (text) => [new Command({ update: fine }), new Command({ update: { notes: text }, goto: "after" })],
    ],
    ["an update beside a command", (text) => [{ notes: text }, new Command({ update: fine, goto: "after" })]],
    ["a message beside a command", (text) => [new Command({ goto: "after" }), { messages: [new AIMessage(text)] }]],
    [
      "arguments in the second of two commands",
      (text) => [new Command({ update: fine }), new Command({ goto: [new Send("after", { notes: text })] })],
    ],
    [
      "the result of a tool beside a command",
      (text) => [
        new Command({ update: fine, goto: "after" }),
        { messages: [new ToolMessage({ content: text, tool_call_id: "c" })] },
      ],
    ],
  ] as (readonly [string, Work])[]
).map(([title, list]) => [title, (text) => () => list(text)]);

/** A list with a command for the graph around, which does not exist here. */
const PARENT: typeof WRITES = [
  [
    "a part of a list for the graph around",
    (text) => () => [
      new Command({ update: fine, goto: "after" }),
      new Command({ graph: Command.PARENT, update: { notes: text }, goto: [new Send("after", { notes: text })] }),
    ],
  ],
];

/** Names that are texts; a rail that changes one takes it out. */
const NAMES: typeof WRITES = [
  ["the name of a node to go to", (text) => () => new Command({ update: fine, goto: text })],
  ["the name of a graph", (text) => () => new Command({ update: fine, goto: "after", graph: text })],
];

/** Ways that only evidence takes. */
const EVIDENCE: typeof WRITES = [
  ["evidence", (text) => () => ({ context: [new Document({ pageContent: text })] })],
  ["evidence, which it overwrites", (text) => () => ({ context: new Overwrite([text]) })],
  [
    "evidence for another node",
    (text) => () => new Command({ goto: [new Send("after", { context: [new Document({ pageContent: text })] })] }),
  ],
  [
    "evidence for each of two nodes",
    (text) => () =>
      new Command({ update: fine, goto: ["fine", text].map((page) => new Send("after", { context: [page] })) }),
  ],
  ["evidence under another key", (text) => () => ({ context: ["fine"], notes: [new Document({ pageContent: text })] })],
  [
    "evidence of a graph inside",
    inner((text) => new Command({ graph: Command.PARENT, update: { context: [text] }, goto: "after" })),
  ],
];

const afterTask = (run: (text: string) => Promise<unknown>): Work => {
  return (text) => async () => ({ ...fine, seen: (await run(text)) === text });
};

/** Ways that LangGraph records beside the result of a node, which gets the text back. */
const TASKS: typeof WRITES = [
  ["the result of a task", afterTask((text) => task("write", async () => text)())],
  ["the arguments of a task", afterTask((text) => task("write", async (given: string) => given)(text))],
  ["the result of a task in a task", afterTask((text) => task("outer", () => task("write", async () => text)())())],
  [
    "a message that a task pushes",
    afterTask((text) => task("write", async () => (pushMessage(new AIMessage({ id: "p", content: text })), text))()),
  ],
];

const STAGES = ["output", "turn", "retrieval"] as const;
const OUTCOMES = {
  blocked: { version: "1.0", output: ["check answer"], text: "bad words", hides: "bad words" },
  masked: { version: "2.x", output: ["hide digits of answer"], text: "call 4242", hides: "call 4242" },
} as const;

/** Rails of a retrieval node; each reads all that it passes on. */
const RETRIEVAL_RAILS = {
  "1.0": `
define bot refuse words
  "REFUSED"

define subflow check answer
  $allowed = execute check_words(text=$relevant_chunks)
  if not $allowed
    bot refuse words
    stop

define subflow hide digits of answer
  $relevant_chunks = execute hide_digits(text=$relevant_chunks)
`,
  "2.x": `
import core

flow check answer
  global $relevant_chunks
  $allowed = await CheckWordsAction(text=$relevant_chunks)
  if not $allowed
    bot say "REFUSED"
    abort

flow hide digits of answer
  global $relevant_chunks
  $relevant_chunks = await HideDigitsAction(text=$relevant_chunks)
`,
} as const;

function guardrailsOf(stage: Stage, version: "1.0" | "2.x", flows: string[]): Promise<Guardrails> {
  if (stage !== "retrieval") return realGuardrails({ version, input: [], output: flows });
  return Guardrails.fromConfig(
    { colang: RETRIEVAL_RAILS[version], config: { colang_version: version, rails: { retrieval: { flows } } } },
    { actions: textActions() },
  );
}

type Stage = (typeof STAGES)[number];

const MODES = ["values", "updates", "messages", "custom", "debug", "checkpoints", "tasks", "tools"];

async function run(stage: Stage, version: "1.0" | "2.x", work: unknown, flows: string[]) {
  const guardrails = await guardrailsOf(stage, version, flows);
  const checkpointer = new MemorySaver();
  const graph = new StateGraph(State)
    .addNode("guarded", guardrailsNode(guardrails, stage, { around: work as never }) as never, {
      ends: ["after"],
    })
    .addNode("after", (given: object) => ({ seen: given }))
    .addEdge(START, "guarded" as never)
    .compile({ checkpointer });
  const config = { configurable: { thread_id: "t" }, subgraphs: true, streamMode: MODES as never };
  const input = { messages: [new HumanMessage("hi")] } as never;
  const chunks = await drain(await graph.stream(input, config));
  const events = await drain(graph.streamEvents(input, { version: "v2", configurable: { thread_id: "e" } }));
  const states = await drain(checkpointer.list(config));
  const state = (await graph.getState(config)) as { values: { messages: AIMessage[]; seen?: unknown }; next: string[] };
  return { all: JSON.stringify([chunks, events, states, state]), state };
}

describe.each(STAGES)("a text of a node inside a node of the stage %s", (stage) => {
  const writes = [...WRITES, ...LISTS, ...(stage === "retrieval" ? EVIDENCE : [])];

  describe.each(Object.entries(OUTCOMES))("%s by a rail", (_, { version, output, text, hides }) => {
    const isMasked = hides === "call 4242";

    it.each(writes)("is not emitted as %s", async (_title, work) => {
      const { all, state } = await run(stage, version, work(`say ${text}`), [...output]);
      expect(all).not.toContain(hides);
      // A retrieval node has no refusal: it passes nothing on.
      expect(all).toMatch(isMasked ? /\*{4}/ : stage === "retrieval" ? /"blocked":true/ : /REFUSED/);
      expect(isMasked || state.next.length === 0).toBe(true);
    });

    it.each([...NAMES, ...TASKS, ...PARENT])("is not emitted as %s", async (_title, work) => {
      const { all } = await run(stage, version, work(`say ${text}`), [...output]);
      expect(all).not.toContain(hides);
    });
  });

  it.each(writes)("is emitted unchanged if rails pass it: %s", async (_title, work) => {
    const { all } = await run(stage, "1.0", work("a good word"), ["check answer"]);
    expect(all).toContain("a good word");
  });

  it.each(TASKS)("comes back to the node if rails pass it: %s", async (_title, work) => {
    const { state } = await run(stage, "1.0", work("a good word"), ["check answer"]);
    expect(state.values.seen).toBe(true);
  });
});

it.each(["output", "turn"] as const)("keeps all destinations of a list in a node of the stage %s", async (stage) => {
  const list = () => [
    new Command({ update: { ...fine, notes: "one" }, goto: "a" }),
    new Command({ update: { context: "two" }, goto: [new Send("b", { notes: "three" })] }),
  ];
  const graph = new StateGraph(State)
    .addNode("guarded", guardrailsNode(await realGuardrails(), stage, { around: list as never }) as never, {
      ends: ["a", "b"],
    })
    .addNode("a", () => ({ seen: "a" }))
    .addNode("b", ({ notes }) => ({ seen: notes }))
    .addEdge(START, "guarded" as never)
    .compile();
  const state = await graph.invoke({ messages: [new HumanMessage("hi")] } as never);
  expect(state).toMatchObject({ notes: "one", context: "two", seen: ["a", "three"] });
});

it("writes nothing else of a list that rails block", async () => {
  const list = () => [
    new Command({ update: { messages: [new AIMessage("bad")] } }),
    new Command({ update: { notes: 7 }, goto: "a" }),
  ];
  const graph = new StateGraph(State)
    .addNode("guarded", guardrailsNode(await realGuardrails(), "output", { around: list as never }) as never, {
      ends: ["a"],
    })
    .addNode("a", () => ({ seen: "a" }))
    .addEdge(START, "guarded" as never)
    .compile();
  const state = await graph.invoke({ messages: [new HumanMessage("hi")] } as never);
  expect(state).toEqual({ messages: [expect.anything(), expect.objectContaining({ content: "REFUSED" })] });
});
