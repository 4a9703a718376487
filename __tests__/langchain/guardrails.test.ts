import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { type AIMessage, HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { RunnableLambda } from "@langchain/core/runnables";
import { AsyncLocalStorage } from "node:async_hooks";
import { forgetWarnings } from "../../src/langchain/one-time-warning.js";
import { runWithConfig } from "../../src/langchain/run-with-config.js";
import { type CheckOptions, Guardrails } from "../../src/index.js";
import { verdictOf } from "../../src/langchain/verdict.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { propertyRuns } from "../support/property-runs.js";
import { fakeGuardrails, strictRail } from "../support/langchain/fake-runtime.js";

const wait = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason as Error);
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

interface SeenRun {
  readonly name: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

function runRecorder(): { runs: SeenRun[]; handler: object } {
  const runs: SeenRun[] = [];
  const note = (name: string, id: string, parent: string | undefined, tags: string[] = [], metadata = {}): void => {
    runs.push({ name, id, parent, tags, metadata });
  };
  const handler = {
    name: "recorder",
    awaitHandlers: true,
    handleChainStart: (
      _c: object,
      _i: object,
      id: string,
      parent: string,
      tags: string[],
      metadata: object,
      _t: string,
      name: string,
    ) => note(name, id, parent, tags, metadata as never),
    handleChatModelStart: (
      _m: object,
      _i: object,
      id: string,
      parent: string,
      _x: object,
      tags: string[],
      metadata: object,
      name: string,
    ) => note(name ?? "model", id, parent, tags, metadata as never),
  };
  return { runs, handler };
}

afterEach(() => {
  forgetWarnings();
  jest.restoreAllMocks();
});

describe("guardrails as a runnable", () => {
  it("checks a chain's response in a pipe, in the response's own type", async () => {
    const { guardrails } = fakeGuardrails({ output: strictRail });
    const prompt = ChatPromptTemplate.fromMessages([["human", "{q}"]]);
    const asText = prompt.pipe(scriptedModel("bad answer")).pipe(new StringOutputParser()).pipe(guardrails);
    expect(await asText.invoke({ q: "hi" })).toBe("REFUSED");
    const asMessage = prompt.pipe(scriptedModel("call 5")).pipe(guardrails);
    expect(await asMessage.invoke({ q: "hi" })).toMatchObject({ content: "call *" });
  });

  it("runs a whole turn for a user message", async () => {
    const { guardrails } = fakeGuardrails({ hasMain: true, input: strictRail });
    const prompt = ChatPromptTemplate.fromMessages([["human", "{q}"]]);
    const answer = (await prompt.pipe(guardrails).invoke({ q: "pin 1" })) as AIMessage;
    expect(answer.content).toBe("main answers pin *");
    expect(verdictOf(answer)?.decisions[0]?.status).toBe("modified");
    expect(await guardrails.invoke([new HumanMessage("bad")])).toMatchObject({ content: "REFUSED" });
  });

  it("explains what to do without a main model", async () => {
    const { guardrails } = fakeGuardrails();
    await expect(guardrails.invoke([new HumanMessage("hi")])).rejects.toThrow(/expected a main model.*`llm`/);
  });

  it("explains once how it reads a bare string", async () => {
    const warn = jest.spyOn(console, "warn").mockImplementation(() => undefined);
    const { guardrails } = fakeGuardrails({ says: {} });
    await guardrails.invoke("hi");
    await guardrails.invoke("hi");
    expect(warn).toHaveBeenCalledTimes(1);
    forgetWarnings();
    await RunnableLambda.from((text: string) => text)
      .pipe(guardrails)
      .invoke("hi");
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("is serialised without its contents", () => {
    const { guardrails } = fakeGuardrails();
    expect(guardrails.toJSON()).toMatchObject({ type: "not_implemented" });
    expect(Object.keys(guardrails)).not.toEqual(
      expect.arrayContaining(["bound", "middle", "steps", "tools", "first", "last"]),
    );
  });

  it("turns an exception of a rail into a block that reports it", async () => {
    const { guardrails } = fakeGuardrails({ input: strictRail, exception: true, hasMain: true });
    expect(await guardrails.invoke([new HumanMessage("bad")])).toMatchObject({ content: "REFUSED" });
    const error = await guardrails
      .wrap(scriptedModel([]), { onBlocked: "throw" })
      .invoke("bad")
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ decision: { metadata: { exception: { type: "InputRailException" } } } });
  });
});

describe("check()", () => {
  const { guardrails } = fakeGuardrails({ input: strictRail, output: strictRail });

  it.each<[string, unknown, "input" | "output" | undefined, object]>([
    ["a response", "fine", undefined, { status: "passed", output: "fine" }],
    ["a rewritten response", "call 5", undefined, { status: "modified", output: "call *" }],
    ["a blocked answer", "bad", undefined, { status: "blocked", output: "REFUSED", guardrails: { stage: "output" } }],
    [
      "the user's messages",
      [new HumanMessage("bad")],
      undefined,
      { status: "blocked", guardrails: { stage: "input" } },
    ],
    ["a string declared as the user's", "bad", "input", { status: "blocked", guardrails: { stage: "input" } }],
  ])("judges %s", async (_, value, stage, expected) => {
    expect(await guardrails.check(value, stage === undefined ? {} : { stage })).toMatchObject(expected);
  });

  it.each<[string, Record<string, unknown>, CheckOptions, object]>([
    ["the response under a key", { other: "fine", mine: "bad" }, { outputKey: "mine" }, { status: "blocked" }],
    ["the question under a key", { mine: "bad" }, { inputKey: "mine" }, { guardrails: { stage: "input" } }],
    [
      "a question without trusted keys",
      { q: "fine", form: "bad" },
      { inputKey: "q", trustedKeys: ["form"] },
      { status: "passed" },
    ],
  ])("reads %s", async (_, value, options, expected) => {
    expect(await guardrails.check(value, options)).toMatchObject(expected);
  });

  it("compares the response with the evidence under a key", async () => {
    const judge = scriptedModel("yes");
    const config = { rails: { output: { flows: ["self check facts"] } } };
    const checked = await Guardrails.fromConfig({ config }, { llm: judge });
    await checked.check({ notes: ["Rye is dark."], answer: "Rye is dark." }, { contextKey: "notes" });
    expect(judge.calls.map(({ prompt }) => prompt.includes("Rye is dark."))).toEqual([true]);
  });

  it.each<[CheckOptions & Record<string, unknown>, string]>([
    [{ keepContext: true }, "CF-103"],
    [{ outputKeys: "mine" }, "CF-103"],
    [{ outputKey: 5 as never }, "CF-104"],
    [{ inputKey: "q", trustedKeys: ["q"] }, "CF-104"],
  ])("refuses %j", async (options, code) => {
    await expect(guardrails.check("fine", options)).rejects.toMatchObject({ code });
  });

  it("treats parts that no rail can read by `unseen`", async () => {
    const picture = new HumanMessage({ content: [{ type: "image_url", image_url: { url: "https://a.b/c.png" } }] });
    const statuses = ["block", "allow"] as const;
    const results = await Promise.all(statuses.map((unseen) => guardrails.check(picture, { unseen })));
    expect(results.map(({ blocked }) => blocked)).toEqual([true, false]);
  });

  it("can skip rails in a call", async () => {
    expect(await guardrails.check("bad", { rails: { output: false } })).toMatchObject({ status: "passed" });
  });
});

describe("generate()", () => {
  it("returns a string for a prompt and messages for messages", async () => {
    const { guardrails } = fakeGuardrails({ hasMain: true });
    expect((await guardrails.generate("hi")).response).toBe("main answers hi");
    const result = await guardrails.generate([{ role: "user", content: "hi" }], {
      state: {},
      log: { colangHistory: true },
    });
    expect(result.response).toEqual([{ role: "assistant", content: "main answers hi" }]);
    expect(result.state).toBeDefined();
    expect(result.log.colangHistory).toBe("history");
    expect(result.explain.summary()).toContain("0 model calls");
  });

  it("accepts every kind of message and option", async () => {
    const { guardrails, calls } = fakeGuardrails({ hasMain: true });
    await guardrails.generate(
      [
        { role: "context", content: { bay: 7 } },
        { role: "system", content: "s" },
        { role: "user", content: "a" },
        { role: "bot", content: "b" },
        new HumanMessage("c"),
      ],
      { rails: ["input"], llmParams: { temperature: 0.5 }, outputVars: true },
      { configurable: { thread_id: "t" } },
    );
    expect(calls[0]?.argument).toEqual([
      { role: "context", content: { bay: 7 } },
      { role: "system", content: "s" },
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: "c" },
    ]);
    expect(calls[0]?.options).toMatchObject({
      rails: { input: true, dialog: false, retrieval: false, execution: false, output: false },
      llmParams: { temperature: 0.5 },
      outputVars: true,
      config: { configurable: { thread_id: "t" } },
    });
  });

  it("returns an exception as a message", async () => {
    const { guardrails } = fakeGuardrails({ input: strictRail, exception: true });
    const { response } = await guardrails.generate("bad");
    expect(response).toEqual([{ role: "exception", content: { type: "InputRailException", message: "REFUSED" } }]);
  });
});

