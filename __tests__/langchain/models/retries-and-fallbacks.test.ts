import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { createAgent, modelFallbackMiddleware, modelRetryMiddleware } from "langchain";
import { z } from "zod/v4";
import { type Guardrails, GuardrailViolationError } from "../../../src/index.js";
import { guardrailsMiddleware } from "../../../src/langchain/middleware.js";
import { type ScriptedModel, scriptedModel } from "../../../src/testing/index.js";
import { drain, realGuardrails, type Version } from "../../support/langchain/real-guardrails.js";

interface Cell {
  readonly guarded: Runnable;
  /** How often the model or chain inside ran. */
  readonly ran: () => number;
}
type Surface = (guardrails: Guardrails) => Cell;

const calling = (args: Record<string, unknown>): AIMessage =>
  new AIMessage({ content: "", tool_calls: [{ name: "extract", args, id: "c1", type: "tool_call" }] });
const ofModel = (reply: string | AIMessage, wrap: (model: ScriptedModel) => unknown): Cell => {
  const model = scriptedModel([reply, reply, reply, reply]);
  return { guarded: wrap(model) as Runnable, ran: () => model.calls.length };
};
function ofChain(reply: string, wrap: (chain: Runnable<string, string>) => unknown): Cell {
  let count = 0;
  const chain = RunnableLambda.from((_text: string) => ((count += 1), reply));
  return { guarded: wrap(chain) as Runnable, ran: () => count };
}
const onBlocked = "throw";

/** Each surface with the calls of the model inside that one blocked call makes, and the texts that its rails check. */
const SURFACES: readonly (readonly [string, string, number, number, Surface])[] = [
  ["a guarded model, at its input", "bad", 0, 1, (g) => ofModel("fine", (model) => g.wrap(model, { onBlocked }))],
  ["a guarded model, at its output", "hi", 1, 2, (g) => ofModel("bad", (model) => g.wrap(model, { onBlocked }))],
  ["a guarded chain, at its input", "bad", 0, 1, (g) => ofChain("fine", (chain) => g.wrap(chain, { onBlocked }))],
  ["a guarded chain, at its output", "hi", 1, 2, (g) => ofChain("bad", (chain) => g.wrap(chain, { onBlocked }))],
  ["an input step", "bad", 0, 1, (g) => ({ guarded: g.input(), ran: () => 0 })],
  ["an output step", "bad", 0, 1, (g) => ({ guarded: g.output({ onBlocked }), ran: () => 0 })],
  ["a configuration in a pipe", "bad", 0, 1, (g) => ({ guarded: g, ran: () => 0 })],
  [
    "structured output",
    "hi",
    1,
    2,
    (g) =>
      ofModel(calling({ dish: "bad" }), (model) => g.wrap(model).withStructuredOutput(z.object({ dish: z.string() }))),
  ],
];

type Around = (guarded: Runnable, other: Runnable) => Runnable;
const AROUND: readonly (readonly [string, Around])[] = [
  ["withRetry", (guarded) => guarded.withRetry({ stopAfterAttempt: 3 })],
  ["withFallbacks", (guarded, other) => guarded.withFallbacks([other])],
  ["withFallbacks of an object", (guarded, other) => guarded.withFallbacks({ fallbacks: [other] })],
  ["withRetry, withFallbacks", (guarded, other) => guarded.withRetry().withFallbacks([other])],
  ["withFallbacks, withRetry", (guarded, other) => guarded.withFallbacks([other]).withRetry()],
  ["withRetry, withRetry", (guarded) => guarded.withRetry().withRetry({ stopAfterAttempt: 2 })],
  ["withFallbacks, withFallbacks", (guarded, other) => guarded.withFallbacks([other]).withFallbacks([other])],
  ["withConfig, withRetry", (guarded) => guarded.withConfig({ tags: ["a"] }).withRetry()],
  ["withConfig, withFallbacks", (guarded, other) => guarded.withConfig({ tags: ["a"] }).withFallbacks([other])],
  ["withRetry, withConfig", (guarded) => guarded.withRetry().withConfig({ tags: ["a"] })],
];

/** Enough for the second dialect: both, each within the other. */
const FEW = new Set(["withRetry, withFallbacks", "withFallbacks, withRetry"]);

