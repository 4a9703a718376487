import * as z from "zod/v4";
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import { toSnakeCaseName } from "../../engine/events.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { mapParts } from "../../engine/walk.js";
import type { GuardrailsCallOptions } from "../../langchain/call.js";
import type { GenerationOptions } from "../../langchain/generation/generation-result.js";
import { extractText } from "../../langchain/values/content.js";
import { isMessage } from "../../langchain/values/message-kinds.js";
import { verdictOf } from "../../langchain/verdict.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { TurnLog } from "../../turn/result.js";
import { readJson } from "../body.js";
import type { Served } from "../configs.js";
import { badRequest } from "../errors.js";
import { withFirstStep } from "../first-step.js";
import { type ConversationMessage, toMessages } from "../openai-format/messages.js";
import { parseBody } from "../openai-format/parse-body.js";
import {
  type ChatRequest,
  extensionFields,
  messageSchema,
  optionsSchema,
  type WireMessage,
} from "../openai-format/request.js";
import { toWireVerdict, verdictHeaders } from "../openai-format/verdict.js";
import { bodyLimits } from "../options.js";
import { chooseConfig } from "../resolve.js";
import type { RequestScope } from "../scope.js";
import { CLIENT_GONE, describeError, type ServerContext } from "../server-context.js";
import {
  checkPermissions,
  refuseHistory,
  type BlockedRequest,
  type ReviewedRequest,
  reviewCallerTexts,
} from "../trust.js";
import type { OpenThread } from "../threads/conversation-threads.js";
import { turnKeyOf } from "../threads/idempotency.js";
import { replay } from "../threads/replay.js";
import { threadConflict } from "../errors.js";
import { Exchange } from "../upstream/exchange.js";

/** Body of `POST /nemo/v1/chat/completions`: the format of NeMo Guardrails before 0.12. */
export const nemoRequestSchema = z.strictObject({
  messages: z.array(messageSchema).min(1).max(2048).nullish(),
  stream: z.boolean().nullish(),
  ...extensionFields,
});

type NemoRequest = z.infer<typeof nemoRequestSchema>;

/** A request in this format that was parsed and permitted. */
interface NemoCall {
  readonly scope: RequestScope;
  readonly server: ServerContext;
  readonly request: NemoRequest;
  readonly served: Served;
  readonly messages: readonly BaseMessage[];
  /** Messages with the roles `context` and `event`. */
  readonly steering: readonly object[];
  readonly thread: OpenThread | undefined;
  readonly config: Partial<GuardrailsCallOptions>;
}

/** `POST /nemo/v1/chat/completions`: one turn with the options of NeMo Guardrails. */
export async function nemoChat(scope: RequestScope, server: ServerContext): Promise<Response> {
  const body = await readJson(scope.request, scope.connection, bodyLimits(server.limits));
  const request = parseBody(nemoRequestSchema, body);
  const { caller } = scope;
  const sent = (request.messages ?? []) as readonly WireMessage[];
  const chat = { ...request, messages: [...sent] } as ChatRequest;
  checkPermissions(caller, chat);
  const conversation = sent.filter(
    (message): message is ConversationMessage => message.role !== "context" && message.role !== "event",
  );
  const isTrusted = server.history === "trust" || caller.permissions?.includes("history") === true;
  if (!isTrusted && server.history === "refuse") refuseHistory({ ...chat, messages: conversation });
  const { served } = await chooseConfig({ ...request, model: undefined }, caller, server.choice);
  Object.assign(scope.facts, { config: served.id, isStream: request.stream === true });
  const turn = turnKeyOf(scope, { thread: request.thread_id, turn: request.turn_id }, request);
  const thread = request.thread_id
    ? await server.threads.open({ caller, config: served.id, thread: request.thread_id, turn }, scope.cancellation)
    : undefined;
  if (thread !== undefined) scope.onEnd(thread.release);
  if (thread?.replayed !== undefined) return replay(thread.replayed, scope);
  const messages = toMessages(conversation, new Exchange({}));
  const reviewed: ReviewedRequest = isTrusted
    ? { messages, parameters: {}, decisions: [] }
    : await reviewCallerTexts({ messages, parameters: {} }, served, scope.cancellation);
  const steering = sent.filter(({ role }) => role === "context" || role === "event");
  const configurable = thread === undefined ? {} : { configurable: thread.dialog.configurable };
  const call: NemoCall = {
    scope,
    server,
    request,
    served,
    messages: reviewed.messages,
    steering,
    thread,
    config: { signal: scope.signal, ...configurable },
  };
  if (reviewed.blocked !== undefined) return refuse(call, reviewed.blocked);
  return request.stream === true ? stream(call) : generate(call);
}

/** Responds to a request that is blocked because of its caller's own texts, as a stream if the request asked for one. */
function refuse(call: NemoCall, { refusal, verdict }: BlockedRequest): Response | Promise<Response> {
  if (call.request.stream !== true)
    return respond(call, { messages: [{ role: "assistant", content: refusal }] }, verdict);
  call.scope.facts.verdict = verdict;
  return new Response(refusal, {
    headers: { ...call.scope.headers, ...headersOf(call, verdict), "content-type": "text/plain; charset=utf-8" },
  });
}

