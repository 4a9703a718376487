import type { CallbackManager } from "@langchain/core/callbacks/manager";
import { pickRunnableConfigKeys, type RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";

/** Value of LangChain's async local storage: a run tree of LangSmith with a config in its `extra`. */
interface StoredRun {
  readonly tracingEnabled?: boolean;
  extra?: Readonly<Record<symbol, unknown>>;
  readonly [CONTEXT_VARIABLES]?: unknown;
}

interface RunStorage {
  getStore(): StoredRun | undefined;
  run<Result>(store: StoredRun, work: () => Result): Result;
}

/** Keys of LangChain: of the config in `extra`, and of the variables that `setContextVariable` sets. */
const CHILD_CONFIG = Symbol.for("lc:child_config");
const CONTEXT_VARIABLES: unique symbol = Symbol.for("lc:context_variables") as never;

/** Runs user code where runnables that are called without a config still find it; it may be made only when it is needed. */
export function runWithConfig<Result>(config: unknown, work: () => Result): Result {
  // Without a real async local storage the singleton holds a stand-in whose class says so, and this would only cost time.
  const storage = AsyncLocalStorageProviderSingleton.getInstance() as RunStorage;
  if (storage.constructor.name === "MockAsyncLocalStorage") return work();
  const picked = pickRunnableConfigKeys(
    (typeof config === "function" ? (config as () => unknown)() : config) as RunnableConfig,
  );
  const around = storage.getStore();
  const run = around?.tracingEnabled === true || isTraced(picked) ? undefined : untracedRun(storage, picked, around);
  if (run !== undefined) return storage.run(run, work);
  return AsyncLocalStorageProviderSingleton.runWithConfig(picked, work) as Result;
}

/**
 * Runs the steps of one stream with the same config. What a step runs in is made anew only where the steps are asked for from
 * elsewhere.
 */
export class ConfiguredSteps {
  readonly #config: RunnableConfig | undefined;
  readonly #isTraced: boolean;
  #around: StoredRun | undefined;
  #run: StoredRun | undefined;

  constructor(config: RunnableConfig) {
    this.#config = pickRunnableConfigKeys(config);
    this.#isTraced = isTraced(this.#config);
  }

  run<Result>(work: () => Result): Result {
    const storage = AsyncLocalStorageProviderSingleton.getInstance() as RunStorage;
    if (storage.constructor.name === "MockAsyncLocalStorage") return work();
    const around = storage.getStore();
    if (this.#isTraced || around?.tracingEnabled === true) return runWithConfig(this.#config, work);
    if (this.#run === undefined || around !== this.#around) this.#run = untracedRun(storage, this.#config, around);
    this.#around = around;
    return this.#run === undefined ? runWithConfig(this.#config, work) : storage.run(this.#run, work);
  }
}

/** Returns true if a tracer of LangChain may continue its run in what the code calls. */
function isTraced(config: RunnableConfig | undefined): boolean {
  const handlers = (config?.callbacks as Partial<CallbackManager> | undefined)?.handlers ?? [];
  return handlers.some(({ name }) => name === "langchain_tracer");
}

/** A run without tracing, made by LangChain; undefined before the first one, null if it has another form than expected. */
let untraced: StoredRun | null | undefined;

/**
 * The run that LangChain stores where nothing is traced. Making one costs more than most actions, and all are alike but
 * for the config, so later ones have the first as their prototype.
 */
function untracedRun(
  storage: RunStorage,
  config: RunnableConfig | undefined,
  around: StoredRun | undefined,
): StoredRun | undefined {
  if (untraced === undefined) untraced = firstRun(storage);
  if (untraced === null) return undefined;
  // INVARIANT: nothing of one call gets into the run of another: all that LangChain changes in a run is its own.
  const run = Object.create(untraced) as StoredRun & Record<string, unknown>;
  run.extra = { ...untraced.extra, [CHILD_CONFIG]: config };
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
  return made;
}