type Call = (runnable: Runnable, text: string) => Promise<unknown>;
const caught = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
const CALLS: readonly (readonly [string, Call])[] = [
  ["invoke", (runnable, text) => caught(runnable.invoke(text))],
  ["batch", (runnable, text) => caught(runnable.batch([text]))],
  [
    "batch with returnExceptions",
    async (runnable, text) => (await runnable.batch([text], {}, { returnExceptions: true }))[0],
  ],
  ["stream", (runnable, text) => caught(runnable.stream(text).then(drain))],
];

const VERSIONS: readonly Version[] = ["1.0", "2.x"];
let checked: string[] = [];
const made = new Map<Version, Guardrails>();
const open = (version: Version): Promise<Guardrails> =>
  realGuardrails({
    version,
    onBlocked,
    input: ["check words"],
    output: ["check answer"],
    onCheck: (text) => void checked.push(text),
    logger: false,
  });
beforeAll(async () => {
  for (const version of VERSIONS) made.set(version, await open(version));
});
const guardrailsOf = (version: Version): Guardrails => made.get(version) as Guardrails;

describe.each(VERSIONS)("a block in Colang %s", (version) => {
  describe.each(SURFACES)("of %s", (_surface, text, runs, checks, surface) => {
    it.each(version === "1.0" ? AROUND : AROUND.filter(([name]) => FEW.has(name)))(
      "is not repeated and keeps its type inside %s",
      async (_around, around) => {
        for (const [name, call] of CALLS) {
          checked = [];
          let fallbacks = 0;
          const other = RunnableLambda.from(() => ((fallbacks += 1), "unguarded"));
          const { guarded, ran } = surface(guardrailsOf(version));
          const error = await call(around(guarded, other), text);
          expect([name, GuardrailViolationError.isInstance(error)]).toEqual([name, true]);
          expect(error).toMatchObject({ refusal: "REFUSED", code: "RL-105" });
          expect([name, ran(), checked.length, fallbacks]).toEqual([name, runs, checks, 0]);
          expect(JSON.stringify({ ...(error as object) })).not.toContain(`"${text}"`);
        }
      },
    );
  });
});

describe("failures inside guarded runnables", () => {
  const failing = (times: number): ScriptedModel =>
    scriptedModel([...Array.from({ length: times }, () => new Error("down")), "fine", "fine", "fine"]);

  async function withoutWaiting<T>(work: () => Promise<T>): Promise<T> {
    jest.useFakeTimers();
    try {
      const running = work();
      await jest.advanceTimersByTimeAsync(20_000);
      return await running;
    } finally {
      jest.useRealTimers();
    }
  }

  it.each(VERSIONS)("are retried input by input in Colang %s, and the handler sees every one", async (version) => {
    const seen = new Map<string, number>();
    const chain = RunnableLambda.from((text: string) => {
      seen.set(text, (seen.get(text) ?? 0) + 1);
      if (text === "flaky" && seen.get(text) === 1) throw new Error("down");
      if (text === "dead") throw new Error("dead");
      return text === "ask" ? "bad" : "fine";
    });
    const failures: string[] = [];
    const retried = guardrailsOf(version)
      .wrap(chain)
      .withRetry({ stopAfterAttempt: 2, onFailedAttempt: (error: Error) => void failures.push(error.name) });
    const results = await withoutWaiting(() =>
      retried.batch(["ok", "ask", "flaky", "dead"], {}, { returnExceptions: true }),
    );
    expect(results.map((result) => (result instanceof Error ? result.name : result))).toEqual([
      "fine",
      "GuardrailViolationError",
      "fine",
      "Error",
    ]);
    expect(Object.fromEntries(seen)).toEqual({ ok: 1, ask: 1, flaky: 2, dead: 2 });
    expect(failures.toSorted()).toEqual(["Error", "Error", "Error", "GuardrailViolationError"]);
  });

  it("start the fallback of the one input that failed, in a batch", async () => {
    const asked: string[] = [];
    const chain = RunnableLambda.from((text: string) => {
      if (text === "down") throw new Error("down");
      return text;
    });
    const other = RunnableLambda.from((text: string) => (asked.push(text), "other"));
    const guarded = guardrailsOf("1.0").wrap(chain).withFallbacks([other]);
    const results = await guarded.batch(["ok", "down", "bad"], {}, { returnExceptions: true });
    expect([results[0], results[1], GuardrailViolationError.isInstance(results[2])]).toEqual(["ok", "other", true]);
    expect(asked).toEqual(["down"]);
  });

  it("start a guarded fallback whose block is not hidden by the first error", async () => {
    const guardrails = guardrailsOf("1.0");
    const guarded = guardrails.wrap(failing(1)).withFallbacks([guardrails.wrap(scriptedModel("bad")) as never]);
    expect(GuardrailViolationError.isInstance(await caught(guarded.invoke("hi")))).toBe(true);
    const streamed = guardrails.wrap(failing(1)).withFallbacks([guardrails.wrap(scriptedModel("fine")) as never]);
    const chunks = await drain(await streamed.stream("hi"));
    expect(chunks.map(({ text }) => text).join("")).toBe("fine");
  });

  it("reject with the first error when all fallbacks fail, and end with the caller's signal", async () => {
    const guarded = guardrailsOf("1.0").wrap(scriptedModel([new Error("first")]));
    const other = RunnableLambda.from((): AIMessage => {
      throw new Error("second");
    });
    await expect(guarded.withFallbacks([other as never]).invoke("hi")).rejects.toThrow("first");
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(guarded.withFallbacks([other as never]).invoke("hi", { signal })).rejects.toThrow("enough");
  });

  it("are retried inside the rails, which run once", async () => {
    checked = [];
    const model = failing(2);
    const guarded = guardrailsOf("1.0").wrap(model.withRetry({ stopAfterAttempt: 3 }));
    const answer = await withoutWaiting(() => guarded.invoke("hi"));
    expect([(answer as AIMessage).text, model.calls.length, checked]).toEqual(["fine", 3, ["hi", "fine"]]);
  });
});

