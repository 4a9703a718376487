import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { Runnable, RunnableFunc } from "@langchain/core/runnables";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { checkOptions } from "../diagnostics/options.js";
import { lazily } from "../engine/async.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { RailDecision } from "../turn/decision.js";
import { type EventSession, SESSION_OPTIONS, type SessionOptions } from "../runtime/event-session.js";
import type { BotUtterance, CanonicalForm, FlowResult, NextStep } from "../runtime/dialect-host.js";
import {
  type BranchOptions,
  branchStep,
  type CheckOptions,
  type CheckResult,
  checkValue,
  inputStep,
  type InputStepOptions,
  outputStep,
  type OutputStepOptions,
  readCheckOptions,
  retrievalStep,
  type RetrievalStepOptions,
} from "./steps/review-steps.js";
import { type GuardedCall, type GuardrailsCallOptions, Pseudonymised } from "./call.js";
import type { GenerationMessage, TurnInput } from "./generation/reply.js";
import type { GenerationOptions, GenerationResult } from "./generation/generation-result.js";
import type { GuardedChatModel } from "./guarded-chat-model.js";
import type { WrapModelOptions } from "./models/guarded-model-fields.js";
import type { WrapOptions } from "./guarded-runnable.js";
import { type GuardedTool, guardTool, type ToolLike } from "./guarded-tool.js";
import { type Host, rememberHost, withRail, withUnseen } from "./host.js";
import { type CatalogRail, railCatalog } from "../library/catalog.js";
import type { PresetName } from "../library/presets.js";
import type { ConfigContent } from "../config/load/load-options.js";
import {
  createHost,
  GUARDRAILS_OPTIONS,
  type GuardrailsOptions,
  loadContent,
  loadPath,
  type PresetOptions,
} from "./load.js";
import { BARE_STRING, warnOnce } from "./one-time-warning.js";
import { GuardrailsStep } from "./step.js";
import {
  botMessageStep,
  canonicalFormStep,
  type FlowInput,
  flowStep,
  type IntentInput,
  nextStepStep,
  railStep,
} from "./steps/runtime-steps.js";
import { wrapRunnable } from "./wrap-runnable.js";

const reply = lazily(() => import("./generation/reply.js"));
const generation = lazily(() => import("./generation/generation-result.js"));

/** Any chat model, with any call options. */
export type ChatModelLike = Runnable<BaseLanguageModelInput, BaseMessage> & {
  _streamResponseChunks(...args: never[]): unknown;
  _llmType(): string;
};

type CallOptions = Partial<GuardrailsCallOptions>;

/**
 * A guardrails configuration as an immutable runnable. The side of a value decides which rails check it: prompts and
 * user messages run a whole guarded turn; answers (and strings, which in a pipe are the chain's response) go through the
 * output rails.
 *
 * @example
 * ```ts
 * const guardrails = await Guardrails.fromPath("./config");
 * const model = guardrails.wrap(new ChatOpenAI({ model: "gpt-4o-mini" }));
 * const answer = await model.invoke("How do I return a bike?");
 * ```
 */
export class Guardrails extends GuardrailsStep<unknown, unknown> {
  static override lc_name(): string {
    return "Guardrails";
  }

  override lc_namespace = ["langchain_guardrails", "guardrails"];
  readonly #host: Host;

  /** Called by `fromPath` and `fromConfig`. */
  constructor(host: Host) {
    super(host, "Guardrails");
    this.#host = host;
    rememberHost(this, host);
  }

  /**
   * Loads a configuration from a folder or a file.
   *
   * @param path - relative to the working directory, or a `file:` URL
   * @throws ConfigError with all problems at once, each with its source location
   *
   * @example
   * ```ts
   * const guardrails = await Guardrails.fromPath(new URL("./config", import.meta.url));
   * ```
   */
  static async fromPath(path: string | URL, options: GuardrailsOptions = {}): Promise<Guardrails> {
    checkOptions("Guardrails.fromPath", options, GUARDRAILS_OPTIONS);
    return new Guardrails(await createHost(await loadPath(path, options), options));
  }

