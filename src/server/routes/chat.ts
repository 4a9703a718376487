import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import { GuardedChatModel } from "../../langchain/guarded-chat-model.js";
import { inBatchesOfOne } from "../../langchain/streaming/sink.js";
import { textChunk } from "../../langchain/values/plain-message.js";
import { registerVerdict, verdictOf, withVerdict } from "../../langchain/verdict.js";
import type { RailDecision } from "../../turn/decision.js";
import { callOptions, type ChatCall, messagesOf, openChatCall, reviewCall } from "../chat/chat-call.js";
import { keepTurn } from "../chat/keep-turn.js";
import { withFirstStep } from "../first-step.js";
import { ChunkWriter } from "../openai-format/chunks.js";
import { toCompletion } from "../openai-format/completion.js";
import { toWireVerdict, verdictHeaders } from "../openai-format/verdict.js";
import type { RequestScope } from "../scope.js";
import { CLIENT_GONE, describeError, type ServerContext } from "../server-context.js";
import { threadConflict } from "../errors.js";
import type { StoredReply } from "../threads/record.js";
import { replay } from "../threads/replay.js";
import { eventStream, sseEvent, SSE_HEADERS } from "../sse.js";
import type { ReviewedRequest } from "../trust.js";

/** `POST /v1/chat/completions`: one guarded turn in OpenAI's format. */
export async function chatCompletions(scope: RequestScope, server: ServerContext): Promise<Response> {
  const opened = await openChatCall(scope, server);
  const replayed = opened.thread?.replayed;
  if (replayed !== undefined) return replay(replayed, scope);
  const call = await reviewCall(opened);
  return call.request.stream === true ? stream(call) : complete(call);
}

const JSON_TYPE = { "content-type": "application/json" } as const;

async function complete(call: ChatCall): Promise<Response> {
  const { scope, server, chosen, exchange, head, reviewed } = call;
  const { target } = call.target;
  const { id } = chosen.served;
  const message =
    refusalFor(reviewed) ?? withDecisions(await target.invoke(messagesOf(call), callOptions(call)), reviewed.decisions);
  const metadata = verdictOf(message);
  scope.facts.verdict = metadata;
  const verdict = toWireVerdict(metadata, id, server.verdicts);
  const isBlocked = metadata?.blocked === true;
  const { body: content, reply } = toCompletion(message, head, exchange, { isBlocked, verdict });
  const written = JSON.stringify(content);
  const headers = { "x-guardrails-config": id, ...verdictHeaders(verdict) };
  if (call.thread !== undefined) {
    const sent = (): StoredReply => ({ content, headers, length: written.length });
    const faster = await keepTurn(call, { reply, verdict: metadata, sent });
    if (faster !== undefined) return replay(faster, scope);
  }
  const all = Object.assign(scope.headers, exchange.facts.headers, JSON_TYPE, headers);
  return new Response(written, { headers: all });
}

function headersOf({ scope, exchange, chosen }: ChatCall): Record<string, string> {
  return { ...scope.headers, ...exchange.facts.headers, "x-guardrails-config": chosen.served.id };
}

/** Returns the refusal of a request that is blocked because of its caller's texts. */
function refusalFor({ blocked }: ReviewedRequest): AIMessageChunk | undefined {
  if (blocked === undefined) return undefined;
  return textChunk(blocked.refusal, { response_metadata: { guardrails: registerVerdict(blocked.verdict) } });
}

/** Adds the decisions about the caller's own texts to the verdict of the turn. */
function withDecisions<Message extends BaseMessage>(message: Message, earlier: readonly RailDecision[]): Message {
  const verdict = verdictOf(message);
  if (earlier.length === 0 || verdict === undefined) return message;
  return withVerdict(message, { ...verdict, decisions: [...earlier, ...verdict.decisions] });
}

async function stream(call: ChatCall): Promise<Response> {
  const { scope, server, exchange, head, chosen, request } = call;
  const includeUsage = request.stream_options?.include_usage === true;
  const writer = new ChunkWriter(head, exchange, {
    configId: chosen.served.id,
    details: server.verdicts,
    includeUsage,
  });
  const events = await withFirstStep(writeEvents(call, writer), server.limits.heartbeatMs);
  scope.isStreaming = true;
  const body = eventStream({
    events,
    heartbeatMs: server.limits.heartbeatMs,
    describe: (error) => describeError(error, scope, server.logger).object,
    close: (end, error) => {
      scope.facts.verdict = writer.metadata;
      if (end === "left") scope.cancellation.abort(new DOMException("the client has gone", "AbortError"));
      const status = end === "left" ? CLIENT_GONE : 200;
      scope.end(end === "failed" ? describeError(error, scope, undefined).status : status);
    },
  });
  return new Response(body, { headers: { ...headersOf(call), ...SSE_HEADERS, ...verdictHeaders(writer.verdict) } });
}

/** Returns the chunks of the turn; chunks released together form one array. */
function batchesOf(call: ChatCall): AsyncGenerator<readonly AIMessageChunk[]> {
  const { target } = call.target;
  const [messages, options] = [messagesOf(call), callOptions(call)];
  if (target instanceof GuardedChatModel) return target._batchIterator(messages, options);
  return inBatchesOfOne(target._streamIterator(messages, options) as AsyncGenerator<AIMessageChunk>);
}

async function* writeEvents(call: ChatCall, writer: ChunkWriter): AsyncGenerator<string> {
  const { scope, reviewed } = call;
  const refusal = refusalFor(reviewed);
  for await (const chunks of refusal === undefined ? batchesOf(call) : [[refusal]]) {
    let events = "";
    for (const chunk of chunks) events += writer.write(withDecisions(chunk, reviewed.decisions));
    if (events === "") continue;
    scope.facts.firstTokenMs ??= scope.elapsedMs;
    yield events;
  }
  // Stored before the end is sent, so that a turn whose end a caller has seen is not lost.
  const end = writer.end();
  const faster = await keepTurn(call, {
    reply: writer.reply,
    verdict: writer.metadata,
    sent: () => sentBy(call, writer, end),
  });
  // The text of the stored reply differs from the text already sent.
  if (faster !== undefined) throw threadConflict();
  yield end.map((event) => sseEvent(JSON.stringify(event))).join("");
}

/** Returns the stream with its text in one chunk, for requests with the same idempotency key. */
function sentBy({ chosen }: ChatCall, writer: ChunkWriter, end: readonly object[]): StoredReply {
  const content = [...writer.whole(), ...end];
  const headers = { "x-guardrails-config": chosen.served.id, ...verdictHeaders(writer.verdict) };
  return { content, headers, length: (writer.reply.content ?? "").length };
}
