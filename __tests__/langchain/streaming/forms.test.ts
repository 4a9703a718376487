// Formats of streams: reading of chunks, and the emitted chunks after a review.
import { describe, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk, type AIMessageChunkFields, HumanMessage } from "@langchain/core/messages";
import {
  type ChunkFormat,
  placeText,
  MessageFormat,
  type MessageFormatOptions,
} from "../../../src/langchain/streaming/message-format.js";
import { isPieceOfResponse, resumed } from "../../../src/langchain/generation/reply.js";
import {
  ObjectFormat,
  StringFormat,
  formatOfValue,
  streamsItsResult,
} from "../../../src/langchain/streaming/value-format.js";
import { EmittedTexts } from "../../../src/langchain/streaming/streaming-turn.js";
import type { ResponseReview } from "../../../src/turn/options.js";
import { type Window, WindowBuffer } from "../../../src/rails/review/window-buffer.js";

const VERDICT = { blocked: false, decisions: [] };
const NONE = { texts: [], text: "" };
const USAGE = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
const chunk = (fields: object | string): AIMessageChunk => new AIMessageChunk(fields as AIMessageChunkFields);
const same = (...texts: string[]) => ({ texts, text: texts.join("") });
const shown = (chunks: readonly unknown[]): unknown[] => (chunks as AIMessageChunk[]).map(({ content }) => content);
const soFar = (() => undefined) as never;

const OPEN: MessageFormatOptions = { guarded: true, readsReasoning: false, mayAskForTools: true };
const CALL = { name: "look_up", args: "{}", id: "c1", index: 0, type: "tool_call_chunk" };
const thinking = (reasoning: string, text = ""): object => ({
  content: [{ type: "reasoning", reasoning }, ...(text === "" ? [] : [{ type: "text", text }])],
});

