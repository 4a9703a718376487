import { CallbackManager, type CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput, StructuredOutputMethodOptions } from "@langchain/core/language_models/base";
import { BaseChatModel, type BindToolsInput, type LangSmithParams } from "@langchain/core/language_models/chat_models";
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import type { ModelProfile } from "@langchain/core/language_models/profile";
import { AIMessage, type AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult, type LLMResult } from "@langchain/core/outputs";
import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import { responseToolNames, type CallTools, callTools, offeredTools, withDelegatedCalls } from "./tools/tool-calls.js";
import { type BotResponse } from "./values/response.js";
import { releaseResponse } from "./values/read-response.js";
import { askInner, hasHandlers, newRunId } from "./callbacks.js";
import { boundOptions, rebind, unbound } from "./models/model-traits.js";
import { applyBlock } from "./blocked.js";
import { andThen, isPromise, lazily, type MaybePromise } from "../engine/async.js";
import {
  Pseudonymised,
  checkCallOptions,
  GuardedCall,
  type GuardrailsCallOptions,
  traced,
  rethrowError,
} from "./call.js";
import { adaptModel } from "./models/chat-model.js";
import { utteranceMessage, toChunk } from "./verdict.js";
import { extractText } from "./values/content.js";
import { openInput, sentMessages, takeGuardedTurn, type TurnOutcome } from "./review/review.js";
import {
  baseParams,
  CALLER_CONFIG,
  CANCELLATION,
  type CompleteFields,
  type GuardedModelCallOptions,
  type GuardedModelFields,
  type InnerModel,
  PSEUDONYMS,
  type StructuredSchema,
  type WrapModelOptions,
} from "./models/guarded-model-fields.js";
import { isMessage } from "./values/message-kinds.js";
import { callerConfig, childConfig, toMessages, countUsageOnce, separateOptions } from "./models/model-config.js";
import { refuseSchemaMismatch, readCallingResponse } from "./structured/structured-response.js";
import { restoreValue } from "./values/restore.js";
import { quarantineModel } from "./isolation/quarantine-model.js";
import { callbacksFor } from "./redaction/redacted-handler.js";
import { guardDerived } from "./models/retries-and-fallbacks.js";
import { shapeError } from "./shape-error.js";
import { GuardedStructuredOutput, structuredInner, type StructuredResult } from "./structured/structured-output.js";
import { batchesFrom, chunkSink, inBatchesOfOne, type Sink, streamFrom, unreadMsOf } from "./streaming/sink.js";
import { responderOver } from "./streaming/responder.js";
import type { StreamingTurn } from "./streaming/streaming-turn.js";
import type { Upstream } from "./streaming/upstream.js";
import { readMessageInput } from "./values/read-user-input.js";

const restoring = lazily(() => import("./streaming/restored-handlers.js"));
const events = lazily(() => import("./streaming/model-events.js"));
const streaming = lazily(() => import("./streaming/streaming-turn.js"));

export type { GuardedModelCallOptions, GuardedModelFields, StructuredSchema, WrapModelOptions };

const TOOLS_HINT = "wrap a chat model that has `bindTools`";
type TurnCallOptions = GuardedModelCallOptions & { readonly promptIndex?: number };

/**
 * A chat model whose every turn goes through the rails. The wrapped model never sees what an input rail blocked, and
 * the caller sees only what the output rails passed. Arguments of tool calls are checked by execution rails; see
 * `toolArgs`.
 */
export class GuardedChatModel extends BaseChatModel<GuardedModelCallOptions, AIMessageChunk> {
  static override lc_name(): string {
    return "GuardedChatModel";
  }

  static {
    guardDerived(this);
  }

  override lc_serializable = false;
  /** The model inside the bindings of the wrapped model. */
  readonly #model: InnerModel;
  readonly #fields: CompleteFields;
  readonly #ownTools: CallTools;