describe("runs, signals and events", () => {
  it("nests the runs of rails and of the wrapped chain below its own", async () => {
    const { runs, handler } = runRecorder();
    const { guardrails } = fakeGuardrails({ input: strictRail, output: strictRail });
    await guardrails
      .wrap(scriptedModel("ok"))
      .invoke("hi", { callbacks: [handler as never], metadata: { tenant: "x" }, runName: "top" });
    const root = runs.find((run) => run.name === "top");
    expect(root?.parent).toBeUndefined();
    const children = runs.filter((run) => run.parent === root?.id).map((run) => run.name);
    expect(children).toEqual(["rail:input rail", "model", "rail:output rail"]);
    const rail = runs.find((run) => run.name === "rail:input rail");
    expect(rail?.tags).toContain("guardrails:input");
    expect(rail?.metadata).toMatchObject({ guardrails_stage: "input", tenant: "x" });
    expect(runs.every((run) => run === root || run.parent !== undefined)).toBe(true);
  });

  it("announces every decision as a custom event", async () => {
    const events: [string, unknown][] = [];
    const { guardrails } = fakeGuardrails({ input: strictRail });
    const handler = {
      handleCustomEvent: (name: string, data: unknown) => void events.push([name, data]),
      awaitHandlers: true,
      name: "h",
    };
    await guardrails.wrap(scriptedModel("ok")).invoke("hi", { callbacks: [handler as never] });
    expect(events).toEqual([
      ["guardrails.decision", expect.objectContaining({ rail: "input rail", status: "passed" })],
    ]);
  });

  it("stops rails and chains when the caller aborts", async () => {
    const controller = new AbortController();
    let started = (): void => undefined;
    const running = new Promise<void>((resolve) => (started = resolve));
    let seen: AbortSignal | undefined;
    const { guardrails } = fakeGuardrails({
      input: (_text, { config }) => {
        seen = config.signal;
        started();
        return wait(config.signal);
      },
    });
    const call = guardrails.input<string>().invoke("hi", { signal: controller.signal });
    await running;
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    expect(seen?.aborted).toBe(true);
  });

  it("gives the wrapped chain a signal that a timeout aborts", async () => {
    const { guardrails } = fakeGuardrails();
    const chain = RunnableLambda.from((_input: string, config) => wait(config.signal) as Promise<string>);
    await expect(guardrails.wrap(chain).invoke("hi", { timeout: 5 })).rejects.toThrow(/timeout|aborted/i);
  });

  it("runs user code directly when there is no async local storage", () => {
    expect(runWithConfig({ tags: ["x"] }, () => 7)).toBe(7);
    expect(new AsyncLocalStorage().getStore()).toBeUndefined();
  });
});