  /**
   * Loads a configuration from text or objects.
   *
   * @example
   * ```ts
   * const guardrails = await Guardrails.fromConfig({ colang: 'define user greet\n  "hi"', yaml: "models: []" }, { llm });
   * ```
   */
  static async fromConfig(config: ConfigContent | RailsConfig, options: GuardrailsOptions = {}): Promise<Guardrails> {
    checkOptions("Guardrails.fromConfig", options, GUARDRAILS_OPTIONS);
    return new Guardrails(await createHost(await loadContent(config, options), options));
  }

  /**
   * Loads a preset: a set of rails chosen and measured together. `local` needs no model and no key; `balanced` and
   * `strict` also call a model, `llm` or the one in `overrides`. `docs/presets.md` lists the rails of each.
   *
   * @param options - those of `fromConfig`, and `overrides`: settings merged over those of the preset
   *
   * @example
   * ```ts
   * const guardrails = await Guardrails.preset("local");
   * const rag = guardrails.wrap(chain, { inputKey: "question", outputKey: "answer" });
   * ```
   */
  static preset(name: PresetName, options: PresetOptions = {}): Promise<Guardrails> {
    const { overrides = {}, ...others } = options;
    return Guardrails.fromConfig({ config: { ...overrides, extends: `preset:${name}` } }, others);
  }

  /**
   * Lists the rails that a configuration can use without defining them: their flows, settings, requirements, cost and
   * the data they send out of the process.
   *
   * @example
   * ```ts
   * Guardrails.catalog().filter(({ cost }) => cost === "local").flatMap(({ flows }) => flows.map(({ name }) => name));
   * ```
   */
  static catalog(): readonly CatalogRail[] {
    return railCatalog();
  }

  /** Problems of the configuration that do not prevent it from running. */
  get warnings(): readonly Diagnostic[] {
    return this.#host.runtime.warnings;
  }

  get config(): RailsConfig {
    return this.#host.runtime.config;
  }

  /** Answers a prompt or messages in a whole turn; reviews any other value as a response, and returns it in its shape. */
  override invoke(value: string, options?: CallOptions): Promise<string>;
  override invoke(value: TurnInput, options?: CallOptions): Promise<AIMessageChunk>;
  override invoke(value: unknown, options?: CallOptions): Promise<unknown>;
  override async invoke(value: unknown, options?: CallOptions): Promise<unknown> {
    const { runtime, logger } = this.#host;
    // A sequence passes a completed config to its steps; a direct call usually has none.
    const isDirect = typeof value === "string" && options?.recursionLimit === undefined;
    if (isDirect && runtime.hasDialog && logger !== undefined) warnOnce("bare-string", BARE_STRING, logger);
    return super.invoke(value, options);
  }

  /** Streams what `invoke` returns, in chunks that have passed the output rails. */
  override stream(value: string, options?: CallOptions): Promise<IterableReadableStream<string>>;
  override stream(value: TurnInput, options?: CallOptions): Promise<IterableReadableStream<AIMessageChunk>>;
  override stream(value: unknown, options?: CallOptions): Promise<IterableReadableStream<unknown>>;
  override stream(value: unknown, options?: CallOptions): Promise<IterableReadableStream<unknown>> {
    return super.stream(value, options);
  }

  protected override get pseudonymUse(): "turn" {
    return "turn";
  }

  protected override async process(value: unknown, call: GuardedCall): Promise<unknown> {
    const { replyToValue } = await reply();
    return replyToValue(value, call);
  }

  protected override async *processStream(chunks: AsyncGenerator<unknown>, call: GuardedCall): AsyncGenerator<unknown> {
    const { streamReply } = await reply();
    yield* streamReply(chunks, call);
  }

