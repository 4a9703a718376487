import { CallbackManager, type CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import { type BaseMessage, coerceMessageLikeToMessage, HumanMessage } from "@langchain/core/messages";
import { shapeError } from "../shape-error.js";
import { isPromptValue } from "../values/message-kinds.js";

/** Keys that LangGraph adds to the config of its nodes; the base class takes them for options of the model. */
export function graphPartOf(options: object | undefined): object {
  const { store, writer } = (options ?? {}) as { store?: unknown; writer?: unknown };
  return { ...(store === undefined ? {} : { store }), ...(writer === undefined ? {} : { writer }) };
}

/** Builds the child config of a model run: LangChain's run managers of models make no child manager. */
export function childConfig(
  caller: RunnableConfig | undefined,
  runManager: CallbackManagerForLLMRun | undefined,
  signal: AbortSignal | undefined,
): RunnableConfig {
  const { callbacks: _replaced, runName: _ours, runId: _id, ...rest } = ensureConfig(caller);
  const config: RunnableConfig = { ...rest, ...(signal === undefined ? {} : { signal }) };
  if (runManager === undefined) return config;
  const inherited = runManager as unknown as {
    inheritableHandlers: CallbackManager["handlers"];
    inheritableTags: string[];
    inheritableMetadata: Record<string, unknown>;
  };
  const callbacks = new CallbackManager(runManager.runId);
  callbacks.setHandlers(inherited.inheritableHandlers);
  callbacks.addTags(inherited.inheritableTags);
  callbacks.addMetadata(inherited.inheritableMetadata);
  return { ...config, callbacks };
}

/**
 * The messages of an input of a chat model.
 *
 * @throws InputShapeError for a value that no chat model takes
 */
export function toMessages(input: BaseLanguageModelInput): BaseMessage[] {
  if (typeof input === "string") return [new HumanMessage(input)];
  if (Array.isArray(input)) return input.map(coerceMessageLikeToMessage);
  const given: unknown = input;
  if (isPromptValue(given)) return given.toChatMessages();
  throw shapeError("a model cannot read this input", given, "pass a string, a list of messages or a prompt value");
}
