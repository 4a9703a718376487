// The verified traps of LangChain (T1 to T10): the behaviour of LangChain alone, and of guarded runnables, which avoid
// it.
import { describe, expect, it } from "@jest/globals";
import { getRetryable, LangChainError } from "@langchain/core/errors";
import { type AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { RunnableBranch, RunnableLambda, type Runnable } from "@langchain/core/runnables";
import { BaseTracer, type Run } from "@langchain/core/tracers/base";
import { concat } from "@langchain/core/utils/stream";
import { GuardrailsError, GuardrailViolationError, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

const streaming = <T>(...chunks: T[]): Runnable<unknown, T> =>
  RunnableLambda.from(async function* () {
    yield* chunks;
  }) as unknown as Runnable<unknown, T>;
const join = <T>(chunks: readonly T[]): T =>
  chunks.reduce((whole, chunk) => concat(whole as never, chunk as never) as T);
const caught = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

class Recorder extends BaseTracer {
  name = "recorder";
  readonly roots: Run[] = [];
  protected async persistRun(run: Run): Promise<void> {
    this.roots.push(run);
  }
}

describe("T1 a batch with returnExceptions hands the errors of one step to the next as input", () => {
  it("holds for LangChain: a plain step is called with the error", async () => {
    const guardrails = await realGuardrails();
    const got: unknown[] = [];
    const next = RunnableLambda.from((value: unknown) => (got.push(value), "answered"));
    await guardrails.input<string>().pipe(next).batch(["bad"], {}, { returnExceptions: true });
    expect(GuardrailViolationError.isInstance(got[0])).toBe(true);
  });

  it("no guarded runnable calls a model with it", async () => {
    const guardrails = await realGuardrails();
    const model = scriptedModel(["ok", "ok", "ok"]);
    const chain = RunnableLambda.from((text: string) => `echo ${text}`);
    const runnables = [
      guardrails.wrap(model),
      guardrails.wrap(chain),
      guardrails.output(),
      guardrails.input(),
    ] as Runnable[];
    for (const runnable of runnables) {
      const results = await guardrails
        .input<string>()
        .pipe(runnable)
        .batch(["fine", "bad"], {}, { returnExceptions: true });
      expect(results.map((result) => GuardrailViolationError.isInstance(result))).toEqual([false, true]);
    }
    expect(model.calls).toHaveLength(1);
    const wrapped = await guardrails.wrap(model).batch(["fine", "bad"], {}, { returnExceptions: true });
    expect(wrapped.map((message) => (message as AIMessage).text)).toEqual(["ok", "REFUSED"]);
  });
});

describe("T2 RunnableBranch runs its default after a branch that answered with an empty value", () => {
  it("holds for LangChain", async () => {
    const branch = RunnableBranch.from<string, string>([[() => true, () => ""], () => "default"]);
    expect(await branch.invoke("x")).toBe("default");
  });

  it("does not hold for guardrails.branch", async () => {
    const guardrails = await realGuardrails();
    const ran: string[] = [];
    const branch = guardrails.branch<string, unknown>({
      pass: (text: string) => (ran.push("pass"), text),
      blocked: () => (ran.push("blocked"), ""),
    });
    expect(await branch.invoke("bad")).toBe("");
    expect(ran).toEqual(["blocked"]);
  });
});

describe("T3 withRetry retries any error", () => {
  it("a violation is marked as final, and the documented hook stops at the first", async () => {
    let checks = 0;
    const guardrails = await realGuardrails({ onCheck: () => (checks += 1) });
    const step = guardrails.input<string>();
    expect(getRetryable((await caught(step.invoke("bad"))) as Error)).toBe(false);
    checks = 0;
    const retried = step.withRetry({
      stopAfterAttempt: 3,
      onFailedAttempt: (error: unknown) => {
        if (GuardrailViolationError.isInstance(error)) throw error;
      },
    });
    expect(GuardrailViolationError.isInstance(await caught(retried.invoke("bad")))).toBe(true);
    expect(checks).toBe(1);
  });

  it("inside wrap() it retries the model and nothing else", async () => {
    const guardrails = await realGuardrails();
    const model = scriptedModel("bad answer");
    const guarded = guardrails.wrap(model.withRetry({ stopAfterAttempt: 3 }));
    expect(await guarded.invoke("hi")).toMatchObject({ content: "REFUSED" });
    expect(model.calls).toHaveLength(1);
  });
});

describe("T4 withFallbacks swallows any error, violations too", () => {
  it("holds for LangChain: around a sequence with a guard that throws, the unguarded fallback responds", async () => {
    const guardrails = await realGuardrails();
    const throwing = guardrails.wrap(scriptedModel("bad answer"), { onBlocked: "throw" });
    const sequence = RunnableLambda.from((text: string) => text).pipe(throwing as Runnable<string, AIMessage>);
    const fallback = scriptedModel("bad fallback") as unknown as Runnable<string, AIMessage>;
    expect((await sequence.withFallbacks([fallback]).invoke("hi")).text).toBe("bad fallback");
  });

  it("a guarded runnable's own fallbacks do not run after a block", async () => {
    const guardrails = await realGuardrails();
    const throwing = guardrails.wrap(scriptedModel("bad answer"), { onBlocked: "throw" });
    const fallback = scriptedModel("bad fallback");
    const error = await caught(throwing.withFallbacks([fallback]).invoke("hi"));
    expect([GuardrailViolationError.isInstance(error), fallback.calls.length]).toEqual([true, 0]);
  });

  it("a refusal is a response and starts no fallback; inside wrap() a fallback's response is reviewed", async () => {
    const guardrails = await realGuardrails();
    const fallback = scriptedModel("bad fallback");
    const outside = guardrails.wrap(scriptedModel("bad answer")).withFallbacks([fallback]);
    expect((await outside.invoke("hi")).text).toBe("REFUSED");
    expect(fallback.calls).toHaveLength(0);
    const inside = guardrails.wrap(scriptedModel([new Error("down")]).withFallbacks([fallback]));
    expect(await inside.invoke("hi")).toMatchObject({ content: "REFUSED" });
    expect(fallback.calls).toHaveLength(1);
  });
});

describe("T5 a lambda in a stream silently sees only the last of chunks that do not join", () => {
  const chunks = [
    { answer: "bad ", done: false },
    { answer: "answer", done: false },
  ];

  it("holds for LangChain", async () => {
    const seen: unknown[] = [];
    const lambda = RunnableLambda.from((value: unknown) => (seen.push(value), value));
    await drain(
      await streaming(...chunks)
        .pipe(lambda)
        .stream("q"),
    );
    expect(seen).toEqual([chunks[1]]);
  });

  it("rails never decide about a fragment: the stream fails and nothing is emitted", async () => {
    const guardrails = await realGuardrails();
    for (const guard of [guardrails.output(), guardrails]) {
      const left: unknown[] = [];
      const run = async (): Promise<void> => {
        for await (const chunk of await streaming(...chunks)
          .pipe(guard as Runnable)
          .stream("q"))
          left.push(chunk);
      };
      expect(await caught(run())).toBeInstanceOf(Error);
      expect(left).toEqual([]);
    }
  });
});

describe("T6 repeated booleans in a stream of objects cannot be joined", () => {
  it("holds for LangChain", () => {
    expect(() => concat({ blocked: false } as never, { blocked: false } as never)).toThrow(TypeError);
  });

  it.each(["fine", "call 5", "bad"])("the stream of `%s` joins to what invoke returns", async (answer) => {
    const guardrails = await realGuardrails();
    const value = { answer, context: ["c"], ok: true, none: null };
    const guarded = guardrails.wrap(
      RunnableLambda.from((_q: string) => value),
      { verdictKey: "verdict" },
    );
    const durations = (key: string, inner: unknown): unknown => (key === "durationMs" ? 0 : inner);
    const whole = join(await drain(await guarded.stream("q")));
    expect(JSON.stringify(whole, durations)).toBe(JSON.stringify(await guarded.invoke("q"), durations));
  });
});

describe("T7 a batch of a sequence waits at every step for all items, and ends each run with all outputs", () => {
  it("a wrapped chain processes its items one by one", async () => {
    const guardrails = await realGuardrails();
    let release = (): void => undefined;
    const second = new Promise<void>((resolve) => (release = resolve));
    const chain = RunnableLambda.from(async (text: string) => {
      if (text === "first") await second;
      return text;
    }).pipe(RunnableLambda.from((text: string) => (text === "second" ? (release(), text) : text)));
    const tracer = new Recorder({ _awaitHandler: true } as never);
    const results = await guardrails.wrap(chain).batch(["first", "second"], { callbacks: [tracer] });
    expect(results).toEqual(["first", "second"]);
    expect(tracer.roots.map(({ outputs }) => outputs?.["output"] as unknown).toSorted()).toEqual(["first", "second"]);
  });
});

describe("T8 isInstance is inherited and accepts every LangChain error", () => {
  it("holds for LangChain, but not for a violation", async () => {
    class Own extends LangChainError {}
    expect(Own.isInstance(new LangChainError("x"))).toBe(true);
    expect(GuardrailViolationError.isInstance(new LangChainError("x"))).toBe(false);
    const guardrails = await realGuardrails();
    const error = await caught(guardrails.input<string>().invoke("bad"));
    expect(GuardrailViolationError.isInstance(error)).toBe(true);
    expect(LangChainError.isInstance(error)).toBe(true);
    expect(GuardrailsError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ refusal: "REFUSED", decision: { rail: "check words", stage: "input" } });
    expect(visibleJson(error)).not.toContain("bad");
  });
});

describe("T9 the run of a step in a stream starts with its first input chunk", () => {
  it("nothing runs before the first read", async () => {
    let checks = 0;
    const guardrails = await realGuardrails({ onCheck: () => (checks += 1) });
    const stream = guardrails.output<string>().transform(
      (async function* () {
        yield "fine";
      })(),
      {},
    );
    await Promise.resolve();
    expect(checks).toBe(0);
    expect(await drain(stream)).toEqual(["fine"]);
    expect(checks).toBe(1);
  });

  it("a failure before the first chunk is the caller's error, and no rail runs", async () => {
    let checks = 0;
    const guardrails = await realGuardrails({ onCheck: () => (checks += 1) });
    const failure = new Error("upstream is down");
    const failing = RunnableLambda.from((_input: string): string => {
      throw failure;
    });
    for (const guard of [guardrails.output(), guardrails]) {
      const chain = failing.pipe(guard as Runnable);
      expect(await caught(chain.stream("q").then(drain as never))).toBe(failure);
    }
    expect(checks).toBe(0);
  });
});

describe("T10 joining chunks adds numbers up and joins strings in the metadata", () => {
  it("holds for LangChain", () => {
    const chunk = (): AIMessageChunk =>
      new AIMessageChunk({ content: "", response_metadata: { score: 0.4, rail: "x" } });
    expect(chunk().concat(chunk()).response_metadata).toEqual({ score: 0.8, rail: "xx" });
  });

  it.each<[string, string, boolean]>([
    ["passed", "a long answer", false],
    ["rewritten", "a long answer with 5", false],
    ["blocked", "a long bad answer", true],
  ])("the verdict of a stream that is %s is on exactly one chunk and joins to itself", async (_, text, blocked) => {
    const guardrails = await realGuardrails();
    const chunks = await drain(await guardrails.wrap(scriptedModel(text)).stream("hi"));
    const marked = chunks.filter((chunk) => verdictOf(chunk) !== undefined);
    expect(marked).toHaveLength(1);
    const whole = verdictOf(join(chunks));
    expect(whole).toEqual(verdictOf(marked[0] as AIMessageChunk));
    expect(whole).toMatchObject({ blocked });
    const names = (whole?.decisions ?? []).map(({ rail }) => rail);
    expect(names).toEqual(expect.arrayContaining(["check words", "hide digits", "check answer"]));
  });
});
