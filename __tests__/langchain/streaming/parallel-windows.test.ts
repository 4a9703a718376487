import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import * as fc from "fast-check";
import { Guardrails, type RailDecision, type StreamingOptions, verdictOf } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { propertyRuns } from "../../support/property-runs.js";
import { DIALECTS, railFlows, type Dialect } from "../../support/rail-flows.js";
import { expectNoUnhandledRejections } from "../../support/unhandled-rejections.js";
import { ChunkedModel } from "./chunked-model.js";

expectNoUnhandledRejections();

type OnError = "block" | "allow" | "throw";

const RAILS = {
  "judge words": ["block", "bot_message", "judge_words"],
  "judge tone": ["block", "bot_message", "judge_tone"],
} as const;
const OTHERS = {
  "note words": ["block", "bot_message", "note_words"],
  "hide digits": ["rewrite", "bot_message", "hide_digits", '{"stream": "word"}'],
} as const;

/** Work that the test controls. */
interface Waiting {
  readonly what: string;
  readonly go: () => void;
}

/** Everything that the test controls: reviews, the model before a chunk, a reader. */
class Stage {
  /** Reviews that have begun and have not ended. */
  readonly judging: string[] = [];
  mostJudges = 0;
  readonly #waiting: Waiting[] = [];
  #goesOn = false;

