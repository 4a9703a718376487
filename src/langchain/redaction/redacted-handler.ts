import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { handlerTraits, observeGraphs, servesStreams } from "../callbacks.js";
import { isObject, type PlainObject, isMessage, isPromptValue, wordSet } from "../values/message-kinds.js";
import { CallbackManager, type Callbacks } from "@langchain/core/callbacks/manager";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { Host } from "../host.js";
import { omitUndefined } from "../../engine/plain-data.js";
import type { GuardrailsMetadata, RailDecision } from "../../turn/decision.js";
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { verdictOf } from "../verdict.js";

type Redact = (...args: unknown[]) => readonly unknown[];

const llmStart: Redact = (llm, prompts, runId, parent, extra, ...rest) => {
  const kept = (prompts as readonly unknown[]).map(() => REDACTED);
  return [redactSerialized(llm), kept, runId, parent, redactExtra(extra), ...rest];
};
const chatModelStart: Redact = (llm, messages, runId, parent, extra, ...rest) => {
  const kept = (messages as readonly Parameters<typeof redactMessage>[0][][]).map((list) => list.map(redactMessage));
  return [redactSerialized(llm), kept, runId, parent, redactExtra(extra), ...rest];
};
const chainStart: Redact = (chain, inputs, ...rest) => [redactSerialized(chain), redactValue(inputs), ...rest];
const toolStart: Redact = (tool, _input, ...rest) => [redactSerialized(tool), REDACTED, ...rest];
const failure: Redact = (error, ...rest) => [redactError(error), ...rest.map(withoutInputs)];

/** Redacted arguments by method. INVARIANT: a method that is not listed here or below is never called. */
const METHODS: Readonly<Record<string, Redact>> = {
  handleLLMStart: llmStart,
  _createRunForLLMStart: llmStart,
  handleChatModelStart: chatModelStart,
  _createRunForChatModelStart: chatModelStart,
  handleLLMNewToken: (_token, index, runId, parent, tags) => ["", index, runId, parent, tags],
  handleLLMError: failure,
  handleLLMEnd: (result, runId, parent, tags) => [redactResult(result), runId, parent, tags],
  handleChainStart: chainStart,
  _createRunForChainStart: chainStart,
  handleChainError: failure,
  handleChainEnd: (outputs, ...rest) => [redactValue(outputs), ...rest.map(withoutInputs)],
  handleToolStart: toolStart,
  _createRunForToolStart: toolStart,
  handleToolError: failure,
  handleToolEnd: (output, ...rest) => [redactValue(output), ...rest],
  handleText: (_text, ...rest) => [REDACTED, ...rest],
  handleAgentAction: (action, ...rest) => {
    const { tool } = isObject(action) ? action : {};
    return [{ tool: nameOf(tool) ?? REDACTED, toolInput: REDACTED, log: REDACTED }, ...rest];
  },
  handleAgentEnd: (_finish, ...rest) => [{ returnValues: {}, log: REDACTED }, ...rest],
  handleRetrieverStart: (retriever, _query, ...rest) => [redactSerialized(retriever), REDACTED, ...rest],
  _createRunForRetrieverStart: (retriever, _query, ...rest) => [redactSerialized(retriever), REDACTED, ...rest],
  handleRetrieverEnd: (documents, ...rest) => [redactDocuments(documents), ...rest],
  handleRetrieverError: failure,
  handleCustomEvent: (name, data, ...rest) => [name, redactEvent(data), ...rest],
};

/** Tracer methods by which LangChain links runs; they receive runs without contents. */
const PASSED_ON = ["_addRunToRunMap", "convertToRunTree", "updateFromRunTree", "getRun"] as const;

const redacted = new WeakMap<BaseCallbackHandler, BaseCallbackHandler>();

/** Returns a handler that sees runs and verdicts but no texts; the same one for the same handler. */
export function redactHandler(handler: BaseCallbackHandler): BaseCallbackHandler {
  if (handler instanceof RedactedHandler || servesStreams(handler)) return handler;
  const known = redacted.get(handler);
  if (known !== undefined) return known;
  const made = new RedactedHandler(handler);
  redacted.set(handler, made);
  return made;
}

