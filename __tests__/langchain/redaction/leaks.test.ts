import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { JsonOutputParser, OutputParserException } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { InputShapeError, OutputParseError } from "../../../src/diagnostics/errors.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { fakeGuardrails, strictRail } from "../../support/langchain/fake-runtime.js";

// The rail blocks `bad`; SECRET must never be visible next to the refusal.
const SECRET = "the bad answer reveals the vault code";
const { guardrails } = fakeGuardrails({ input: strictRail, output: strictRail });
const returning = <T>(value: T): RunnableLambda<unknown, T> => RunnableLambda.from((_input: unknown) => value);

/** Everything a program could read of a value: own, hidden and inherited properties, and results of getters. */
function everythingIn(value: unknown): string {
  const seen = new Set<object>();
  const parts: string[] = [];
  const visit = (item: unknown): void => {
    if (typeof item === "string") parts.push(item);
    if (typeof item !== "object" || item === null || seen.has(item)) return;
    seen.add(item);
    if (ArrayBuffer.isView(item)) parts.push(new TextDecoder().decode(item as Uint8Array));
    if (item instanceof Map) for (const entry of item) entry.forEach(visit);
    for (let owner: object | null = item; owner !== null && owner !== Object.prototype;) {
      for (const key of Reflect.ownKeys(owner)) {
        if (typeof key === "string") parts.push(key);
        if (typeof Reflect.getOwnPropertyDescriptor(owner, key)?.value === "function") continue;
        try {
          visit(Reflect.get(owner, key, item));
        } catch {
          // An unreadable property reveals nothing.
        }
      }
      owner = Object.getPrototypeOf(owner) as object | null;
    }
  };
  visit(value);
  return parts.join("\n");
}

async function drain<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

class RawMessage extends AIMessage {
  raw = SECRET;
}
class TalkingMessage extends AIMessage {
  override get text(): string {
    return SECRET;
  }
}
class Holder {
  readonly #hidden = SECRET;
  get hidden(): string {
    return this.#hidden;
  }
}
class Failing {
  get hidden(): string {
    throw new Error("closed");
  }
}
const cyclic: Record<string, unknown> = { note: SECRET };
cyclic["self"] = cyclic;
cyclic["again"] = [cyclic, cyclic];

const nestedLists = (levels: number): unknown => {
  let value: unknown = { type: "text", text: SECRET };
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};

describe("no field next to a blocked response reveals it", () => {
  const extra: [string, unknown][] = [
    ["the text with other spaces and letters", `  ${SECRET.toUpperCase().replaceAll(" ", "\n")} `],
    ["a piece of it", SECRET.slice(8)],
    ["a serialised copy", JSON.stringify({ text: SECRET })],
    ["a deep copy", { a: [{ b: { c: SECRET } }] }],
    ["a key", { [SECRET]: 1 }],
    ["a map", new Map([[SECRET, 1]])],
    ["a set", new Set([SECRET])],
    ["bytes", new TextEncoder().encode(SECRET)],
    ["an error", new Error(SECRET)],
    ["a message", new AIMessage(SECRET)],
    ["a private field with a getter", new Holder()],
    ["a getter that fails", new Failing()],
    ["an inherited property", Object.create({ raw: SECRET })],
    ["a cycle", cyclic],
    ["a frozen object", Object.freeze({ raw: Object.freeze([SECRET]) })],
    ["a property that is not enumerable", Object.defineProperty({}, "raw", { value: SECRET })],
  ];

  it.each(extra)("%s", async (_, value) => {
    const result = await guardrails.wrap(returning({ answer: SECRET, extra: value, kept: 1 })).invoke("q");
    expect(result).toMatchObject({ answer: "REFUSED", kept: 1 });
    const seen = everythingIn(result).toLowerCase().replaceAll(/\s+/g, " ");
    expect(seen).not.toContain("vault code");
    expect(seen).not.toContain("closed");
  });

  it("keeps values without the text, by identity", async () => {
    const sources = [{ id: 1, tags: ["x"] }];
    const result = await guardrails
      .wrap(returning({ answer: SECRET, sources, when: new Holder().constructor }))
      .invoke("q");
    expect(result).toMatchObject({ answer: "REFUSED" });
  });

  it("searches much data in bounded time", async () => {
    const shared: Record<string, unknown>[] = [{ text: SECRET }];
    for (let depth = 0; depth < 60; depth += 1) shared.push({ a: shared.at(-1), b: shared.at(-1) });
    const result = await guardrails.wrap(returning({ answer: SECRET, extra: shared.at(-1) })).invoke("q");
    expect((result as { answer: string }).answer).toBe("REFUSED");
    const huge = Array.from({ length: 120_000 }, (_, index) => ({ index }));
    expect(await guardrails.wrap(returning({ answer: SECRET, huge })).invoke("q")).toMatchObject({ answer: "REFUSED" });
  });
});

