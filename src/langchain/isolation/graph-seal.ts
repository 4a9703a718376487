import type { RunnableConfig } from "@langchain/core/runnables";
import { isObject, type PlainObject } from "../values/message-kinds.js";

/** Where LangGraph hands the streams of a graph, and its checkpointer, to graphs inside its nodes. */
const STREAM_KEY = "__pregel_stream";
const CHECKPOINTER_KEY = "__pregel_checkpointer";

/**
 * The config without the ways past the rails that a graph opens for what runs in its nodes: its `custom` stream, and the
 * streams of graphs inside. What is written there no rail has seen.
 */
export function withoutGraphStreams(config: RunnableConfig): RunnableConfig {
  const { writer, configurable } = config as RunnableConfig & { writer?: unknown };
  const streams = configurable !== undefined && (STREAM_KEY in configurable || "writer" in configurable);
  if (writer === undefined && !streams) return config;
  const sealed = streams ? { ...config, configurable: omit(configurable, [STREAM_KEY, "writer"]) } : { ...config };
  return writer === undefined ? sealed : Object.assign(sealed, { writer: ignore });
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

function ignore(): void {
  // What is written here no rail has seen.
}