describe("calls share nothing (D3)", () => {
  it("keeps parallel calls apart", async () => {
    const { guardrails, calls } = fakeGuardrails({
      input: async (_text, { config }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return config.metadata?.["refused"] === true
          ? { block: `no ${String(config.configurable?.["thread_id"])}` }
          : undefined;
      },
    });
    const count = propertyRuns(40);
    const seen = new Map<number, string[]>();
    const model = scriptedModel(async (messages) => {
      await new Promise((resolve) => setImmediate(resolve));
      return `answer to ${messages.at(-1)?.text}`;
    });
    const guarded = guardrails.wrap(model);
    const results = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        guarded.invoke(`question ${index}`, {
          metadata: { index, refused: index % 10 === 0 },
          configurable: { thread_id: `t${index}` },
          callbacks: [
            {
              handleChatModelStart: (_m, [list = []], _id, _p, _x, _tags, metadata) =>
                void seen.set(index, [
                  ...(seen.get(index) ?? []),
                  `${list.at(-1)?.text}/${String(metadata?.["index"])}`,
                ]),
            },
          ],
        }),
      ),
    );
    for (const [index, result] of results.entries()) {
      const blocked = index % 10 === 0;
      expect(result.text).toBe(blocked ? `no t${index}` : `answer to question ${index}`);
      const own = `question ${index}/${index}`;
      expect(seen.get(index)).toEqual(blocked ? [own] : [own, own]);
    }
    expect(new Set(calls.map(({ options }) => options?.config?.configurable?.["thread_id"])).size).toBe(count);
  }, 20_000);

  it("honours maxConcurrency and returnExceptions in a batch", async () => {
    let running = 0;
    let most = 0;
    const { guardrails } = fakeGuardrails({ input: strictRail, onBlocked: "throw" });
    const model = scriptedModel(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return "ok";
    });
    const inputs = ["a", "bad", "c", "d", "e"];
    const results = await guardrails.wrap(model).batch(inputs, { maxConcurrency: 2 }, { returnExceptions: true });
    expect(most).toBe(2);
    expect(results.map((result) => (result instanceof Error ? result.name : result.text))).toEqual([
      "ok",
      "GuardrailViolationError",
      "ok",
      "ok",
      "ok",
    ]);
    expect(model.calls).toHaveLength(4);
  });
});