async function generate(call: NemoCall): Promise<Response> {
  const { request, served, messages, steering, config } = call;
  const options = toGenerationOptions(request);
  const result = await served.guardrails.generate([...steering, ...messages], options, config);
  const { response, guardrails: verdict, llmOutput, outputData, state, log } = result;
  const written = {
    messages: typeof response === "string" ? [{ role: "assistant", content: response }] : response,
    llm_output: isMessage(llmOutput) ? extractText(llmOutput) : llmOutput,
    output_data: outputData,
    log: options.log === undefined ? undefined : toWireLog(log),
    state,
  };
  return respond(call, written, verdict);
}

/** Stores the turn and sends its response. */
async function respond(call: NemoCall, answer: object, verdict: GuardrailsMetadata): Promise<Response> {
  const { scope, thread } = call;
  scope.facts.verdict = verdict;
  const headers = headersOf(call, verdict);
  const written = JSON.stringify(answer);
  const faster = await thread?.save({
    // Parsed from the JSON, because values with `toJSON` change when they are serialized.
    reply: () => ({ content: JSON.parse(written) as object, headers, length: written.length }),
  });
  if (faster !== undefined) return replay(faster, scope);
  return new Response(written, { headers: { ...scope.headers, ...headers, "content-type": "application/json" } });
}

function headersOf(
  { served: { id }, server }: NemoCall,
  verdict: GuardrailsMetadata | undefined,
): Record<string, string> {
  return { "x-guardrails-config": id, ...verdictHeaders(verdict && toWireVerdict(verdict, id, server.verdicts)) };
}

/** @throws ApiError 400 for invalid options of a turn */
function toGenerationOptions({ options, context, state }: NemoRequest): GenerationOptions {
  const { rails, llm_params, llm_output, output_vars, log } = parseBody(optionsSchema, options ?? {}, ["options"]);
  const { activated_rails, llm_calls, internal_events, colang_history } = log ?? {};
  const logOptions = omitUndefined({
    activatedRails: activated_rails,
    llmCalls: llm_calls,
    internalEvents: internal_events,
    colangHistory: colang_history,
  });
  return omitUndefined({
    rails: rails as GenerationOptions["rails"],
    llmParams: llm_params,
    llmOutput: llm_output,
    outputVars: output_vars === false ? undefined : output_vars,
    log: log === undefined ? undefined : logOptions,
    context: context ?? undefined,
    state: (state ?? undefined) as GenerationOptions["state"],
  }) as GenerationOptions;
}

/** Returns the log in the format of NeMo Guardrails: keys in snake_case, without functions. */
function toWireLog(log: TurnLog): unknown {
  return mapParts(JSON.parse(JSON.stringify(log)) as unknown, { leaf: (leaf) => leaf, key: toSnakeCaseName });
}

/** Streams the released text in chunks of plain text, as NeMo Guardrails does. */
async function stream(call: NemoCall): Promise<Response> {
  const { scope, server, request, served, messages, steering, config } = call;
  if (steering.length > 0 || request.options || request.state || request.context) {
    throw badRequest(
      "A stream takes messages only: leave out 'context', 'options' and 'state'.",
      "stream",
      "invalid_value",
    );
  }
  if (messages.length === 0) {
    throw badRequest("Missing required parameter: 'messages'.", "messages", "missing_required_parameter");
  }
  const target = served.target._streamIterator([...messages], config) as AsyncGenerator<AIMessageChunk>;
  const chunks = await withFirstStep(noting(target, scope), server.limits.heartbeatMs);
  const encoder = new TextEncoder();
  let sent = "";
  scope.isStreaming = true;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await chunks.next();
          if (next.done === true) {
            await keepStream(call, sent);
            scope.end(200);
            controller.close();
            return;
          }
          const text = extractText(next.value);
          sent += text;
          controller.enqueue(encoder.encode(text));
        } catch (error) {
          const { status } = describeError(error, scope, server.logger);
          scope.end(status);
          // The connection is destroyed, because plain text has no format for errors.
          controller.error(new Error("the stream failed"));
        }
      },
      cancel() {
        scope.cancellation.abort(new DOMException("the client has gone", "AbortError"));
        scope.end(CLIENT_GONE);
        void chunks.return?.().catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { ...scope.headers, ...headersOf(call, scope.facts.verdict) };
  return new Response(body, { headers: { ...headers, "content-type": "text/plain; charset=utf-8" } });
}

/** Yields the chunks, and records verdicts among them as facts of the request. */
async function* noting(chunks: AsyncIterable<AIMessageChunk>, scope: RequestScope): AsyncGenerator<AIMessageChunk> {
  for await (const chunk of chunks) {
    const verdict = verdictOf(chunk);
    if (verdict !== undefined) scope.facts.verdict = verdict;
    yield chunk;
  }
}

/** Stores a turn before its stream ends. @throws ApiError 409 if a request with the same key but another text was faster */
async function keepStream(call: NemoCall, content: string): Promise<void> {
  const reply = () => ({ content, headers: headersOf(call, call.scope.facts.verdict), length: content.length });
  if ((await call.thread?.save({ reply })) !== undefined) throw threadConflict();
}
