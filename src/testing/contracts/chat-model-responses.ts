import { AIMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { collect, joinMessages, type ModelDemand, requireResponse, requireTrue, usageOf } from "./chat-model-case.js";
import { requireSame } from "./contract.js";

const TEXT = "A long answer, with several words in it.";
const PICTURE = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };

/** Inputs of a chat model, and the methods that return its message. */
export const RESPONSE_DEMANDS: readonly ModelDemand[] = [
  {
    name: "invoke: answers a text, messages, pairs and prompt values alike",
    replies: Array.from({ length: 5 }, () => ({ text: TEXT })),
    async run({ model, requests }) {
      const prompt = ChatPromptTemplate.fromMessages([["human", "{q}"]]);
      const inputs = ["hi", [new HumanMessage("hi")], [["human", "hi"]], [{ role: "user", content: "hi" }]] as const;
      for (const input of inputs) requireResponse(await model.invoke(input as never), TEXT);
      requireResponse(await prompt.pipe(model).invoke({ q: "hi" }), TEXT);
      for (const { messages } of requests()) requireSame(messages, [{ role: "human", content: "hi" }], "what was sent");
    },
  },
  {
    name: "invoke: sends a whole conversation in order, and changes no message of it",
    replies: [{ text: TEXT }],
    async run({ model, requests }) {
      const messages = [
        new SystemMessage("be kind"),
        new HumanMessage("hi"),
        new AIMessage("hello"),
        new HumanMessage("how"),
        new HumanMessage("are you?"),
      ];
      const before = JSON.stringify(messages);
      requireResponse(await model.invoke(messages), TEXT);
      requireSame(JSON.stringify(messages), before, "the messages afterwards");
      const expected = messages.map((message) => ({ role: message.getType(), content: message.text }));
      requireSame(requests()[0]?.messages, expected, "what was sent");
    },
  },
  {
    name: "invoke: reports usage and metadata",
    replies: [{ text: TEXT, usage: { prompt: 11, completion: 7 } }],
    async run({ model }) {
      const response = await model.invoke("hi");
      requireSame(usageOf(response), [11, 7], "the usage");
      requireTrue(typeof response.response_metadata === "object", "there is response metadata");
    },
  },
  {
    name: "stream: the chunks join to what invoke gives, usage counted once",
    replies: Array.from({ length: 2 }, () => ({ text: TEXT, usage: { prompt: 11, completion: 7 } })),
    async run({ model }) {
      const invoked = await model.invoke("hi");
      const chunks = await collect(await model.stream("hi"));
      const whole = joinMessages(chunks);
      requireSame(whole.content, invoked.content, "the joined content");
      requireSame(whole.tool_calls ?? [], invoked.tool_calls ?? [], "the joined tool calls");
      requireSame(usageOf(whole), [11, 7], "the joined usage");
      const ids = new Set(chunks.flatMap(({ id }) => (id === undefined ? [] : [id])));
      requireTrue(ids.size <= 1, "all chunks have the same id");
    },
  },
  {
    name: "stream: parsers and transform get the same text",
    replies: Array.from({ length: 2 }, () => ({ text: TEXT })),
    async run({ model }) {
      const texts = await collect(await model.pipe(new StringOutputParser()).stream("hi"));
      requireSame(texts.join(""), TEXT, "the text of the parser");
      async function* input(): AsyncGenerator<string> {
        yield "hi";
      }
      requireResponse(joinMessages(await collect(model.transform(input() as never, {}))), TEXT);
    },
  },
  {
    name: "batch: answers each input at its place",
    replies: ["one", "two", "three"].map((text) => ({ text })),
    async run({ model, requests }) {
      const responses = await model.batch(["a", "b", "c"], { maxConcurrency: 1 });
      const texts = responses.map(({ text }) => text);
      requireSame(texts, ["one", "two", "three"], "the answers");
      const sent = requests().map(({ messages }) => messages[0]?.content);
      requireSame(sent, ["a", "b", "c"], "what was sent");
    },
  },
  {
    name: "batch: gives errors back at their place when asked to",
    replies: [{ text: "one" }, { status: 400, error: { message: "refused" } }, { text: "three" }],
    async run({ model }) {
      const responses = await model.batch(["a", "b", "c"], { maxConcurrency: 1 }, { returnExceptions: true });
      const found = responses.map((response) => (response instanceof Error ? "error" : response.text));
      requireSame(found, ["one", "error", "three"], "the answers");
    },
  },
  {
    name: "generatePrompt: answers several conversations",
    replies: ["one", "two"].map((text) => ({ text })),
    async run({ model }) {
      const prompt = ChatPromptTemplate.fromMessages([["human", "{q}"]]);
      const prompts = [await prompt.invoke({ q: "a" }), await prompt.invoke({ q: "b" })];
      const { generations } = await model.generatePrompt(prompts);
      requireSame(generations.map(([first]) => first?.text).toSorted(), ["one", "two"], "the answers");
    },
  },
  {
    name: "input: pictures stand next to text and reach the provider",
    replies: [{ text: TEXT }],
    needs: "imageInput",
    async run({ model, requests }) {
      const content = [{ type: "text", text: "what is this?" }, PICTURE];
      requireResponse(await model.invoke([new HumanMessage({ content } as never)]), TEXT);
      requireTrue(JSON.stringify(requests()[0]).includes("iVBORw0KGgo="), "the picture was sent");
      requireTrue(JSON.stringify(requests()[0]).includes("what is this?"), "the text was sent");
    },
  },
  {
    name: "output: an answer is readable as content blocks",
    replies: [{ text: TEXT }],
    async run({ model }) {
      const { contentBlocks } = await model.invoke("hi");
      const texts = contentBlocks.map((block) => (block.type === "text" ? block.text : block.type));
      requireSame(texts, [TEXT], "the content blocks");
    },
  },
  {
    name: "options: stop sequences reach the provider",
    replies: Array.from({ length: 2 }, () => ({ text: TEXT })),
    async run({ model, requests }) {
      await model.invoke("hi", { stop: ["END"] });
      await collect(await model.stream("hi", { stop: ["END"] }));
      const stops = requests().map(({ stop }) => stop);
      requireSame(stops, [["END"], ["END"]], "the stop sequences");
    },
  },
  {
    name: "model: has a profile and its type",
    replies: [],
    async run({ model }) {
      requireTrue(typeof model.profile === "object" && model.profile !== null, "there is a profile");
      requireTrue(typeof model._llmType() === "string", "there is a type");
    },
  },
];
