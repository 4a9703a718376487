import { describe, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import { Guardrails } from "../../../src/index.js";
import { drain } from "../../support/langchain/real-guardrails.js";

const MARKER = "forbidden";
const ODD = 5;

/** Streams twelve words, one chunk each; the odd one is changed. */
class OddModel extends BaseChatModel {
  readonly #change: (chunk: AIMessageChunk) => AIMessageChunk;

  constructor(change: (chunk: AIMessageChunk) => AIMessageChunk) {
    super({});
    this.#change = change;
  }

  override _llmType(): string {
    return "odd";
  }

  override async _generate(): Promise<ChatResult> {
    const message = new AIMessage("word");
    return { generations: [{ text: "word", message }] };
  }

  chunks(): AIMessageChunk[] {
    return Array.from({ length: 12 }, (_, index) => {
      const chunk = new AIMessageChunk({ content: "word ", id: "m" });
      return index === ODD ? this.#change(chunk) : chunk;
    });
  }

  override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
    for (const message of this.chunks()) yield new ChatGenerationChunk({ text: "word ", message });
  }
}

const withField = (field: string, value: unknown) => (chunk: AIMessageChunk) =>
  Object.assign(chunk, { [field]: value });
const withBlock = (more: object) =>
  withField("content", [Object.defineProperties({ type: "text", text: "word ", index: 0 }, more as never)]);
const hidden = { note: { value: MARKER } };
const counts = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

/** Data of a chunk that its stream does not join, or that is no plain data: no rail reads it in the complete message. */
const UNREAD: Readonly<Record<string, (chunk: AIMessageChunk) => AIMessageChunk>> = {
  "another field": withField("note", MARKER),
  "a hidden field": (chunk) => Object.defineProperties(withBlock({})(chunk), hidden),
  "a field under a symbol": (chunk) => Object.assign(withBlock({})(chunk), { [Symbol.for("note")]: MARKER }),
  "another form in JSON": (chunk) => Object.defineProperty(chunk, "toJSON", { value: () => ({ content: MARKER }) }),
  "another argument of its constructor": (chunk) =>
    Object.assign(chunk, { lc_kwargs: { ...chunk.lc_kwargs, note: MARKER } }),
  "a note in its usage": withField("usage_metadata", { ...counts, note: MARKER }),
  "a getter in its usage": withField(
    "usage_metadata",
    Object.defineProperty({ ...counts }, "note", { enumerable: true, get: () => MARKER }),
  ),
  "a hidden entry of additional_kwargs": withField("additional_kwargs", Object.defineProperties({ a: 1 }, hidden)),
  "a map in additional_kwargs": withField("additional_kwargs", { found: new Map([["note", MARKER]]) }),
  "a symbol in response_metadata": withField("response_metadata", { a: 1, [Symbol.for("note")]: MARKER }),
  "a hidden entry of a block": withBlock(hidden),
  "a symbol in a block": withBlock({ [Symbol.for("note")]: { value: MARKER, enumerable: true } }),
  "a key of its list of blocks": withField(
    "content",
    Object.assign([{ type: "text", text: "word ", index: 0 }], { note: MARKER }),
  ),
};

/** Everything that code can reach in a value, whatever its own form in JSON. */
function reachable(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || seen.has(value)) return "";
  seen.add(value);
  const entries = value instanceof Map ? [...(value as Map<unknown, unknown>)].flat() : [];
  const fields = Reflect.ownKeys(value).flatMap((key) => [String(key), Reflect.get(value, key) as unknown]);
  return [...entries, ...fields].map((each) => reachable(each, seen)).join(" ") + JSON.stringify(value);
}

const RAIL = (name: string, text: string) =>
  `define subflow ${name}\n  $allowed = execute look(text=$${text})\n  if not $allowed\n    bot refuse to respond\n    stop\n`;

const guard = (rails: object) =>
  Guardrails.fromConfig(
    {
      colang: RAIL("check answer", "bot_message") + RAIL("check call", "tool_args"),
      config: { rails: { output: { flows: ["check answer"], streaming: { enabled: true, chunk_size: 1 } }, ...rails } },
    },
    { actions: { look: ({ text }: Readonly<Record<string, unknown>>) => !JSON.stringify(text).includes(MARKER) } },
  );

const streaming = async (guardrails: Guardrails, model: OddModel): Promise<Readonly<Record<string, Runnable>>> => ({
  "wrap(model)": guardrails.wrap(model) as unknown as Runnable,
  "output() behind a chain of messages": new RunnableLambda({
    func: async function* () {
      yield* model.chunks();
    },
  }).pipe(guardrails.output()) as Runnable,
  "output() behind a chain of objects": new RunnableLambda({
    func: async function* () {
      for (const answer of model.chunks()) yield { answer };
    },
  }).pipe(guardrails.output()) as Runnable,
});

describe("data of a chunk that no rail reads", () => {
  it.each(Object.entries(UNREAD))("leaves no stream: %s", async (_, change) => {
    const guardrails = await guard({});
    for (const [name, runnable] of Object.entries(await streaming(guardrails, new OddModel(change)))) {
      const chunks = await drain(await runnable.stream("hi"));
      expect([name, reachable(chunks)]).toEqual([name, expect.not.stringContaining(MARKER)]);
      expect([name, chunks.length]).toEqual([name, 13]);
    }
  });

  it("ends the stream if its text changes when it is read again", async () => {
    let reads = 0;
    const get = (): string => ((reads += 1) % 2 === 0 ? MARKER : "word ");
    const changing = new OddModel((chunk) => Object.defineProperty(chunk, "content", { enumerable: true, get }));
    const chunks = await drain(await (await guard({})).wrap(changing).stream("hi"));
    expect(reachable(chunks)).not.toContain(MARKER);
  });
});

describe("calls of the provider's own tools", () => {
  const CALLS: Readonly<Record<string, (chunk: AIMessageChunk) => AIMessageChunk>> = {
    server_tool_use: withField("content", [
      { type: "server_tool_use", id: "s1", name: "python", input: { code: MARKER }, index: 1 },
    ]),
    server_tool_call: withField("content", [
      { type: "server_tool_call", id: "s1", name: "python", args: { code: MARKER } },
    ]),
    "the provider's raw response": withField("response_metadata", {
      output: [{ type: "function_call", name: "python", call_id: "s1", arguments: JSON.stringify({ code: MARKER }) }],
    }),
  };

  it.each(Object.entries(CALLS))("wait for the rails on tool calls: %s", async (_, change) => {
    const guardrails = await guard({ tool_output: { flows: ["check call"] } });
    const chunks = await drain(await guardrails.wrap(new OddModel(change)).stream("hi"));
    const whole = (chunks as AIMessageChunk[]).reduce((sum, chunk) => concat(sum, chunk));
    expect(reachable(chunks)).not.toContain(MARKER);
    expect(whole.response_metadata["guardrails"]).toMatchObject({ blocked: true, stage: "execution" });
  });
});