describe("a stream of messages", () => {
  it.each<[string, object | string, MessageFormatOptions, object]>([
    ["text", "hi", OPEN, { text: "hi", waits: false }],
    ["nothing", "", OPEN, { text: "", waits: false }],
    ["a call", { content: "", tool_call_chunks: [CALL] }, OPEN, { text: "", waits: true }],
    [
      "an old call",
      { content: "", additional_kwargs: { function_call: { name: "x", arguments: "" } } },
      OPEN,
      { waits: true },
    ],
    ["old calls", { content: "", additional_kwargs: { tool_calls: [] } }, OPEN, { waits: true }],
    ["another key", { content: "", additional_kwargs: { other: 1 } }, OPEN, { waits: false }],
    ...["tool_use", "tool_call", "tool_call_chunk", "input_json_delta", "function_call", "functionCall"].map(
      (type): [string, object, MessageFormatOptions, object] => [
        `a block of type ${type}`,
        { content: [{ type: "text", text: "a" }, { type }] },
        OPEN,
        { text: "a", waits: true },
      ],
    ),
    ["a refusal of the provider", { content: "a", additional_kwargs: { refusal: "no" } }, OPEN, { waits: true }],
    ["a transcript", { content: "a", additional_kwargs: { audio: { transcript: "other" } } }, OPEN, { waits: true }],
    [
      "a citation",
      { content: [{ type: "text", text: "a", citations: [{ cited_text: "quoted words" }] }] },
      OPEN,
      { waits: true },
    ],
    ["reasoning", thinking("let me see", "a"), OPEN, { text: "a", waits: true }],
    ["reasoning without rails", thinking("hm", "a"), { ...OPEN, guarded: false }, { text: "a", waits: false }],
    ["reasoning without tools", thinking("hm", "a"), { ...OPEN, mayAskForTools: false }, { text: "a", waits: false }],
    [
      "reasoning that rails read",
      thinking("hm", "a"),
      { ...OPEN, readsReasoning: true },
      { text: "a", reasoning: "hm", waits: false },
    ],
    [
      "text for rails that read reasoning",
      "a",
      { ...OPEN, readsReasoning: true },
      { text: "a", reasoning: "", waits: false },
    ],
  ])("is read: %s", (_title, fields, options, expected) => {
    expect(new MessageFormat(options).read(chunk(fields))).toMatchObject(expected);
    if (expected === undefined || "thought" in expected) return;
    expect(new MessageFormat(options).read(chunk(fields))).not.toHaveProperty("thought");
  });

  it.each(["tool_calls", "invalid_tool_calls"])("waits for calls that arrived whole: %s", (key) => {
    const given = Object.assign(chunk("a"), { [key]: [{ name: "x", args: {} }] });
    expect(new MessageFormat(OPEN).read(given)).toEqual({ text: "a", waits: true });
  });

  it.each([["a"], [new AIMessage("a")], [{}], [undefined]])("has no other values: %j", (value) => {
    expect(() => new MessageFormat(OPEN).read(value)).toThrow("stream of messages");
  });

  it("is emitted unchanged if rails change nothing", () => {
    const form = new MessageFormat(OPEN);
    const chunks = [chunk({ content: "a", id: "m" }), chunk({ content: "b", usage_metadata: USAGE })];
    for (const each of chunks) form.read(each);
    const released = form.release(chunks, same("a", "b"), NONE);
    expect(released[0]).toBe(chunks[0]);
    expect(released[1]).toBe(chunks[1]);
  });

  it("is emitted rewritten on the first chunk with text, without metadata that reveals the old text", () => {
    const form = new MessageFormat(OPEN);
    const logprobs = { content: [{ token: "secret" }] };
    const chunks = [
      chunk({ content: "", id: "m" }),
      chunk({ content: "a secret", response_metadata: { logprobs, model_name: "x" } }),
      chunk({
        content: " word",
        additional_kwargs: { note: "a secret word" },
        response_metadata: { echo: "a secret word" },
      }),
    ];
    for (const each of chunks) form.read(each);
    const released = form.release(
      chunks,
      { texts: ["", "a secret", " word"], text: "[...]" },
      NONE,
    ) as AIMessageChunk[];
    expect(shown(released)).toEqual(["", "[...]", ""]);
    expect(released.map(({ response_metadata }) => response_metadata)).toEqual([{}, { model_name: "x" }, {}]);
    expect(released.map(({ additional_kwargs }) => additional_kwargs)).toEqual([{}, {}, {}]);
    const later = chunk({ content: "end", response_metadata: { echo: "a secret word", logprobs } });
    form.read(later);
    const [last] = form.release([later], same("end"), NONE) as AIMessageChunk[];
    expect([last?.content, last?.response_metadata]).toEqual(["end", {}]);
    const kept = chunk({ content: "end", response_metadata: { model_name: "x" } });
    expect(form.release([kept], same("end"), NONE)[0]).toBe(kept);
  });

  it("remembers what rails changed over several windows", () => {
    const form = new MessageFormat(OPEN);
    const [first, second] = [chunk("Bob S"), chunk("tone")];
    for (const each of [first, second]) form.read(each);
    form.release([first], { texts: ["Bob S"], text: "X " }, NONE);
    form.release([second], { texts: ["tone"], text: "Y" }, NONE);
    const last = chunk({ content: "", response_metadata: { echo: "I am Bob Stone" } });
    expect((form.release([last], same(""), NONE) as AIMessageChunk[])[0]?.response_metadata).toEqual({});
  });

  it.each([true, false])("loses its reasoning if rails guard it: %p", (guarded) => {
    const form = new MessageFormat({ ...OPEN, guarded, mayAskForTools: false });
    const given = chunk(thinking("hm", "a"));
    form.read(given);
    const [left] = form.release([given], same("a"), NONE) as AIMessageChunk[];
    expect(JSON.stringify(left?.content).includes("hm")).toBe(!guarded);
    expect(left?.text).toBe("a");
  });

  it("emits its reasoning if it calls tools", () => {
    const form = new MessageFormat(OPEN);
    const reasoning = chunk({ content: "a", additional_kwargs: { reasoning_content: "hm" } });
    form.read(reasoning);
    const [first] = form.release([reasoning], same("a"), NONE) as AIMessageChunk[];
    expect(first?.additional_kwargs).toEqual({});
    const call = chunk({ content: "", tool_call_chunks: [CALL] });
    form.read(call);
    const joined = reasoning.concat(call);
    const released = form.release([call], same(""), NONE, joined) as AIMessageChunk[];
    expect(released.map(({ additional_kwargs, content }) => [content, additional_kwargs])).toEqual([
      ["", { reasoning_content: "hm" }],
      ["", {}],
    ]);
    const more = chunk({ content: "", additional_kwargs: { reasoning_content: "so" } });
    form.read(more);
    expect((form.release([more], same(""), NONE) as AIMessageChunk[]).map((each) => each.additional_kwargs)).toEqual([
      { reasoning_content: "so" },
    ]);
  });

  it.each<[string, MessageFormatOptions, readonly unknown[]]>([
    ["rails that read reasoning", { ...OPEN, readsReasoning: true }, ["reasoning"]],
    ["rails that do not", OPEN, []],
  ])("is replaced at its end for %s", (_title, options, reasoningParts) => {
    const form = new MessageFormat(options);
    const given = [
      chunk({ ...thinking("hm"), id: "m", usage_metadata: USAGE }),
      chunk({ content: "walnut", usage_metadata: USAGE }),
    ];
    for (const each of given) form.read(each);
    const final = new AIMessage({ content: "x", tool_calls: [{ name: "look_up", args: { a: 1 }, id: "c1" }] });
    const left = (form.replace?.(final, { text: "new", reasoning: "hm" }, given) ?? []) as AIMessageChunk[];
    expect(left).toHaveLength(reasoningParts.length + 1);
    const last = left.at(-1);
    expect(last).toMatchObject({ content: "new", id: "m" });
    expect(last?.tool_calls).toMatchObject([{ name: "look_up", args: { a: 1 }, id: "c1" }]);
    expect(last?.usage_metadata).toMatchObject({ input_tokens: 2, output_tokens: 4, total_tokens: 6 });
    const bare = new MessageFormat(options);
    bare.read(chunk("a"));
    const [only] = (bare.replace?.(new AIMessage("x"), { text: "new", reasoning: "" }, [chunk("a")]) ??
      []) as AIMessageChunk[];
    expect([only?.content, only?.id, only?.usage_metadata, only?.tool_call_chunks]).toEqual([
      "new",
      undefined,
      undefined,
      [],
    ]);
  });

  it.each([
    ["hm so", ["hm", " so"]],
    ["other", ["other", ""]],
    ["", ["", ""]],
  ])("is replaced with reasoning that rails changed to %j", (reasoning, expected) => {
    const form = new MessageFormat({ ...OPEN, readsReasoning: true });
    const given = [chunk(thinking("hm")), chunk("a"), chunk(thinking(" so", "b"))];
    for (const each of given) form.read(each);
    const left = (form.replace?.(new AIMessage("x"), { text: "ab", reasoning }, given) ?? []) as AIMessageChunk[];
    expect(left.at(-1)?.content).toBe("ab");
    const texts = left.slice(0, -1).map((each) => form.read(each).reasoning);
    expect(texts.join("")).toBe(expected.join(""));
    expect(JSON.stringify(left.slice(0, -1))).not.toContain('"b"');
  });

  it("ends with the rest, the verdict and calls after those of the model", () => {
    const form = new MessageFormat(OPEN);
    const end = { rest: "z", verdict: VERDICT, final: () => undefined };
    const [plain] = form.close(end) as AIMessageChunk[];
    expect(plain).toMatchObject({ content: "z", response_metadata: { guardrails: { blocked: false } } });
    expect([plain?.id, plain?.tool_call_chunks]).toEqual([undefined, []]);
    form.read(chunk({ content: "", id: "m", tool_call_chunks: [{ ...CALL, index: 2 }] }));
    form.read(chunk({ content: "", id: "n", tool_call_chunks: [CALL] }));
    const calls = [{ id: "c9", name: "wave", args: {}, type: "tool_call" as const }];
    const [last] = form.close({ ...end, calls }) as AIMessageChunk[];
    expect(last).toMatchObject({ id: "m", tool_call_chunks: [{ name: "wave", id: "c9", index: 3 }] });
  });

  it.each([
    [[], undefined],
    [[chunk("a")], undefined],
    [[chunk({ content: "a", usage_metadata: USAGE }), chunk("b")], USAGE],
    [
      [1, 2].map(() => chunk({ content: "a", usage_metadata: USAGE })),
      { input_tokens: 2, output_tokens: 4, total_tokens: 6 },
    ],
  ])("is refused with only its id and its cost (%#)", (unreleased, usage) => {
    const form = new MessageFormat(OPEN);
    form.read(chunk({ content: "a", id: "m" }));
    const refused = form.refuse("no", { ...VERDICT, blocked: true }, unreleased, soFar) as AIMessageChunk;
    expect(refused).toMatchObject({ content: "no", id: "m", response_metadata: { guardrails: { blocked: true } } });
    if (usage === undefined) expect(refused.usage_metadata).toBeUndefined();
    else expect(refused.usage_metadata).toMatchObject(usage);
    expect(form).not.toHaveProperty("relevantChunks");
    expect(form.isComposite).toBe(false);
  });
});

