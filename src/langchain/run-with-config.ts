import type { CallbackManager } from "@langchain/core/callbacks/manager";
import { pickRunnableConfigKeys, type RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { ConfigSource } from "../actions/action.js";

/** Value in LangChain's async local storage: a LangSmith run tree with a config in its `extra`. */
interface StoredRun {
  readonly tracingEnabled?: boolean;
  extra?: { readonly metadata?: object; readonly [CHILD_CONFIG]?: RunnableConfig | undefined };
  readonly [CONTEXT_VARIABLES]?: unknown;
}

interface RunStorage {
  getStore(): StoredRun | undefined;
  run<Result>(store: StoredRun, work: () => Result): Result;
}

/** LangChain's keys: of the config in `extra`, and of the variables set by `setContextVariable`. */
const CHILD_CONFIG: unique symbol = Symbol.for("lc:child_config") as never;
const CONTEXT_VARIABLES: unique symbol = Symbol.for("lc:context_variables") as never;

/** Runs user code with a config that runnables called without one will find. */
export function runWithConfig<Result>(config: RunnableConfig | undefined, work: () => Result): Result {
  return runInContext({ runnableConfig: config, callbacks: config?.callbacks }, work);
}

/** Like `runWithConfig`, but the config is created only when a runnable is called without one. */
export function runInContext<Result>(source: ConfigSource, work: () => Result): Result {
  // Without async local storage the singleton is a mock, recognisable by its class, and this would only cost time.
  const storage = AsyncLocalStorageProviderSingleton.getInstance() as RunStorage;
  if (storage.constructor.name === "MockAsyncLocalStorage") return work();
  const around = storage.getStore();
  const isSeen = around?.tracingEnabled === true || isTraced(source.callbacks);
  const run = isSeen ? undefined : untracedRun(storage, source, around);
  if (run !== undefined) return storage.run(run, work);
  const config = pickRunnableConfigKeys(source.runnableConfig);
  return AsyncLocalStorageProviderSingleton.runWithConfig(config, work) as Result;
}

/**
 * Runs the steps of one stream with the same config. The context is recreated only when steps are requested from a
 * different context.
 */
export class ConfiguredSteps {
  readonly #config: RunnableConfig;
  readonly #isTraced: boolean;
  #around: StoredRun | undefined;
  #run: StoredRun | undefined;

  constructor(config: RunnableConfig) {
    this.#config = config;
    this.#isTraced = isTraced(config.callbacks);
  }

  run<Result>(work: () => Result): Result {
    const storage = AsyncLocalStorageProviderSingleton.getInstance() as RunStorage;
    if (storage.constructor.name === "MockAsyncLocalStorage") return work();
    const around = storage.getStore();
    if (this.#isTraced || around?.tracingEnabled === true) return runWithConfig(this.#config, work);
    if (this.#run === undefined || around !== this.#around) {
      this.#run = untracedRun(storage, { runnableConfig: this.#config }, around);
    }
    this.#around = around;
    return this.#run === undefined ? runWithConfig(this.#config, work) : storage.run(this.#run, work);
  }
}

/** Returns true if a LangChain tracer may continue its run in the called code. */
function isTraced(callbacks: RunnableConfig["callbacks"]): boolean {
  const handlers = (callbacks as Partial<CallbackManager> | undefined)?.handlers ?? [];
  return handlers.some(({ name }) => name === "langchain_tracer");
}

/** Data that LangChain keeps with a run. A lazy config is created when LangChain reads it. */
class RunExtra {
  readonly #source: ConfigSource;
  #config: RunnableConfig | undefined;

  constructor({ metadata, ...others }: NonNullable<StoredRun["extra"]>, source: ConfigSource) {
    // INVARIANT: no data of one call enters the run of another.
    Object.assign(this, others, metadata && { metadata: { ...metadata } });
    this.#source = source;
  }

  get [CHILD_CONFIG](): RunnableConfig | undefined {
    return (this.#config ??= pickRunnableConfigKeys(this.#source.runnableConfig));
  }
}

/** An untraced run made by LangChain; undefined before the first one, null if its shape is unexpected. */
let untraced: StoredRun | null | undefined;

/**
 * The run that LangChain stores when nothing is traced. Creating one costs more than most actions, and they differ only
 * in the config, so later ones use the first as prototype.
 */
function untracedRun(storage: RunStorage, source: ConfigSource, around: StoredRun | undefined): StoredRun | undefined {
  if (untraced === undefined) untraced = firstRun(storage);
  if (untraced === null) return undefined;
  // Everything that LangChain changes in a run is an own property.
  const run = Object.create(untraced) as StoredRun & Record<string, unknown>;
  run.extra = new RunExtra(untraced.extra ?? {}, source);
  run["child_runs"] = [];
  run["events"] = [];
  const variables = around?.[CONTEXT_VARIABLES];
  return variables === undefined ? run : Object.assign(run, { [CONTEXT_VARIABLES]: variables });
}

function firstRun(storage: RunStorage): StoredRun | null {
  const probe: RunnableConfig = {};
  const made = AsyncLocalStorageProviderSingleton.runWithConfig(probe, () => storage.getStore()) as StoredRun;
  if (made?.extra?.[CHILD_CONFIG] !== probe || made.tracingEnabled !== false) return null;
  Reflect.deleteProperty(made, CONTEXT_VARIABLES);
  Reflect.deleteProperty(made.extra, CHILD_CONFIG);
  return made;
}