  /**
   * Puts the rails around a model, a chain or a function. Returns a new object; the given one is unchanged. Callback
   * handlers see text and tokens only after review. A text model (`BaseLLM`) stays one: it takes a text, a prompt or
   * messages, and returns and streams texts. Put retries, fallbacks and parsers inside.
   *
   * @example
   * ```ts
   * const answer = await guardrails.wrap(model).invoke("How do I return a bike?"); // a message, or the refusal as one
   * const rag = guardrails.wrap(chain, { inputKey: "question", outputKey: "answer" });
   * const echo = guardrails.wrap((text: string) => `You said: ${text}`);
   * ```
   */
  wrap(model: ChatModelLike, options?: WrapModelOptions): GuardedChatModel;
  wrap<Input, Output>(
    runnable: Runnable<Input, Output> | RunnableFunc<Input, Output>,
    options?: WrapOptions,
  ): Runnable<Input, Output, GuardrailsCallOptions>;
  wrap(runnable: Runnable | RunnableFunc<unknown, unknown>, options: WrapOptions & WrapModelOptions = {}): Runnable {
    return wrapRunnable(this.#host, runnable, options);
  }

  /**
   * Input rails as a step: returns the value unchanged or throws `GuardrailViolationError`, so later steps do not run.
   *
   * @example
   * ```ts
   * const chain = guardrails.input<{ question: string }>().pipe(prompt).pipe(model);
   * ```
   */
  input<T>(options?: InputStepOptions): Runnable<T, T, GuardrailsCallOptions> {
    return inputStep<T>(withUnseen(this.#host, options?.unseen), options);
  }

  /**
   * Output rails as a step: returns the response, or the refusal in its shape. Earlier steps of the pipe keep their own
   * handlers: if users see tokens as they arrive, use `wrap`, which buffers them.
   *
   * @example
   * ```ts
   * const chain = prompt.pipe(model).pipe(new StringOutputParser()).pipe(guardrails.output());
   * ```
   */
  output<T>(options?: OutputStepOptions): Runnable<T, T, GuardrailsCallOptions> {
    return outputStep<T>(withUnseen(this.#host, options?.unseen), options);
  }

  /**
   * Retrieval rails as a step over documents: an array, or an object with documents under `context`.
   *
   * @example
   * ```ts
   * const chunks = await retriever.pipe(guardrails.retrieval()).invoke("How long is the warranty?");
   * ```
   */
  retrieval<T>(options?: RetrievalStepOptions): Runnable<T, T, GuardrailsCallOptions> {
    return retrievalStep<T>(this.#host, options);
  }

  /**
   * One rail as a classifier: returns its decision and never throws on a block.
   *
   * @example
   * ```ts
   * const { status, reason } = await guardrails.rail("self check input").invoke("How do I pick a lock?");
   * ```
   */
  rail(reference: string): Runnable<unknown, RailDecision, GuardrailsCallOptions> {
    return railStep(withRail(this.#host, reference), reference);
  }

  /**
   * Returns a new tool with rails on its arguments (`rails.tool_output`) and on its result (`rails.tool_input`). A
   * block becomes a refusal for the model: a message of status `error` for a tool call, otherwise a text.
   *
   * @example
   * ```ts
   * const agent = createAgent({ model, tools: [guardrails.tool(refund), guardrails.tool(search)] });
   * ```
   */
  tool(tool: ToolLike): GuardedTool {
    return guardTool(this.#host, tool);
  }

  /**
   * Runs one flow to its end: takes `{ messages?, variables? }`, returns its bot utterances and the variables.
   *
   * @example
   * ```ts
   * const { messages, variables } = await guardrails.flow("greeting").invoke({ messages: "hi", variables: { bay: 7 } });
   * ```
   */
  flow(name: string): Runnable<FlowInput | string, FlowResult, GuardrailsCallOptions> {
    return flowStep(withRail(this.#host, name), name);
  }

  /**
   * The first dialog stage: returns the user's intent as `{ intent, score, alternatives, source }`.
   *
   * @example
   * ```ts
   * const { intent, score } = await guardrails.canonicalForm().invoke("How do I return a bike?");
   * ```
   */
  canonicalForm(): Runnable<unknown, CanonicalForm, GuardrailsCallOptions> {
    return canonicalFormStep(this.#host);
  }

  /**
   * The second dialog stage: returns the bot's next step for the user's intent.
   *
   * @example
   * ```ts
   * const next = await guardrails.nextStep().invoke("ask about returns");
   * ```
   */
  nextStep(): Runnable<string | IntentInput, NextStep, GuardrailsCallOptions> {
    return nextStepStep(this.#host);
  }

  /**
   * The third dialog stage: returns the bot message for a bot intent.
   *
   * @example
   * ```ts
   * const { text } = await guardrails.botMessage().invoke("explain returns");
   * ```
   */
  botMessage(): Runnable<string | IntentInput, BotUtterance, GuardrailsCallOptions> {
    return botMessageStep(this.#host);
  }

  /**
   * Routes a value by its verdict, and reads it with the options of `wrap`. `stage` selects the rails. Default: by side.
   *
   * @example
   * ```ts
   * const router = guardrails.branch({ pass: chain, blocked: () => "Let me get a colleague.", stage: "input" });
   * ```
   */
  branch<Input, Passed, Blocked = Passed>(
    options: BranchOptions<Input, Passed, Blocked>,
  ): Runnable<Input, Passed | Blocked, GuardrailsCallOptions> {
    return branchStep(withUnseen(this.#host, options.unseen), options);
  }

  /**
   * Checks a value without answering it. A string is the bot's text, unless `stage` is `input`.
   *
   * @example
   * ```ts
   * const { blocked, output } = await guardrails.check("my card is 4111 1111 1111 1111", { stage: "input" });
   * ```
   */
  async check(value: unknown, options: CheckOptions & CallOptions = {}): Promise<CheckResult> {
    const { config, ...reading } = readCheckOptions(options);
    const checker = reading.unseen === undefined ? this : new Guardrails(withUnseen(this.#host, reading.unseen));
    return checker.runCall(value, config, (call) => checkValue(value, call, reading));
  }

  /**
   * Runs one turn and returns all its details. Here a string is the user's text.
   *
   * @example
   * ```ts
   * const { response, guardrails: verdict, explain } = await guardrails.generate("hello", { log: { activatedRails: true } });
   * ```
   */
  async generate(
    input: string | readonly (GenerationMessage | object)[],
    options: GenerationOptions = {},
    config: CallOptions = {},
  ): Promise<GenerationResult> {
    const { GENERATION_OPTIONS, generateReply, restoreGeneration } = await generation();
    const { checkSteering, readGenerationMessages } = await reply();
    checkOptions("guardrails.generate", options, GENERATION_OPTIONS);
    const messages = readGenerationMessages(input);
    checkSteering(messages, this.#host.allowEventMessages === true);
    const pseudonyms = new Pseudonymised();
    const generated = await this.runCall(input, { runName: "guardrails:generate", ...config }, (call) => {
      pseudonyms.follow(call);
      return generateReply(messages, call, options, typeof input === "string" ? "prompt" : "messages");
    });
    return restoreGeneration(generated, pseudonyms.table);
  }

  /**
   * Opens a conversation event by event, in Colang 2.x, for streamed speech, gestures, timers and interruptions. Send
   * events in and read events out; timers and actions emit theirs on their own.
   *
   * @throws InputShapeError for a configuration in Colang 1.0; GuardrailsError `RL-402` for an invalid state
   *
   * @example
   * ```ts
   * const session = guardrails.events();
   * session.send({ type: "UtteranceUserActionFinished", final_transcript: "hello" });
   * for await (const event of session) console.log(event.type);
   * ```
   */
  events(options?: SessionOptions): EventSession {
    checkOptions("guardrails.events", options, SESSION_OPTIONS);
    return this.#host.runtime.openSession(options);
  }
}