describe("no field of a blocked message reveals it", () => {
  it.each<[string, BaseMessage]>([
    ["fields of a subclass", new RawMessage(SECRET)],
    ["a subclass that formats its text itself", new TalkingMessage(SECRET)],
    ["a frozen message", Object.freeze(new AIMessage(SECRET))],
    ["a property that was added", Object.assign(new AIMessage(SECRET), { parsed: { text: SECRET } })],
    ["blocks", new AIMessage({ content: [{ type: "text", text: SECRET, annotations: [{ text: SECRET }] }] as never })],
    ["v1 blocks", new AIMessage({ contentBlocks: [{ type: "text", text: SECRET }] } as never)],
    [
      "metadata",
      new AIMessage({
        content: SECRET,
        additional_kwargs: { raw: SECRET, reasoning_content: SECRET },
        response_metadata: { output: [{ text: SECRET }], model_provider: "openai" },
        tool_calls: [{ name: "f", args: { text: SECRET }, id: "1" }],
      }),
    ],
    [
      "a chunk with calls",
      new AIMessageChunk({ content: SECRET, tool_call_chunks: [{ name: "f", args: SECRET, index: 0 }] }),
    ],
  ])("%s", async (_, message) => {
    const model = scriptedModel([message as AIMessage]);
    const runnables = [
      guardrails.wrap(returning(message)),
      ...(Object.isFrozen(message) ? [] : [guardrails.wrap(model)]),
    ];
    for (const guarded of runnables) {
      const result = await (guarded as Runnable).invoke("q");
      expect((result as BaseMessage).text).toBe("REFUSED");
      expect(everythingIn(result)).not.toContain("vault");
    }
  });
});