describe("a stream of strings", () => {
  it.each<[readonly string[], string, readonly string[]]>([
    [["a", "b"], "ab", ["a", "b"]],
    [["a", "b"], "x", ["x"]],
    [["a", "b"], "", []],
    [[], "", []],
  ])("is emitted in chunks: %j as %j", (texts, text, expected) => {
    expect(new StringFormat().release(texts, { texts, text })).toEqual(expected);
  });

  it("has only texts, an end and a refusal", () => {
    const form = new StringFormat();
    expect(form.read("a")).toEqual({ text: "a", waits: false });
    for (const value of [1, {}, chunk("a"), undefined]) expect(() => form.read(value)).toThrow("stream of strings");
    const end = { verdict: VERDICT, final: () => undefined };
    expect([form.close({ ...end, rest: "" }), form.close({ ...end, rest: "z" })]).toEqual([[], ["z"]]);
    expect([form.replace(undefined, { text: "" }), form.replace(undefined, { text: "z" })]).toEqual([[], ["z"]]);
    expect(form.refuse("no")).toBe("no");
    expect(["relevantChunks" in form, form.isComposite]).toEqual([false, false]);
  });
});

describe("a stream of objects", () => {
  const open = (
    options: { outputKey?: string; contextKey?: string } = {},
    inner: ChunkFormat | undefined = new StringFormat(),
  ) => new ObjectFormat(options, () => inner);

  it.each<[string, readonly object[], object, object]>([
    ["the answer", [{ answer: "a" }], {}, { text: "a", waits: false }],
    ["another key", [{ note: "a" }], {}, { text: "", waits: false }],
    ["the key that is named", [{ reply: "a" }], { outputKey: "reply" }, { text: "a", waits: false }],
    ["another key than the one that is named", [{ answer: "a" }], { outputKey: "reply" }, { text: "", waits: false }],
    ["a chunk without the key", [{ answer: "a" }, { note: "b" }], {}, { text: "", waits: false }],
    ["the next chunk", [{ answer: "a" }, { answer: "b" }], {}, { text: "b", waits: false }],
  ])("is read: %s", (_title, chunks, options, expected) => {
    const form = open(options);
    expect(chunks.map((each) => form.read(each)).at(-1)).toEqual(expected);
    expect(form.isComposite).toBe(true);
  });

  it("waits for answers that can only be read as a whole", () => {
    const form = new ObjectFormat({}, () => undefined);
    expect(form.read({ answer: ["a"] })).toEqual({ text: "", waits: true });
    expect(form.release([{ answer: ["a"] }], same(""), NONE)).toEqual([]);
    const refused = { answer: "no" };
    const answer = { refuse: () => refused };
    expect(form.refuse("no", VERDICT, [], (() => answer) as never)).toBe(refused);
    expect(form.close({ rest: "", verdict: VERDICT, final: () => ({ answer: "a", note: 1 }) })).toEqual([{ note: 1 }]);
  });

  it.each([["a"], [new HumanMessage("a")], [["a"]], [undefined]])("has no other values: %#", (value) => {
    expect(() => open().read(value)).toThrow("stream of objects");
  });

  it.each<[string, readonly object[], object, readonly string[] | undefined]>([
    ["nothing", [{ answer: "a" }], {}, undefined],
    ["documents", [{ context: [{ pageContent: "d" }] }, { answer: "a" }], {}, ["d"]],
    ["documents under a named key", [{ found: ["d"] }, { context: ["x"] }], { contextKey: "found" }, ["d"]],
  ])("finds evidence next to the response: %s", (_title, chunks, options, expected) => {
    const form = open(options);
    for (const each of chunks) form.read(each);
    expect(form.relevantChunks).toEqual(expected);
  });

  it("emits only its response, and ends with its other keys", () => {
    const form = open();
    const chunks = [{ answer: "a", note: 1 }, { note: 2 }, { answer: "b" }];
    for (const each of chunks) form.read(each);
    expect(form.release(chunks, same("a", "", "b"), NONE)).toEqual([{ answer: "a" }, { answer: "b" }]);
    expect(form.release(chunks, { texts: ["a", "", "b"], text: "x" }, NONE)).toEqual([{ answer: "x" }]);
    const end = { rest: "z", verdict: VERDICT };
    expect(form.close({ ...end, final: () => ({ answer: "abz", note: 2 }) })).toEqual([{ answer: "z" }, { note: 2 }]);
    expect(form.close({ ...end, final: () => ({ answer: "abz" }) })).toEqual([{ answer: "z" }]);
    const answer = { refuse: () => ({ answer: "old", note: null }) };
    expect(form.refuse("no", VERDICT, chunks, (() => answer) as never)).toEqual({ answer: "no", note: null });
  });

  it("gives the response's chunks their own texts and reasoning", () => {
    const seen: unknown[] = [];
    const inner: ChunkFormat = Object.assign(new StringFormat(), {
      release: (...given: unknown[]) => (seen.push(given), []),
      refuse: (...given: unknown[]) => (seen.push(given), "no"),
    });
    const form = open({}, inner);
    const chunks = [{ note: 1 }, { answer: "a" }];
    for (const each of chunks) form.read(each);
    form.release(chunks, same("", "a"), same("", "hm"));
    form.refuse("no", VERDICT, chunks, (() => ({ refuse: () => ({}) })) as never);
    expect(seen).toEqual([
      [["a"], { texts: ["a"], text: "a" }, { texts: ["hm"], text: "hm" }],
      ["no", VERDICT, ["a"], expect.any(Function)],
    ]);
  });
});

