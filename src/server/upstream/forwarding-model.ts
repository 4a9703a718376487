import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type AIMessageFields,
  type BaseMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { isObject, type PlainObject } from "../../langchain/values/message-kinds.js";
import { readWireCalls, toWireMessages, type WireToolCall } from "../openai-format/messages.js";
import type { UpstreamClient } from "./client.js";
import { UpstreamError } from "./errors.js";
import type { Exchange, UpstreamFacts, WireUsage } from "./exchange.js";

export interface ForwardingCallOptions extends BaseChatModelCallOptions {
  /** The request that this call serves; absent for calls that rails and dialogs make. */
  exchange?: Exchange;
  tools?: readonly unknown[];
  temperature?: number;
  maxTokens?: number;
}

/** Parameters of every call, as the configuration spells them. */
export interface ForwardingFields {
  readonly client: UpstreamClient;
  readonly model: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/**
 * A chat model that passes calls to an OpenAI-compatible server as they are: parameters, logprobs, usage and errors stay, and
 * no call is repeated. Rails see it as any model of LangChain.
 */
export class ForwardingChatModel extends BaseChatModel<ForwardingCallOptions, AIMessageChunk> {
  static override lc_name(): string {
    return "ForwardingChatModel";
  }

  override lc_serializable = false;
  /** Name of the model, unless a request names another one. */
  readonly model: string;
  readonly #fields: ForwardingFields;

  constructor(fields: ForwardingFields) {
    super({});
    this.model = fields.model;
    this.#fields = fields;
  }

  override _llmType(): string {
    return "openai";
  }

  override get callKeys(): string[] {
    return [...super.callKeys, "exchange", "tools", "temperature", "maxTokens"];
  }

  override bindTools(
    tools: BindToolsInput[],
    options?: Partial<ForwardingCallOptions>,
  ): Runnable<never, AIMessageChunk> {
    return this.withConfig({ tools, ...options } as object) as Runnable<never, AIMessageChunk>;
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const message = await this.#complete(messages, options);
    const text = typeof message.content === "string" ? message.content : "";
    return { generations: [{ text, message }] };
  }

  async #complete(messages: BaseMessage[], options: ForwardingCallOptions): Promise<AIMessage> {
    const { exchange, signal } = options;
    const request = this.#request(messages, options);
    const { body, headers } = await this.#fields.client.complete(request, signal, exchange?.headers ?? {});
    const choice = Array.isArray(body["choices"]) ? (body["choices"][0] as unknown) : undefined;
    if (!isObject(choice) || !isObject(choice["message"])) {
      throw new UpstreamError(0, "the upstream response holds no message");
    }
    const usage = usageOf(body["usage"]);
    const facts = factsOf(body, choice);
    exchange?.learn({ ...facts, usage, headers });
    const { message } = choice;
    const { calls, argumentTexts } = readWireCalls(callsOf(message["tool_calls"]));
    const made = new AIMessage({
      content: textOf(message["content"]),
      ...calls,
      additional_kwargs: extrasOf(message),
      response_metadata: { finish_reason: facts.finishReason, model_name: facts.model },
      ...(usage === undefined ? {} : { usage_metadata: usageMetadata(usage) }),
    } as object as AIMessageFields);
    exchange?.attach(made, { logprobs: choice["logprobs"], argumentTexts });
    return made;
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const message of this.#stream(messages, options)) {
      const text = message.content as string;
      const chunk = new ChatGenerationChunk({ text, message });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  async *#stream(messages: BaseMessage[], options: ForwardingCallOptions): AsyncGenerator<AIMessageChunk> {
    const { exchange, signal } = options;
    const request = this.#request(messages, options);
    const { body, headers } = await this.#fields.client.stream(request, signal, exchange?.headers ?? {});
    exchange?.learn({ headers });
    let isFinished = false;
    try {
      for await (const data of body) {
        if (data === "[DONE]") break;
        const event = parseEvent(data);
        if (event["error"] !== undefined)
          throw new UpstreamError(0, "the upstream stream failed", { body: event["error"] });
        const chunk = readChunk(event, exchange);
        isFinished ||=
          exchange?.facts.finishReason !== undefined || chunk?.response_metadata["finish_reason"] !== undefined;
        if (chunk !== undefined) yield chunk;
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof UpstreamError
        ? error
        : new UpstreamError(0, "the upstream stream broke off", { cause: error });
    }
    signal?.throwIfAborted();
    if (!isFinished) throw new UpstreamError(0, "the upstream stream ended before its last chunk");
  }

