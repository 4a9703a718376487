import type { BaseMessage } from "@langchain/core/messages";
import { GuardedChatModel } from "../../langchain/guarded-chat-model.js";
import { isPromise } from "../../engine/async.js";
import { CALL_VARIABLES } from "../../langchain/call.js";
import { CANCELLATION } from "../../langchain/models/guarded-model-fields.js";
import { requirePermission } from "../access.js";
import { readJson } from "../body.js";
import { badRequest } from "../errors.js";
import type { CompletionHead } from "../openai-format/completion.js";
import { checkOrder } from "../openai-format/message-order.js";
import { type ConversationMessage, toMessages } from "../openai-format/messages.js";
import { parseBody } from "../openai-format/parse-body.js";
import { type ChatRequest, forwardedParameters, optionsSchema, readChatRequest } from "../openai-format/request.js";
import { type RailSelection, selectOnly } from "../../turn/options.js";
import { bodyLimits } from "../options.js";
import { type Chosen, chooseConfig } from "../resolve.js";
import type { RequestScope } from "../scope.js";
import type { ServerContext } from "../server-context.js";
import type { OpenThread } from "../threads/conversation-threads.js";
import { turnKeyOf } from "../threads/idempotency.js";
import { checkPermissions, refuseHistory, type ReviewedRequest, reviewCallerTexts, unreviewed } from "../trust.js";
import { Exchange } from "../upstream/exchange.js";
import { type Target, targetFor } from "./model-variants.js";