describe("the format of a stream", () => {
  const review: ResponseReview = { unit: "chunk", guarded: true, check: async () => ({ kind: "held" }) };
  const kindOf = (value: unknown): string => {
    const form = formatOfValue(value, review, {});
    return form === undefined
      ? "none"
      : form instanceof StringFormat
        ? "strings"
        : form.isComposite
          ? "objects"
          : "messages";
  };

  it.each<[string, unknown, string, boolean]>([
    ["a string", "a", "strings", true],
    ["a chunk", chunk("a"), "messages", true],
    ["a message", new AIMessage("a"), "none", false],
    ["an object", { answer: "a" }, "objects", true],
    ["an object of messages", { messages: [] }, "objects", false],
    ["a list", ["a"], "none", false],
    ["a number", 1, "none", false],
    ["nothing", undefined, "none", false],
  ])("is detected from its first chunk: %s", (_title, value, kind, isPiece) => {
    expect([kindOf(value), isPieceOfResponse(value)]).toEqual([kind, isPiece]);
  });

  it("buffers reasoning of chains like that of models", () => {
    const form = formatOfValue(chunk("a"), review, {});
    expect(form?.read(chunk(thinking("hm", "a")))).toEqual({ text: "a", waits: true });
    const reading = formatOfValue(chunk("a"), { ...review, readsReasoning: true }, {});
    expect(reading?.read(chunk(thinking("hm", "a")))).toEqual({ text: "a", reasoning: "hm", waits: false });
  });

  it("of an object is that of the value of its key", () => {
    const form = formatOfValue({ reply: chunk("a") }, review, { outputKey: "reply", contextKey: "found" });
    expect(form?.read({ reply: chunk("a"), found: ["d"] })).toMatchObject({ text: "a" });
    expect(form?.relevantChunks).toEqual(["d"]);
    const list = formatOfValue({ answer: [1] }, review, {});
    expect(list?.read({ answer: [1] })).toEqual({ text: "", waits: true });
  });

  it.each<[string, unknown, boolean]>([
    ["a text", "x", true],
    ["an object", {}, true],
    ["a remote graph", { graphId: "g" }, false],
    ["a bound remote graph", { bound: { graphId: "g" } }, false],
    ["a bound runnable", { bound: {} }, true],
    ["a sequence that ends with one", { middle: [], last: { graphId: "g" } }, false],
    ["a sequence that ends with something else", { middle: [], last: {} }, true],
    ["something with a last part", { last: { graphId: "g" } }, true],
    ["a binding around a sequence", { bound: { middle: [], last: { bound: { graphId: "g" } } } }, false],
  ])("is that of its result: %s: %p", (_title, runnable, expected) => {
    expect(streamsItsResult(runnable)).toBe(expected);
  });

  it.each<[readonly string[], string, readonly string[]]>([
    [["a", "b"], "x", ["x", ""]],
    [["", "b", "c"], "x", ["", "x", ""]],
    [["", ""], "x", ["x", ""]],
    [[], "x", []],
  ])("places a rewritten text over %j", (texts, text, expected) => {
    expect(placeText(texts, text)).toEqual(expected);
  });

  it.each([
    [{ done: false, value: 0 } as const, [0, 1, 2]],
    [{ done: true, value: undefined } as const, []],
  ])("continues after its first chunk, and is closed: %j", async (first, expected) => {
    let isClosed = false;
    async function* rest(): AsyncGenerator<number> {
      try {
        yield 1;
        yield 2;
      } finally {
        isClosed = true;
      }
    }
    const source = rest();
    const found: number[] = [];
    for await (const each of resumed<number>(first, source)) found.push(each);
    expect(found).toEqual(expected);
    expect(await source.next()).toEqual({ done: true, value: undefined });
    expect(isClosed).toBe(expected.length > 0);
  });
});

