import { BaseCallbackHandler, type BaseCallbackHandlerInput } from "@langchain/core/callbacks/base";
import {
  CallbackManager,
  CallbackManagerForChainRun,
  type Callbacks,
  ensureHandler,
} from "@langchain/core/callbacks/manager";
import type { Serialized } from "@langchain/core/load/serializable";
import type { RunnableConfig, Runnable } from "@langchain/core/runnables";
import { v7 } from "@langchain/core/utils/uuid";
import type { MaybePromise } from "../engine/async.js";
import type { RunDescription, RunScope, RunTracker } from "../turn/run-tracker.js";
import { runWithConfig } from "./run-with-config.js";
import { isObject, type PlainObject } from "./values/message-kinds.js";
import { withoutCheckpoints, withoutGraphChannels } from "./isolation/graph-channels.js";
import { OutputParseError } from "../diagnostics/errors.js";

/** Access of handlers to the raw tokens of wrapped models. */
export type RawTokens = "suppress" | "allow";

const SERIALIZED: Serialized = { lc: 1, type: "not_implemented", id: ["langchain_guardrails", "rail"] };

/** Opens child runs with LangChain's callback managers. Without handlers, the config passes unchanged. */
export const callbackTracker: RunTracker = {
  listens: (config) => hasHandlers(config?.callbacks),

  start(config: RunnableConfig | undefined, run: RunDescription): MaybePromise<RunScope> {
    const manager = hasHandlers(config?.callbacks) ? managerOf(config ?? {}, run) : undefined;
    if (manager === undefined) return { config: config ?? {}, end: ignore, fail: ignore };
    const runId = newRunId();
    const input = toRecord(run.input, "input");
    const started = manager.handleChainStart(SERIALIZED, input, runId, undefined, undefined, undefined, run.name);
    // The id is known, so only handlers that block their runs are awaited.
    if (manager.handlers.some(isAwaited)) return started.then((opened) => scopeOf(config, manager, opened));
    started.catch(ignore);
    return scopeOf(config, manager, runOf(manager, runId));
  },
};

function isAwaited({ awaitHandlers }: BaseCallbackHandler): boolean {
  return awaitHandlers;
}

function runOf(manager: CallbackManager, runId: string): CallbackManagerForChainRun {
  const { handlers, inheritableHandlers, tags, inheritableTags, metadata, inheritableMetadata } = manager;
  const inherited = [inheritableTags, metadata, inheritableMetadata, manager.getParentRunId()] as const;
  return new CallbackManagerForChainRun(runId, handlers, inheritableHandlers, tags, ...inherited);
}

function scopeOf(
  config: RunnableConfig | undefined,
  manager: CallbackManager,
  run: CallbackManagerForChainRun,
): RunScope {
  const { runName: _name, ...rest } = config ?? {};
  return {
    config: { ...rest, callbacks: childManager(run.runId, manager) },
    end: (output) => void run.handleChainEnd(toRecord(output, "output")).catch(ignore),
    fail: (problem) => void run.handleChainError(problem).catch(ignore),
  };
}

/** Callback manager for children of a run, built in bulk; `getChild` adds each tag and handler separately. */
export function childManager(
  runId: string,
  { inheritableHandlers, inheritableTags, inheritableMetadata }: Inherited,
): CallbackManager {
  return new CallbackManager(runId, {
    handlers: [...inheritableHandlers],
    inheritableHandlers: [...inheritableHandlers],
    tags: [...inheritableTags],
    inheritableTags: [...inheritableTags],
    metadata: { ...inheritableMetadata },
    inheritableMetadata: { ...inheritableMetadata },
  });
}

type Inherited = Pick<CallbackManager, "inheritableHandlers" | "inheritableTags" | "inheritableMetadata">;

/** Random bytes for ids: the platform takes about as long for 16 bytes as for thousands. */
const pool = new Uint8Array(4096);
let poolAt = pool.length;

/** Run id in LangChain's format. Also passed to model runs, since LangChain asks the platform for each. */
export function newRunId(): string {
  if (poolAt === pool.length) {
    globalThis.crypto.getRandomValues(pool);
    poolAt = 0;
  }
  poolAt += 16;
  return v7({ random: pool.subarray(poolAt - 16, poolAt) });
}

/** The manager that opens a run, with tags and metadata as LangChain's `CallbackManager.configure` adds them. */
function managerOf(
  { callbacks, tags = [], metadata }: RunnableConfig,
  run: RunDescription,
): CallbackManager | undefined {
  const own = { ...run.metadata };
  // A LangSmith tracer follows its enclosing run.
  if (callbacks === undefined || Array.isArray(callbacks) || callbacks.handlers.some(isLangSmithTracer)) {
    return CallbackManager._configureSync(callbacks, undefined, tags, [...run.tags], metadata, own);
  }
  const manager = callbacks as CallbackManager;
  const [inherited, all] = [withTags(manager.inheritableTags, tags), withTags(manager.tags, tags)];
  return new CallbackManager(manager.getParentRunId(), {
    handlers: [...manager.handlers],
    inheritableHandlers: [...manager.inheritableHandlers],
    tags: withTags(all, run.tags),
    inheritableTags: inherited.filter((tag) => !run.tags.includes(tag)),
    metadata: Object.assign({}, manager.metadata, metadata, own),
    inheritableMetadata: Object.assign({}, manager.inheritableMetadata, metadata),
  });
}