it("LangChain's retried batch never drops an input because of a violation", async () => {
  const chain = RunnableLambda.from((text: string) => text).pipe(guardrailsOf("1.0").input());
  const errors: unknown[] = [];
  const retried = chain.withRetry({
    onFailedAttempt: (error: unknown, input: unknown) => {
      errors.push(error, input);
      throw error;
    },
  });
  const [result] = await retried.batch(["bad secret"], {}, { returnExceptions: true });
  expect(GuardrailViolationError.isInstance(result)).toBe(true);
  expect(errors[1]).toBeUndefined();
  expect((result as { input?: unknown }).input).toBeUndefined();
});

describe("the middleware of an agent", () => {
  const rootOf = (error: Error): unknown => (error.cause instanceof Error ? rootOf(error.cause) : error);
  const ask = { messages: [new HumanMessage("hi")] };
  const retries = () =>
    modelRetryMiddleware({ maxRetries: 2, initialDelayMs: 0, jitter: false, onFailure: "error" }) as never;

  it.each(["retries", "fallbacks"] as const)("outside LangChain's %s keeps its violation as `cause`", async (kind) => {
    const model = scriptedModel(["bad", "bad", "bad"]);
    const other = scriptedModel("fine");
    const inside = kind === "retries" ? retries() : modelFallbackMiddleware(other);
    const agent = createAgent({
      model,
      tools: [],
      middleware: [guardrailsMiddleware(guardrailsOf("1.0"), { onBlocked }), inside],
    });
    const error = (await caught(agent.invoke(ask))) as Error;
    expect(GuardrailViolationError.isInstance(rootOf(error))).toBe(true);
    expect(model.calls).toHaveLength(1);
  });

  it("reviews the response of LangChain's fallback model, on either side of it", async () => {
    for (const order of [0, 1]) {
      const guards = guardrailsMiddleware(guardrailsOf("1.0"), { onBlocked: "refuse" });
      const falls = modelFallbackMiddleware(scriptedModel("bad"));
      const middleware = order === 0 ? [guards, falls] : [falls, guards];
      const agent = createAgent({ model: scriptedModel([new Error("down")]), tools: [], middleware });
      const { messages } = (await agent.invoke(ask)) as { messages: AIMessage[] };
      expect(messages.at(-1)?.text).toBe("REFUSED");
    }
  });

  it("ends a retry of the guarded agent at once", async () => {
    const model = scriptedModel(["bad", "bad", "bad"]);
    const guards = guardrailsMiddleware(guardrailsOf("1.0"), { onBlocked });
    const agent = createAgent({ model, tools: [], middleware: [guards] });
    const outer = await realGuardrails({ input: [], output: [], logger: false });
    const error = (await caught(
      outer
        .wrap(agent.graph as never)
        .withRetry()
        .invoke(ask as never),
    )) as Error;
    expect(GuardrailViolationError.isInstance(rootOf(error))).toBe(true);
    expect(model.calls).toHaveLength(1);
  });
});