  constructor(fields: GuardedModelFields) {
    const inner = quarantineModel(fields.inner, fields.host);
    const model = unbound(inner) as InnerModel;
    const options = boundOptions(inner);
    // INVARIANT: caches stay with the wrapped model; in front of the rails they would return answers of other turns.
    super(baseParams(model, fields));
    this.disableStreaming = model.disableStreaming === true;
    // Middleware that serves one provider knows its models by their names.
    this.name = (model as Partial<InnerModel>).getName?.() ?? GuardedChatModel.lc_name();
    this.#model = model;
    const { main = adaptModel(inner), onBlocked = fields.host.onBlocked ?? "refuse" } = fields;
    const {
      tools = Array.isArray(options["tools"]) ? options["tools"] : [],
      responseTools = responseToolNames(options),
    } = fields;
    this.#fields = Object.assign({}, fields, { inner, main, onBlocked, tools, responseTools });
    this.#ownTools = callTools(tools, fields.toolArgs ?? responseTools);
  }

  // INVARIANT: the base class calls this before the fields of this class exist.
  override _llmType(): string {
    return "guardrails";
  }

  override get profile(): ModelProfile {
    return (#model in this ? this.#model.profile : undefined) ?? {};
  }

  override get callKeys(): string[] {
    const inner = #model in this ? this.#model.callKeys : undefined;
    return [...new Set([...super.callKeys, ...(inner ?? []), "rails"])];
  }

  override invocationParams(options?: this["ParsedCallOptions"]): unknown {
    return this.#model.invocationParams?.(options) ?? {};
  }

  /** The inner run reports provider and cost; reporting both twice would double the sums. */
  override getLsParams(options: this["ParsedCallOptions"]): LangSmithParams {
    return { ...super.getLsParams(options), ls_provider: "guardrails" };
  }

  override getNumTokens(content: Parameters<BaseChatModel["getNumTokens"]>[0]): Promise<number> {
    return this.#model.getNumTokens?.(content) ?? super.getNumTokens(content);
  }

  /** Returns the model with tools, behind the same rails. */
  override bindTools(tools: BindToolsInput[], kwargs?: Partial<GuardedModelCallOptions>): GuardedChatModel {
    const { bindTools } = this.#model;
    if (typeof bindTools !== "function") {
      throw shapeError("expected a wrapped model that can use tools", this.#fields.inner, TOOLS_HINT);
    }
    const inner = rebind(this.#fields.inner, (model) => bindTools.call(model as BaseChatModel, tools, kwargs));
    const responseTools = responseToolNames({ tools, tool_choice: kwargs?.tool_choice });
    return new GuardedChatModel({ ...this.#fields, inner, responseTools, tools });
  }

  /** Tools of a call, and whether output rails read the arguments of each. */
  #callTools(callOptions: Readonly<Record<string, unknown>>): CallTools {
    if (!("tools" in callOptions)) return this.#ownTools;
    const chosen = this.#fields.toolArgs ?? [...this.#fields.responseTools, ...responseToolNames(callOptions)];
    return callTools(offeredTools(this.#fields.tools, callOptions), chosen);
  }

  override withStructuredOutput<Output extends Record<string, unknown> = Record<string, unknown>>(
    schema: StructuredSchema<Output>,
    config?: StructuredOutputMethodOptions<false>,
  ): Runnable<BaseLanguageModelInput, Output, GuardrailsCallOptions>;
  override withStructuredOutput<Output extends Record<string, unknown> = Record<string, unknown>>(
    schema: StructuredSchema<Output>,
    config: StructuredOutputMethodOptions<true>,
  ): Runnable<BaseLanguageModelInput, StructuredResult<Output>, GuardrailsCallOptions>;
  /**
   * Puts the same rails around answers in the shape of a schema: zod 3, zod 4, another Standard Schema, or JSON Schema.
   * Output rails see the values as lines of text. If a rail rewrites a line, its field is rewritten, provided that the
   * schema still accepts it.
   *
   * @throws GuardrailViolationError when called, on a block, since no refusal matches a schema. With `includeRaw`, a
   *   block returns `{ raw: refusal, parsed: null }`
   * @throws OutputParseError when called, if the response does not match the schema
   *
   * @example
   * ```ts
   * const recipes = guardrails.wrap(model).withStructuredOutput(z.object({ dish: z.string(), minutes: z.number() }));
   * const { dish } = await recipes.invoke("Which bread is easy to bake?");
   * ```
   */
  override withStructuredOutput(
    schema: unknown,
    config?: StructuredOutputMethodOptions<boolean>,
  ): Runnable<BaseLanguageModelInput, never, GuardrailsCallOptions> {
    const { host, main, onBlocked } = this.#fields;
    const inner = structuredInner(this.#fields.inner, schema, config);
    const includeRaw = config?.includeRaw === true;
    const structured = new GuardedStructuredOutput({ host, inner, schema, includeRaw, main, onBlocked });
    return structured as unknown as Runnable<BaseLanguageModelInput, never, GuardrailsCallOptions>;
  }

  override async invoke(
    input: BaseLanguageModelInput,
    options?: Partial<GuardedModelCallOptions>,
  ): Promise<AIMessageChunk> {
    if (input instanceof Error) rethrowError(input);
    const messages = toMessages(input);
    const { host, onReleased } = this.#fields;
    const pseudonyms = host.runtime.hasPseudonyms ? new Pseudonymised() : undefined;
    const runOptions = pseudonyms === undefined ? options : (await restoring()).restoringOptions(options, pseudonyms);
    const response = await this.#invoke(messages, runOptions);
    const message = pseudonyms === undefined ? response : restoreValue(response, pseudonyms.table);
    onReleased?.(message);
    return message;
  }

  #invoke(messages: BaseMessage[], options: Partial<GuardedModelCallOptions> | undefined): Promise<AIMessageChunk> {
    const unobserved = this.#unobservedOptions(options);
    return unobserved === undefined
      ? super.invoke(messages, Object.assign({}, options, { runId: options?.runId ?? newRunId() }))
      : (this.#response(messages, unobserved) as Promise<AIMessageChunk>);
  }

  /** Options of a call that no handler observes: without handlers, no run is opened and no chunks are joined. */
  #unobservedOptions(options: Partial<GuardedModelCallOptions> | undefined): GuardedModelCallOptions | undefined {
    if (hasHandlers(options?.callbacks)) return undefined;
    const [config, callOptions] = this._separateRunnableConfigFromCallOptionsCompat(options);
    // Graphs pass managers without handlers.
    if (this.verbose || hasHandlers(CallbackManager._configureSync(config.callbacks, this.callbacks))) return undefined;
    return (callOptions.outputVersion ?? this.outputVersion) === "v0" ? callOptions : undefined;
  }

  override generate(...[messages, options, callbacks]: Parameters<BaseChatModel["generate"]>): Promise<LLMResult> {
    return super.generate(messages, options, callbacks && callbacksFor(this.#fields.host, callbacks));
  }

  protected override _separateRunnableConfigFromCallOptionsCompat(
    options?: Partial<GuardedModelCallOptions>,
  ): [RunnableConfig, this["ParsedCallOptions"]] {
    const [runnableConfig, callOptions] = separateOptions(options);
    const config = this.#fields.host.redactTraces === true ? traced(runnableConfig, this.#fields.host) : runnableConfig;
    callOptions[CALLER_CONFIG] = callerConfig(config, options);
    return [config, callOptions as this["ParsedCallOptions"]];
  }

  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const message = await this.#response(messages, options as GuardedModelCallOptions, runManager);
    return { generations: [{ text: extractText(message), message }] };
  }

  #response(
    messages: BaseMessage[],
    options: GuardedModelCallOptions,
    runManager?: CallbackManagerForLLMRun,
  ): Promise<BaseMessage> {
    return this.#turn(messages, options, runManager).then((outcome) => this.#message(outcome, messages));
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const work = this.#streamWork(messages, options as GuardedModelCallOptions, runManager);
    for await (const message of streamFrom<AIMessageChunk>(...work)) {
      const text = extractText(message);
      const chunk = new ChatGenerationChunk({ text, message });
      await runManager?.handleLLMNewToken(text, { prompt: 0, completion: 0 }, undefined, undefined, undefined, {
        chunk,
      });
      yield chunk;
    }
  }

  override _streamIterator(
    input: BaseLanguageModelInput,
    options?: Partial<GuardedModelCallOptions>,
  ): AsyncGenerator<AIMessageChunk> {
    const messages = toMessages(input);
    if (!this.#fields.host.runtime.hasPseudonyms) return this.#streamMessages(messages, options);
    return this.#streamRestored(messages, options);
  }

  async *#streamRestored(
    messages: BaseMessage[],
    options: Partial<GuardedModelCallOptions> | undefined,
  ): AsyncGenerator<AIMessageChunk> {
    const { streamRestored } = await restoring();
    yield* streamRestored(options, (streamOptions) => this.#streamMessages(messages, streamOptions));
  }

  override async *_streamChatModelEvents(
    ...[messages, options, run]: Parameters<BaseChatModel["_streamResponseChunks"]>
  ): AsyncGenerator<ChatModelStreamEvent> {
    const { guardedEvents } = await events();
    const open = (restored: object) => this._streamResponseChunks(messages, restored as this["ParsedCallOptions"], run);
    yield* guardedEvents(open, options, this.#fields.host.runtime.hasPseudonyms);
  }

  #streamMessages(
    messages: BaseMessage[],
    options: Partial<GuardedModelCallOptions> | undefined,
  ): AsyncGenerator<AIMessageChunk> {
    const unobserved = this.disableStreaming ? undefined : this.#unobservedOptions(options);
    if (unobserved === undefined) return super._streamIterator(messages, options);
    return streamFrom(...this.#streamWork(messages, unobserved));
  }

  /** @internal The same stream in batches of chunks that leave together. */
  _batchIterator(messages: BaseMessage[], options: object): AsyncGenerator<readonly AIMessageChunk[]> {
    const isSimple = !this.disableStreaming && !this.#fields.host.runtime.hasPseudonyms;
    const unobserved = isSimple ? this.#unobservedOptions(options) : undefined;
    if (unobserved === undefined) return inBatchesOfOne(this._streamIterator(messages, options));
    return batchesFrom(...this.#streamWork(messages, unobserved));
  }

  #streamWork(messages: BaseMessage[], options: GuardedModelCallOptions, runManager?: CallbackManagerForLLMRun) {
    const { host, inner, tools } = this.#fields;
    const mayAskForTools = tools.length > 0 || "tools" in options || !("_streamResponseChunks" in inner);
    const work = async (sink: Sink, signal: AbortSignal): Promise<void> => {
      const messagesOut = chunkSink(sink);
      const { messageStream, streamingTurn } = await streaming();
      const read = (message: unknown): BotResponse => readCallingResponse(message, this.#callTools({ ...options }));
      const streamed = messageStream(host, messagesOut, { read, mayAskForTools });
      const turn = streamingTurn(host, messagesOut, streamed);
      const outcome = await this.#turn(messages, { ...options, signal }, runManager, turn);
      if (outcome.kind !== "blocked" && streamed.continuesWith(outcome)) return streamed.end(outcome);
      await sink.put([toChunk(await this.#message(outcome, messages, turn))]);
    };
    return [options.signal, unreadMsOf(host, options[CALLER_CONFIG]), work] as const;
  }

  async #turn(
    messages: BaseMessage[],
    options: GuardedModelCallOptions,
    runManager: CallbackManagerForLLMRun | undefined,
    turn?: StreamingTurn,
  ): Promise<TurnOutcome> {
    checkCallOptions("a call", options);
    const { host, inner, main, tools, ofAgent, variables, pseudonyms: table } = this.#fields;
    const {
      rails = this.#fields.rails,
      signal,
      promptIndex: _index,
      [CALLER_CONFIG]: caller,
      [PSEUDONYMS]: pseudonyms,
      [CANCELLATION]: ending,
      ...callOptions
    } = options as TurnCallOptions;
    const offered = this.#callTools(callOptions);
    if (runManager !== undefined) countUsageOnce(runManager, host.rawTokens);
    const { passthrough } = host.runtime.config.settings;
    const messageInput = readMessageInput(messages);
    const call = GuardedCall.open(host, childConfig(caller, runManager, signal), rails);
    pseudonyms?.follow(call);
    try {
      if (ending !== undefined) call.conversation.cancellation.follow(ending);
      if (variables !== undefined) call.conversation.assign(variables);
      if (table !== undefined) call.conversation.pseudonyms.adopt(table);
      const opened = openInput(messageInput, call);
      const input = isPromise(opened) ? await opened : opened;
      const sentOf = (texts: readonly string[]): BaseMessage[] => [...sentMessages(input, texts, call)];
      const source = { runnable: inner, stallMs: host.stallMs };
      const streamed = turn && {
        response: turn.streamed,
        open: (texts: readonly string[], askConfig: RunnableConfig): Promise<Upstream> =>
          turn.open(source, sentOf(texts), askConfig, callOptions),
      };
      const ask = async (texts: readonly string[], askConfig: RunnableConfig): Promise<BotResponse> => {
        const output: unknown = await askInner(inner, sentOf(texts), Object.assign({}, callOptions, askConfig));
        return readCallingResponse(typeof output === "string" ? new AIMessage(output) : output, offered);
      };
      const outcome = await takeGuardedTurn({
        call,
        input,
        main,
        // The model receives the caller's messages, unless the configuration sets its own prompts.
        responder: passthrough === false ? undefined : responderOver(ask, streamed),
        isSideEffectFree: true,
        tools: offeredTools(tools, callOptions),
        strip: ofAgent,
        knowsResults: ofAgent,
        ...turn?.options,
      });
      const known = refuseSchemaMismatch(outcome, call);
      return isPromise(known) ? await known : known;
    } finally {
      call.close();
    }
  }

  #message(outcome: TurnOutcome, messages: BaseMessage[], turn?: StreamingTurn): MaybePromise<BaseMessage> {
    const { calls = [] } = outcome;
    const left = (text: string): string => turn?.emitted.restOf(text) ?? text;
    if (outcome.kind === "utterance") return utteranceMessage(left(outcome.text), outcome.verdict, calls);
    if (outcome.kind === "response") {
      const released = releaseResponse(outcome.response, left(outcome.text), outcome.verdict);
      return withDelegatedCalls(released, calls) as BaseMessage;
    }
    const { response } = outcome;
    const block = { ...outcome.block, refusal: this.#fields.refusal ?? outcome.block.refusal };
    this.#fields.onBlock?.(block);
    const started = turn?.streamed.hasStarted === true ? turn.streamed : undefined;
    const value = started?.whole() ?? response?.value ?? messages;
    const replaced = applyBlock(block, value, this.#fields.onBlocked, (refusal) =>
      started !== undefined
        ? started.refuse(refusal, block.verdict)
        : response === undefined
          ? (turn?.refusal(refusal, block.verdict) ?? utteranceMessage(refusal, block.verdict))
          : toChunk(response.refuse(left(refusal), block.verdict) as BaseMessage),
    );
    return andThen(replaced, (replacement) =>
      isMessage(replacement) ? replacement : utteranceMessage(String(replacement), block.verdict),
    );
  }
}