function isLangSmithTracer({ name }: BaseCallbackHandler): boolean {
  return name === "langchain_tracer";
}

function withTags(before: readonly string[], added: readonly string[]): string[] {
  if (added.length === 0) return [...before];
  return [...before.filter((tag) => !added.includes(tag)), ...added];
}

/**
 * Config for everything behind a rail: without streaming consumers and the streams of an enclosing graph. Other
 * handlers lose the raw tokens; tracers keep the whole run.
 */
export function quarantineConfig(callerConfig: RunnableConfig, rawTokens: RawTokens = "suppress"): RunnableConfig {
  if (rawTokens === "allow") return callerConfig;
  // Outside of a graph, there is nothing to take away.
  const config =
    "writer" in callerConfig || callerConfig.configurable !== undefined
      ? withoutGraphChannels(callerConfig)
      : callerConfig;
  const { callbacks } = config;
  if (!hasHandlers(callbacks)) return config;
  if (Array.isArray(callbacks)) return { ...config, callbacks: quiet(callbacks.map(ensureHandler)) };
  const manager = callbacks as CallbackManager;
  if (areQuiet(manager.handlers) && areQuiet(manager.inheritableHandlers)) return config;
  const [handlers, inheritableHandlers] = [quiet(manager.handlers), quiet(manager.inheritableHandlers)];
  // The manager's own `copy` adds each tag and metadata entry separately and takes several times as long.
  const behind = new CallbackManager(manager.getParentRunId(), {
    handlers,
    inheritableHandlers,
    tags: [...manager.tags],
    inheritableTags: [...manager.inheritableTags],
    metadata: { ...manager.metadata },
    inheritableMetadata: { ...manager.inheritableMetadata },
  });
  return { ...config, callbacks: behind };
}

/** Returns true if handlers observe a run with these callbacks. */
export function hasHandlers(callbacks: Callbacks | undefined): boolean {
  if (callbacks === undefined) return false;
  return Array.isArray(callbacks) ? callbacks.length > 0 : callbacks.handlers.length > 0;
}

function areQuiet(handlers: readonly BaseCallbackHandler[]): boolean {
  return handlers.every((handler) => quietHandler(handler) === handler);
}

function quiet(handlers: readonly BaseCallbackHandler[]): BaseCallbackHandler[] {
  return handlers.flatMap((handler) => quietHandler(handler) ?? []);
}

function toRecord(value: unknown, key: string): Record<string, unknown> {
  return isObject(value) ? { ...value } : { [key]: value };
}

function ignore(): void {
  // Managers report errors inside handlers themselves.
}

const QUIET_METHODS = [
  "handleLLMStart handleLLMError handleLLMEnd handleChatModelStart handleChainStart handleChainError handleChainEnd",
  "handleToolStart handleToolError handleToolEnd handleText handleAgentAction handleAgentEnd handleRetrieverStart",
  "handleRetrieverEnd handleRetrieverError handleCustomEvent",
].flatMap((line) => line.split(" "));

/** Mark of LangGraph's handlers for interrupts and resumed graphs. */
const GRAPH_MARK = Symbol.for("langgraph.graph_callback_handler");

/**
 * Makes a replacement of a handler observe the same graphs. INVARIANT: LangGraph notifies it before any rail has read the
 * questions of an interrupt, so it receives their ids alone.
 */
export function observeGraphs(replacement: BaseCallbackHandler, handler: BaseCallbackHandler): void {
  const methods = handler as unknown as PlainObject & { readonly [GRAPH_MARK]?: unknown };
  if (methods[GRAPH_MARK] !== true) return;
  Object.defineProperty(replacement, GRAPH_MARK, { value: true });
  const { handleInterrupt, handleResume } = methods;
  if (typeof handleResume === "function")
    Object.assign(replacement, { handleResume: handleResume.bind(handler) as unknown });
  if (typeof handleInterrupt !== "function") return;
  const notify = (event: PlainObject): unknown => handleInterrupt.call(handler, withoutQuestions(event));
  Object.assign(replacement, { handleInterrupt: notify });
}

function withoutQuestions(event: PlainObject): PlainObject {
  const { interrupts } = event;
  const all = Array.isArray(interrupts) ? (interrupts as readonly unknown[]) : [];
  return { ...event, interrupts: all.map((interrupt) => (isObject(interrupt) ? { id: interrupt["id"] } : {})) };
}

const quieted = new WeakMap<BaseCallbackHandler, BaseCallbackHandler>();

/** Methods that receive output before it is complete: tokens of models and progress of tools. */
export const PARTIAL_METHODS = ["handleLLMNewToken", "handleChatModelStreamEvent", "handleToolEvent"] as const;

/** Name of LangGraph's handler for the stream mode `tools`, which no trait marks. */
const TOOL_STREAMER = "StreamToolsHandler";