/** Name of LangChain's handler behind `withListeners`. */
const LISTENER = "RootListenersTracer";

/**
 * Returns true for the listeners of a run that has not begun, which is the guarded run itself. INVARIANT: a message history
 * is such a listener and stores what the caller sent and received; of the runs inside it sees no texts.
 */
function awaitsItsRun(handler: BaseCallbackHandler): boolean {
  return handler.name === LISTENER && (handler as { readonly rootId?: unknown }).rootId === undefined;
}

class RedactedHandler extends BaseCallbackHandler {
  readonly name: string;
  /** Id of the run whose texts the handler sees; undefined before its start. */
  #shown: unknown;

  constructor(handler: BaseCallbackHandler) {
    super(handlerTraits(handler));
    const showsFirst = awaitsItsRun(handler);
    const isShown = (name: string, args: readonly unknown[]): boolean => {
      if (!showsFirst) return false;
      if (!name.endsWith("Start")) return this.#shown !== undefined && args[1] === this.#shown;
      return args[2] === (this.#shown ??= args[2]);
    };
    // INVARIANT: LangChain adds its own tracer unless one has this name.
    this.name = handler.name;
    const methods = handler as unknown as Readonly<Record<string, unknown>>;
    const set = (name: string, method: (...args: unknown[]) => unknown): void => {
      Object.defineProperty(this, name, { value: method, writable: true, configurable: true });
    };
    for (const [name, redact] of Object.entries(METHODS)) {
      const method = methods[name];
      if (typeof method !== "function") continue;
      set(name, (...args) => method.apply(handler, isShown(name, args) ? args : [...redact(...args)]) as unknown);
    }
    observeGraphs(this, handler);
    // The manager gives a chat handler without this method the messages as prompts, through the method above.
    for (const name of PASSED_ON) {
      const method = methods[name];
      if (typeof method === "function") set(name, (...args) => method.apply(handler, args) as unknown);
    }
  }
}

/** The end of a run repeats inputs that were streamed. */
function withoutInputs(extra: unknown): unknown {
  return isObject(extra) && "inputs" in extra ? { ...extra, inputs: redactValue(extra["inputs"]) } : extra;
}

/**
 * Config with all handlers redacted: those of the call, those of an enclosing run known to LangChain, and the tracer
 * enabled by the environment.
 */
export function redactConfig<Config extends RunnableConfig>(callerConfig: Config | undefined): Config {
  const config = ensureConfig(callerConfig);
  const callbacks = redactCallbacks(config.callbacks);
  return callbacks === undefined ? config : { ...config, callbacks };
}

/** Callbacks, redacted if the host requires it. */
export function callbacksFor({ redactTraces }: Pick<Host, "redactTraces">, callbacks: Callbacks): Callbacks {
  return (redactTraces === true ? redactCallbacks(callbacks) : undefined) ?? callbacks;
}

function redactCallbacks(callbacks: Callbacks | undefined): CallbackManager | undefined {
  // INVARIANT: LangChain adds the environment's tracer here, and so does not add another one later.
  const manager = CallbackManager._configureSync(callbacks);
  if (manager === undefined) return undefined;
  const copy = manager.copy();
  copy.handlers = manager.handlers.map(redactHandler);
  copy.inheritableHandlers = manager.inheritableHandlers.map(redactHandler);
  return copy;
}

/** Model parameters that hold names; others are kept only if they are numbers or booleans. */
const NAMED = new Set(["model", "model_name", "modelName", "_type", "tool_choice"]);

const STATUSES = new Set<unknown>(["passed", "modified", "blocked", "error", "cancelled"]);

const MAX_DEPTH = 3;

/** Returns a value without its texts: only message types, key names, counts and verdicts remain. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (value === undefined || value === null) return value;
  if (isMessage(value)) return redactMessage(value);
  if (isPromptValue(value)) return { messages: value.toChatMessages().map(redactMessage) };
  if (Array.isArray(value)) {
    return depth < MAX_DEPTH ? value.map((item: unknown) => redactValue(item, depth + 1)) : REDACTED;
  }
  if (!isObject(value) || depth >= MAX_DEPTH) return REDACTED;
  if (isDecision(value)) return bareDecision(value);
  if (depth === 0) return redactRecord(value);
  // Deeper keys may be user text, so only messages and verdicts are kept.
  if (isVerdict(value)) return bareVerdict(value);
  const { messages } = value;
  return Array.isArray(messages) ? { messages: redactValue(messages, depth + 1) } : REDACTED;
}

/** Usual keys of inputs and outputs. INVARIANT: other keys may be text of a model, such as those of a parsed response. */
const USUAL_KEYS: ReadonlySet<string> = wordSet(
  "input inputs output outputs question query prompt prompts answer response result results text content context",
  "documents docs messages message history chat_history generations raw parsed status reason error name id intent",
  "events variables user bot guardrails verdict decision topic language",
);

/** Inputs or outputs of a run, whose keys are names that a chain gave to its values. */
function redactRecord(record: PlainObject): PlainObject {
  const entries = Object.entries(record).map(([key, value], index) => {
    const name = USUAL_KEYS.has(key) ? key : `key ${index + 1}`;
    if (key === "status" && STATUSES.has(value)) return [name, value] as const;
    return [name, redactValue(value, 1)] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns an error with only its kind: error messages quote their input. */
export function redactError(error: unknown): Error {
  const redacted = new Error(REDACTED);
  redacted.stack = REDACTED;
  if (!isObject(error)) return redacted;
  const { name, code, lc_error_code } = error;
  const codes = omitUndefined({ code: nameOf(code), lc_error_code: nameOf(lc_error_code) });
  return Object.assign(redacted, { name: nameOf(name) ?? "Error", ...codes });
}

/** Name of a runnable, without its prompts and schemas. */
export function redactSerialized(serialized: unknown): unknown {
  if (!isObject(serialized)) return serialized;
  const { lc, type, id, name } = serialized;
  return { lc, type, id, ...omitUndefined({ name }) };
}

/** Redacts the parameters of a model call. */
export function redactExtra(extra: unknown): unknown {
  if (!isObject(extra)) return extra;
  const { batch_size, cached, invocation_params } = extra;
  const parameters = isObject(invocation_params) ? redactParameters(invocation_params) : undefined;
  return omitUndefined({ batch_size, cached, options: {}, invocation_params: parameters });
}

function redactParameters(parameters: PlainObject): PlainObject {
  const isKept = ([key, value]: [string, unknown]): boolean =>
    typeof value === "number" || typeof value === "boolean" || (NAMED.has(key) && nameOf(value) !== undefined);
  return Object.fromEntries(Object.entries(parameters).filter(isKept));
}

/** Returns a model's result without its texts. */
export function redactResult(result: unknown): unknown {
  if (!isObject(result)) return REDACTED;
  const { generations, llmOutput } = result;
  const lists = Array.isArray(generations) ? (generations as unknown[]) : [];
  return {
    generations: lists.map((list) => (Array.isArray(list) ? (list as unknown[]).map(redactGeneration) : [])),
    ...(isObject(llmOutput) ? { llmOutput: countsOf(llmOutput) } : {}),
  };
}

function redactGeneration(generation: unknown): unknown {
  const { message } = isObject(generation) ? generation : {};
  return { text: REDACTED, generationInfo: {}, ...(isMessage(message) ? { message: redactMessage(message) } : {}) };
}

/** Numbers in a value, under their names. */
function countsOf(value: PlainObject, depth = 0): PlainObject {
  const entries = Object.entries(value).flatMap(([key, inner]): (readonly [string, unknown])[] => {
    if (typeof inner === "number") return [[key, inner]];
    return isObject(inner) && depth < MAX_DEPTH ? [[key, countsOf(inner, depth + 1)]] : [];
  });
  return Object.fromEntries(entries);
}

/** Returns the same number of documents, without texts. */
export function redactDocuments(documents: unknown): unknown {
  const all = Array.isArray(documents) ? documents : [];
  return all.map(() => ({ pageContent: REDACTED, metadata: {} }));
}

export function redactEvent(data: unknown): unknown {
  return isObject(data) && isDecision(data) ? bareDecision(data) : REDACTED;
}

function isDecision(value: unknown): value is RailDecision & PlainObject {
  if (!isObject(value)) return false;
  const { status, stage, rail, durationMs } = value;
  return (
    STATUSES.has(status) && typeof stage === "string" && typeof rail === "string" && typeof durationMs === "number"
  );
}

function isVerdict(value: unknown): value is GuardrailsMetadata & PlainObject {
  if (!isObject(value) || typeof value["blocked"] !== "boolean") return false;
  const { decisions } = value;
  return Array.isArray(decisions) && decisions.every(isDecision);
}

/** Placeholder for every text in traces. */
const REDACTED = "[redacted]";

const KEPT_METADATA = ["model_name", "model", "model_provider", "finish_reason", "stop_reason"] as const;

/** A short identifier, which names something and carries no text. */
const NAME = /^[\w.:/@-]{1,80}$/;

/** Returns the value if it is a name, as models and tools have, and undefined for a text. */
export function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && NAME.test(value) ? value : undefined;
}

/** Returns a decision without its texts. */
export function bareDecision(decision: RailDecision): RailDecision {
  const { status, stage, rail, flow, categories, score, threshold, durationMs, usage, about } = decision;
  return omitUndefined({ status, stage, rail, flow, categories, score, threshold, durationMs, usage, about });
}

export function bareVerdict({ blocked, stage, rail, decisions }: GuardrailsMetadata): GuardrailsMetadata {
  return omitUndefined({ blocked, stage, rail, decisions: decisions.map(bareDecision) });
}

/** A message of the same kind without texts: its id, cost, verdict and the names of the tools it calls. */
export function redactMessage(message: BaseMessage): BaseMessage {
  const id = omitUndefined({ id: message.id });
  const response_metadata = metadataOf(message);
  switch (message.getType()) {
    case "human":
      return new HumanMessage({ content: REDACTED, ...id });
    case "system":
      return new SystemMessage({ content: REDACTED, ...id });
    case "tool": {
      const { tool_call_id, name, status } = message as ToolMessage;
      const named = omitUndefined({ name: nameOf(name), status });
      return new ToolMessage({ content: REDACTED, tool_call_id, ...id, ...named, response_metadata });
    }
    case "ai":
      return redactResponse(message as AIMessage, { ...id, response_metadata });
    default:
      return new ChatMessage({ content: REDACTED, role: message.getType(), ...id });
  }
}

function redactResponse(message: AIMessage, kept: object): BaseMessage {
  const { usage_metadata, tool_calls = [] } = message;
  const calls = tool_calls.map(({ id, name }) => ({
    name: nameOf(name) ?? REDACTED,
    args: {},
    type: "tool_call" as const,
    ...omitUndefined({ id }),
  }));
  const fields = { content: REDACTED, ...kept, ...omitUndefined({ usage_metadata }) };
  if (!AIMessageChunk.isInstance(message)) return new AIMessage({ ...fields, tool_calls: calls });
  const chunks = calls.map((call, index) => ({ ...call, args: "{}", type: "tool_call_chunk" as const, index }));
  return new AIMessageChunk({ ...fields, tool_call_chunks: chunks } as AIMessageChunkFields);
}

function metadataOf(message: BaseMessage): Record<string, unknown> {
  const names = KEPT_METADATA.map((key) => [key, nameOf(message.response_metadata?.[key])] as const);
  const verdict = verdictOf(message);
  return omitUndefined({ ...Object.fromEntries(names), guardrails: verdict && bareVerdict(verdict) });
}
