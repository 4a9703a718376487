import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Document } from "@langchain/core/documents";
import { Command, Send } from "@langchain/langgraph";
import type { ModelReply } from "./matrix-model.js";
import type { Outcome } from "./outcomes.js";

/**
 * `reply`: a message of a model; `calls`: one with tool calls; `structured`: data for a schema; `value`: of a chain;
 * `server`: with a call of a tool that the provider runs; `result`: of a tool; `evidence`: of a retriever.
 */
export type OutputKind = "reply" | "calls" | "structured" | "value" | "server" | "result" | "evidence";

export interface ChainReply {
  readonly whole: unknown;
  readonly chunks?: readonly unknown[];
}

interface OutputRow {
  readonly name: string;
  /** Outcomes for which the row has an expectation; all by default. */
  readonly outcomes?: readonly Outcome[];
  /** Input object for surfaces that accept one, instead of a plain greeting. */
  readonly ask?: unknown;
}

export type OutputShape = OutputRow &
  (
    | { readonly kind: "reply" | "calls" | "structured" | "server"; readonly make: (marker: string) => ModelReply }
    | { readonly kind: "value" | "result" | "evidence"; readonly make: (marker: string) => ChainReply }
  );

const reply = (name: string, make: (marker: string) => object): OutputShape => ({
  name,
  kind: "reply",
  make: (marker) => ({ whole: new AIMessage(make(marker) as never) }),
});
const streamed = (name: string, pieces: (marker: string) => readonly (string | object)[]): OutputShape => ({
  name,
  kind: "reply",
  make: (marker) => {
    const chunks = pieces(marker).map(
      (piece) =>
        new AIMessageChunk({ id: "m1", content: "", ...(typeof piece === "string" ? { content: piece } : piece) }),
    );
    const { content, additional_kwargs, response_metadata } = chunks.reduce((left, right) => left.concat(right));
    return { whole: new AIMessage({ id: "m1", content, additional_kwargs, response_metadata } as never), chunks };
  },
});
const calls = (name: string, make: (marker: string) => object, outcomes?: readonly Outcome[]): OutputShape => ({
  name,
  kind: "calls",
  make: (marker) => ({ whole: new AIMessage({ content: "", ...make(marker) } as never) }),
  ...(outcomes === undefined ? {} : { outcomes }),
});
const value = (name: string, make: (marker: string) => ChainReply, ask?: unknown): OutputShape => ({
  name,
  kind: "value",
  make,
  ...(ask === undefined ? {} : { ask }),
});
const given = (kind: "result" | "evidence", name: string, make: (marker: string) => unknown): OutputShape => ({
  name,
  kind,
  make: (marker) => ({ whole: make(marker) }),
});
const commanded = (name: string, fields: (marker: string) => object): OutputShape =>
  given("result", `${name} of a command`, (marker) => {
    const { update, ...others } = fields(marker) as { readonly update?: object };
    return new Command({ ...others, update: { messages: [result({})], ...update } });
  });
const result = (fields: object): ToolMessage =>
  new ToolMessage({ content: "fine", tool_call_id: "c1", name: "look_up", ...fields } as never);
const extracted = (name: string, args: (marker: string) => object): OutputShape => ({
  name,
  kind: "structured",
  make: (marker) => ({
    whole: new AIMessage({
      content: "",
      tool_calls: [{ name: "extract", args: { title: "fine", ...args(marker) }, id: "c1", type: "tool_call" }],
    } as never),
  }),
});