/** A chat request that was parsed and permitted. */
export interface OpenedCall {
  readonly scope: RequestScope;
  readonly server: ServerContext;
  readonly request: ChatRequest;
  readonly chosen: Chosen;
  readonly target: Target;
  readonly exchange: Exchange;
  readonly head: CompletionHead;
  /** Conversation that the server stores. */
  readonly thread: OpenThread | undefined;
  /** True if rails read only the texts of users. */
  readonly isTrusted: boolean;
  /** Rails to run. Default: all. */
  readonly rails: RailSelection | undefined;
  /** Context variables of the request. */
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/** A call whose texts from the caller have passed the rails, where the turn treats them as the application's. */
export interface ChatCall extends OpenedCall {
  /** Messages of the conversation and the request, as the rails over the caller's texts left them. */
  readonly reviewed: ReviewedRequest;
}

/**
 * Reads a chat request, runs all checks that need no rail, and opens its conversation.
 *
 * @throws ApiError for a request that is refused
 */
export async function openChatCall(scope: RequestScope, server: ServerContext): Promise<OpenedCall> {
  const request = readChatRequest(await readJson(scope.request, scope.connection, bodyLimits(server.limits)));
  const { caller } = scope;
  checkPermissions(caller, request);
  const isTrusted = server.history === "trust" || caller.permissions?.includes("history") === true;
  if (!isTrusted && server.history === "refuse") refuseHistory(request);
  const fields = request.guardrails ? { ...request, ...request.guardrails } : request;
  const rails = railsOf(request);
  const { config_id, config_ids } = fields;
  const variables = fields.context ?? undefined;
  const choosing = chooseConfig({ model: request.model, config_id, config_ids }, caller, server.choice);
  const chosen = isPromise(choosing) ? await choosing : choosing;
  const { facts } = scope;
  facts.config = chosen.served.id;
  facts.model = chosen.model;
  facts.isStream = request.stream === true;
  const exchange = exchangeOf(request, chosen, scope);
  const found = targetFor(chosen.served, exchange.parameters);
  const target = isPromise(found) ? await found : found;
  const turn = turnKeyOf(scope, { thread: fields.thread_id, turn: fields.turn_id }, request);
  const thread = fields.thread_id
    ? await server.threads.open(
        { caller, config: chosen.served.id, thread: fields.thread_id, turn },
        scope.cancellation,
      )
    : undefined;
  if (thread !== undefined) scope.onEnd(thread.release);
  const head = { id: `chatcmpl-${server.ids.next().replaceAll("-", "")}`, created: scope.created, model: chosen.model };
  return { scope, server, request, chosen, target, exchange, head, thread, isTrusted, rails, variables };
}

const UNSUPPORTED = "unsupported_parameter";
const ONLY_NEMO = "is only taken by '/nemo/v1/chat/completions'.";

/**
 * Returns the rails that a request selects.
 *
 * @throws ApiError 400 for fields of NeMo Guardrails that have no effect here
 */
function railsOf(request: ChatRequest): RailSelection | undefined {
  const { guardrails } = request;
  let rails: RailSelection | undefined;
  for (const [fields, prefix] of [
    [request, ""],
    [guardrails, "guardrails."],
  ] as const) {
    const path = `${prefix}state`;
    if (fields?.state) throw badRequest(`'${path}' ${ONLY_NEMO}`, path, UNSUPPORTED);
    for (const option of Object.keys(fields?.options ?? {})) {
      const name = `${prefix}options.${option.slice(0, 100)}`;
      if (option !== "rails") throw badRequest(`'${name}' ${ONLY_NEMO}`, name, UNSUPPORTED);
      const selected = parseBody(optionsSchema, fields?.options, [
        ...(prefix === "" ? [] : ["guardrails"]),
        "options",
      ]).rails;
      rails = Array.isArray(selected) ? selectOnly(selected) : selected;
    }
  }
  return rails;
}

/** Runs the rails over the caller's texts that the turn treats as the application's. */
export async function reviewCall(call: OpenedCall): Promise<ChatCall> {
  const { scope, request, chosen, exchange, thread, isTrusted } = call;
  const earlier = thread?.messages ?? [];
  const newMessages = newIn(request, earlier);
  checkOrder(newMessages, earlier);
  // Converted together: tool results in the request may belong to tool calls of the conversation.
  const conversation = toMessages([...earlier, ...newMessages], exchange);
  const messages = conversation.slice(earlier.length);
  const given = { messages, parameters: exchange.parameters };
  const reviewing = isTrusted ? unreviewed(given) : reviewCallerTexts(given, chosen.served, scope.cancellation);
  const reviewed = isPromise(reviewing) ? await reviewing : reviewing;
  exchange.parameters = reviewed.parameters;
  if (earlier.length === 0) return withReview(call, reviewed);
  const before = conversation.slice(0, earlier.length);
  return withReview(call, { ...reviewed, messages: [...before, ...reviewed.messages] });
}

/** Adds the review to the call object itself, to avoid a copy per request. */
function withReview(call: OpenedCall, reviewed: ReviewedRequest): ChatCall {
  return Object.assign(call, { reviewed });
}

/** Returns the messages of the request without system messages that the conversation already has. */
function newIn(request: ChatRequest, earlier: readonly ConversationMessage[]): ConversationMessage[] {
  const conversation = conversationOf(request);
  if (earlier.length === 0) return conversation;
  const known = new Set(earlier.flatMap((message) => (isInstruction(message) ? JSON.stringify(message) : [])));
  return conversation.filter((message) => !isInstruction(message) || !known.has(JSON.stringify(message)));
}

function isInstruction({ role }: ConversationMessage): boolean {
  return role === "system" || role === "developer";
}

function conversationOf({ messages }: ChatRequest): ConversationMessage[] {
  const conversation = messages.filter(
    (message): message is ConversationMessage => message.role !== "context" && message.role !== "event",
  );
  if (conversation.length === messages.length) return conversation;
  const message = "Messages of the roles 'context' and 'event' are only taken by '/nemo/v1/chat/completions'.";
  throw badRequest(message, "messages", "invalid_value");
}

/** @throws ApiError 403 for an upstream key that the caller may not send */
function exchangeOf(request: ChatRequest, { upstreamModel }: Chosen, scope: RequestScope): Exchange {
  const parameters = forwardedParameters(request);
  const key = scope.header("x-upstream-key");
  if (key !== undefined) requirePermission(scope.caller, "upstream-key", "x-upstream-key");
  const named = upstreamModel === undefined ? parameters : { model: upstreamModel, ...parameters };
  return new Exchange(named, key === undefined ? undefined : { authorization: `Bearer ${key}` });
}

/** Returns the options of the guarded call. */
export function callOptions({ exchange, chosen, request, scope, target, thread, rails, variables }: ChatCall): object {
  const isModel = target.target instanceof GuardedChatModel;
  const needsSignal = !isModel || thread !== undefined || request.stream === true;
  const config: Record<PropertyKey, unknown> = needsSignal
    ? { signal: scope.signal }
    : { [CANCELLATION]: scope.cancellation };
  if (thread !== undefined || variables !== undefined) {
    config["configurable"] = { ...thread?.dialog.configurable, ...(variables && { [CALL_VARIABLES]: variables }) };
  }
  if (rails !== undefined) config["rails"] = rails;
  if (!isModel) return config;
  const { tools, tool_choice, parallel_tool_calls, stop, response_format: format } = exchange.parameters;
  if (chosen.served.forwards) config["exchange"] = exchange;
  else Object.assign(config, target.options);
  if (tools !== undefined) config["tools"] = tools;
  if (tool_choice !== undefined) config["tool_choice"] = tool_choice;
  if (chosen.served.forwards) return config;
  if (parallel_tool_calls !== undefined) config["parallel_tool_calls"] = parallel_tool_calls;
  if (stop) config["stop"] = [stop].flat();
  if (format) config["response_format"] = format;
  return config;
}

/** Returns the messages of a call for its target. */
export function messagesOf({ reviewed }: ChatCall): BaseMessage[] {
  return reviewed.messages as BaseMessage[];
}
