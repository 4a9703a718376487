import { describe, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk, type AIMessageChunkFields } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import { Guardrails } from "../../../src/index.js";
import { drain } from "../../support/langchain/real-guardrails.js";

const LOST = "the forbidden plan";

type Chunk = Readonly<Record<string, unknown>>;

class ChunkModel extends BaseChatModel {
  readonly #chunks: readonly Chunk[];

  constructor(chunks: readonly Chunk[]) {
    super({});
    this.#chunks = chunks;
  }

  override _llmType(): string {
    return "chunks";
  }

  override async _generate(): Promise<ChatResult> {
    const { content, additional_kwargs, response_metadata, tool_calls } = this.whole();
    const message = new AIMessage({ content, additional_kwargs, response_metadata, tool_calls } as never);
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
    for (const message of this.chunks()) yield new ChatGenerationChunk({ text: message.text, message });
  }

  /** The fields are also set, since the constructor of a chunk drops its invalid calls. */
  chunks(): AIMessageChunk[] {
    return structuredClone(this.#chunks).map((fields) =>
      Object.assign(new AIMessageChunk(fields as unknown as AIMessageChunkFields), fields),
    );
  }

  whole(): AIMessageChunk {
    return this.chunks().reduce((sum, chunk) => concat(sum, chunk));
  }
}

const word = { content: "word " };
const metadata = (response_metadata: object) => ({ content: "", response_metadata });
const kwargs = (additional_kwargs: object) => ({ content: "", additional_kwargs });
const block = (fields: object) => ({ content: [{ type: "non_standard", index: 1, ...fields }] });
const piece = (fields: object) => ({
  content: "",
  tool_call_chunks: [{ type: "tool_call_chunk", index: 0, ...fields }],
});
const call = piece({ name: "look", id: "c1", args: "{}" });
const kwargsCall = { index: 0, id: "c1", type: "function" };

/** Texts of chunks that joining replaces or drops, or that the joined message holds as a copy of other data. */
const CHUNKS: Readonly<Record<string, readonly Chunk[]>> = {
  "a later id of the message": [
    { content: "a ", id: "m" },
    { content: "b ", id: LOST },
  ],
  "a name of a call": [piece({ name: LOST, id: "c1", args: "" }), piece({ name: "look", args: "{}" })],
  "an id of a call": [piece({ name: "look", id: LOST, args: "" }), piece({ id: "c1", args: "{}" })],
  "a type of a piece of a call": [call, piece({ type: LOST, args: "" })],
  "another field of a piece of a call": [piece({ name: "look", id: "c1", args: "{}", note: LOST })],
  "a name in metadata": [metadata({ name: LOST }), metadata({ name: "x" })],
  "an id in metadata": [metadata({ found: { id: LOST } }), metadata({ found: { id: "x" } })],
  "a provider": [metadata({ model_provider: LOST }), metadata({ model_provider: "x" })],
  "a later time": [metadata({ timestamp: "x" }), metadata({ timestamp: LOST })],
  "a later type": [kwargs({ found: { type: "x" } }), kwargs({ found: { type: LOST } })],
  "a name of a block": [block({ name: LOST }), block({ name: "x" })],
  "citations of a block with an empty text": [
    { content: [{ type: "text", text: "a ", index: 0 }] },
    { content: [{ type: "text", text: "", annotations: [{ type: "citation", title: LOST }] }] },
  ],
  "an entry with an empty text": [kwargs({ found: [{ text: "x" }] }), kwargs({ found: [{ text: "", note: LOST }] })],
  "a call without pieces": [{ content: "", tool_calls: [{ name: "look", id: "c0", args: { q: LOST } }] }, call],
  "an invalid call": [
    { content: "", invalid_tool_calls: [{ name: "look", id: "c1", args: LOST, error: "no JSON" }] },
    word,
  ],
  "a copy of a call in a block": [
    { content: [{ type: "tool_use", id: "c1", name: "look", input: { q: LOST } }] },
    call,
  ],
  "a copy of a call in additional_kwargs": [
    kwargs({ tool_calls: [{ ...kwargsCall, function: { name: "look", arguments: JSON.stringify({ q: LOST }) } }] }),
    call,
  ],
  "a repeated key of arguments": [
    piece({ name: "look", id: "c1", args: `{"q":"${LOST}",` }),
    piece({ args: '"q":"x"}' }),
  ],
};

const WINDOWS: Readonly<Record<string, object>> = {
  "of one chunk": { chunk_size: 1, context_size: 0 },
  "of three chunks": { chunk_size: 3, context_size: 2 },
  "by default": {},
};

const RAIL = (name: string, texts: string) =>
  `define subflow ${name}\n  $allowed = execute look(${texts})\n  if not $allowed\n    bot refuse to respond\n    stop\n`;

const guard = (streaming: object) =>
  Guardrails.fromConfig(
    {
      colang: RAIL("check answer", "text=$bot_message") + RAIL("check call", "text=$tool_args, name=$tool_name"),
      config: {
        rails: {
          output: { flows: ["check answer"], streaming: { enabled: true, ...streaming } },
          tool_output: { flows: ["check call"] },
        },
      },
    },
    { actions: { look: (params: Readonly<Record<string, unknown>>) => !JSON.stringify(params).includes(LOST) } },
  );

const joinedOf = (chunks: readonly unknown[]) =>
  (chunks as AIMessageChunk[]).reduce((sum, chunk) => concat(sum, chunk));

