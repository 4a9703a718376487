import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { createAgent } from "langchain";
import type { GuardrailsMetadata } from "../../../src/index.js";
import type { Guardrails } from "../../../src/langchain/guardrails.js";
import { guardrailsNode } from "../../../src/langchain/langgraph.js";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import type { UnseenPolicy } from "../../../src/langchain/values/unseen.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { drain, realGuardrails, type RealOptions } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

const PNG = "iVBORw0KGgoAAAANSUhEUg==";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><text>bad marker</text></svg>`;

const blocks: Readonly<Record<string, Record<string, unknown>>> = {
  "an image": { type: "image", mimeType: "image/png", data: PNG },
  "an image's address": { type: "image_url", image_url: { url: "https://example.com/a.png" } },
  audio: { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
  video: { type: "video", url: "https://example.com/a.mp4" },
  "a file": { type: "file", mimeType: "application/pdf", data: "JVBERi0=" },
  "an image's address of Anthropic": { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
  "a document of Anthropic": { type: "document", source: { type: "base64", media_type: "application/pdf", data: PNG } },
  "an image in a document": {
    type: "document",
    source: { type: "content", content: [{ type: "image", source: { type: "file", file_id: "file-1" } }] },
  },
  "bytes of a buffer in JSON": { type: "image", mimeType: "image/png", data: { type: "Buffer", data: [137, 80] } },
  "a file of Gemini": { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
};
const strange = { type: "hologram", data: PNG };

type Route = (guardrails: Guardrails, messages: BaseMessage[]) => Promise<unknown>;
const model = () => scriptedModel(["fine"]);
const routes: Readonly<Record<string, Route>> = {
  "wrap(model)": (guardrails, messages) => guardrails.wrap(model()).invoke(messages),
  "wrap(model) stream": async (guardrails, messages) => drain(await guardrails.wrap(model()).stream(messages)),
  "wrap(model) batch": (guardrails, messages) => guardrails.wrap(model()).batch([messages]),
  "wrap(chain)": (guardrails, messages) =>
    guardrails.wrap(RunnableLambda.from((_input: unknown) => new AIMessage("fine"))).invoke({ messages }),
  check: (guardrails, messages) => guardrails.check(messages),
  invoke: (guardrails, messages) => guardrails.invoke(messages),
  "an input step": (guardrails, messages) =>
    guardrails
      .input()
      .invoke(messages)
      .catch((error: unknown) => error),
  "a graph node": (guardrails, messages) => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("guard", guardrailsNode(guardrails, "turn", { around: model() }))
      .addEdge("__start__", "guard")
      .compile();
    return graph.invoke({ messages });
  },
  middleware: (guardrails, messages) => {
    const agent = createAgent({ model: model(), tools: [], middleware: [guardrailsMiddleware(guardrails)] });
    return agent.invoke({ messages });
  },
};

const loaded = new Map<string, Promise<Guardrails>>();

/** Guardrails that are loaded once for the same options. */
function guarded(options: RealOptions & { unseen?: UnseenPolicy } = {}): Promise<Guardrails> {
  const key = JSON.stringify(options);
  const guardrails = loaded.get(key) ?? realGuardrails({ ...options, llm: scriptedModel(() => "fine") });
  loaded.set(key, guardrails);
  return guardrails;
}
const asked = (...content: unknown[]): BaseMessage[] => [
  new HumanMessage({ id: "u", content: [{ type: "text", text: "look" }, ...content] as never }),
];

describe.each(Object.entries(routes))("%s", (_, route) => {
  const run = async (messages: BaseMessage[], options: RealOptions & { unseen?: UnseenPolicy } = {}) => {
    return route(await guarded(options), messages);
  };

  it.each(Object.entries(blocks))("passes %s by default", async (_name, block) => {
    expect(visibleJson(await run(asked(block)))).not.toContain("I can't respond");
  });

  it.each(Object.entries(blocks))("refuses %s if configured", async (_name, block) => {
    const result = await run(asked(block), { unseen: "block" });
    expect(isRefused(result)).toBe(true);
  });

  it("refuses a block of a type that no reader knows", async () => {
    expect(isRefused(await run(asked(strange)))).toBe(true);
    expect(isRefused(await run(asked(strange), { unseen: "report" }))).toBe(false);
    expect(isRefused(await run(asked(strange), { unseen: "allow" }))).toBe(false);
  });

  it.each<[string, BaseMessage[]]>([
    ["the data of an SVG", asked({ type: "image", mimeType: "image/svg+xml", data: base64(SVG) })],
    [
      "an address with an SVG",
      asked({ type: "image_url", image_url: { url: `data:image/svg+xml;base64,${base64(SVG)}` } }),
    ],
    ["the name of a file", asked({ type: "file", mimeType: "application/pdf", data: "JVBERi0=", filename: "bad.pdf" })],
    ["the name of a block", asked({ type: "file", mimeType: "application/pdf", data: "JVBERi0=", name: "bad.pdf" })],
    ["a label", asked({ type: "text", text: "x", format: "a bad label" })],
    ["a key", asked({ type: "text", text: "x", "a bad key": 1 })],
    ["the name of a message", [new HumanMessage({ content: "hi", name: "bad_marker" })]],
  ])("reads %s", async (_name, messages) => {
    expect(isRefused(await run(messages))).toBe(true);
  });
});

function isRefused(result: unknown): boolean {
  const text = visibleJson(result);
  return /I can't respond|REFUSED/.test(text) || /"status":"blocked"/.test(text);
}

describe("the decision about parts that no rail can read", () => {
  const verdictIn = async (value: unknown, unseen?: UnseenPolicy): Promise<GuardrailsMetadata> => {
    const guardrails = await guarded(unseen === undefined ? {} : { unseen });
    return (await guardrails.check(value)).guardrails;
  };
  const listed = ({ decisions }: GuardrailsMetadata): unknown =>
    decisions.find(({ rail }) => rail === "unseen parts")?.metadata?.["unseen"];

  it.each<[string, unknown, unknown]>([
    ["an image", asked(blocks["an image"]), [{ path: "messages[0].content[1].data", kind: "image" }]],
    [
      "an image's address",
      asked(blocks["an image's address"]),
      [{ path: "messages[0].content[1].image_url.url", kind: "image" }],
    ],
    ["audio", asked(blocks["audio"]), [{ path: "messages[0].content[1].input_audio.data", kind: "audio" }]],
    [
      "a file of Gemini",
      asked(blocks["a file of Gemini"]),
      [{ path: "messages[0].content[1].inlineData.data", kind: "file" }],
    ],
    [
      "an image that the provider stores",
      asked({ type: "image", source_type: "id", id: "file-1" }),
      [{ path: "messages[0].content[1].id", kind: "image" }],
    ],
    [
      "a file of OpenAI by its identifier",
      asked({ type: "file", file: { file_id: "file-1" } }),
      [{ path: "messages[0].content[1].file.file_id", kind: "file" }],
    ],
    [
      "a file of Anthropic by its identifier",
      asked({ type: "document", source: { type: "file", file_id: "file-1" } }),
      [{ path: "messages[0].content[1].source.file_id", kind: "file" }],
    ],
    [
      "an image in a response",
      new AIMessage({ content: [blocks["an image"]] as never }),
      [{ path: "content[0].data", kind: "image" }],
    ],
    [
      "an artifact",
      [
        new HumanMessage("hi"),
        new ToolMessage({ content: "x", tool_call_id: "1", artifact: { a: new Uint8Array([1]) } }),
      ],
      [{ path: "messages[1].artifact", kind: "artifact" }],
    ],
    [
      "a call that cannot be parsed",
      new AIMessage({ content: "y", invalid_tool_calls: [{ name: "f", args: "{" }] }),
      [{ path: "invalid_tool_calls", kind: "invalid tool call" }],
    ],
    [
      "an instance of a class next to a response",
      {
        answer: "fine",
        notes: new (class Notes {
          first = "x";
        })(),
        count: 1,
      },
      [{ path: "notes", kind: "key" }],
    ],
    [
      "an object of a class under a key that is a text, without the key",
      {
        answer: "fine",
        "call 0151 2345": new (class Notes {
          first = "x";
        })(),
      },
      [{ path: "…", kind: "key" }],
    ],
  ])("lists %s", async (_name, value, expected) => {
    expect(listed(await verdictIn(value))).toEqual(expected);
    expect(listed(await verdictIn(value, "allow"))).toBeUndefined();
    expect((await verdictIn(value, "block")).blocked).toBe(true);
  });

  it("lists keys of an input that hold objects of a class", async () => {
    const guardrails = await guarded();
    const chain = guardrails.wrap(
      RunnableLambda.from((_input: unknown) => new AIMessage("fine")),
      { inputKey: "question" },
    );
    const answer = await chain.invoke({
      question: "hi",
      tone: "friendly",
      store: new (class Store {
        name = "x";
      })(),
    });
    expect(listed((answer as AIMessage).response_metadata["guardrails"] as GuardrailsMetadata)).toEqual([
      { path: "store", kind: "key" },
    ]);
  });

  it.each([asked(), "hello", new AIMessage("x"), { answer: "x", question: "y" }])("is absent for %j", async (value) => {
    expect(listed(await verdictIn(value))).toBeUndefined();
  });

  it("is absent if no rail runs", async () => {
    const guardrails = await guarded({ input: [], output: [], unseen: "block" });
    expect((await guardrails.check(asked(strange))).status).toBe("passed");
  });
});

it.each(["never", 1, null])("`unseen: %j` is an error", async (unseen) => {
  await expect(guarded({ unseen: unseen as UnseenPolicy })).rejects.toThrow("`unseen`");
});

it("may differ from one wrapped runnable and step to the next", async () => {
  const guardrails = await guarded();
  const image = asked(blocks["an image"]);
  const verdicts = [
    await guardrails.wrap(model(), { unseen: "block" }).invoke(image),
    await guardrails
      .wrap(
        RunnableLambda.from((_input: unknown) => "fine"),
        { unseen: "block" },
      )
      .invoke(image),
    await guardrails.input({ unseen: "block", onBlocked: "refuse" }).invoke(image),
    await guardrails.output({ unseen: "block" }).invoke(new AIMessage({ content: [blocks["an image"]] as never })),
  ];
  expect(verdicts.map(isRefused)).toEqual([true, true, true, true]);
  expect(isRefused(await guardrails.wrap(model(), { unseen: "allow" }).invoke(asked(strange)))).toBe(false);
});

it("masks the name of a message in its position", async () => {
  const inner = scriptedModel(["fine"]);
  const guardrails = await realGuardrails({ input: ["hide digits"], output: [] });
  await guardrails.wrap(inner).invoke([new HumanMessage({ content: "my number is 123", name: "user_456" })]);
  const sent = inner.calls.at(-1)?.messages?.at(-1) as BaseMessage | undefined;
  expect([sent?.content, sent?.name]).toEqual(["my number is ***", "user_***"]);
});