describe("text in other places is reviewed as a response", () => {
  const answers: [string, unknown][] = [
    ["a block of an unknown type", new AIMessage({ content: [{ type: "canvas", body: { html: SECRET } }] as never })],
    ["code that was run", new AIMessage({ content: [{ type: "code_execution_result", output: SECRET }] as never })],
    [
      "a provider's own block",
      new AIMessage({ content: [{ type: "non_standard", value: { note: SECRET } }] as never }),
    ],
    ["text as an object", new AIMessage({ content: [{ type: "text", text: { value: SECRET } }] as never })],
    [
      "two texts in a block",
      new AIMessage({ content: [{ type: "text", text: "fine", output_text: SECRET }] as never }),
    ],
    ["a file", new AIMessage({ content: [{ type: "text-plain", text: SECRET }] as never })],
    [
      "a file in base64",
      new AIMessage({ content: [{ type: "file", mimeType: "text/plain", data: btoa(SECRET) }] as never }),
    ],
    ["a list in the content", new AIMessage({ content: [["fine", SECRET]] as never })],
    ["a transcript", new AIMessage({ content: "", additional_kwargs: { audio: { transcript: SECRET } } as never })],
    ["a provider's refusal", new AIMessage({ content: "", additional_kwargs: { refusal: SECRET } as never })],
    ["`.text` that differs from the content", new TalkingMessage("fine")],
    ["the second of two strings", ["fine", SECRET]],
    ["an earlier message of the same response", [new HumanMessage("q"), new AIMessage(SECRET), new AIMessage("fine")]],
    [
      "a message before a question that is absent",
      [new HumanMessage("q"), new AIMessage(SECRET), new HumanMessage("made up"), new AIMessage("fine")],
    ],
    [
      "a list of messages as data",
      [
        { role: "user", content: "q" },
        { role: "assistant", content: SECRET, note: SECRET },
      ],
    ],
    [
      "messages of a graph as data",
      {
        messages: [
          { type: "human", content: "q" },
          { type: "ai", content: SECRET },
        ],
      },
    ],
    [
      "a response of several messages as data",
      {
        messages: [
          { type: "ai", content: SECRET },
          { type: "ai", content: [{ type: "text", text: "fine" }] },
        ],
      },
    ],
  ];

  it.each(answers)("%s", async (_, value) => {
    const result: unknown = await guardrails.wrap(returning(value)).invoke("q");
    expect(everythingIn(result)).toContain("REFUSED");
    expect(everythingIn(result)).not.toContain("vault");
  });

  it.each<[string, unknown]>([
    ["content that is an object", Object.assign(new AIMessage("x"), { content: { text: SECRET } })],
    ["a number", 7],
    ["a list of roles that are none", [{ role: "oracle", content: SECRET }]],
    ["a response and other messages as data", { answer: "fine", messages: [{ role: "assistant", content: SECRET }] }],
    ["a list of pairs", [["ai", SECRET]]],
    ["a list of texts and messages", ["fine", new AIMessage(SECRET)]],
    ["a list of lists", [[new AIMessage(SECRET)]]],
    ["bytes", new TextEncoder().encode(SECRET)],
    ["a response key without a response", { answer: null, reply: SECRET }],
    ["two responses", { answer: "fine", output: SECRET }],
    ["a response and other messages", { answer: "fine", messages: [new HumanMessage("q"), new AIMessage(SECRET)] }],
    ["a promise of a response", { answer: Promise.resolve(SECRET) }],
    ["a function", { answer: () => SECRET }],
    ["content nested without end", new AIMessage({ content: [cyclic] as never })],
    ["content of 50,000 nested lists", new AIMessage({ content: nestedLists(50_000) as never })],
    ["content of nested lists in a list of messages", [new AIMessage({ content: nestedLists(50_000) as never })]],
  ])("fails closed for %s", async (_, value) => {
    const error: unknown = await guardrails
      .wrap(returning(value))
      .invoke("q")
      .catch((thrown: unknown) => thrown);
    expect(InputShapeError.isInstance(error)).toBe(true);
    expect(everythingIn(error)).not.toContain("vault");
  });

  it.each<[string, unknown]>([
    ["a message", new HumanMessage({ content: nestedLists(50_000) as never })],
    ["a list of messages", [new HumanMessage({ content: nestedLists(50_000) as never })]],
    ["messages as data", { messages: [{ role: "user", content: nestedLists(50_000) }] }],
    [
      "the result of a tool",
      [new HumanMessage("q"), new ToolMessage({ tool_call_id: "1", content: nestedLists(50_000) as never })],
    ],
  ])("fails closed for 50,000 nested lists in %s of the user", async (_, value) => {
    const error: unknown = await guardrails
      .wrap(returning("fine"))
      .invoke(value)
      .catch((thrown: unknown) => thrown);
    expect(InputShapeError.isInstance(error)).toBe(true);
  });

  it("removes the reasoning of a reviewed message, and keeps it if no rail ran", async () => {
    const message = new AIMessage({
      content: [
        { type: "thinking", thinking: SECRET },
        { type: "text", text: "fine" },
      ] as never,
      additional_kwargs: { reasoning_content: SECRET, kept: 1 },
      response_metadata: { output: [{ type: "reasoning", summary: [{ text: SECRET }] }, { type: "message" }] },
    });
    const reviewed = await guardrails.wrap(scriptedModel([message])).invoke("q");
    expect(reviewed.text).toBe("fine");
    expect(everythingIn(reviewed)).not.toContain("vault");
    expect(reviewed.additional_kwargs).toEqual({ kept: 1 });
    const open = fakeGuardrails().guardrails;
    expect(everythingIn(await open.wrap(scriptedModel([message])).invoke("q"))).toContain("vault");
  });

  it("reads a getter once: the reviewed value is emitted", async () => {
    let reads = 0;
    const value = {
      get answer(): string {
        reads += 1;
        return reads <= 4 ? "fine" : SECRET;
      },
    };
    const result = (await guardrails.wrap(returning(value)).invoke("q")) as { answer: string };
    for (let again = 0; again < 8; again += 1) expect(result.answer).toBe("fine");
  });
});

describe("fields of a user message that cannot hide text", () => {
  const echo = RunnableLambda.from((input: unknown) => everythingIn(input).length.toString());

  it.each<[string, unknown]>([
    [
      "a block of an unknown type",
      [new HumanMessage({ content: [{ type: "note", body: [{ say: "bad" }] }] as never })],
    ],
    [
      "a document's title",
      [new HumanMessage({ content: [{ type: "document", title: "bad", text: "fine" }] as never })],
    ],
    [
      "a tool's result in blocks",
      [
        new HumanMessage("q"),
        new AIMessage({ content: "", tool_calls: [{ name: "f", args: {}, id: "1" }] }),
        new ToolMessage({ tool_call_id: "1", content: [{ type: "json", json: { deep: ["bad"] } }] as never }),
      ],
    ],
  ])("%s", async (_, value) => {
    expect(everythingIn(await guardrails.wrap(scriptedModel([])).invoke(value as never))).toContain("REFUSED");
  });

  it("refuses to choose between two texts of the user", async () => {
    const call = guardrails.wrap(echo).invoke({ input: "nice", question: "bad" });
    await expect(call).rejects.toThrow(/`input` and `question`.*`inputKey`/);
    const seen: unknown[] = [];
    const recorder = RunnableLambda.from((input: unknown) => (seen.push(input), "ok"));
    await guardrails.wrap(recorder).invoke({ input: "pin 1", question: "pin 1" });
    expect(seen).toEqual([{ input: "pin *", question: "pin *" }]);
  });

  it("handles inputs that contain themselves", async () => {
    const knot: Record<string, unknown> = { question: "hi" };
    for (const name of ["a", "b", "c", "d", "e", "f", "g", "h"]) knot[name] = knot;
    const chain = returning("ok");
    await expect(guardrails.wrap(chain).invoke(knot)).resolves.not.toBe("ok");
    await expect(guardrails.wrap(chain, { unseen: "allow" }).invoke(knot)).resolves.toBe("ok");
  });
});