  #request(messages: readonly BaseMessage[], options: ForwardingCallOptions): object {
    const { exchange, tools, stop, temperature, maxTokens } = options;
    const { parameters, model } = this.#fields;
    const own = exchange?.parameters ?? {
      ...(tools === undefined ? {} : { tools }),
      ...(stop === undefined ? {} : { stop }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    };
    const sent = toWireMessages(messages, exchange);
    if (exchange !== undefined) exchange.sent = sent;
    return { model, ...parameters, ...own, messages: sent };
  }
}

function parseEvent(data: string): PlainObject {
  try {
    const event: unknown = JSON.parse(data);
    if (isObject(event)) return event;
  } catch {
    // Reported below.
  }
  throw new UpstreamError(0, "an event of the upstream stream is not a JSON object");
}

/** Reads a chunk; undefined for one that only brings facts. */
function readChunk(event: PlainObject, exchange: Exchange | undefined): AIMessageChunk | undefined {
  const usage = usageOf(event["usage"]);
  const choice = Array.isArray(event["choices"]) ? (event["choices"][0] as unknown) : undefined;
  const facts = factsOf(event, isObject(choice) ? choice : {});
  exchange?.learn({ ...facts, usage });
  const delta = isObject(choice) && isObject(choice["delta"]) ? choice["delta"] : {};
  const calls = Array.isArray(delta["tool_calls"]) ? delta["tool_calls"].filter(isObject) : [];
  const content = textOf(delta["content"]);
  const additional_kwargs = extrasOf(delta);
  const hasExtras = Object.keys(additional_kwargs).length > 0;
  if (content === "" && calls.length === 0 && !hasExtras && usage === undefined && facts.finishReason === undefined) {
    return undefined;
  }
  const fields = {
    content,
    additional_kwargs,
    response_metadata: facts.finishReason === undefined ? {} : { finish_reason: facts.finishReason },
    tool_calls: [],
    invalid_tool_calls: [],
    tool_call_chunks: calls.map(readCallChunk),
    usage_metadata: usage === undefined ? undefined : usageMetadata(usage),
  };
  const chunk = new AIMessageChunk(fields as object as AIMessageChunkFields);
  if (isObject(choice) && isObject(choice["logprobs"])) exchange?.attach(chunk, { logprobs: choice["logprobs"] });
  return chunk;
}

function readCallChunk({ index, id, function: called }: PlainObject) {
  const { name, arguments: args } = isObject(called) ? called : {};
  return {
    type: "tool_call_chunk" as const,
    index: typeof index === "number" ? index : 0,
    ...(typeof id === "string" ? { id } : {}),
    ...(typeof name === "string" ? { name } : {}),
    args: typeof args === "string" ? args : "",
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/** Texts beside the content that rails read: a refusal of the provider, and reasoning of servers that show it. */
function extrasOf(message: PlainObject): Record<string, unknown> {
  const { refusal, reasoning_content: reasoning } = message;
  return {
    ...(typeof refusal === "string" && refusal !== "" ? { refusal } : {}),
    ...(typeof reasoning === "string" && reasoning !== "" ? { reasoning_content: reasoning } : {}),
  };
}

function callsOf(calls: unknown): WireToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map(({ id, function: called }, index): WireToolCall => {
    const { name, arguments: args } = isObject(called) ? called : {};
    const text = typeof args === "string" ? args : JSON.stringify(args ?? {});
    return {
      id: typeof id === "string" ? id : `call_${index}`,
      type: "function",
      function: { name: typeof name === "string" ? name : "", arguments: text },
    };
  });
}

function factsOf(body: PlainObject, choice: PlainObject): UpstreamFacts {
  const { model, created, system_fingerprint: fingerprint, service_tier: tier } = body;
  const reason = choice["finish_reason"];
  return {
    model: typeof model === "string" ? model : undefined,
    created: typeof created === "number" ? created : undefined,
    systemFingerprint: typeof fingerprint === "string" ? fingerprint : undefined,
    serviceTier: typeof tier === "string" ? tier : undefined,
    finishReason: typeof reason === "string" ? reason : undefined,
  };
}

function usageOf(usage: unknown): WireUsage | undefined {
  return isObject(usage) && typeof usage["total_tokens"] === "number" ? (usage as unknown as WireUsage) : undefined;
}

function usageMetadata(usage: WireUsage): UsageMetadata {
  const { prompt_tokens: input = 0, completion_tokens: output = 0, total_tokens: total } = usage;
  return { input_tokens: input, output_tokens: output, total_tokens: total };
}
