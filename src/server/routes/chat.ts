import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import { startTimer } from "../../engine/events.js";
import { DEFAULT_REFUSAL } from "../../engine/default-refusal.js";
import { GuardedChatModel } from "../../langchain/guarded-chat-model.js";
import { textChunk } from "../../langchain/values/text-chunk.js";
import { registerVerdict, verdictOf, withVerdict } from "../../langchain/verdict.js";
import type { RailDecision } from "../../turn/decision.js";
import { requirePermission } from "../access.js";
import { bodyLimits } from "../options.js";
import { readJson } from "../body.js";
import { badRequest } from "../errors.js";
import { ChunkWriter } from "../openai-format/chunks.js";
import { type CompletionHead, toCompletion } from "../openai-format/completion.js";
import { type ConversationMessage, toMessages } from "../openai-format/messages.js";
import { type ChatRequest, forwardedParameters, readChatRequest } from "../openai-format/request.js";
import { toWireVerdict, verdictHeaders } from "../openai-format/verdict.js";
import { type Chosen, chooseConfig } from "../resolve.js";
import type { RequestScope } from "../scope.js";
import { CLIENT_GONE, describeError, type ServerContext } from "../server-context.js";
import { eventStream, SSE_HEADERS } from "../sse.js";
import { checkPermissions, refuseHistory, type ReviewedRequest, reviewCallerTexts } from "../trust.js";
import { Exchange } from "../upstream/exchange.js";

/** One chat request, as far as it is understood. */
interface ChatCall {
  readonly scope: RequestScope;
  readonly server: ServerContext;
  readonly request: ChatRequest;
  readonly chosen: Chosen;
  readonly exchange: Exchange;
  readonly head: CompletionHead;
}

/** `POST /v1/chat/completions`: one guarded turn in OpenAI's protocol. */
export async function chatCompletions(scope: RequestScope, server: ServerContext): Promise<Response> {
  const body = await readJson(scope.request, scope.connection, bodyLimits(server.limits));
  const request = readChatRequest(body);
  checkPermissions(scope.caller, request);
  if (server.history === "refuse" && scope.caller.permissions?.includes("history") !== true) refuseHistory(request);
  const chosen = await chooseConfig(
    { ...request, ...request.guardrails, model: request.model },
    scope.caller,
    server.choice,
  );
  Object.assign(scope.facts, { config: chosen.served.id, model: chosen.model, isStream: request.stream === true });
  const call: ChatCall = {
    scope,
    server,
    request,
    chosen,
    exchange: exchangeOf(request, chosen, scope),
    head: headOf(scope, chosen, server),
  };
  const messages = toMessages(conversationOf(request), call.exchange);
  const reviewed: ReviewedRequest =
    server.history !== "trust" && scope.caller.permissions?.includes("history") !== true
      ? await reviewCallerTexts(messages, request, chosen.served, scope.signal)
      : { messages, decisions: [] };
  return request.stream === true ? stream(call, reviewed) : complete(call, reviewed);
}

function conversationOf({ messages }: ChatRequest): ConversationMessage[] {
  const conversation = messages.filter(
    (message): message is ConversationMessage => message.role !== "context" && message.role !== "event",
  );
  if (conversation.length !== messages.length || conversation.length === 0) {
    throw badRequest("Messages of the roles 'context' and 'event' are only taken by '/v1/rails/generate'.", "messages");
  }
  return conversation;
}

function headOf({ created }: RequestScope, { model }: Chosen, { ids }: ServerContext): CompletionHead {
  return { id: `chatcmpl-${ids.next().replaceAll("-", "")}`, created, model };
}

/** @throws ApiError 400 for a parameter that would be dropped, 403 for a key that the caller may not bring */
function exchangeOf(
  request: ChatRequest,
  { served, upstreamModel }: Chosen,
  { request: { headers }, caller }: RequestScope,
): Exchange {
  const parameters = forwardedParameters(request);
  if (!served.forwards) refuseUnsupported(parameters);
  const key = headers.get("x-upstream-key");
  if (key !== null) requirePermission(caller, "upstream-key", "x-upstream-key");
  const named = upstreamModel === undefined ? parameters : { ...parameters, model: upstreamModel };
  return new Exchange(named, key === null ? {} : { authorization: `Bearer ${key}` });
}

/** Parameters that models of LangChain take with each call, or that change nothing in an answer. */
const SUPPORTED: ReadonlySet<string> = new Set(
  "tools tool_choice parallel_tool_calls stop response_format stream_options user metadata safety_identifier store modalities".split(
    " ",
  ),
);
const SAMPLING: ReadonlySet<string> = new Set(
  "temperature top_p max_tokens max_completion_tokens seed frequency_penalty presence_penalty".split(" "),
);

function refuseUnsupported(parameters: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(parameters).find((name) => !SUPPORTED.has(name) && !SAMPLING.has(name));
  if (unknown === undefined) return;
  const message = `Unsupported parameter: '${unknown}' is not supported with this model.`;
  throw badRequest(message, unknown, "unsupported_parameter");
}

/** Options of the guarded call. */
function callOptions({ exchange, chosen, request, scope }: ChatCall): object {
  const { signal } = scope;
  const { tools, tool_choice } = exchange.parameters;
  if (!(chosen.served.target instanceof GuardedChatModel)) return { signal };
  const named = { ...(tools === undefined ? {} : { tools }), ...(tool_choice === undefined ? {} : { tool_choice }) };
  if (chosen.served.forwards) return { signal, exchange, ...named };
  const { stop, response_format: format } = request;
  return { signal, ...named, ...(stop ? { stop: [stop].flat() } : {}), ...(format ? { response_format: format } : {}) };
}

