import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import { RunnableLambda } from "@langchain/core/runnables";
import { FakeTracer } from "@langchain/core/utils/testing";
import { type GuardedChatModel, Guardrails, verdictOf, type WrapOptions } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { scriptedModel, type ScriptedReply } from "../../../src/testing/scripted-model.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { expectNoUnhandledRejections } from "../../support/unhandled-rejections.js";

const COLANG = `
define bot deny
  "REFUSED"
define subflow judge
  $allowed = execute judge
  if not $allowed
    bot deny
    stop
`;

const unhandled = expectNoUnhandledRejections();

/** Promises that the test and the code under test wait for each other with. */
function meeting() {
  let open = (_verdict: boolean): void => undefined;
  let reach = (): void => undefined;
  const verdict = new Promise<boolean>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  return { verdict, reached, decide: (said: boolean) => open(said), reach: () => reach() };
}

/** Rails whose verdict the test controls, around a model that reports its calls. */
async function open(options: { readonly judge?: () => unknown; readonly llm?: ReturnType<typeof scriptedModel> } = {}) {
  const meet = meeting();
  const guardrails = await Guardrails.fromConfig(
    { colang: COLANG, config: { rails: { input: { flows: ["judge"], speculative: true } } } },
    {
      actions: { judge: defineAction({ name: "judge", verdict: true }, options.judge ?? (() => meet.verdict)) },
      ...(options.llm === undefined ? {} : { llm: options.llm }),
    },
  );
  const signals: AbortSignal[] = [];
  const reply: ScriptedReply = async (_messages, { signal }) => {
    if (signal !== undefined) signals.push(signal);
    meet.reach();
    return "An answer.";
  };
  return { ...meet, guardrails, reply, signals };
}

const TOOL_TURN = [
  new HumanMessage("look it up"),
  new AIMessage({ content: "", tool_calls: [{ id: "1", name: "find", args: {} }] }),
  new ToolMessage({ content: "found", tool_call_id: "1" }),
];