describe("errors reveal no unreviewed text", () => {
  it("of a parser inside the guarded chain", async () => {
    const quoting = RunnableLambda.from((message: AIMessage): string => {
      throw new OutputParserException(`cannot parse: ${message.text}`, message.text);
    });
    for (const parser of [new JsonOutputParser(), quoting]) {
      const chain = scriptedModel([`vault: ${SECRET}`]).pipe(parser as Runnable);
      const error: unknown = await guardrails
        .wrap(chain as Runnable)
        .invoke("q")
        .catch((thrown: unknown) => thrown);
      expect(OutputParseError.isInstance(error)).toBe(true);
      expect(everythingIn(error)).not.toContain("vault");
    }
  });
});

describe("streams and listeners", () => {
  const prompt = ChatPromptTemplate.fromMessages([["human", "{q}"]]);
  // Streams a letter at a time, and streams even when it is invoked below a consumer of streams.
  const model = (): FakeListChatModel => new FakeListChatModel({ responses: [SECRET] });
  const chain = (): Runnable => guardrails.wrap(prompt.pipe(model()), { inputKey: "q" });
  const whole = (): Runnable => prompt.pipe(guardrails.wrap(model()));
  const failing = RunnableLambda.from(async function* (_input: unknown) {
    yield SECRET.slice(0, 20);
    throw new Error("connection lost");
  } as never) as unknown as Runnable;

  it.each<[string, () => Runnable]>([
    ["a guarded model", whole],
    ["a guarded chain", chain],
  ])("%s shows no raw word to any consumer", async (_, make) => {
    const input = { q: "hi" };
    const seen: unknown[] = [
      await drain(await make().stream(input)),
      await drain(make().streamEvents(input, { version: "v2" })),
      await drain(make().streamEvents(input, { version: "v1" })),
      await drain(make().streamLog(input)),
      await make().batch([input, input]),
    ];
    expect(everythingIn(seen)).toContain("REFUSED");
    expect(everythingIn(seen)).not.toMatch(/vault|reveals|"v"/);
  });

  it("shows no raw word in the events of a model without a version", async () => {
    const guarded = guardrails.wrap(model());
    const stream = (guarded as unknown as { streamEvents(input: string): AsyncIterable<unknown> }).streamEvents("hi");
    const events = await drain(stream);
    expect(everythingIn(events)).toContain("REFUSED");
    expect(everythingIn(events)).not.toMatch(/vault|reveals/);
  });

  it("keeps token handlers, however they listen, from raw words", async () => {
    const tokens: string[] = [];
    class Pusher extends BaseCallbackHandler {
      name = "pusher";
      override awaitHandlers = true;
      override handleLLMNewToken(token: string): void {
        tokens.push(token);
      }
    }
    for (const handler of [new Pusher(), { handleLLMNewToken: (token: string) => void tokens.push(token) }]) {
      for (const make of [whole, chain]) {
        await drain(await make().stream({ q: "hi" }, { callbacks: [handler], tags: ["x"], runName: "y" }));
        await make()
          .withConfig({ callbacks: [handler] })
          .invoke({ q: "hi" });
      }
    }
    expect(tokens.join("")).not.toMatch(/vault|reveals/);
    expect(tokens).toContain("REFUSED");
  });

  it("emits nothing of a stream that breaks", async () => {
    const got: unknown[] = [];
    const run = async (runnable: Runnable): Promise<void> => {
      for await (const chunk of await runnable.stream("q")) got.push(chunk);
    };
    await expect(run(failing.pipe(guardrails.output()))).rejects.toThrow("connection lost");
    await expect(run(failing.pipe(guardrails))).rejects.toThrow("connection lost");
    await expect(run(guardrails.wrap(failing))).rejects.toThrow("connection lost");
    expect(got).toEqual([]);
  });

  it("reads a response in empty and uneven chunks as one text", async () => {
    async function* pieces(): AsyncGenerator<AIMessageChunk> {
      for (const content of ["", "b", "", "a", "d", ""]) yield new AIMessageChunk({ content, id: "run-1" });
    }
    const result = await drain(guardrails.output<AIMessageChunk>().transform(pieces(), {}));
    expect(result.map(({ content, id }) => [content, id])).toEqual([["REFUSED", "run-1"]]);
  });
});
