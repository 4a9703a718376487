import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatPromptValue, StringPromptValue } from "@langchain/core/prompt_values";
import type { Outcome } from "./outcomes.js";

/** Form of a value on the user's side. A surface that takes messages puts them into its own form. */
export type InputKind = "text" | "message" | "messages" | "prompt" | "object" | "call";

export interface InputShape {
  readonly name: string;
  readonly kind: InputKind;
  readonly make: (marker: string) => unknown;
  /** A second value of the same conversation, given the first one and the text of its response; it is the one observed. */
  readonly next?: (marker: string, reply: BaseMessage) => unknown;
  /** Outcomes for which the row has an expectation; all by default. */
  readonly outcomes?: readonly Outcome[];
}

const human = (content: unknown, fields: object = {}): HumanMessage =>
  new HumanMessage({ content: content as string, ...fields });
const blocks = (name: string, make: (marker: string) => readonly unknown[]): InputShape => ({
  name,
  kind: "messages",
  make: (marker) => [human(make(marker))],
});
const call = new AIMessage({
  content: "",
  tool_calls: [{ name: "look_up", args: { q: "x" }, id: "c1", type: "tool_call" }],
});
const answered = (fields: object): BaseMessage[] => [
  human("hello"),
  call,
  new ToolMessage({ content: "fine", tool_call_id: "c1", name: "look_up", ...fields } as never),
];
const toolCall = (name: string, make: (marker: string) => object): InputShape => ({
  name,
  kind: "call",
  make: (marker) => ({ name: "look_up", args: make(marker), id: "c1", type: "tool_call" }),
});
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const svg = (marker: string): string => `<svg xmlns="http://www.w3.org/2000/svg"><text>${marker}</text></svg>`;