describe("speculation around a model", () => {
  it.each<[string, (model: GuardedChatModel) => Promise<unknown>]>([
    ["invoke", (model) => model.invoke("hi")],
    [
      "stream",
      async (model) => (await drain(await model.stream("hi"))).map((chunk) => (chunk as AIMessage).text).join(""),
    ],
    ["a turn that ends with a tool's result", (model) => model.invoke(TOOL_TURN)],
  ])("%s: the model is called before the verdict, once", async (_title, call) => {
    const { guardrails, reply, reached, decide } = await open();
    const inner = scriptedModel([reply]);
    const running = call(guardrails.wrap(inner));
    let isOver = false;
    void running.then(() => (isOver = true));
    await reached;
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    decide(true);
    const answer = await running;
    expect(typeof answer === "string" ? answer : (answer as AIMessage).text).toBe("An answer.");
    inner.assertDone();
  });

  it.each<[string, string | BaseMessage[]]>([
    ["a question", "hi"],
    ["a tool's result", TOOL_TURN],
  ])("a block of %s ends the model's call, and nothing of its response is emitted", async (_title, input) => {
    const { guardrails, reached, decide, reach, signals } = await open();
    const inner = scriptedModel([
      (_messages, { signal }) => {
        if (signal !== undefined) signals.push(signal);
        reach();
        return new Promise<string>((resolve) => signal?.addEventListener("abort", () => resolve("the secret answer")));
      },
    ]);
    const tracer = new FakeTracer();
    const running = guardrails.wrap(inner).invoke(input, { callbacks: [tracer] });
    await reached;
    decide(false);
    const message = await running;
    expect([message.text, verdictOf(message)?.blocked, signals[0]?.aborted]).toEqual(["REFUSED", true, true]);
    expect(JSON.stringify(message)).not.toContain("secret");
    await new Promise((resolve) => setImmediate(resolve));
    await awaitAllCallbacks();
    const [root] = tracer.runs;
    expect(tracer.runs).toHaveLength(1);
    expect(root?.child_runs.map(({ name }) => name).sort()).toEqual(["ScriptedModel", "rail:judge"]);
    expect(root?.child_runs.every(({ end_time: end }) => end !== undefined)).toBe(true);
  });

  it("tool calls wait for the verdict", async () => {
    const { guardrails, reached, reach, decide } = await open();
    const call = { id: "1", name: "pay", args: {} };
    const inner = scriptedModel([() => (reach(), new AIMessage({ content: "", tool_calls: [call] }))]);
    const running = guardrails.wrap(inner).invoke("hi");
    await reached;
    decide(false);
    expect((await running).tool_calls).toEqual([]);
  });

  it("reports the model's own error, whenever it occurred", async () => {
    const { guardrails, reach, reached, decide } = await open();
    const failure = new RangeError("too long");
    const running = guardrails.wrap(scriptedModel([() => (reach(), failure)])).invoke("hi");
    await reached;
    await new Promise((resolve) => setImmediate(resolve));
    decide(true);
    await expect(running).rejects.toBe(failure);
  });

  it("drops the error of a response to a blocked message", async () => {
    const { guardrails, reach, reached, decide } = await open();
    const running = guardrails.wrap(scriptedModel([() => (reach(), new RangeError("too long"))])).invoke("hi");
    await reached;
    await new Promise((resolve) => setImmediate(resolve));
    decide(false);
    expect((await running).text).toBe("REFUSED");
  });

  it("a caller who aborts ends both", async () => {
    const { guardrails, reached, reply, signals } = await open();
    const caller = new AbortController();
    const running = guardrails.wrap(scriptedModel([reply])).invoke("hi", { signal: caller.signal });
    await reached;
    caller.abort(new Error("enough"));
    await expect(running).rejects.toThrow(/enough|abort/i);
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe("speculation and streams", () => {
  const LONG = Array.from({ length: 40 }, (_, index) => `w${index}`).join(" ");

  it.each<[string, string | BaseMessage[]]>([
    ["a question", "hi"],
    ["a tool's result", TOOL_TURN],
  ])("the response to %s begins before the verdict and is emitted in windows after it", async (_title, input) => {
    const meet = meeting();
    const inner = scriptedModel([() => (meet.reach(), LONG)]);
    const guardrails = await Guardrails.fromConfig(
      {
        colang: `${COLANG}define subflow look\n  $fine = execute look\n`,
        config: {
          rails: {
            input: { flows: ["judge"], speculative: true },
            output: { flows: ["look"], streaming: { enabled: true, chunk_size: 4, context_size: 2 } },
          },
        },
      },
      {
        actions: {
          judge: defineAction({ name: "judge", verdict: true }, () => meet.verdict),
          look: defineAction({ name: "look", verdict: true }, () => true),
        },
      },
    );
    const chunks: string[] = [];
    const running = (async () => {
      for await (const chunk of await guardrails.wrap(inner).stream(input)) chunks.push(chunk.text);
    })();
    await meet.reached;
    await new Promise((resolve) => setImmediate(resolve));
    expect(chunks).toEqual([]);
    meet.decide(true);
    await running;
    expect([chunks.join(""), chunks.length > 5]).toEqual([LONG, true]);
    inner.assertDone();
  });

  it("a block ends a call without a first chunk", async () => {
    const { guardrails, reached, reach, decide } = await open();
    let ended = false;
    const inner = scriptedModel([
      (_messages, { signal }) => {
        reach();
        return new Promise((resolve) =>
          signal?.addEventListener("abort", () => {
            ended = true;
            resolve("late");
          }),
        );
      },
    ]);
    const running = (async () => drain(await guardrails.wrap(inner).stream("hi")))();
    await reached;
    decide(false);
    expect((await running).map((chunk) => chunk.text).join("")).toBe("REFUSED");
    expect(ended).toBe(true);
  });

  it("a block closes the stream and ends its run", async () => {
    const { guardrails, reached, reach, decide } = await open();
    const tracer = new FakeTracer();
    const inner = scriptedModel([() => (reach(), "the secret answer, which is long enough for several pieces")]);
    const running = (async () => drain(await guardrails.wrap(inner).stream("hi", { callbacks: [tracer] })))();
    await reached;
    decide(false);
    expect((await running).map((chunk) => chunk.text).join("")).toBe("REFUSED");
    for (let tick = 0; tick < 10; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    await awaitAllCallbacks();
    const runs = tracer.runs.flatMap((run) => [run, ...run.child_runs]);
    expect(runs.filter(({ end_time: end }) => end === undefined).map(({ name }) => name)).toEqual([]);
  });
});

describe("speculation around a chain", () => {
  it.each<[string, WrapOptions, string[]]>([
    ["waits unless `speculative` declares that it changes nothing", {}, ["judged", "asked"]],
    ["begins with `speculative`", { speculative: true }, ["asked", "judged"]],
  ])("%s", async (_title, options, order) => {
    const seen: string[] = [];
    const { guardrails } = await open({
      judge: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push("judged");
        return true;
      },
    });
    const chain = RunnableLambda.from((text: string) => {
      seen.push("asked");
      return `echo ${text}`;
    });
    expect(await guardrails.wrap(chain, options).invoke("hi")).toBe("echo hi");
    expect(seen).toEqual(order);
  });
});

describe("a speculative call that a block makes unused", () => {
  type Call = (guardrails: Guardrails, inner: ReturnType<typeof scriptedModel>, seen: unknown[]) => Promise<string>;
  // The ends of runs are for traces, which see the responses of a model unless `redactTraces` is set.
  const listener = (seen: unknown[]) => ({
    callbacks: [
      {
        handleLLMNewToken: (token: string) => void seen.push(token),
      },
    ],
  });
  const textOf = (chunks: readonly unknown[]): string =>
    chunks.map((chunk) => (typeof chunk === "string" ? chunk : (chunk as AIMessage).text)).join("");
  const chainOf = (guardrails: Guardrails, inner: ReturnType<typeof scriptedModel>) =>
    guardrails.wrap(
      RunnableLambda.from(async (text: string, config) => (await inner.invoke(text, config)).text),
      { speculative: true },
    );
  const calls: [string, Call][] = [
    ["wrap(model).invoke", async (g, inner, seen) => (await g.wrap(inner).invoke("hi", listener(seen))).text],
    [
      "wrap(model).stream",
      async (g, inner, seen) => textOf(await drain(await g.wrap(inner).stream("hi", listener(seen)))),
    ],
    [
      "wrap(model).invoke after a tool result",
      async (g, inner, seen) => (await g.wrap(inner).invoke(TOOL_TURN, listener(seen))).text,
    ],
    [
      "wrap(model).stream after a tool result",
      async (g, inner, seen) => textOf(await drain(await g.wrap(inner).stream(TOOL_TURN, listener(seen)))),
    ],
    ["wrap(chain).invoke", (g, inner, seen) => chainOf(g, inner).invoke("hi", listener(seen))],
    [
      "wrap(chain).stream",
      async (g, inner, seen) => textOf(await drain(await chainOf(g, inner).stream("hi", listener(seen)))),
    ],
  ];
  const fates = ["answers at once", "answers late", "fails at once", "fails late", "never ends"] as const;
  const cells = calls.flatMap(([surface, call]) => fates.map((fate) => [fate, surface, call] as const));

  it.each(cells)("and that %s never surfaces in %s", async (fate, _surface, call) => {
    const { guardrails, reached, reach, decide } = await open();
    let finish = (): void => undefined;
    const late = new Promise<void>((resolve) => (finish = resolve));
    const signals: (AbortSignal | undefined)[] = [];
    const inner = scriptedModel(async (_messages, { signal }) => {
      signals.push(signal);
      reach();
      if (fate === "never ends") return new Promise(() => undefined);
      if (fate.endsWith("late")) await late;
      return fate.startsWith("fails") ? new RangeError("secret failure") : "the secret answer in several pieces";
    });
    const seen: unknown[] = [];
    const running = call(guardrails, inner, seen);
    await reached;
    for (let tick = 0; tick < 3; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    decide(false);
    expect(await running).toBe("REFUSED");
    expect(signals).toHaveLength(1);
    if (!fate.endsWith("at once")) expect(signals[0]?.aborted).toBe(true);
    finish();
    for (let tick = 0; tick < 3; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    await awaitAllCallbacks();
    expect(JSON.stringify(seen)).not.toContain("secret");
    expect(unhandled).toEqual([]);
  });
});

describe("speculation with the configured model", () => {
  it.each<[string, (guardrails: Guardrails) => Promise<string>]>([
    ["invoke", async (guardrails) => ((await guardrails.invoke([new HumanMessage("hi")])) as AIMessage).text],
    ["generate", async (guardrails) => String((await guardrails.generate("hi")).response)],
  ])("%s begins before the verdict", async (_title, call) => {
    const meet = meeting();
    const llm = scriptedModel([() => (meet.reach(), "An answer.")]);
    const { guardrails } = await open({ llm, judge: () => meet.verdict });
    const running = call(guardrails);
    await meet.reached;
    meet.decide(true);
    expect(await running).toBe("An answer.");
    llm.assertDone();
  });
});
