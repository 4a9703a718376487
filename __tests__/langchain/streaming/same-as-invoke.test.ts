import { beforeAll, describe, expect, it } from "@jest/globals";
import type { AIMessageChunk } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { type Runnable, RunnableLambda, RunnablePassthrough } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import * as fc from "fast-check";
import { type Guardrails, type GuardrailsMetadata, type StreamingOptions, verdictOf } from "../../../src/index.js";
import { drain, realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";
import { ChunkedModel } from "./chunked-model.js";
import { propertyRuns } from "../../support/property-runs.js";

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

/** An answer of some words in chunks that know nothing of words. */
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
    "of %s replaces what has left, says its verdict",
    async (_name, surface) => {
      const guarded = surface(get(version, ["check answer"], WINDOW), new ChunkedModel(chunks));
      const pieces = await drain(await guarded.stream("hi"));
      expect(pieces.slice(0, -1).map(textIn).join("")).toBe("one two three four ");
      expect(verdictIn(pieces.at(-1))).toMatchObject({ blocked: true, replaces: true });
      expect(textIn(pieces.at(-1))).toBe("REFUSED");
      for (const piece of pieces.slice(0, -1)) expect(verdictIn(piece)).toBeUndefined();
    },
  );

  it.each(SURFACES)("of %s replaces nothing if nothing has left", async (_name, surface) => {
    const guarded = surface(get(version, ["check answer"], WINDOW), new ChunkedModel(["bad ", ...chunks]));
    const pieces = await drain(await guarded.stream("hi"));
    expect(pieces.map(textIn).join("")).toBe("REFUSED");
    expect(JSON.stringify(pieces)).not.toContain("replaces");
    const invoked: unknown = await guarded.invoke("hi");
    expect(JSON.stringify(invoked)).not.toContain("replaces");
  });
});