async function complete(call: ChatCall, reviewed: ReviewedRequest): Promise<Response> {
  const { scope, server, chosen, exchange, head } = call;
  const { target } = chosen.served;
  const message =
    refusalFor(reviewed) ??
    withDecisions(await target.invoke([...reviewed.messages], callOptions(call)), reviewed.decisions);
  const metadata = verdictOf(message);
  scope.facts.verdict = metadata;
  const shown = toWireVerdict(metadata, chosen.served.id, server.verdicts);
  const verdict = shown ?? toWireVerdict(metadata, chosen.served.id, "outcome");
  const body = toCompletion(message, head, exchange, verdict);
  const written = JSON.stringify(shown === undefined ? { ...body, guardrails: undefined } : body);
  const headers = {
    ...scope.headers,
    ...exchange.facts.headers,
    "content-type": "application/json",
    ...guardrailsHeaders(call),
    ...verdictHeaders(shown),
  };
  return new Response(written, { headers });
}

function guardrailsHeaders({ chosen }: ChatCall): Record<string, string> {
  return { "x-guardrails-config": chosen.served.id };
}

/** The refusal of a request that its caller's texts block. */
function refusalFor({ blocked }: ReviewedRequest): AIMessageChunk | undefined {
  if (blocked === undefined) return undefined;
  return textChunk(DEFAULT_REFUSAL, { response_metadata: { guardrails: registerVerdict(blocked) } });
}

/** Adds the decisions about the caller's own texts to the verdict of the turn. */
function withDecisions<Message extends BaseMessage>(message: Message, earlier: readonly RailDecision[]): Message {
  const verdict = verdictOf(message);
  if (earlier.length === 0 || verdict === undefined) return message;
  return withVerdict(message, { ...verdict, decisions: [...earlier, ...verdict.decisions] });
}

async function stream(call: ChatCall, reviewed: ReviewedRequest): Promise<Response> {
  const { scope, server, exchange, head, chosen, request } = call;
  const includeUsage = request.stream_options?.include_usage === true;
  const writer = new ChunkWriter(head, exchange, {
    configId: chosen.served.id,
    details: server.verdicts,
    includeUsage,
  });
  const source = openChunks(call, reviewed);
  const events = writeEvents(source, writer, scope);
  // Errors before the first event have a status of their own, unless the first event takes long.
  const first = events.next();
  await settledWithin(first, server.limits.heartbeatMs);
  const body = eventStream({
    events: resumed(first, events),
    heartbeatMs: server.limits.heartbeatMs,
    describe: (error) => describeError(error, scope, server.logger).object,
    close: (end, error) => {
      scope.facts.verdict = writer.metadata;
      if (end === "left") scope.cancellation.abort(new DOMException("the client has gone", "AbortError"));
      scope.end(
        end === "left" ? CLIENT_GONE : end === "failed" ? describeError(error, scope, server.logger).status : 200,
      );
    },
  });
  scope.isStreaming = true;
  const headers = {
    ...scope.headers,
    ...exchange.facts.headers,
    ...SSE_HEADERS,
    ...guardrailsHeaders(call),
    ...verdictHeaders(writer.verdict),
  };
  return new Response(body, { headers });
}

/** Waits for the promise, at most this long. Its error is thrown if it comes in time. */
async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let stopTimer = (): void => undefined;
  const late = new Promise<void>((resolve) => (stopTimer = startTimer(milliseconds, resolve)));
  // An error that comes later is that of the stream.
  promise.catch(() => undefined);
  await Promise.race([promise, late]).finally(stopTimer);
}

/** The iterator with its first step again, which has begun. */
function resumed(first: Promise<IteratorResult<object>>, rest: AsyncGenerator<object>): AsyncIterator<object> {
  let begun: Promise<IteratorResult<object>> | undefined = first;
  return {
    next: () => {
      const next = begun ?? rest.next();
      begun = undefined;
      return next;
    },
    return: (value) => rest.return(value),
  };
}

function openChunks(call: ChatCall, reviewed: ReviewedRequest): AsyncIterable<AIMessageChunk> {
  const refusal = refusalFor(reviewed);
  if (refusal !== undefined)
    return (async function* () {
      yield refusal;
    })();
  const { target } = call.chosen.served;
  const options = callOptions(call);
  const chunks = target._streamIterator([...reviewed.messages], options) as AsyncGenerator<AIMessageChunk>;
  return reviewed.decisions.length === 0 ? chunks : decided(chunks, reviewed.decisions);
}

async function* decided(
  chunks: AsyncGenerator<AIMessageChunk>,
  decisions: readonly RailDecision[],
): AsyncGenerator<AIMessageChunk> {
  for await (const chunk of chunks) yield withDecisions(chunk, decisions);
}

async function* writeEvents(
  chunks: AsyncIterable<AIMessageChunk>,
  writer: ChunkWriter,
  scope: RequestScope,
): AsyncGenerator<object> {
  for await (const chunk of chunks) {
    const event = writer.write(chunk);
    if (event === undefined) continue;
    scope.facts.firstTokenMs ??= scope.elapsedMs;
    yield event;
  }
  yield* writer.end();
}
