import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager, type Callbacks, ensureHandler } from "@langchain/core/callbacks/manager";
import type { Serialized } from "@langchain/core/load/serializable";
import { patchConfig, pickRunnableConfigKeys, type RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { quietHandler } from "./isolation/quarantine.js";
import type { RunDescription, RunScope, RunTracker } from "../turn/run-tracker.js";
import { isObject, type PlainObject } from "./values/message-kinds.js";

/** Access of handlers to the raw tokens of wrapped models. */
export type RawTokens = "suppress" | "allow";

const SERIALIZED: Serialized = { lc: 1, type: "not_implemented", id: ["langchain_guardrails", "rail"] };

/** Opens child runs over LangChain's callback managers. Without handlers it hands the config through. */
export const callbackTracker: RunTracker = {
  listens: (config) => hasHandlers(config?.callbacks),

  async start(config: RunnableConfig | undefined, run: RunDescription): Promise<RunScope> {
    if (!hasHandlers(config?.callbacks)) return { config: config ?? {}, end: ignore, fail: ignore };
    const manager = CallbackManager._configureSync(
      config?.callbacks,
      undefined,
      config?.tags,
      [...run.tags],
      config?.metadata,
      { ...run.metadata },
    );
    const input = toRecord(run.input, "input");
    const opened = await manager?.handleChainStart(
      SERIALIZED,
      input,
      undefined,
      undefined,
      undefined,
      undefined,
      run.name,
    );
    const child = patchConfig(config, opened === undefined ? {} : { callbacks: opened.getChild() });
    return {
      config: child,
      end: (output) => void opened?.handleChainEnd(toRecord(output, "output")).catch(ignore),
      fail: (problem) => void opened?.handleChainError(problem).catch(ignore),
    };
  },
};

/**
 * The config for everything that runs behind a rail: streaming consumers and the streams of a graph around the call are
 * taken out, and other handlers no longer see raw tokens, while tracers keep the whole run.
 */
export function quarantineConfig(given: RunnableConfig, rawTokens: RawTokens = "suppress"): RunnableConfig {
  if (rawTokens === "allow") return given;
  const config = withoutGraphStreams(given);
  const { callbacks } = config;
  if (!hasHandlers(callbacks)) return config;
  if (Array.isArray(callbacks)) return { ...config, callbacks: quiet(callbacks.map(ensureHandler)) };
  const manager = callbacks as CallbackManager;
  const copy = manager.copy();
  copy.handlers = quiet(copy.handlers);
  copy.inheritableHandlers = quiet(copy.inheritableHandlers);
  return { ...config, callbacks: copy };
}

/** Runs user code where runnables that are called without a config still find it; it may be made only when it is needed. */
export function runWithConfig<Result>(config: unknown, work: () => Result): Result {
  // Without a real async local storage the singleton holds a stand-in whose class says so, and this would only cost time.
  const storage = AsyncLocalStorageProviderSingleton.getInstance() as object;
  if (storage.constructor.name === "MockAsyncLocalStorage") return work();
  const picked = pickRunnableConfigKeys(
    (typeof config === "function" ? (config as () => unknown)() : config) as RunnableConfig,
  );
  return AsyncLocalStorageProviderSingleton.runWithConfig(picked, work) as Result;
}

function hasHandlers(callbacks: Callbacks | undefined): boolean {
  if (callbacks === undefined) return false;
  return Array.isArray(callbacks) ? callbacks.length > 0 : callbacks.handlers.length > 0;
}

function quiet(handlers: readonly BaseCallbackHandler[]): BaseCallbackHandler[] {
  return handlers.flatMap((handler) => quietHandler(handler) ?? []);
}

function toRecord(value: unknown, key: string): Record<string, unknown> {
  const plain = typeof value === "object" && value !== null && !Array.isArray(value);
  return plain ? { ...(value as Record<string, unknown>) } : { [key]: value };
}

function ignore(): void {
  // Managers report what goes wrong inside handlers themselves.
}

/** Keys under which LangGraph passes a graph's streams and its checkpointer to graphs inside its nodes. */
const STREAM_KEY = "__pregel_stream";

const CHECKPOINTER_KEY = "__pregel_checkpointer";

/**
 * The config without the ways past the rails that a graph opens for what runs in its nodes: its `custom` stream, and the
 * streams of graphs inside. What is written there no rail has seen.
 */
function withoutGraphStreams(config: RunnableConfig): RunnableConfig {
  const { writer, configurable } = config as RunnableConfig & { writer?: unknown };
  const streams = configurable !== undefined && (STREAM_KEY in configurable || "writer" in configurable);
  if (writer === undefined && !streams) return config;
  const sealed = streams ? { ...config, configurable: omit(configurable, [STREAM_KEY, "writer"]) } : { ...config };
  return writer === undefined ? sealed : Object.assign(sealed, { writer: writeNothing });
}

/**
 * The config for a runnable behind the rails. INVARIANT: a graph behind them keeps its steps, which no rail has seen, out
 * of the checkpoints of the graph around it, unless it was compiled with a checkpointer and so asks for them.
 */
export function withoutCheckpoints<Config extends RunnableConfig>(inner: unknown, config: Config): Config {
  const { configurable } = config;
  if (configurable === undefined || !(CHECKPOINTER_KEY in configurable) || !isGraph(inner)) return config;
  if (inner["checkpointer"] !== undefined) return config;
  return { ...config, configurable: omit(configurable, [CHECKPOINTER_KEY]) };
}

function isGraph(inner: unknown): inner is PlainObject {
  return isObject(inner) && isObject(inner["channels"]) && isObject(inner["nodes"]);
}

function omit(record: PlainObject, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

function writeNothing(): void {
  // What is written here no rail has seen.
}