/**
 * Returns true for handlers behind `streamEvents`, `streamLog` and graph streams, which pass released text to the
 * caller.
 */
export function servesStreams(handler: BaseCallbackHandler): boolean {
  const { lc_prefer_streaming: old, lc_prefer_chat_model_stream_events: current } = handler as unknown as PlainObject;
  return old === true || current === true || handler.name === TOOL_STREAMER;
}

/**
 * A handler that sees runs but no partial output; undefined for one that serves streams. Tracers, which record runs
 * without showing them to users, stay unchanged.
 */
export function quietHandler(handler: BaseCallbackHandler): BaseCallbackHandler | undefined {
  const traits = handler as unknown as PlainObject;
  if (servesStreams(handler)) return undefined;
  if (typeof traits["_addRunToRunMap"] === "function") return handler;
  const { handleInterrupt } = traits;
  if (handleInterrupt === undefined && PARTIAL_METHODS.every((method) => traits[method] === undefined)) return handler;
  const known = quieted.get(handler);
  if (known !== undefined) return known;
  const wrapped = new ForwardingHandler(handler, QUIET_METHODS);
  observeGraphs(wrapped, handler);
  quieted.set(handler, wrapped);
  return wrapped;
}

/** Forwards some callbacks to another handler. */
export class ForwardingHandler extends BaseCallbackHandler {
  readonly name: string;

  constructor(handler: BaseCallbackHandler, methods: readonly string[], traits = handlerTraits(handler)) {
    super(traits);
    this.name = handler.name;
    const handlerMethods = handler as unknown as PlainObject;
    for (const method of methods) {
      const original = handlerMethods[method];
      if (typeof original === "function") Object.assign(this, { [method]: original.bind(handler) as unknown });
    }
  }
}

/** Settings that a replacement handler takes over: the runs it ignores, and how it is called. */
export function handlerTraits(handler: BaseCallbackHandler): BaseCallbackHandlerInput {
  const { ignoreLLM, ignoreChain, ignoreAgent, ignoreRetriever, ignoreCustomEvent, raiseError } = handler;
  const { awaitHandlers: _awaitHandler } = handler;
  return { ignoreLLM, ignoreChain, ignoreAgent, ignoreRetriever, ignoreCustomEvent, raiseError, _awaitHandler };
}

/**
 * Calls the runnable behind the rails. Models that are called there without a config find the quarantined config, not
 * the outer handlers, which would otherwise see unreviewed output.
 *
 * @throws the runnable's own error; a parser's error without its message, which quotes the unreviewed response
 */
export async function askInner<Input, Output>(
  inner: Runnable<Input, Output>,
  input: Input,
  given: RunnableConfig,
): Promise<Output> {
  const config = withRunId(inner, withoutCheckpoints(inner, given));
  try {
    return await runWithConfig(config, () => inner.invoke(input, config));
  } catch (error) {
    throw withoutResponse(error);
  }
}

function withRunId(inner: Runnable, config: RunnableConfig): RunnableConfig {
  const isObservedModel =
    config.runId === undefined && hasHandlers(config.callbacks) && "_streamResponseChunks" in inner;
  return isObservedModel ? Object.assign({}, config, { runId: newRunId() }) : config;
}

/** Returns an error of the runnable behind the rails as the caller may see it. */
export function withoutResponse(error: unknown): unknown {
  // An agent's error of a tool quotes the arguments of the call, next to the error itself.
  const { toolCall, toolError } = isObject(error) ? error : {};
  if (isObject(toolCall) && toolError instanceof Error && toolError !== error) return withoutResponse(toolError);
  if (!quotesResponse(error)) return error;
  return new OutputParseError(
    "a parser inside the guarded chain could not read the model's answer, which no rail has reviewed yet; put the parser " +
      "behind the guarded part, or see the traced run for the answer",
  );
}

const MAX_CAUSES = 16;

/** INVARIANT: the causes of an error leave with it, so they are checked too; an endless chain counts as quoting. */
function quotesResponse(error: unknown, depth = 0): boolean {
  if (!isObject(error)) return false;
  if (depth > MAX_CAUSES) return true;
  const { cause, errors, issues, toolName, toolNames, toolCall } = error;
  return (
    error["name"] === "OutputParserException" ||
    error["name"] === "ToolInputParsingException" ||
    // A parser quotes the refusal of a provider.
    error["name"] === "ModelRefusalError" ||
    // `JSON.parse` quotes text it cannot parse.
    error["name"] === "SyntaxError" ||
    // Schemas quote keys and values: zod, other Standard Schemas, and the responses in the form of a schema of an agent.
    Array.isArray(issues) ||
    Array.isArray(toolNames) ||
    (typeof toolName === "string" && Array.isArray(errors)) ||
    isObject(toolCall) ||
    error["lc_error_code"] === "OUTPUT_PARSING_FAILURE" ||
    typeof error["llmOutput"] === "string" ||
    quotesResponse(cause, depth + 1) ||
    (Array.isArray(errors) && errors.some((inner) => quotesResponse(inner, depth + 1)))
  );
}
