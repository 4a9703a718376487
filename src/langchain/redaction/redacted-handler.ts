import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { handlerTraits } from "../callbacks.js";
import { isObject, type PlainObject } from "../values/message-kinds.js";
import {
  nameOf,
  REDACTED,
  redactMessage,
  redactDocuments,
  redactError,
  redactEvent,
  redactExtra,
  redactResult,
  redactSerialized,
  redactValue,
} from "./redact-payload.js";
import { CallbackManager, type Callbacks } from "@langchain/core/callbacks/manager";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { Host } from "../host.js";

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

/** Methods of tracers by which LangChain joins runs to each other; they get runs, and no contents. */
const PASSED_ON = ["_addRunToRunMap", "convertToRunTree", "updateFromRunTree", "getRun"] as const;

const redacted = new WeakMap<BaseCallbackHandler, BaseCallbackHandler>();

/** Returns a handler that sees runs and verdicts, but no texts; the same one for the same handler. */
export function redactHandler(handler: BaseCallbackHandler): BaseCallbackHandler {
  if (handler instanceof RedactedHandler || servesStreams(handler)) return handler;
  const known = redacted.get(handler);
  if (known !== undefined) return known;
  const made = new RedactedHandler(handler);
  redacted.set(handler, made);
  return made;
}

/** Returns true for handlers that serve `streamEvents`, `streamLog` and graphs: they pass released text to the caller. */
function servesStreams(handler: object): boolean {
  const { lc_prefer_streaming: old, lc_prefer_chat_model_stream_events: current } = handler as PlainObject;
  return old === true || current === true;
}

class RedactedHandler extends BaseCallbackHandler {
  readonly name: string;

  constructor(handler: BaseCallbackHandler) {
    super(handlerTraits(handler));
    // INVARIANT: LangChain adds its own tracer if none has that name.
    this.name = handler.name;
    const methods = handler as unknown as Readonly<Record<string, unknown>>;
    const set = (name: string, method: (...args: unknown[]) => unknown): void => {
      Object.defineProperty(this, name, { value: method, writable: true, configurable: true });
    };
    for (const [name, redact] of Object.entries(METHODS)) {
      const method = methods[name];
      if (typeof method === "function") set(name, (...args) => method.apply(handler, [...redact(...args)]) as unknown);
    }
    // A chat handler without this method gets the messages as prompts, by the manager and through the method above.
    for (const name of PASSED_ON) {
      const method = methods[name];
      if (typeof method === "function") set(name, (...args) => method.apply(handler, args) as unknown);
    }
  }
}

/** The end of a run repeats inputs that came as a stream. */
function withoutInputs(extra: unknown): unknown {
  return isObject(extra) && "inputs" in extra ? { ...extra, inputs: redactValue(extra["inputs"]) } : extra;
}

/**
 * The config with all listeners redacted: those of the call, those of a run around it that LangChain knows of, and the
 * tracer that the environment switches on.
 */
export function redactConfig<Config extends RunnableConfig>(given: Config | undefined): Config {
  const config = ensureConfig(given);
  const callbacks = redactCallbacks(config.callbacks);
  return callbacks === undefined ? config : { ...config, callbacks };
}

/** The listeners as a host lets them listen. */
export function callbacksFor({ redactTraces }: Pick<Host, "redactTraces">, callbacks: Callbacks): Callbacks {
  return (redactTraces === true ? redactCallbacks(callbacks) : undefined) ?? callbacks;
}

function redactCallbacks(callbacks: Callbacks | undefined): CallbackManager | undefined {
  // INVARIANT: this is where LangChain adds the environment's tracer, so that it does not add another one later.
  const manager = CallbackManager._configureSync(callbacks);
  if (manager === undefined) return undefined;
  const copy = manager.copy();
  copy.handlers = manager.handlers.map(redactHandler);
  copy.inheritableHandlers = manager.inheritableHandlers.map(redactHandler);
  return copy;
}
