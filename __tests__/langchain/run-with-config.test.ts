import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { AsyncLocalStorage } from "node:async_hooks";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { getContextVariable, setContextVariable } from "@langchain/core/context";
import { RunnableLambda, type RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { LangChainTracer } from "@langchain/core/tracers/tracer_langchain";
import { ConfiguredSteps, runInContext, runWithConfig } from "../../src/langchain/run-with-config.js";

class Names extends BaseCallbackHandler {
  readonly name = "names";
  readonly started: string[] = [];

  override handleChainStart(...[, , , , , , , name]: Parameters<NonNullable<BaseCallbackHandler["handleChainStart"]>>) {
    this.started.push(name ?? "");
  }
}

class SilentTracer extends LangChainTracer {
  protected override persistRun = async (): Promise<void> => Promise.resolve();
  override onRunCreate = async (): Promise<void> => Promise.resolve();
  override onRunUpdate = async (): Promise<void> => Promise.resolve();
}

describe("user code that runs with a config", () => {
  const storage = new AsyncLocalStorage<unknown>();
  const symbol = Symbol.for("ls:tracing_async_local_storage");
  const before: unknown = Reflect.get(globalThis, symbol);
  beforeAll(() => void Reflect.set(globalThis, symbol, storage));
  afterAll(() => void Reflect.set(globalThis, symbol, before));

  const inner = RunnableLambda.from(() => "done").withConfig({ runName: "inner" });

  /** A run with this tracer, as callbacks for the calls in it. */
  async function runOf(tracer: LangChainTracer): Promise<CallbackManager> {
    const manager = CallbackManager.configure([tracer]);
    const serialized = { lc: 1, type: "not_implemented", id: ["outer"] } as const;
    const run = await manager?.handleChainStart(
      serialized as never,
      {},
      undefined,
      undefined,
      undefined,
      undefined,
      "outer",
    );
    return run?.getChild() as CallbackManager;
  }

  it.each<[string, () => Promise<RunnableConfig>]>([
    ["without callbacks", async () => Promise.resolve({ tags: ["a"], metadata: { b: 1 } })],
    ["with handlers", async () => Promise.resolve({ callbacks: [new Names()] })],
    ["with a manager", async () => Promise.resolve({ callbacks: CallbackManager.configure([new Names()]) as never })],
    ["under a tracer of LangChain", async () => ({ callbacks: await runOf(new SilentTracer()) })],
  ])("sees the same %s as inside a step of LangChain", async (_name, made) => {
    const config = await made();
    const look = () => {
      const { extra, name, tracingEnabled } = storage.getStore() as Record<string, unknown>;
      return { config: AsyncLocalStorageProviderSingleton.getRunnableConfig(), extra, name, tracingEnabled };
    };
    const expected: unknown = AsyncLocalStorageProviderSingleton.runWithConfig(config, look);
    const { config: found, ...run } = runWithConfig(config, look);
    expect(found?.callbacks).toBe(config.callbacks);
    expect({ config: { ...found, callbacks: undefined }, ...run, extra: Object.keys(run.extra as object) }).toEqual({
      ...(expected as object),
      config: { ...(expected as { config: object }).config, callbacks: undefined },
      extra: Object.keys((expected as { extra: object }).extra),
    });
  });

  it("gives its handlers to runnables that are called without a config", async () => {
    const handler = new Names();
    await runWithConfig({ callbacks: [handler] }, () => inner.invoke("hi"));
    expect(handler.started).toEqual(["inner"]);
  });

  it("creates a deferred config once, when a runnable is called without one", async () => {
    const handler = new Names();
    const made: string[] = [];
    const source = {
      get runnableConfig() {
        made.push("config");
        return { callbacks: [handler] };
      },
    };
    expect(runInContext(source, () => 7)).toBe(7);
    expect(made).toEqual([]);
    await runInContext(source, async () => [await inner.invoke("hi"), await inner.invoke("hello")]);
    expect([made, handler.started]).toEqual([["config"], ["inner", "inner"]]);
  });

  it("shares no metadata between runs", () => {
    const write = () =>
      Object.assign((storage.getStore() as { extra: { metadata: object } }).extra.metadata, { user: "Ada" });
    runWithConfig({}, write);
    expect(runWithConfig({}, () => (storage.getStore() as { extra: { metadata: object } }).extra.metadata)).toEqual({});
  });

  it("shares neither configs nor runs between calls", async () => {
    const tags = await Promise.all(
      ["a", "b"].map((tag) =>
        runWithConfig({ tags: [tag] }, async () => {
          const run = storage.getStore() as { readonly child_runs: unknown[] };
          run.child_runs.push(tag);
          await Promise.resolve();
          return [AsyncLocalStorageProviderSingleton.getRunnableConfig()?.tags, run.child_runs];
        }),
      ),
    );
    expect(tags).toEqual([
      [["a"], ["a"]],
      [["b"], ["b"]],
    ]);
  });

  it("keeps context variables of the code around it, and of no other", () => {
    const read = () => runWithConfig({}, () => getContextVariable<string>("user"));
    const inContext = storage.run({}, () => {
      setContextVariable("user", "Ada");
      return read();
    });
    expect([inContext, read()]).toEqual(["Ada", undefined]);
  });

  it("sees in each step of a stream the config of the stream and the variables around the step", () => {
    const steps = new ConfiguredSteps({ tags: ["a"] });
    const read = () =>
      steps.run(() => [
        AsyncLocalStorageProviderSingleton.getRunnableConfig()?.tags,
        getContextVariable<string>("user"),
      ]);
    const inContext = storage.run({}, () => {
      setContextVariable("user", "Ada");
      return [read(), read()];
    });
    expect(inContext).toEqual([
      [["a"], "Ada"],
      [["a"], "Ada"],
    ]);
    expect(read()).toEqual([["a"], undefined]);
  });

  it("passes the handlers of a stream to what its steps call", async () => {
    const handler = new Names();
    const steps = new ConfiguredSteps({ callbacks: [handler] });
    await steps.run(() => inner.invoke("hi"));
    await steps.run(() => inner.invoke("hi"));
    expect(handler.started).toEqual(["inner", "inner"]);
  });
});