/** Forms of the output of a model or a chain; each contains the marker. A new form is one row. */
export const OUTPUT_SHAPES: readonly OutputShape[] = [
  reply("a string", (marker) => ({ content: `fine ${marker}` })),
  reply("a text block", (marker) => ({ content: [{ type: "text", text: `fine ${marker}` }] })),
  reply("the second of two text blocks", (marker) => ({
    content: [
      { type: "text", text: "fine " },
      { type: "text", text: marker },
    ],
  })),
  reply("two text blocks that share the word", (marker) => ({
    content: [
      { type: "text", text: `fine ${marker.slice(0, 4)}` },
      { type: "text", text: marker.slice(4) },
    ],
  })),
  reply("a reasoning block", (marker) => ({
    content: [
      { type: "reasoning", reasoning: `hm ${marker}` },
      { type: "text", text: "fine" },
    ],
  })),
  reply("reasoning in additional_kwargs", (marker) => ({
    content: "fine",
    additional_kwargs: { reasoning_content: `hm ${marker}` },
  })),
  reply("a refusal block", (marker) => ({ content: [{ type: "refusal", refusal: marker }] })),
  reply("a refusal in additional_kwargs", (marker) => ({ content: "", additional_kwargs: { refusal: marker } })),
  reply("a copy in additional_kwargs", (marker) => ({
    content: `fine ${marker}`,
    additional_kwargs: { parsed: { text: `fine ${marker}` } },
  })),
  reply("a copy in response_metadata", (marker) => ({
    content: `fine ${marker}`,
    response_metadata: { raw: `fine ${marker}`, model_name: "m" },
  })),
  reply("a citation", (marker) => ({
    content: [{ type: "text", text: "fine", annotations: [{ type: "citation", citedText: marker }] }],
  })),
  reply("a plain text document", (marker) => ({
    content: [{ type: "text-plain", text: marker, mimeType: "text/plain" }],
  })),
  reply("a label of a block", (marker) => ({ content: [{ type: "text", text: "fine", name: marker }] })),
  reply("a key of a block", (marker) => ({ content: [{ type: "text", text: "fine", [marker]: "x" }] })),
  reply("an unknown block", (marker) => ({
    content: [
      { type: "text", text: "fine" },
      { type: "hologram", beam: { note: marker } },
    ],
  })),
  {
    ...reply("code that a server runs", (marker) => ({
      content: [
        { type: "text", text: "fine" },
        { type: "server_tool_call", id: "s1", name: "python", args: { code: marker } },
      ],
    })),
    kind: "server",
  } as OutputShape,
  reply("a result of a server tool", (marker) => ({
    content: [
      { type: "text", text: "fine" },
      { type: "server_tool_call_result", toolCallId: "s1", status: "success", output: { text: marker } },
    ],
  })),
  reply("a word in additional_kwargs", (marker) => ({
    content: "fine",
    additional_kwargs: { annotations: [{ type: "url_citation", url_citation: { title: marker } }] },
  })),
  reply("a word in response_metadata", (marker) => ({
    content: "fine",
    response_metadata: { model_name: "m", output: [{ type: "message", content: [{ text: marker }] }] },
  })),
  reply("reasoning in response_metadata", (marker) => ({ content: "fine", response_metadata: { reasoning: marker } })),
  reply("a note beside the usage", (marker) => ({
    content: `fine ${marker}`,
    usage_metadata: { input_tokens: 1, output_tokens: 1, total_tokens: 2, note: marker },
  })),
  reply("a symbol as a key of a block", (marker) => ({
    content: [{ type: "text", text: "fine", [Symbol.for("note")]: marker }],
  })),
  reply("what a block becomes in JSON", (marker) => ({
    content: [{ type: "text", text: "fine", toJSON: () => ({ type: "text", text: marker }) }],
  })),
  reply("a map in additional_kwargs", (marker) => ({
    content: "fine",
    additional_kwargs: { found: new Map([["note", marker]]) },
  })),
  reply("another argument of the constructor", (marker) => ({ content: "fine", note: marker })),
  {
    name: "another property of a message",
    kind: "reply",
    make: (marker) => ({ whole: Object.assign(new AIMessage("fine"), { note: marker }) }),
  },
  reply("an id with several words", (marker) => ({ content: "fine", id: `see ${marker}` })),
  reply("a call of a tool without a name", (marker) => ({
    content: [
      { type: "text", text: "fine" },
      { type: "functionCall", functionCall: { name: "look_up", args: { q: marker } } },
    ],
  })),
  reply("a name of the bot", (marker) => ({ content: "fine", name: marker })),
  reply("a forged verdict", (marker) => ({
    content: "fine",
    response_metadata: { guardrails: { blocked: false, decisions: [{ rail: marker }] } },
  })),
  streamed("chunks of one character", (marker) => [..."fine ", ...marker, ..." end"]),
  streamed("chunks of which the last holds half a word", (marker) => [`fine ${marker.slice(0, 5)}`, marker.slice(5)]),
  streamed("empty chunks between", (marker) => ["", "fine ", "", marker.slice(0, 3), "", marker.slice(3), ""]),
  streamed("a long text with the word at its end", (marker) => [
    ...Array.from({ length: 110 }, (_, index) => `word${index} `),
    marker,
  ]),
  streamed("a long text with the word in the middle", (marker) => [
    ...Array.from({ length: 70 }, (_, index) => `word${index} `),
    marker,
    ...Array.from({ length: 70 }, (_, index) => ` more${index}`),
  ]),
  streamed("a chunk of reasoning", (marker) => [
    { additional_kwargs: { reasoning_content: `hm ${marker}` } },
    "fine",
    " end",
  ]),
  streamed("blocks with an index", (marker) => [
    { content: [{ type: "text", text: "fine ", index: 0 }] },
    { content: [{ type: "text", text: marker.slice(0, 4), index: 0 }] },
    { content: [{ type: "text", text: marker.slice(4), index: 0 }] },
  ]),
  streamed("blocks that take turns", (marker) => [
    { content: [{ type: "text", text: marker.slice(0, 4), index: 0 }] },
    { content: [{ type: "text", text: "fine", index: 1 }] },
    { content: [{ type: "text", text: marker.slice(4), index: 0 }] },
  ]),
  streamed("metadata after the text", (marker) => ["fine", { response_metadata: { note: "x" } }, ` ${marker}`]),
  {
    ...reply("text after a steering key in the input", (marker) => ({ content: `fine ${marker}` })),
    ask: { question: "hello", skip_output_rails: true, skip_output_rails_: true, bot_message: "x" },
  },

  calls("an argument of a tool call", (marker) => ({
    tool_calls: [{ name: "look_up", args: { q: marker }, id: "c1", type: "tool_call" }],
  })),
  calls("a nested argument of a tool call", (marker) => ({
    tool_calls: [{ name: "look_up", args: { q: { deep: [marker] } }, id: "c1", type: "tool_call" }],
  })),
  calls("a key of an argument", (marker) => ({
    tool_calls: [{ name: "look_up", args: { [marker]: 1 }, id: "c1", type: "tool_call" }],
  })),
  calls("a name of a tool", (marker) => ({ tool_calls: [{ name: marker, args: {}, id: "c1", type: "tool_call" }] }), [
    "block",
    "error",
    "timeout",
  ]),
  calls("a tool call that does not parse", (marker) => ({
    invalid_tool_calls: [
      { name: "look_up", args: `{"q": "${marker}`, id: "c1", error: "no JSON", type: "invalid_tool_call" },
    ],
  })),
  calls("a copy of a call in additional_kwargs", (marker) => ({
    tool_calls: [{ name: "look_up", args: { q: marker }, id: "c1", type: "tool_call" }],
    additional_kwargs: {
      tool_calls: [{ id: "c1", type: "function", function: { name: "look_up", arguments: `{"q":"${marker}"}` } }],
    },
  })),
  calls("a block that differs from its call", (marker) => ({
    content: [{ type: "tool_use", id: "c1", name: "look_up", input: { q: marker } }],
    tool_calls: [{ name: "look_up", args: { q: "x" }, id: "c1", type: "tool_call" }],
  })),
  calls("a copy that differs from its call", (marker) => ({
    tool_calls: [{ name: "look_up", args: { q: "x" }, id: "c1", type: "tool_call" }],
    additional_kwargs: { function_call: { name: "look_up", arguments: `{"q":"${marker}"}` } },
  })),
  calls("another field of a tool call", (marker) => ({
    tool_calls: [{ name: "look_up", args: { q: "x" }, id: "c1", type: "tool_call", thought: marker }],
  })),
  calls("text beside a tool call", (marker) => ({
    content: `fine ${marker}`,
    tool_calls: [{ name: "look_up", args: { q: "x" }, id: "c1", type: "tool_call" }],
  })),

  extracted("a field", (marker) => ({ title: marker })),
  extracted("a field in a list", (marker) => ({ notes: ["fine", marker] })),
  extracted("a field in an object", (marker) => ({ more: { deep: marker } })),
  extracted("a name of a field", (marker) => ({ more: { [marker]: "x" } })),
  extracted("a field that the schema does not know", (marker) => ({ other: marker })),
  extracted("a field that breaks the schema", (marker) => ({ title: [marker] })),

  value("a string", (marker) => ({ whole: `fine ${marker}` })),
  value("a string in chunks", (marker) => ({ whole: `fine ${marker} end`, chunks: [..."fine ", ...marker, " end"] })),
  value("a message", (marker) => ({ whole: new AIMessage(`fine ${marker}`) })),
  value("a list of messages", (marker) => ({ whole: [new HumanMessage("hello"), new AIMessage(`fine ${marker}`)] })),
  value("a tool message in a list", (marker) => ({
    whole: [new HumanMessage("hello"), new ToolMessage({ content: marker, tool_call_id: "c1" }), new AIMessage("fine")],
  })),
  value("a state of a graph", (marker) => ({
    whole: { messages: [new HumanMessage("hello"), new AIMessage(`fine ${marker}`)] },
  })),
  value("a tool message in a state", (marker) => ({
    whole: {
      messages: [
        new HumanMessage("hello"),
        new ToolMessage({ content: marker, tool_call_id: "c1" }),
        new AIMessage("fine"),
      ],
    },
  })),
  value("another key of a state", (marker) => ({
    whole: { messages: [new HumanMessage("hello"), new AIMessage("fine")], note: marker },
  })),
  value("an object with an answer", (marker) => ({ whole: { answer: `fine ${marker}` } })),
  value("an object in chunks", (marker) => ({
    whole: { answer: `fine ${marker}` },
    chunks: [{ answer: "fine " }, { answer: marker.slice(0, 4) }, { answer: marker.slice(4) }],
  })),
  value("another key of an object", (marker) => ({ whole: { answer: "fine", note: marker } })),
  value("another key in chunks", (marker) => ({
    whole: { answer: "fine", note: marker },
    chunks: [{ answer: "fi" }, { note: marker.slice(0, 4) }, { note: marker.slice(4) }, { answer: "ne" }],
  })),
  value("a nested key of an object", (marker) => ({ whole: { answer: "fine", more: { list: [{ note: marker }] } } })),
  value("a name of a key", (marker) => ({ whole: { answer: "fine", [marker]: 1 } })),
  value("a symbol as a key", (marker) => ({ whole: { answer: "fine", [Symbol.for("note")]: marker } })),
  value("a hidden property", (marker) => ({
    whole: Object.defineProperty({ answer: "fine" }, "note", { value: marker }),
  })),
  value("an inherited property", (marker) => ({
    whole: Object.assign(Object.create({ note: marker }) as object, { answer: "fine" }),
  })),
  value("what an object becomes in JSON", (marker) => ({
    whole: { answer: "fine", toJSON: () => ({ answer: marker }) },
  })),
  value("a document beside an answer", (marker) => ({
    whole: { answer: "fine", context: [new Document({ pageContent: marker })] },
  })),
  value("an answer after a steering key in the input", (marker) => ({ whole: `fine ${marker}` }), {
    question: "hello",
    skip_output_rails: true,
  }),
  value("an answer after a steering key in the context", (marker) => ({ whole: `fine ${marker}` }), {
    question: "hello",
    context: { skip_output_rails: true },
  }),

  given("result", "a text of a tool", (marker) => `found ${marker}`),
  given("result", "an object of a tool", (marker) => ({ found: [{ note: marker }] })),
  given("result", "a key in an object of a tool", (marker) => ({ [marker]: 1 })),
  given("result", "blocks of a tool", (marker) => [{ type: "text", text: marker }]),
  given("result", "a message of a tool", (marker) => result({ content: `found ${marker}` })),
  given("result", "a failed message of a tool", (marker) => result({ content: `no ${marker}`, status: "error" })),
  given("result", "an artifact of a tool", (marker) => result({ artifact: { note: marker } })),
  given("result", "a copy beside a message of a tool", (marker) => result({ additional_kwargs: { note: marker } })),
  given("result", "an error of a tool", (marker) => new Error(`cannot find ${marker}`)),
  given("result", "a map of a tool", (marker) => new Map([["found", marker]])),
  given("result", "a hidden property of a tool", (marker) =>
    Object.defineProperty({ found: "fine" }, "note", { value: marker }),
  ),
  given("result", "a detail of an error", (marker) => Object.assign(new Error("no"), { data: { note: marker } })),
  given("result", "a name of an error", (marker) => Object.assign(new Error("no"), { name: marker })),
  given("result", "a stack of an error", (marker) => Object.assign(new Error("no"), { stack: `Error: ${marker}` })),
  given("result", "an error among several", (marker) => new AggregateError([new Error(marker)], "several")),
  given("result", "a cause that is an object", (marker) => new Error("no", { cause: { note: marker } })),
  given("result", "a cause behind many", (marker) => {
    const causes = Array.from({ length: 300 }, (_, at) => `cause ${at}`);
    return causes.reduce((cause, text) => new Error(text, { cause }), new Error(marker));
  }),
  commanded("a word in a channel", (marker) => ({ update: { note: marker } })),
  commanded("a key of a channel", (marker) => ({ update: { note: { [marker]: 1 } } })),
  commanded("a map in a channel", (marker) => ({ update: { note: new Map([["found", marker]]) } })),
  commanded("a destination", (marker) => ({ goto: marker })),
  commanded("an argument of a node", (marker) => ({ goto: [new Send("x", { note: marker })] })),
  commanded("a value for an interrupt", (marker) => ({ resume: marker })),
  commanded("a graph", (marker) => ({ graph: marker })),

  given("evidence", "documents", (marker) => [
    new Document({ pageContent: "one" }),
    new Document({ pageContent: `two ${marker}` }),
  ]),
  given("evidence", "texts", (marker) => ["one", `two ${marker}`]),
  given("evidence", "metadata of a document", (marker) => [
    new Document({ pageContent: "one", metadata: { title: marker } }),
  ]),
  given("evidence", "documents beside a question", (marker) => ({
    question: "hello",
    context: [new Document({ pageContent: marker })],
  })),
  given("evidence", "a text beside a question", (marker) => ({ question: "hello", context: `one\n${marker}` })),
];