describe.each(Object.entries(WINDOWS))("texts that joining drops, with windows %s", (_, window) => {
  it.each(Object.entries(CHUNKS))("leave no stream: %s", async (_name, changed) => {
    const guardrails = await guard(window);
    const model = new ChunkModel([word, ...changed, word, word]);
    const streaming = {
      "wrap(model)": guardrails.wrap(model) as unknown as Runnable,
      "output() behind the model": model.pipe(guardrails.output()) as unknown as Runnable,
    };
    for (const [name, runnable] of Object.entries(streaming)) {
      const chunks = await drain(await runnable.stream("hi"));
      expect([name, JSON.stringify(chunks)]).toEqual([name, expect.not.stringContaining(LOST)]);
      const fields = chunks.map((chunk) => ({ ...(chunk as object) }));
      expect([name, JSON.stringify(fields)]).toEqual([name, expect.not.stringContaining(LOST)]);
      const { text, tool_calls: calls } = joinedOf(chunks);
      const isBlocked = text !== model.whole().text;
      expect([name, calls]).toEqual([name, isBlocked ? [] : model.whole().tool_calls]);
    }
  });
});

describe.each(Object.entries(WINDOWS))("a text in pieces of blocks that take turns, with windows %s", (_, window) => {
  const text = (own: string, index: number) => ({ content: [{ type: "text", text: own, index }] });

  it.each<[string, readonly Chunk[]]>([
    ["the first block goes on behind the second", [text("the forb", 0), text(" and", 1), text("idden plan", 0)]],
    ["blocks come in the wrong order", [text("idden plan", 2), text("the forb", 1), text("", 0)]],
    [
      "a third block is between",
      [text("a", 0), text("the forb", 1), text("x", 2), text("idden plan", 1), text("!", 2)],
    ],
  ])("is reviewed as it is joined: %s", async (_name, chunks) => {
    const guardrails = await guard(window);
    const model = new ChunkModel(chunks);
    const shown = (await drain(await guardrails.wrap(model).stream("hi"))) as AIMessageChunk[];
    const isForbidden = model.whole().text.includes(LOST);
    expect(joinedOf(shown).text.includes(LOST)).toBe(false);
    expect(shown.some((chunk) => chunk.text.includes("plan"))).toBe(!isForbidden);
    expect(shown.at(-1)?.text.startsWith("I'm sorry")).toBe(isForbidden);
  });
});

const THOUGHT = "thinking of 12 and of bread";
const part = (fields: object) => ({ content: [{ index: 0, ...fields }] });

const REASONING: Readonly<Record<string, Chunk>> = {
  "in additional_kwargs": kwargs({ reasoning_content: THOUGHT }),
  "next to a text": { content: "word ", additional_kwargs: { reasoning_content: THOUGHT } },
  "as a summary": kwargs({ reasoning: { summary: [{ text: THOUGHT, index: 0 }] } }),
  "in a block": part({ type: "thinking", thinking: THOUGHT }),
  "in raw output": metadata({ output: [{ type: "reasoning", summary: [{ text: THOUGHT }] }] }),
};

const CALLS: Readonly<Record<string, readonly Chunk[]>> = {
  "a call in pieces": [call],
  "a call with arguments that are no JSON": [piece({ name: "look", id: "c1", args: "{oops" })],
  "a call of a function": [kwargs({ function_call: { name: "look", arguments: "{}" } })],
  "a call in additional_kwargs alone": [
    kwargs({ tool_calls: [{ ...kwargsCall, function: { name: "look", arguments: "{}" } }] }),
  ],
  "an empty list of calls": [kwargs({ tool_calls: [] })],
  "a call in a block alone": [block({ type: "tool_use", id: "c1", name: "look", input: {} })],
  "a call of a tool of the provider": [block({ type: "server_tool_use", id: "c1", name: "search", input: { q: "x" } })],
  "a call in raw output alone": [
    metadata({ output: [{ type: "function_call", call_id: "c1", name: "look", arguments: "{}" }] }),
  ],
  "an invalid call": [{ content: "", invalid_tool_calls: [{ name: "look", id: "c1", args: "oops", error: "no" }] }],
  "a late text that a rail rewrites": [kwargs({ note: "code 12" })],
};

describe("reasoning leaves a stream only if `invoke` returns it", () => {
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
  const RAILS = `define subflow hide digits
  meta {"stream": "word"}
  $bot_message = execute hide(text=$bot_message)
${RAIL("check answer", "text=$bot_message")}`;

  it.each(
    Object.entries(CALLS).flatMap(([name, chunks]) => Object.keys(REASONING).map((of) => [name, of, chunks] as const)),
  )("next to %s, %s", async (_name, of, calls) => {
    for (const flow of ["check answer", "hide digits"]) {
      const streaming = { enabled: true, chunk_size: 1, context_size: 0 };
      const guardrails = await Guardrails.fromConfig(
        { colang: RAILS, config: { rails: { output: { flows: [flow], streaming } } } },
        { actions: { look: () => true, hide: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*") } },
      );
      const chunks = [REASONING[of] as Chunk, word, word, ...calls];
      const model = guardrails.wrap(new ChunkModel(chunks)).withConfig({ tools } as never);
      const leaves = [await model.invoke("hi"), await drain(await model.stream("hi"))].map((shown) =>
        /thinking of (?:12|\*\*)/.test(JSON.stringify(shown)),
      );
      expect([flow, leaves]).toEqual([flow, [leaves[0], leaves[0]]]);
    }
  });
});
