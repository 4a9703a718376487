import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { runWithConfig } from "../run-with-config.js";
import { isObject, type PlainObject } from "../values/message-kinds.js";

/** Keys under which LangGraph passes parts of a graph to what runs inside its nodes. */
const STREAM_KEY = "__pregel_stream";
const CHECKPOINTER_KEY = "__pregel_checkpointer";
const TASK_KEY = "__pregel_call";
const SEND_KEY = "__pregel_send";

/** Channel of the values that resume an interrupt; they come from the application. */
const RESUME_CHANNEL = "__resume__";

/** A value for a channel of the graph. */
export type ChannelWrite = readonly [channel: string, value: unknown];

type Send = (writes: readonly ChannelWrite[]) => void;

/**
 * Config without the ways out of a node that bypass the rails: streams of the graph and of graphs inside, writes to its
 * channels (`pushMessage`), and recorded tasks. No rail has seen their content.
 */
export function withoutGraphChannels(config: RunnableConfig): RunnableConfig {
  const { writer, configurable } = config as RunnableConfig & { writer?: unknown };
  const sealed = configurable === undefined ? config : withConfigurable(config, sealedChannels(configurable));
  // Discards writes, which no rail has reviewed.
  return writer === undefined ? sealed : Object.assign({}, sealed, { writer: () => undefined });
}

function sealedChannels(configurable: PlainObject): PlainObject {
  const { [SEND_KEY]: send, [TASK_KEY]: task } = configurable;
  const isOpen = [STREAM_KEY, "writer"].some((key) => key in configurable);
  if (!isOpen && send === undefined && task === undefined) return configurable;
  const { [STREAM_KEY]: _stream, writer: _writer, ...kept } = configurable;
  return {
    ...kept,
    ...(typeof send === "function" ? { [SEND_KEY]: onlyResumes(send as Send) } : {}),
    ...(typeof task === "function" ? { [TASK_KEY]: unrecorded(task as CallTask) } : {}),
  };
}

function withConfigurable<Config extends RunnableConfig>(config: Config, configurable: PlainObject): Config {
  return configurable === config.configurable ? config : { ...config, configurable };
}

/** Functions that write to all channels, by those that rails have in their place. */
const unsealed = new WeakMap<Send, Send>();

function onlyResumes(send: Send): Send {
  const sealed: Send = (writes) => {
    const resumes = writes.filter(([channel]) => channel === RESUME_CHANNEL);
    if (resumes.length > 0) send(resumes);
  };
  unsealed.set(sealed, unsealed.get(send) ?? send);
  return sealed;
}

/** Writes what this package itself keeps in a graph's channels; returns false outside of a node. */
export function writeToChannels(config: RunnableConfig | undefined, writes: readonly ChannelWrite[]): boolean {
  const send: unknown = config?.configurable?.[SEND_KEY];
  if (typeof send !== "function") return false;
  (unsealed.get(send as Send) ?? (send as Send))(writes);
  return true;
}

/** Config of a node whose writes to channels are collected, to be reviewed with its update. */
export function collectWrites(config: RunnableConfig): { config: RunnableConfig; writes: readonly ChannelWrite[] } {
  const writes: ChannelWrite[] = [];
  const { configurable } = config;
  const send: unknown = configurable?.[SEND_KEY];
  if (typeof send !== "function") return { config, writes };
  const collect: Send = (given) => {
    (send as Send)(given);
    writes.push(...given.filter(([channel]) => channel !== RESUME_CHANNEL));
  };
  return { config: { ...config, configurable: { ...configurable, [SEND_KEY]: collect } }, writes };
}

type Work = (...args: unknown[]) => unknown;

/** LangGraph's function that runs a task and records its arguments and its result. */
type CallTask = (run: Work, name: string, args: readonly unknown[], options: PlainObject) => Promise<unknown>;

/**
 * Runs tasks so that LangGraph records neither arguments nor results. Its policies for retries and timeouts apply; a task
 * of a node that is resumed runs again.
 */
function unrecorded(call: CallTask): CallTask {
  return async (work, name, args, { cache: _cache, ...options }) => {
    const config = AsyncLocalStorageProviderSingleton.getRunnableConfig() as RunnableConfig | undefined;
    const channels: unknown[] = [];
    // INVARIANT: the task runs with the config of its caller; the one that LangGraph gives it has the streams again.
    const run = async (): Promise<null> => {
      channels[0] = await runWithConfig(config, () => work(...args));
      return null;
    };
    await call(run, name, [], options);
    if (channels.length === 0) await run();
    return channels[0];
  };
}

/**
 * Config for a runnable behind the rails. INVARIANT: an inner graph keeps its unreviewed steps out of the enclosing
 * graph's checkpoints, unless it was compiled with a checkpointer.
 */
export function withoutCheckpoints<Config extends RunnableConfig>(inner: unknown, config: Config): Config {
  const { configurable } = config;
  if (configurable === undefined || !(CHECKPOINTER_KEY in configurable)) return config;
  const isGraph = isObject(inner) && isObject(inner["channels"]) && isObject(inner["nodes"]);
  if (!isGraph || inner["checkpointer"] !== undefined) return config;
  const { [CHECKPOINTER_KEY]: _checkpointer, ...kept } = configurable;
  return { ...config, configurable: kept };
}