describe("utterances of flows in a stream", () => {
  it("are emitted one by one, and the rest after them", async () => {
    const left: AIMessageChunk[] = [];
    const put = async (chunks: readonly unknown[]): Promise<void> => void left.push(...(chunks as AIMessageChunk[]));
    const said = new EmittedTexts({ put } as never);
    expect([said.isReplacedBy("x"), said.restOf("x")]).toEqual([false, "x"]);
    await said.emitText("one");
    await said.emitText("two");
    expect(shown(left)).toEqual(["one", "\ntwo"]);
    expect(
      ["one\ntwo", "one\ntwo!", "one", "other"].map((text) => [said.isReplacedBy(text), said.restOf(text)]),
    ).toEqual([
      [false, ""],
      [false, "!"],
      [true, "\none"],
      [true, "\nother"],
    ]);
  });
});

describe("windows with reasoning", () => {
  type Piece = readonly [text: string, reasoning: string];
  const windowsOf = (pieces: readonly Piece[], chunkSize: number, unit: "chunk" | "word" | "line"): string[] => {
    const buffer = new WindowBuffer<number>({ chunkSize, unit });
    const windows: string[] = [];
    const note = (window: Window<number>): void =>
      void windows.push(window.map(({ text, reasoning }) => `${text}/${reasoning}`).join("|"));
    for (const [at, [text, reasoning]] of pieces.entries()) {
      buffer.push(at, text, reasoning);
      for (let window = buffer.take(); window !== undefined; window = buffer.take()) note(window);
    }
    const rest = buffer.finish();
    if (rest.length > 0) note(rest);
    return windows;
  };

  it.each<[string, readonly Piece[], number, "chunk" | "word" | "line", readonly string[]]>([
    [
      "reasoning counts as a text",
      [
        ["", "a"],
        ["", "b"],
        ["c", ""],
      ],
      2,
      "chunk",
      ["/a|/b", "c/"],
    ],
    [
      "reasoning is not split within a word",
      [
        ["", "le"],
        ["", "t me"],
        ["", " see"],
      ],
      1,
      "word",
      ["/le|/t me", "/ see"],
    ],
    [
      "a text ends reasoning",
      [
        ["", "le"],
        ["a ", ""],
        ["b", ""],
      ],
      1,
      "word",
      ["/le|a /", "b/"],
    ],
    [
      "a text ends reasoning without a space",
      [
        ["", "le"],
        ["a", ""],
        [" b", ""],
      ],
      1,
      "word",
      ["/le", "a/", " b/"],
    ],
    [
      "reasoning does not end a word",
      [
        ["a", ""],
        ["", "hm "],
        ["b ", ""],
      ],
      1,
      "word",
      ["a/|/hm |b /"],
    ],
    [
      "a space ends both",
      [
        ["a ", "hm "],
        ["b", "so"],
      ],
      1,
      "word",
      ["a /hm ", "b/so"],
    ],
    [
      "reasoning continues next to a text",
      [
        ["a ", "h"],
        ["b ", "m "],
        ["c", ""],
      ],
      1,
      "word",
      ["a /h|b /m ", "c/"],
    ],
    [
      "lines of reasoning",
      [
        ["", "one"],
        ["", " more\n"],
        ["", "two"],
      ],
      1,
      "line",
      ["/one|/ more\n", "/two"],
    ],
    [
      "no text",
      [
        ["", ""],
        ["", ""],
      ],
      1,
      "word",
      ["/", "/"],
    ],
    [
      "no text within a word",
      [
        ["a", ""],
        ["", ""],
        ["b ", ""],
      ],
      1,
      "word",
      ["a/|/|b /"],
    ],
    [
      "no text after a word",
      [
        ["a ", ""],
        ["", ""],
        ["b", ""],
      ],
      2,
      "word",
      ["a /|/", "b/"],
    ],
  ])("%s", (_title, pieces, size, unit, expected) => {
    expect(windowsOf(pieces, size, unit)).toEqual(expected);
  });

  it("wait if configured", () => {
    const buffer = new WindowBuffer<number>({ chunkSize: 1, unit: "chunk" });
    expect(buffer.isWaiting).toBe(false);
    expect(buffer.take()).toBeUndefined();
    buffer.push(1, "a");
    buffer.wait();
    expect([buffer.isWaiting, buffer.take()]).toEqual([true, undefined]);
    expect(buffer.finish()).toMatchObject([{ item: 1 }]);
    expect(buffer.finish()).toEqual([]);
  });
});
