import { CallbackManager, type CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, type AIMessageChunk, type AIMessageFields, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import { hasHandlers } from "../../langchain/callbacks.js";
import { separateOptions, toMessages } from "../../langchain/models/model-config.js";
import { isObject } from "../../langchain/values/message-kinds.js";
import { readWireCalls, toWireMessages, type WireToolCall } from "../openai-format/messages.js";
import { ChunkStream } from "./chunk-stream.js";
import type { UpstreamClient } from "./client.js";
import { UpstreamError } from "./errors.js";
import { type Exchange, NO_HEADERS } from "./exchange.js";
import { callId, extrasOf, factsOf, textOf, usageMetadata, usageOf } from "./response-parts.js";

export interface ForwardingCallOptions extends BaseChatModelCallOptions {
  /** The request that this call serves; absent for calls by rails and dialogs. */
  exchange?: Exchange;
  tools?: readonly unknown[];
  temperature?: number;
  maxTokens?: number;
}

/** Parameters of every call, named as in the configuration. */
export interface ForwardingFields {
  readonly client: UpstreamClient;
  readonly model: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/**
 * A chat model that forwards calls to an OpenAI-compatible server unchanged: it preserves parameters, logprobs, usage and errors,
 * and never retries a call. Rails use it like any LangChain model.
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
    const { body, headers } = await this.#fields.client.complete(request, signal, exchange?.headers ?? NO_HEADERS);
    const choice = Array.isArray(body["choices"]) ? (body["choices"][0] as unknown) : undefined;
    if (!isObject(choice) || !isObject(choice["message"])) {
      throw new UpstreamError(0, "the upstream response holds no message");
    }
    const usage = usageOf(body["usage"]);
    const facts = factsOf(body, choice, { usage, headers });
    exchange?.learn(facts);
    const { message } = choice;
    const {
      calls: { tool_calls, invalid_tool_calls },
      argumentTexts,
    } = readWireCalls(callsOf(message["tool_calls"]));
    const fields: Record<string, unknown> = {
      content: textOf(message["content"]),
      tool_calls,
      invalid_tool_calls,
      additional_kwargs: extrasOf(message) ?? {},
      response_metadata: { finish_reason: facts.finishReason, model_name: facts.model },
    };
    if (usage !== undefined) fields["usage_metadata"] = usageMetadata(usage);
    const made = new AIMessage(fields as AIMessageFields);
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

  /** Skips the base class if there are no handlers: it opens runs for them, and concatenates all chunks of a stream. */
  override async invoke(
    input: BaseLanguageModelInput,
    options?: Partial<ForwardingCallOptions>,
  ): Promise<AIMessageChunk> {
    const unobserved = this.#unobservedOptions(options);
    if (unobserved === undefined) return super.invoke(input, options);
    return (await this.#complete(toMessages(input), unobserved)) as AIMessageChunk;
  }

  override _streamIterator(
    input: BaseLanguageModelInput,
    options?: Partial<ForwardingCallOptions>,
  ): AsyncGenerator<AIMessageChunk> {
    const unobserved = this.#unobservedOptions(options);
    return unobserved === undefined
      ? super._streamIterator(input, options)
      : this.#stream(toMessages(input), unobserved);
  }

  /** Returns the options of a call without handlers and without conversion of its response; otherwise undefined. */
  #unobservedOptions(options: Partial<ForwardingCallOptions> | undefined): ForwardingCallOptions | undefined {
    const [config, callOptions] = separateOptions(options) as [RunnableConfig, ForwardingCallOptions];
    if (this.verbose || this.cache || hasHandlers(CallbackManager._configureSync(config.callbacks, this.callbacks)))
      return undefined;
    return (callOptions.outputVersion ?? this.outputVersion) === "v0" ? callOptions : undefined;
  }

  #stream(messages: BaseMessage[], options: ForwardingCallOptions): ChunkStream {
    const { exchange, signal } = options;
    const request = this.#request(messages, options);
    return new ChunkStream(() => this.#fields.client.stream(request, signal, exchange?.headers ?? NO_HEADERS), options);
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
    const request = { model, messages: sent, ...parameters, ...own };
    // INVARIANT: no parameter replaces the messages that rails have read.
    request.messages = sent;
    return request;
  }
}

function callsOf(calls: unknown): WireToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map(({ id, function: called }, index): WireToolCall => {
    const { name, arguments: args } = isObject(called) ? called : {};
    const text = typeof args === "string" ? args : JSON.stringify(args ?? {});
    return {
      id: callId(id, index),
      type: "function",
      function: { name: typeof name === "string" ? name : "", arguments: text },
    };
  });
}