/** Forms of user input; each contains the marker. A new form is one row. */
export const INPUT_SHAPES: readonly InputShape[] = [
  { name: "a string", kind: "text", make: (marker) => `hello ${marker}` },
  { name: "a human message", kind: "message", make: (marker) => human(`hello ${marker}`) },
  { name: "a list of one message", kind: "messages", make: (marker) => [human(`hello ${marker}`)] },
  { name: "a chat prompt value", kind: "prompt", make: (marker) => new ChatPromptValue([human(`hello ${marker}`)]) },
  { name: "a string prompt value", kind: "prompt", make: (marker) => new StringPromptValue(`hello ${marker}`) },
  {
    name: "two messages in a row",
    kind: "messages",
    make: (marker) => [human(`hello ${marker}`), human("and more")],
  },
  {
    name: "the last of two messages in a row",
    kind: "messages",
    make: (marker) => [human("hello"), human(`more ${marker}`)],
  },
  {
    name: "a message after a conversation",
    kind: "messages",
    make: (marker) => [human("hello"), new AIMessage("hi"), human(`more ${marker}`)],
  },
  {
    name: "a history sent again",
    kind: "messages",
    make: (marker) => [human(`hello ${marker}`)],
    next: (marker, reply) => [human(`hello ${marker}`), reply, human("and now?")],
  },
  {
    name: "a history sent again as text",
    kind: "messages",
    make: (marker) => [human(`hello ${marker}`)],
    next: (marker, reply) => [human(`hello ${marker}`), new AIMessage(reply.text), human("and now?")],
  },
  blocks("a text block", (marker) => [{ type: "text", text: `hello ${marker}` }]),
  blocks("the second of two text blocks", (marker) => [
    { type: "text", text: "hello" },
    { type: "text", text: marker },
  ]),
  blocks("an image with a caption", (marker) => [
    { type: "text", text: marker },
    { type: "image_url", image_url: { url: "https://example.test/a.png" } },
  ]),
  blocks("a plain text document", (marker) => [{ type: "text-plain", text: marker, mimeType: "text/plain" }]),
  blocks("a file with text", (marker) => [
    { type: "file", source_type: "text", text: marker, mime_type: "text/plain" },
  ]),
  blocks("a file with text in base64", (marker) => [
    { type: "file", data: base64(`see ${marker} there`), mimeType: "text/plain" },
  ]),
  blocks("a data url with text", (marker) => [
    { type: "file", url: `data:text/plain;base64,${base64(`see ${marker} there`)}` },
  ]),
  blocks("an svg image in a data url", (marker) => [
    { type: "text", text: "look" },
    { type: "image_url", image_url: { url: `data:image/svg+xml;base64,${base64(svg(marker))}` } },
  ]),
  blocks("an svg image in an encoded data url", (marker) => [
    { type: "text", text: "look" },
    { type: "image_url", image_url: { url: `data:image/svg+xml,${encodeURIComponent(svg(marker))}` } },
  ]),
  blocks("a name of a file", (marker) => [
    { type: "text", text: "look" },
    { type: "file", url: "https://example.test/a.pdf", mimeType: "application/pdf", metadata: { filename: marker } },
  ]),
  blocks("a file name beside data", (marker) => [
    { type: "text", text: "look" },
    { type: "file", file: { filename: marker, file_data: "data:application/pdf;base64,JVBERi0=" } },
  ]),
  blocks("a label of a block", (marker) => [{ type: "text", text: "hello", name: marker }]),
  blocks("a title of a block", (marker) => [{ type: "text", text: "hello", title: marker }]),
  blocks("a key of a block", (marker) => [{ type: "text", text: "hello", [marker]: "x" }]),
  blocks("an unknown block", (marker) => [
    { type: "text", text: "hello" },
    { type: "hologram", beam: { note: marker } },
  ]),
  blocks("a non-standard block", (marker) => [
    { type: "text", text: "hello" },
    { type: "non_standard", value: { note: marker } },
  ]),
  blocks("a reasoning block of the user", (marker) => [
    { type: "text", text: "hello" },
    { type: "reasoning", reasoning: marker },
  ]),
  blocks("a tool call block of the user", (marker) => [
    { type: "text", text: "hello" },
    { type: "tool_use", id: "c1", name: "look_up", input: { q: marker } },
  ]),
  blocks("a word under a key that names a type", (marker) => [
    { type: "text", text: "hello", cache_control: { type: marker } },
  ]),
  blocks("a type of a block", (marker) => [
    { type: "text", text: "hello" },
    { type: marker, x: 1 },
  ]),
  blocks("a symbol as a key of a block", (marker) => [{ type: "text", text: "hello", [Symbol.for("note")]: marker }]),
  blocks("what a block becomes in JSON", (marker) => [
    { type: "text", text: "hello", toJSON: () => ({ type: "text", text: marker }) },
  ]),
  blocks("an inherited text of a block", (marker) => [
    Object.assign(Object.create({ text: marker }) as object, { type: "text" }),
  ]),
  blocks("a hidden property of a block", (marker) => [
    Object.defineProperty({ type: "text", text: "hello" }, "note", { value: marker }),
  ]),
  blocks("a text that is an object", (marker) => [{ type: "text", text: { toString: () => marker } }]),
  blocks("a map in a block", (marker) => [{ type: "hologram", beam: new Map([["note", marker]]) }]),
  blocks("a text that changes when it is read", (marker) => {
    let reads = 0;
    const text = (): string => ((reads += 1) % 2 === 0 ? marker : "hello");
    return [Object.defineProperty({ type: "text" }, "text", { enumerable: true, get: text })];
  }),
  {
    name: "a message before an empty answer",
    kind: "messages",
    make: (marker) => [human(`hello ${marker}`), new AIMessage(""), human("and more")],
  },
  {
    name: "another property of a message",
    kind: "messages",
    make: (marker) => [Object.assign(human("hello"), { note: marker })],
  },
  { name: "metadata of a tool message", kind: "messages", make: (marker) => answered({ metadata: { note: marker } }) },
  { name: "a name of the user", kind: "messages", make: (marker) => [human("hello", { name: marker })] },
  {
    name: "a copy in additional_kwargs",
    kind: "messages",
    make: (marker) => [human(`hello ${marker}`, { additional_kwargs: { raw: `hello ${marker}` } })],
  },
  { name: "a tool message", kind: "messages", make: (marker) => answered({ content: `found ${marker}` }) },
  {
    name: "a tool message in blocks",
    kind: "messages",
    make: (marker) => answered({ content: [{ type: "text", text: marker }] }),
  },
  {
    name: "an artifact of a tool message",
    kind: "messages",
    make: (marker) => answered({ artifact: { note: marker } }),
  },
  {
    name: "a user message before a tool message",
    kind: "messages",
    make: (marker) => [human(`hello ${marker}`), ...answered({}).slice(1)],
  },
  {
    name: "an agent history sent again",
    kind: "messages",
    make: (marker) => [human(`hello ${marker}`)],
    next: (marker, reply) => [human(`hello ${marker}`), reply, ...answered({})],
  },
  { name: "an object with a question", kind: "object", make: (marker) => ({ question: `hello ${marker}` }) },
  { name: "an object with an input", kind: "object", make: (marker) => ({ input: `hello ${marker}` }) },
  { name: "another key of an object", kind: "object", make: (marker) => ({ question: "hello", city: marker }) },
  {
    name: "a nested key of an object",
    kind: "object",
    make: (marker) => ({ question: "hello", profile: { notes: [{ text: marker }] } }),
  },
  { name: "a name of a key", kind: "object", make: (marker) => ({ question: "hello", [marker]: 1 }) },
  {
    name: "a history beside a question",
    kind: "object",
    make: (marker) => ({ question: "hello", chat_history: [human(marker), new AIMessage("hi")] }),
    outcomes: ["mask"],
  },
  { name: "an object with messages", kind: "object", make: (marker) => ({ messages: [human(`hello ${marker}`)] }) },
  {
    name: "another key beside messages",
    kind: "object",
    make: (marker) => ({ messages: [human("hello")], city: marker }),
  },
  toolCall("an argument of a call", (marker) => ({ q: marker })),
  toolCall("a nested argument of a call", (marker) => ({ more: { list: [marker] } })),
  toolCall("a key of an argument of a call", (marker) => ({ more: { [marker]: "x" } })),
  { name: "arguments without a call", kind: "call", make: (marker) => ({ q: marker }) },
];
