import type { CallbackManager } from "@langchain/core/callbacks/manager";
import { pickRunnableConfigKeys, type RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { ConfigSource } from "../actions/action.js";

/** Value of LangChain's async local storage: a run tree of LangSmith with a config in its `extra`. */
interface StoredRun {
  readonly tracingEnabled?: boolean;
  extra?: { readonly metadata?: object; readonly [CHILD_CONFIG]?: RunnableConfig | undefined };
  readonly [CONTEXT_VARIABLES]?: unknown;
}

interface RunStorage {
  getStore(): StoredRun | undefined;
  run<Result>(store: StoredRun, work: () => Result): Result;
}

/** Keys of LangChain: of the config in `extra`, and of the variables that `setContextVariable` sets. */
const CHILD_CONFIG: unique symbol = Symbol.for("lc:child_config") as never;
const CONTEXT_VARIABLES: unique symbol = Symbol.for("lc:context_variables") as never;

/** Runs user code where runnables that are called without a config still find it. */
export function runWithConfig<Result>(config: RunnableConfig | undefined, work: () => Result): Result {
  return runInContext({ runnableConfig: config, callbacks: config?.callbacks }, work);
}

/** Runs user code in the same way with a config that is made only where a runnable is called without one. */
export function runInContext<Result>(source: ConfigSource, work: () => Result): Result {
  // Without a real async local storage the singleton holds a stand-in whose class says so, and this would only cost time.
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
 * Runs the steps of one stream with the same config. What a step runs in is made anew only where the steps are asked for from
 * elsewhere.
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

/** Returns true if a tracer of LangChain may continue its run in what the code calls. */
function isTraced(callbacks: RunnableConfig["callbacks"]): boolean {
  const handlers = (callbacks as Partial<CallbackManager> | undefined)?.handlers ?? [];
  return handlers.some(({ name }) => name === "langchain_tracer");
}

/** Data that LangChain keeps with a run: the config is picked, and made where it is late, when LangChain asks for it. */
class RunExtra {
  readonly #source: ConfigSource;
  #config: RunnableConfig | undefined;

  constructor({ metadata, ...others }: NonNullable<StoredRun["extra"]>, source: ConfigSource) {
    // INVARIANT: nothing of one call gets into the run of another.
    Object.assign(this, others, metadata && { metadata: { ...metadata } });
    this.#source = source;
  }

  get [CHILD_CONFIG](): RunnableConfig | undefined {
    return (this.#config ??= pickRunnableConfigKeys(this.#source.runnableConfig));
  }
}

/** A run without tracing, made by LangChain; undefined before the first one, null if it has another form than expected. */
let untraced: StoredRun | null | undefined;

/**
 * The run that LangChain stores where nothing is traced. Making one costs more than most actions, and all are alike but
 * for the config, so later ones have the first as their prototype.
 */
function untracedRun(storage: RunStorage, source: ConfigSource, around: StoredRun | undefined): StoredRun | undefined {
  if (untraced === undefined) untraced = firstRun(storage);
  if (untraced === null) return undefined;
  // All that LangChain changes in a run is the run's own.
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
