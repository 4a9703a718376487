import type { MaybePromise } from "../engine/async.js";
import { omitUndefined } from "../engine/plain-data.js";
import {
  type BaseMessage,
  type AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  HumanMessage,
  type ToolCallChunk,
  ToolMessage,
} from "@langchain/core/messages";
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import type { RunnableConfig } from "@langchain/core/runnables";
import { hasHandlers } from "./callbacks.js";
import type { GuardrailsMetadata, RailDecision } from "../turn/decision.js";
import { cloneMessage, isMessage, isObject, type PlainObject, roleOf } from "./values/message-kinds.js";
import { cannotQuote } from "../actions/fixed-details.js";
import { redactDetails } from "../turn/redact-data.js";
import { createRedactor } from "../turn/redactor.js";
import { HIDDEN_USER_TEXT } from "../turn/conversation.js";
import { textChunk } from "./values/plain-message.js";

/** Name of the custom event sent for every decision. */
export const DECISION_EVENT = "guardrails.decision";

/**
 * Copies the message with the verdict in `response_metadata.guardrails`. INVARIANT: in a stream exactly one chunk
 * carries it, since joining chunks adds numbers and concatenates strings.
 */
export function withVerdict<M extends BaseMessage>(message: M, verdict: GuardrailsMetadata): M {
  const guardrails = registerVerdict(verdict);
  return cloneMessage(message, { response_metadata: Object.assign({}, message.response_metadata, { guardrails }) });
}

/**
 * Returns the verdict of a response of a guarded runnable: of a message, or of an object with the verdict under
 * `verdictKey`; undefined for any other value.
 *
 * @param verdictKey - the option `verdictKey` of the wrapper. Default: `guardrails`, the key of results of `check` and `generate`
 *
 * @example
 * ```ts
 * const answer = await guardrails.wrap(model).invoke("hi");
 * if (verdictOf(answer)?.blocked) console.log("blocked by", verdictOf(answer)?.rail);
 * ```
 */
export function verdictOf(response: unknown, verdictKey: string = VERDICT_KEY): GuardrailsMetadata | undefined {
  if (!isObject(response)) return undefined;
  const verdict: unknown = isMessage(response) ? response.response_metadata?.[VERDICT_KEY] : response[verdictKey];
  return isVerdict(verdict) ? verdict : undefined;
}

/**
 * Returns the decisions without reasons and details that quote reviewed texts: errors of actions and explanations of
 * judges often repeat their input, and the verdict travels with the refusal.
 */
export function withoutQuotes(
  decisions: readonly RailDecision[],
  texts: readonly (string | undefined)[],
): readonly RailDecision[] {
  if (decisions.every(cannotQuote)) return decisions;
  const redactor = createRedactor(texts.filter((text) => text !== undefined));
  return decisions.map((decision) => (cannotQuote(decision) ? decision : redactDetails(decision, redactor)));
}

/**
 * Emits each decision to the handlers of the run: as a custom event (`streamEvents`, `handleCustomEvent`), and in a graph
 * on its `custom` stream.
 */
export function announceDecisions(
  decisions: readonly RailDecision[],
  config: RunnableConfig | undefined,
): MaybePromise<void> {
  if (decisions.length === 0 || config === undefined) return;
  if (graphWriter(config) !== undefined) {
    for (const decision of decisions) writeToGraph(config, { type: DECISION_EVENT, ...decision });
  }
  if (hasHandlers(config.callbacks)) return dispatchEvents(DECISION_EVENT, decisions, config);
}

/** Emits custom events to the handlers of a run, as LangChain's `dispatchCustomEvent` does for one event. */
export function dispatchEvents(name: string, events: readonly object[], config: RunnableConfig): MaybePromise<void> {
  const { callbacks } = config;
  const manager = callbacks === undefined || Array.isArray(callbacks) ? undefined : callbacks;
  if (manager !== undefined && !manager.handlers.some(receivesEvents)) return;
  return emit(name, events, config);
}

async function emit(name: string, events: readonly object[], config: RunnableConfig): Promise<void> {
  const { callbacks, tags, metadata } = config;
  const manager = CallbackManager._configureSync(callbacks, undefined, tags, undefined, metadata);
  const runId = manager?.getParentRunId();
  if (manager === undefined || runId === undefined || !manager.handlers.some(receivesEvents)) return;
  for (const event of events) await manager.handleCustomEvent?.(name, event, runId);
}

function receivesEvents({ ignoreCustomEvent, handleCustomEvent }: BaseCallbackHandler): boolean {
  return !ignoreCustomEvent && handleCustomEvent !== undefined;
}

/** Writes a value to the `custom` stream of the enclosing graph, if any. */
export function writeToGraph(config: RunnableConfig, value: object): void {
  graphWriter(config)?.(value);
}

function graphWriter(config: RunnableConfig): ((value: object) => void) | undefined {
  const { writer } = config as { writer?: unknown };
  return typeof writer === "function" ? (writer as (value: object) => void) : undefined;
}

/** Key of a verdict in a message's metadata. */
export const VERDICT_KEY = "guardrails";

/** INVARIANT: verdicts are known by identity, which neither provider metadata nor tool results can copy. */
const made = new WeakSet<object>();

/** Marks a verdict as made by this process. */
export function registerVerdict<Verdict extends GuardrailsMetadata>(verdict: Verdict): Verdict {
  made.add(verdict);
  return verdict;
}

/**
 * Returns the verdict on a message if this process made it. A verdict from a store, the network or a provider does not
 * count; it may only be trusted if it restricts.
 */
