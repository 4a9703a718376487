import { beforeAll, describe, expect, it } from "@jest/globals";
import { AIMessageChunk } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { type Runnable, RunnableLambda, RunnablePassthrough } from "@langchain/core/runnables";
import { concat, IterableReadableStream } from "@langchain/core/utils/stream";
import * as fc from "fast-check";
import { type Guardrails, type GuardrailsMetadata, type StreamingOptions, verdictOf } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { drain, realGuardrails, type RealOptions, type Version } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "./chunked-model.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { propertyRuns } from "../../support/property-runs.js";

describe("streams of chains", () => {
  const windows = { chunkSize: 2, contextSize: 1 } as const;
  const guard = (options: RealOptions = {}) =>
    realGuardrails({ input: [], output: ["check answer"], streaming: windows, ...options });

  const chain = (pieces: readonly string[]): Runnable =>
    new ChunkedModel(pieces.length === 0 ? [""] : pieces).pipe(new StringOutputParser()) as Runnable;

  /** A chain that streams its evidence, then its response. */
  const rag = (pieces: readonly string[]): Runnable =>
    RunnablePassthrough.assign({ context: () => ["one fact"] }).pipe(
      RunnablePassthrough.assign({ answer: RunnableLambda.from(() => "q").pipe(chain(pieces)) }) as never,
    ) as Runnable;

  const ways: [string, (guardrails: Guardrails, runnable: Runnable) => Runnable][] = [
    ["wrap", (guardrails, runnable) => guardrails.wrap(runnable) as Runnable],
    ["output()", (guardrails, runnable) => runnable.pipe(guardrails.output())],
    ["a pipe into the guard", (guardrails, runnable) => runnable.pipe(guardrails)],
  ];

  const joined = (chunks: readonly unknown[]): unknown =>
    chunks.length === 0 ? "" : chunks.reduce((left, right) => concat(left as never, right as never));

  describe.each(ways)("chains stream window by window: %s", (_, make) => {
    it.each<[string, string[], string[]]>([
      ["what passes, as its chunks", ["a", "b", "c", "d", "e"], ["a", "b", "c", "d", "e"]],
      ["a block in the first window", ["ba", "d", "c"], ["REFUSED"]],
      ["a block further on", ["a", "b", "ba", "d", "e"], ["a", "b", "REFUSED"]],
      ["a block across the border of two windows", ["a", "b", "c", "ba", "d"], ["a", "b", "c", "ba", "REFUSED"]],
    ])("%s", async (__, pieces, expected) => {
      const guarded = make(await guard(), chain(pieces));
      expect(await drain(await guarded.stream("hi"))).toEqual(expected);
    });

    it("buffers evidence until the verdict, and joins to what invoke returns", async () => {
      const guarded = make(await guard(), rag(["a", "b", "c"]));
      const stream = await drain(await guarded.stream({ question: "q" }));
      expect(stream.slice(0, 3)).toEqual([{ answer: "a" }, { answer: "b" }, { answer: "c" }]);
      expect(joined(stream)).toEqual({ question: "q", context: ["one fact"], answer: "abc" });
      expect(joined(stream)).toEqual(await guarded.invoke({ question: "q" }));
    });

    it("shows rails the evidence before a window", async () => {
      const seen: unknown[] = [];
      const check_words = defineAction({ name: "check_words", verdict: true }, (_, { context }) => {
        seen.push(context["relevant_chunks"]);
        return true;
      });
      await drain(
        await make(await guard({ actions: { check_words } }), rag(["a", "b", "c"])).stream({ question: "q" }),
      );
      expect(seen).toEqual(["one fact", "one fact"]);
    });

    it("drops evidence at a block", async () => {
      const guarded = make(await guard(), rag(["bad", "b", "c"]));
      const stream = await drain(await guarded.stream({ question: "q" }));
      expect(joined(stream)).toEqual(await guarded.invoke({ question: "q" }));
      expect(visibleJson(stream)).not.toMatch(/bad|fact/);
    });

    it("keeps the verdict of messages on one chunk", async () => {
      const guarded = make(await guard(), RunnableLambda.from(() => new ChunkedModel(["a", "b", "c"])) as Runnable);
      const stream = (await drain(await guarded.stream("hi"))) as AIMessageChunk[];
      expect(stream.map(({ content }) => content)).toEqual(["a", "b", "c", ""]);
      expect(stream.filter((message) => verdictOf(message))).toHaveLength(1);
    });

    it("reads messages of LangChain versions whose chunks lack lists of calls", async () => {
      const chunks = ["a", "b", "c"].map((text) =>
        Object.assign(new AIMessageChunk(text), { tool_call_chunks: undefined, invalid_tool_calls: undefined }),
      );
      async function* pieces(): AsyncGenerator<AIMessageChunk> {
        yield* chunks;
      }
      const guarded = make(
        await guard(),
        RunnableLambda.from(() => IterableReadableStream.fromAsyncGenerator(pieces())) as Runnable,
      );
      const stream = (await drain(await guarded.stream("hi"))) as AIMessageChunk[];
      expect(stream.map(({ content }) => content)).toEqual(["a", "b", "c", ""]);
    });

    it("buffers text that a rail must see as a whole", async () => {
      const guarded = make(await guard({ output: ["hide digits of answer"] }), chain(["pin 1", "2", "3", " x"]));
      expect(joined(await drain(await guarded.stream("hi")))).toBe("pin *** x");
    });

    it("leaves nothing running when the reader leaves", async () => {
      const model = new ChunkedModel(Array.from({ length: 100 }, () => "a"));
      const guarded = make(await guard(), model.pipe(new StringOutputParser()) as Runnable);
      for await (const __ of await guarded.stream("hi")) break;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(model.made).toBeLessThan(10);
    });

    it("waits for a slow reader", async () => {
      const model = new ChunkedModel(Array.from({ length: 100 }, () => "a"));
      const stream = await make(await guard(), model.pipe(new StringOutputParser()) as Runnable).stream("hi");
      const reader = stream[Symbol.asyncIterator]();
      await reader.next();
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      expect(model.made).toBeLessThan(12);
      await reader.return?.();
    });

    it("ends with the caller's signal", async () => {
      const controller = new AbortController();
      const model = new ChunkedModel(["a", "b", "c", "d", "e"]);
      model.before = (index) => {
        if (index === 3) controller.abort(new Error("enough"));
      };
      const guarded = make(await guard(), model.pipe(new StringOutputParser()) as Runnable);
      await expect(
        guarded.stream("hi", { signal: controller.signal }).then((stream) => drain(stream)),
      ).rejects.toThrow();
      expect(model.made).toBeLessThanOrEqual(5);
    });
  });

  describe("whatever the text, its chunks and the rails", () => {
    const pieces = fc.array(fc.string({ unit: fc.constantFrom("b", "a", "d", " ", "5"), minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 14,
    });
    const sizes = fc.record({ chunkSize: fc.integer({ min: 1, max: 5 }), contextSize: fc.integer({ min: 0, max: 4 }) });

    it("only passed windows are emitted, and they join to the reviewed text", async () => {
      const seen: string[] = [];
      const judge = defineAction({ name: "check_words", verdict: true }, ({ text }) => {
        seen.push(String(text));
        return !String(text).includes("bad");
      });
      const made = new Map<string, Promise<Guardrails>>();
      const rails = ["check answer", "hide digits of words"];
      await fc.assert(
        fc.asyncProperty(pieces, sizes, fc.subarray(rails, { minLength: 1 }), async (texts, plan, output) => {
          const key = JSON.stringify([plan, output]);
          const known = made.get(key) ?? guard({ output, streaming: plan, actions: { check_words: judge } });
          made.set(key, known);
          const guardrails = await known;
          for (const [, make] of ways.slice(0, 2)) {
            seen.length = 0;
            const model = new ChunkedModel(texts);
            const stream = await drain(
              await make(guardrails, model.pipe(new StringOutputParser()) as Runnable).stream("hi"),
            );
            const text = stream.join("");
            const whole = texts.join("");
            const expected = output.includes("hide digits of words") ? whole.replaceAll("5", "*") : whole;
            const blocked = text.endsWith("REFUSED");
            if (whole.trim() === "") continue;
            const released = blocked ? text.slice(0, -"REFUSED".length) : text;
            expect(expected.startsWith(released)).toBe(true);
            if (!blocked) expect(text).toBe(expected);
            if (!output.includes("check answer")) continue;
            // Every released character was in a text that the judge passed, and no passed text is bad.
            const passed = seen.filter((judged) => !judged.includes("bad"));
            expect(blocked).toBe(passed.length < seen.length);
            let covered = 0;
            for (const judged of passed) {
              const at = expected.lastIndexOf(judged, covered);
              expect(at).toBeGreaterThanOrEqual(0);
              covered = Math.max(covered, at + judged.length);
            }
            expect(covered).toBeGreaterThanOrEqual(released.length);
          }
        }),
        { numRuns: propertyRuns(6) },
      );
    });
  });
});

describe("streams and invoke", () => {
  type Surface = (guardrails: Guardrails, model: ChunkedModel) => Runnable;

  /** Each stream surface. The marked object carries its verdict under a key. */
  const SURFACES: readonly (readonly [string, Surface])[] = [
    ["a guarded model", (guardrails, model) => guardrails.wrap(model) as unknown as Runnable],
    [
      "a guarded chain of texts",
      (guardrails, model) => guardrails.wrap(model.pipe(new StringOutputParser()) as Runnable) as Runnable,
    ],
    [
      "a guarded chain of messages",
      (guardrails, model) => guardrails.wrap((model as Runnable).pipe(new RunnablePassthrough())) as Runnable,
    ],
    [
      "a guarded chain of objects",
      (guardrails, model) =>
        guardrails.wrap(
          RunnableLambda.from(async function* (question: string) {
            for await (const chunk of await model.stream(question)) yield { answer: chunk.text };
          }) as unknown as Runnable,
          { verdictKey: "verdict" },
        ) as Runnable,
    ],
    ["`output()` in a pipe", (guardrails, model) => (model as Runnable).pipe(guardrails.output())],
    ["`guardrails` at the end of a pipe", (guardrails, model) => (model as Runnable).pipe(guardrails as Runnable)],
  ];

  /** A rail that judges, and one that also rewrites. */
  const SETS: readonly (readonly string[])[] = [["check answer"], ["check answer", "hide digits of words"]];
  const VERSIONS: readonly Version[] = ["1.0", "2.x"];

  const made = new Map<string, Guardrails>();
  const keyOf = (version: Version, output: readonly string[], streaming: StreamingOptions): string =>
    JSON.stringify([version, output, streaming]);
  async function prepare(version: Version, output: readonly string[], streaming: StreamingOptions): Promise<void> {
    const guardrails = await realGuardrails({ version, output, streaming, input: ["check words"], logger: false });
    made.set(keyOf(version, output, streaming), guardrails);
  }
  function get(version: Version, output: readonly string[], streaming: StreamingOptions): Guardrails {
    const guardrails = made.get(keyOf(version, output, streaming));
    if (guardrails === undefined) throw new Error("not prepared");
    return guardrails;
  }

  const BUFFER: StreamingOptions = { mode: "buffer" };
  const WINDOW: StreamingOptions = { mode: "window", chunkSize: 2, contextSize: 1 };
  beforeAll(async () => {
    for (const version of VERSIONS)
      for (const output of SETS) {
        await prepare(version, output, BUFFER);
        await prepare(version, output, WINDOW);
      }
  });

  /** Text, object or message as a user would read it; without ids and with the parts of the verdict that are the same. */
  function seen(value: unknown): unknown {
    const verdict = verdictIn(value);
    const rails = verdict?.decisions.map(({ rail, status, stage, refusal }) => ({ rail, status, stage, refusal }));
    return { text: textIn(value), blocked: verdict?.blocked, rails };
  }
  function verdictIn(value: unknown): GuardrailsMetadata | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    if ("verdict" in value) return value.verdict as GuardrailsMetadata;
    return verdictOf(value as AIMessageChunk);
  }
  function textIn(value: unknown): string {
    if (typeof value === "string") return value;
    return !("text" in (value as object))
      ? ((value as { answer?: string }).answer ?? "")
      : (value as AIMessageChunk).text;
  }
  const joined = (chunks: readonly unknown[]): unknown =>
    chunks.reduce((left, right) => concat(left as never, right as never));

  const words = fc.constantFrom("fine", "1234", "it is", "so 5", "bad", "ok");

  /** A response of some words in chunks that ignore word boundaries. */
  const answers = fc.array(words, { minLength: 1, maxLength: 8 }).chain((all) => {
    const text = `${all.join(" ")}.`;
    return fc.array(fc.integer({ min: 1, max: text.length }), { maxLength: 6 }).map((at) => {
      const cuts = [...new Set([0, ...at, text.length])].toSorted((a, b) => a - b);
      return cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
    });
  });

  describe.each(VERSIONS)("in Colang %s", (version) => {
    describe.each(SURFACES)("the stream of %s", (_name, surface) => {
      it("is what `invoke` returns in the mode `buffer`", async () => {
        await fc.assert(
          fc.asyncProperty(answers, fc.constantFrom(...SETS), async (chunks, output) => {
            const guardrails = get(version, output, BUFFER);
            const invoked = await surface(guardrails, new ChunkedModel(chunks)).invoke("hi");
            const streamed = joined(await drain(await surface(guardrails, new ChunkedModel(chunks)).stream("hi")));
            expect(seen(streamed)).toEqual(seen(invoked));
            expect(verdictIn(streamed)?.replaces).toBeUndefined();
          }),
          { numRuns: propertyRuns(2) },
        );
      });

      it("is what `invoke` returns in windows, unless a released window is replaced", async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(
              words.map((word) => `${word} `),
              { minLength: 1, maxLength: 8 },
            ),
            fc.constantFrom(...SETS),
            async (chunks, output) => {
              const guardrails = get(version, output, WINDOW);
              const invoked = await surface(guardrails, new ChunkedModel(chunks)).invoke("hi");
              const pieces = await drain(await surface(guardrails, new ChunkedModel(chunks)).stream("hi"));
              const last = pieces.at(-1);
              const before = pieces.slice(0, -1).map(textIn).join("");
              const { text, blocked } = seen(invoked) as { text: string; blocked?: boolean };
              if (verdictIn(last)?.replaces === true) {
                expect(blocked).toBe(true);
                expect(before).not.toBe("");
                expect(textIn(last)).toBe(text);
              } else if (blocked === true) {
                expect([before, textIn(last)]).toEqual(["", text]);
              } else if (verdictIn(last) !== undefined) expect(seen(joined(pieces))).toEqual(seen(invoked));
            },
          ),
          { numRuns: propertyRuns(2) },
        );
      });
    });
  });

  describe.each(VERSIONS)("a refusal in Colang %s", (version) => {
    const chunks = ["one ", "two ", "three ", "four ", "bad ", "six ", "seven"];

    it.each(SURFACES.filter(([name]) => !name.includes("texts")))(
      "of %s replaces the emitted text, according to its verdict",
      async (_name, surface) => {
        const guarded = surface(get(version, ["check answer"], WINDOW), new ChunkedModel(chunks));
        const pieces = await drain(await guarded.stream("hi"));
        expect(pieces.slice(0, -1).map(textIn).join("")).toBe("one two three four ");
        expect(verdictIn(pieces.at(-1))).toMatchObject({ blocked: true, replaces: true });
        expect(textIn(pieces.at(-1))).toBe("REFUSED");
        for (const piece of pieces.slice(0, -1)) expect(verdictIn(piece)).toBeUndefined();
      },
    );

    it.each(SURFACES)("of %s replaces nothing if nothing was emitted", async (_name, surface) => {
      const guarded = surface(get(version, ["check answer"], WINDOW), new ChunkedModel(["bad ", ...chunks]));
      const pieces = await drain(await guarded.stream("hi"));
      expect(pieces.map(textIn).join("")).toBe("REFUSED");
      expect(JSON.stringify(pieces)).not.toContain("replaces");
      const invoked: unknown = await guarded.invoke("hi");
      expect(JSON.stringify(invoked)).not.toContain("replaces");
    });
  });
});