  async wait(what: string, signal?: AbortSignal): Promise<void> {
    if (this.#goesOn) return;
    await new Promise<void>((resolve) => {
      const waiting = { what, go: resolve };
      this.#waiting.push(waiting);
      signal?.addEventListener("abort", () => remove(this.#waiting, waiting));
    });
  }

  async judge(rail: string, text: string, signal?: AbortSignal): Promise<boolean> {
    const review = `${rail}: ${text}`;
    this.judging.push(review);
    this.mostJudges = Math.max(this.mostJudges, this.judging.length);
    signal?.addEventListener("abort", () => remove(this.judging, review));
    await this.wait(review, signal);
    remove(this.judging, review);
    if (text.includes("!")) throw new Error("the judge is down");
    return !text.includes(rail === "words" ? "bad" : "rude");
  }

  go(what: string): void {
    const next = this.#waiting.find((each) => each.what === what);
    if (next === undefined) throw new Error(`nothing waits as ${what}`);
    remove(this.#waiting, next);
    next.go();
  }

  /** Continues one waiting operation, if any, chosen by `order`. */
  step(order: number): void {
    const [next] = this.#waiting.splice(order % Math.max(1, this.#waiting.length), 1);
    next?.go();
  }

  /** Stops holding operations from now on. */
  goOn(): void {
    this.#goesOn = true;
    for (const { go } of this.#waiting.splice(0)) go();
  }
}

function remove<Item>(list: Item[], item: Item): void {
  const at = list.indexOf(item);
  if (at !== -1) list.splice(at, 1);
}

/** Everything that a caller can see of a stream. */
interface Seen {
  readonly texts: readonly string[];
  readonly chunks: readonly string[];
  readonly verdict: unknown;
  readonly decisions: readonly string[];
  readonly error: string | undefined;
}

const model = new ChunkedModel([]);
const made = new Map<string, Promise<Guardrails>>();
let stage = new Stage();
let decided: RailDecision[] = [];

interface Setup {
  readonly dialect?: Dialect;
  readonly flows?: readonly string[];
  readonly parallel?: boolean | null;
  readonly readsReasoning?: boolean;
  readonly onError?: OnError;
  readonly streaming?: StreamingOptions;
}

const WINDOWS = { chunkSize: 2, contextSize: 1 } as const;

function open(setup: Setup): Promise<Guardrails> {
  const { dialect = "1.0", flows = ["judge words"], onError = "block", streaming = WINDOWS } = setup;
  const { parallel = false, readsReasoning: apply_to_reasoning_traces = false } = setup;
  const output = { flows: [...flows], parallel, apply_to_reasoning_traces };
  const key = JSON.stringify([dialect, output, onError, streaming]);
  const judge = (rail: string) =>
    defineAction({ name: `judge_${rail}`, verdict: true }, ({ text }, { signal }) =>
      stage.judge(rail, String(text), signal),
    );
  const known =
    made.get(key) ??
    Guardrails.fromConfig(
      {
        colang: railFlows(dialect, dialect === "1.0" ? { ...RAILS, ...OTHERS } : RAILS),
        config: { colang_version: dialect, rails: { output } },
      },
      {
        llm: model,
        onError,
        streaming,
        logger: false,
        onDecision: (decision) => void decided.push(decision),
        actions: {
          judge_words: judge("words"),
          judge_tone: judge("tone"),
          note_words: async ({ text }: { text: string }) => stage.judge("words", text),
          hide_digits: async ({ text }: { text: string }) => {
            await stage.judge("digits", text);
            return text.replaceAll(/\d/g, "*");
          },
        },
      },
    );
  made.set(key, known);
  return known;
}

type Surface = (guardrails: Guardrails) => Runnable;
const wrapModel: Surface = (guardrails) => guardrails.wrap(model) as unknown as Runnable;
const SURFACES: Readonly<Record<string, Surface>> = {
  "a model": wrapModel,
  "a chain": (guardrails) => guardrails.wrap(model.pipe(new StringOutputParser()) as Runnable) as Runnable,
  "a pipe": (guardrails) => (model as Runnable).pipe(guardrails.output()),
  "a chain of objects": (guardrails) => guardrails.wrap(objects) as Runnable,
  "the configuration's own prompts": (guardrails) => guardrails as unknown as Runnable,
};

/** Chunks that contain more than a text. */
const SPECIAL: Readonly<Record<string, AIMessageChunk>> = {
  "<reasoning>": special({ additional_kwargs: { reasoning_content: "hm" } }),
  "<bad reasoning>": special({ additional_kwargs: { reasoning_content: "bad" } }),
  "<call>": special({ tool_call_chunks: [{ name: "f", args: "{}", id: "t", index: 0 }] }),
  "<usage>": special({ usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } }),
  "<evidence>": special({ additional_kwargs: { evidence: true } }),
};

function special(fields: object): AIMessageChunk {
  return new AIMessageChunk({ content: "", id: "m", ...fields });
}

/** Streams its evidence wherever it comes. */
const objects: Runnable = RunnableLambda.from(async function* () {
  for await (const { text, additional_kwargs: given } of await model.stream("hi")) {
    yield given["evidence"] === true ? { context: ["one fact"] } : { answer: text };
  }
});

const textOf = (chunk: unknown): string =>
  typeof chunk === "string" ? chunk : ((chunk as AIMessageChunk).text ?? (chunk as { answer?: string }).answer ?? "");

/** The whole content of a chunk, without its verdict. */
function describeChunk(chunk: unknown): string {
  if (!AIMessageChunk.isInstance(chunk)) return JSON.stringify(chunk);
  const { id, content, additional_kwargs: given, tool_call_chunks: calls, usage_metadata: usage } = chunk;
  return JSON.stringify({ id, content, given, calls, usage });
}

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Turns of the event loop after which something is never going to happen: some seconds of them. */
const MOST_TURNS = 1_000_000;

/**
 * Waits until so many reviews have begun and not ended, and until what a test expects of it has happened. INVARIANT: nothing is
 * expected after a number of turns: a module that is loaded on demand takes any number of them, more on a busy machine.
 */
async function reviewing(count: number, hasHappened: () => boolean = () => true): Promise<void> {
  const isReached = (): boolean => stage.judging.length === count && hasHappened();
  for (let turn = 0; turn < MOST_TURNS && !isReached(); turn += 1) await pause();
  // Waits some turns for events that must not happen.
  for (let turn = 0; turn < 8; turn += 1) await pause();
}

const describeDecision = ({ rail, status, refusal, reason }: RailDecision): string =>
  [rail, status, refusal, reason].join("|");

interface Case {
  readonly texts: readonly string[];
  /** Repeated choices of the waiting operation that continues. */
  readonly orders: readonly number[];
  /** Chunks before which the model waits. */
  readonly slow: ReadonlySet<number>;
}

function withoutDecisions({ texts, chunks, error, verdict }: Seen): object {
  return {
    texts,
    chunks,
    hasFailed: error !== undefined,
    blocked: (verdict as { readonly blocked?: boolean }).blocked,
  };
}

/** A stream that is being read. */
interface Reading {
  readonly left: string[];
  readonly ended: Promise<Seen>;
  isOver: boolean;
}

function begin(
  guarded: Runnable,
  texts: readonly string[],
  given: object = {},
  onChunk?: (text: string) => unknown,
): Reading {
  stage = new Stage();
  decided = [];
  model.say(texts.map((text) => SPECIAL[text] ?? text));
  model.made = 0;
  model.signals.length = 0;
  model.before = () => undefined;
  const left: string[] = [];
  const chunks: string[] = [];
  let verdict: ReturnType<typeof verdictOf>;
  // A text alone would be reviewed as a response, and not as a question.
  const input = (guarded as unknown) instanceof Guardrails ? [new HumanMessage("hi")] : "hi";
  const read = async (): Promise<undefined> => {
    for await (const chunk of await guarded.stream(input, given)) {
      if (textOf(chunk) !== "") left.push(textOf(chunk));
      chunks.push(describeChunk(chunk));
      if (AIMessageChunk.isInstance(chunk)) verdict = verdictOf(chunk) ?? verdict;
      await onChunk?.(textOf(chunk));
    }
  };
  const ended = read()
    .catch((reason: unknown) => (reason instanceof Error ? reason.message : String(reason)))
    .then((error) => {
      reading.isOver = true;
      const { decisions = [], ...rest } = verdict ?? {};
      const shown = { ...rest, decisions: decisions.map(describeDecision) };
      return { texts: left, chunks, verdict: shown, decisions: decided.map(describeDecision), error };
    });
  const reading: Reading = { left, ended, isOver: false };
  return reading;
}

/** Reads a stream to its end, and continues waiting operations in the given order. */
async function read(
  guarded: Runnable,
  { texts, orders, slow }: Case,
  onChunk?: (text: string) => unknown,
): Promise<Seen> {
  const reading = begin(guarded, texts, {}, onChunk);
  model.before = (index) => (slow.has(index) ? stage.wait(`chunk ${index}`) : undefined);
  for (let at = 0; !reading.isOver; at += 1) {
    await pause();
    stage.step(orders[at % orders.length] ?? 0);
  }
  return reading.ended;
}

const pieces = fc.constantFrom("one ", "two ", "three ", " ", "", "bad ", "rude ", "oh! ");
const cases: fc.Arbitrary<Case> = fc.record({
  texts: fc.array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom("one ", "two ") },
      { weight: 2, arbitrary: pieces },
      { weight: 1, arbitrary: fc.constantFrom(...Object.keys(SPECIAL)) },
    ),
    { minLength: 1, maxLength: 14 },
  ),
  orders: fc.array(fc.nat(7), { minLength: 1, maxLength: 8 }),
  slow: fc.array(fc.nat(13), { maxLength: 4 }).map((list) => new Set(list)),
});
const setups = fc.record({
  dialect: fc.constantFrom(...DIALECTS),
  surface: fc.constantFrom(...Object.keys(SURFACES)),
  size: fc.constantFrom({ chunkSize: 1, contextSize: 0 }, { chunkSize: 2, contextSize: 1 }),
  onError: fc.constantFrom<OnError>("block", "allow", "throw"),
  parallelWindows: fc.constantFrom(2, 4),
  // Which of several concurrent rails decides depends on time, so these cases compare less and are fewer.
  parallel: fc.constantFrom(false, false, null, true),
  readsReasoning: fc.boolean(),
});

describe("windows that are reviewed at the same time", () => {
  it("are emitted and decided like windows that are reviewed one after the other", async () => {
    await fc.assert(
      fc.asyncProperty(cases, setups, async (given, { surface, size, parallelWindows, ...kind }) => {
        const wrap = SURFACES[surface] as Surface;
        const setup = { flows: ["judge words", "judge tone"], ...kind };
        const serial = await open({ ...setup, streaming: { ...size, parallelWindows: 1 } });
        const expected = await read(wrap(serial), given);
        const parallel = await open({ ...setup, streaming: { ...size, parallelWindows } });
        let count = 0;
        // After tool calls, and reasoning that they may need, everything is read and buffered to the end.
        const isHeld = given.texts.some((text) => /call|reasoning/.test(text));
        const found = await read(wrap(parallel), given, (text) => {
          if (text === "" || isHeld) return;
          count += 1;
          // The source is only ahead by the windows in review, the one that fills and the next chunk.
          const filled = given.texts.slice(0, model.made).filter((each) => each !== "" && !(each in SPECIAL)).length;
          expect(filled - count).toBeLessThanOrEqual((parallelWindows + 1) * size.chunkSize + 1);
        });
        const isTimed = kind.parallel !== false;
        expect(isTimed ? withoutDecisions(found) : found).toEqual(isTimed ? withoutDecisions(expected) : expected);
        const said = found.texts.filter((text) => text !== "REFUSED").join("");
        // A judge that fails lets its window pass where errors are allowed.
        if (kind.onError !== "allow") expect(said).not.toMatch(/bad|rude|!/);
        else if (!given.texts.join("").includes("!")) expect(said).not.toMatch(/bad|rude/);
        expect(stage.mostJudges).toBeLessThanOrEqual(parallelWindows * (isTimed ? 2 : 1));
        // Nothing continues after the end.
        await reviewing(0);
        expect(stage.judging).toEqual([]);
      }),
      { numRuns: propertyRuns(6) },
    );
  });

  const TEXTS = ["a ", "b ", "c ", "d ", "e ", "f ", "g ", "h ", "i ", "j ", "k ", "l "];

  it("are at most four, and are emitted in order, whichever review ends first", async () => {
    const { left, ended } = begin(wrapModel(await open({})), TEXTS);
    await reviewing(4, () => model.made >= 8);
    expect(stage.judging).toEqual(["words: a b ", "words: b c d ", "words: d e f ", "words: f g h "]);
    expect(model.made).toBe(8);
    stage.go("words: d e f ");
    stage.go("words: b c d ");
    await reviewing(2);
    expect([left, stage.judging, model.made]).toEqual([[], ["words: a b ", "words: f g h "], 8]);
    stage.go("words: a b ");
    await reviewing(3, () => left.length >= 6);
    expect(left).toEqual(TEXTS.slice(0, 6));
    expect(stage.judging).toEqual(["words: f g h ", "words: h i j ", "words: j k l "]);
    stage.goOn();
    const { texts, decisions } = await ended;
    expect(texts).toEqual(TEXTS);
    expect(decisions).toEqual(TEXTS.slice(0, 6).map(() => "judge words|passed||"));
  });

  it("end at a block together with all later reviews and the model's call", async () => {
    const texts = TEXTS.map((text) => (text === "d " ? "bad " : text));
    const runs: string[] = [];
    const rails = new Set<string>();
    const handler = BaseCallbackHandler.fromMethods({
      handleChainStart: (...[, , id, , , , , name]) => void (name?.startsWith("rail:") === true && rails.add(id)),
      handleChainEnd: (outputs: { readonly status?: string }, id) =>
        void (rails.has(id) && runs.push(String(outputs.status))),
    });
    const { left, ended } = begin(wrapModel(await open({})), texts, { callbacks: [handler] });
    await reviewing(4, () => model.made >= 8);
    stage.go("words: b c bad ");
    await reviewing(1);
    // The block applies once the previous window has passed; later reviews were cancelled at once.
    expect([left, stage.judging, model.made]).toEqual([[], ["words: a b "], 8]);
    stage.go("words: a b ");
    const seen = await ended;
    expect(seen.texts).toEqual(["a ", "b ", "REFUSED"]);
    expect(seen.decisions).toEqual(["judge words|passed||", "judge words|blocked|REFUSED|"]);
    await reviewing(0, () => runs.length >= 4);
    expect([stage.judging, model.signals.map((signal) => signal?.aborted), model.made]).toEqual([[], [true], 8]);
    expect(runs.toSorted()).toEqual(["blocked", "cancelled", "cancelled", "passed"]);
  });

  it("do not read the source while a window waits for its reader", async () => {
    const { left, ended } = begin(wrapModel(await open({})), TEXTS, {}, () => stage.wait("reader"));
    await reviewing(4, () => model.made >= 8);
    const reviews = [...stage.judging];
    for (const review of reviews) stage.go(review);
    await reviewing(0, () => left.length > 0);
    expect([left, stage.judging, model.made]).toEqual([["a "], [], 8]);
    stage.goOn();
    expect((await ended).texts).toEqual(TEXTS);
  });

  it.each<[string, Setup]>([
    ["a rail whose action is not declared as a verdict", { flows: ["note words"] }],
    ["a rail that rewrites words", { flows: ["hide digits"] }],
    ["a judge next to a rail that rewrites words", { flows: ["judge words", "hide digits"] }],
    ["`streamFirst`", { streaming: { ...WINDOWS, streamFirst: true } }],
    ["`parallelWindows: 1`", { streaming: { ...WINDOWS, parallelWindows: 1 } }],
  ])("are one at a time with %s", async (_, setup) => {
    const { texts } = await read(wrapModel(await open(setup)), { texts: TEXTS, orders: [0], slow: new Set() });
    expect(texts.join("")).toBe(TEXTS.join(""));
    expect(stage.mostJudges).toBe(1);
  });

  const ends: readonly (readonly [string, (controller: AbortController) => void])[] = [
    ["an abort", (controller) => controller.abort(new Error("enough"))],
    ["a reader that leaves", () => stage.go(stage.judging[0] ?? "")],
  ];
  const cells = Object.entries(SURFACES).flatMap(([surface, wrap]) =>
    ends.map(([title, end]) => [surface, title, wrap, end] as const),
  );

  it.each(cells)("of %s end with %s", async (_, __, wrap, end) => {
    const controller = new AbortController();
    const leave = (): never => {
      throw new Error("enough");
    };
    const reading = begin(wrap(await open({})), [...TEXTS, ...TEXTS], { signal: controller.signal }, leave);
    await reviewing(4);
    expect(stage.judging).toHaveLength(4);
    end(controller);
    expect((await reading.ended).error).toMatch(/enough|abort/i);
    await reviewing(0);
    expect(stage.judging).toEqual([]);
    // Streams of LangChain between the model and the rails buffer one or two chunks each, like all web streams.
    expect(model.made).toBeLessThanOrEqual(12);
  });
});