export function registeredVerdict(message: BaseMessage): GuardrailsMetadata | undefined {
  const verdict: unknown = message.response_metadata?.[VERDICT_KEY];
  return isVerdict(verdict) && made.has(verdict) ? verdict : undefined;
}

/** Returns true if the value has the form of a verdict. */
function isVerdict(value: unknown): value is GuardrailsMetadata & PlainObject {
  if (!isObject(value) || typeof value["blocked"] !== "boolean") return false;
  const { decisions } = value;
  return Array.isArray(decisions) && decisions.every(isObject);
}

function isForeign(value: unknown): boolean {
  return !(isObject(value) && made.has(value));
}

/** Returns the message without a verdict written by something behind the rails. */
export function withoutForeignVerdict<M extends BaseMessage>(message: M): M {
  const changes: Record<string, object> = {};
  for (const name of ["response_metadata", "additional_kwargs"] as const) {
    const fields: unknown = message[name];
    if (!isObject(fields) || !Object.hasOwn(fields, VERDICT_KEY) || !isForeign(fields[VERDICT_KEY])) continue;
    const { [VERDICT_KEY]: _gone, ...kept } = fields;
    changes[name] = kept;
  }
  return Object.keys(changes).length === 0 ? message : cloneMessage(message, changes);
}

/** Returns the result without foreign verdicts on its messages: a message, or lists of messages. */
export function withoutForeignVerdicts(value: unknown, depth = 0): unknown {
  if (isMessage(value)) return withoutForeignVerdict(value);
  if (!Array.isArray(value) || depth > 1) return value;
  const items = value.map((item) => withoutForeignVerdicts(item, depth + 1));
  return items.every((item, index) => item === value[index]) ? value : items;
}

/**
 * Returns the object without a verdict written by something behind the rails.
 *
 * @param verdictKey - the caller's key for the verdict
 */
export function withoutForeignKey<Holder extends PlainObject>(
  value: Holder,
  verdictKey: string | undefined,
  copy: (kept: PlainObject) => Holder,
): Holder {
  const gone = [VERDICT_KEY, ...(verdictKey === undefined ? [] : [verdictKey])].filter(
    (key) => Object.hasOwn(value, key) && isForeign(value[key]) && (key === verdictKey || isVerdict(value[key])),
  );
  if (gone.length === 0) return value;
  return copy(Object.fromEntries(Object.entries(value).filter(([key]) => !gone.includes(key))));
}

/**
 * A message written by this package: a refusal, or a bot utterance of a flow.
 *
 * @param calls - tool calls of flows
 */
export function utteranceMessage(
  text: string,
  verdict: GuardrailsMetadata,
  calls: readonly ToolCall[] = [],
): AIMessageChunk {
  return textChunk(text, {
    response_metadata: { guardrails: registerVerdict(verdict) },
    tool_call_chunks: toToolCallChunks(calls),
  });
}

type ToolCall = { readonly name?: string; readonly args?: unknown; readonly id?: string };

/** Returns the message as the single chunk of a stream. */
export function toChunk(message: BaseMessage): AIMessageChunk {
  if (AIMessageChunk.isInstance(message)) return message;
  const { content, additional_kwargs, response_metadata, usage_metadata, id, name } = message as AIMessage;
  const { tool_calls = [], invalid_tool_calls = [] } = message as AIMessage;
  const tool_call_chunks = toToolCallChunks([...tool_calls, ...invalid_tool_calls]);
  const fields = { content, additional_kwargs, response_metadata, tool_call_chunks, usage_metadata, id, name };
  return new AIMessageChunk(omitUndefined(fields) as AIMessageChunkFields);
}

/** Converts finished tool calls to the pieces of a chunk. */
export function toToolCallChunks(calls: readonly ToolCall[]): ToolCallChunk[] {
  return calls.map(({ name, id, args = {} }, index) => {
    const text = typeof args === "string" ? args : JSON.stringify(args ?? {});
    return { type: "tool_call_chunk", index, ...omitUndefined({ name, id }), args: text };
  });
}

/**
 * Returns a conversation that models may read: messages refused by an input rail become notes. Applications keep user
 * messages and would pass them to the model with every later turn, unchecked.
 *
 * @returns the same list if nothing in it was blocked
 */
export function withoutBlockedTurns(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const isRefusal = (message: BaseMessage): boolean => {
    const verdict = verdictOf(message);
    return verdict?.blocked === true && verdict.stage === "input";
  };
  const hidden = indexesRefused(messages, isRefusal, roleOf);
  if (hidden.size === 0) return messages;
  return messages.map((message, index) => (hidden.has(index) ? hiddenMessage(message) : message));
}

/** Placeholder of a message: same id and position, without its text. */
export function hiddenMessage(message: BaseMessage): BaseMessage {
  const { id, name, tool_call_id } = message as ToolMessage;
  const content = HIDDEN_USER_TEXT;
  if (roleOf(message) !== "tool") return new HumanMessage({ content, ...omitUndefined({ id }) });
  return new ToolMessage({ content, tool_call_id, status: "error", ...omitUndefined({ id, name }) });
}

/** Indexes of refused messages: those before each refusal, back to the previous response. */
export function indexesRefused<Message>(
  messages: readonly Message[],
  isRefusal: (message: Message) => boolean,
  roleOf: (message: Message) => string,
): ReadonlySet<number> {
  const refused = new Set<number>();
  for (const [index, message] of messages.entries()) {
    if (roleOf(message) !== "assistant" || !isRefusal(message)) continue;
    // Messages before an earlier response have passed, even if that response only called tools.
    for (let at = index - 1; at >= 0; at -= 1) {
      const role = roleOf(messages[at] as Message);
      if (role === "assistant") break;
      if (role !== "system") refused.add(at);
    }
  }
  return refused;
}
