import {
  AIMessage,
  type BaseMessage,
  type UsageMetadata,
  AIMessageChunk,
  HumanMessage,
  SystemMessage,
  mergeUsageMetadata,
} from "@langchain/core/messages";
import { andThen, isPromise, type MaybePromise } from "../../engine/async.js";
import { isEmpty, type Made, omitUndefined } from "../../engine/plain-data.js";
import { ensureConfig, Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { AsyncGeneratorWithSetup } from "@langchain/core/utils/stream";
import { ModelError } from "../../diagnostics/errors.js";
import { estimateTokens } from "../../llm/prompts/fit-tokens.js";
import { truncateAtStop } from "../../llm/prompts/prompt-text.js";
import type {
  LanguageModel,
  ModelCallScope,
  ModelCompletion,
  ModelParameters,
  ModelPiece,
  ModelPrompt,
} from "../../llm/model.js";
import { rewriteMessage } from "../values/response.js";
import { extractText } from "../values/content.js";
import { textChunk } from "../values/plain-message.js";
import { findDefects, invokeWithChoices, hasStructuredOutput, invokeStructured } from "./completion-defects.js";
import {
  deriveModel,
  hasImageInputs,
  type ModelTraits,
  refusedParameters,
  TOKEN_KEYS,
  traitsOf,
} from "./model-traits.js";
import { isMessage, isObject, roleOf } from "../values/message-kinds.js";

/** Tags of every model call behind a rail: they mark the calls in traces and keep them out of streams. */
const MODEL_CALL_TAGS = ["guardrails", "langsmith:nostream", "nostream"] as const;

const MAX_REASON_LENGTH = 300;

/**
 * Adapts a LangChain chat model, text model, or runnable that returns a string or a message to the rails' model port.
 *
 * @param native - the LangChain object; never changed
 * @param known - engine and name, if configured
 */
export function adaptModel(native: Runnable, known?: Partial<ModelTraits>): LanguageModel {
  if (known !== undefined) return new LangChainModel(native, { ...traitsOf(native), ...known });
  const before = adapted.get(native);
  if (before !== undefined) return before;
  const model = new LangChainModel(native, traitsOf(native));
  adapted.set(native, model);
  return model;
}

/** Adapted models: an agent adapts its model in each step, and the parameters that the provider rejects stay known. */
const adapted = new WeakMap<Runnable, LanguageModel>();

class LangChainModel implements LanguageModel {
  readonly engine: string;
  readonly name: string;
  readonly family: "chat" | "text";
  readonly native: Runnable;
  /** Set if the configuration says whether the model accepts images. */
  readonly #images: boolean | undefined;
  /** Parameters the provider rejected, learned from its errors and never removed. */
  readonly #refused: Set<string>;

  constructor(native: Runnable, traits: ModelTraits) {
    this.native = native;
    this.engine = traits.engine;
    this.name = traits.name;
    this.family = traits.family;
    this.#images = traits.images;
    this.#refused = new Set(refusedParameters(traits));
  }

  generate(prompt: ModelPrompt, parameters: ModelParameters, scope: ModelCallScope): Promise<ModelCompletion> {
    return this.#retrying(scope, () => this.#generate(prompt, parameters, scope));
  }

  async #generate(prompt: ModelPrompt, parameters: ModelParameters, scope: ModelCallScope): Promise<ModelCompletion> {
    const prepared = this.#prepare(parameters, scope);
    const { model, options } = isPromise(prepared) ? await prepared : prepared;
    const input = this.#input(prompt);
    const { stop = NO_STOP, format } = parameters;
    const isStructured = format !== undefined && !this.#refused.has("response_format");
    if (!isStructured && scope.findDefects !== true) return this.#complete(await model.invoke(input, options), stop);
    const observed = isStructured
      ? await invokeStructured(model, format, input, options)
      : await invokeWithChoices(model, input, options);
    return this.#complete(observed.output, stop, findDefects(observed));
  }

  get defaults(): Pick<ModelParameters, "temperature" | "maxTokens"> {
    const fields = this.native as unknown as Readonly<Record<string, unknown>>;
    const temperature = numberOf(fields["temperature"]);
    const maxTokens = TOKEN_KEYS.map((key) => numberOf(fields[key])).find((limit) => limit !== undefined);
    return omitUndefined({ temperature, maxTokens });
  }

  get readsImages(): boolean {
    return this.#images ?? (this.family === "chat" && hasImageInputs(this.native, this.name));
  }

  get structuredOutput(): boolean {
    return hasStructuredOutput(this.native);
  }

  /** Counts tokens as the model does; estimates from the text for a runnable that is not a model. */
  async countTokens(text: string): Promise<number> {
    const { native } = this as { native: { getNumTokens?: (content: string) => Promise<number> } };
    return typeof native.getNumTokens === "function" ? native.getNumTokens(text) : estimateTokens(text);
  }

  /** A model that cannot stream responds in one piece; the reader applies stop sequences. */
  async *stream(prompt: ModelPrompt, parameters: ModelParameters, scope: ModelCallScope): AsyncGenerator<ModelPiece> {
    const { opened, first } = await this.#retrying(scope, async () => {
      const { model, options } = await this.#prepare(parameters, scope);
      const opened = await openStream(model, this.#input(prompt), options);
      // A provider rejects a request with the first piece.
      return { opened, first: await opened.steps.next() };
    });
    const pieces = new StreamedPieces();
    let isOver = false;
    try {
      for (let next = first; next.done !== true; next = await opened.steps.next()) {
        const { value } = next;
        if (typeof value === "string") yield { text: value };
        else {
          const chunk = this.#messageOf(value);
          yield pieces.add(extractText(chunk), chunk as AIMessageChunk);
        }
      }
      isOver = true;
    } catch (error) {
      scope.signal?.throwIfAborted();
      throw this.#wrap(error);
    } finally {
      // Not awaited: a stalled stream would block the reader that leaves it.
      if (!isOver) void opened.leave()?.catch(() => undefined);
    }
    const whole = pieces.whole();
    yield whole === undefined ? { text: "", modelName: this.name } : { ...this.#complete(whole, []), text: "" };
  }

  /** Retries once without a parameter that the provider rejects, and remembers the parameter. */
  async #retrying<Result>(scope: ModelCallScope, attempt: () => Promise<Result>, isLast = false): Promise<Result> {
    scope.signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      scope.signal?.throwIfAborted();
      const refused = isLast ? undefined : refusedParameter(error);
      if (refused === undefined || this.#refused.has(refused)) throw this.#wrap(error);
      this.#refused.add(refused);
      return this.#retrying(scope, attempt, true);
    }
  }

  #prepare(parameters: ModelParameters, scope: ModelCallScope): MaybePromise<PreparedCall> {
    const { stop = NO_STOP, extra } = parameters;
    // Providers accept these two when a client is made and ignore them as call options.
    const temperature = parameters.temperature ?? numberOf(extra?.["temperature"]);
    const maxTokens = parameters.maxTokens ?? numberOf(extra?.["max_tokens"] ?? extra?.["maxTokens"]);
    const wanted: Made<Pick<ModelParameters, "temperature" | "maxTokens">> = {};
    if (temperature !== undefined && !this.#refused.has("temperature")) wanted.temperature = temperature;
    if (maxTokens !== undefined && !this.#refused.has("max_tokens")) wanted.maxTokens = maxTokens;
    const config = callConfig(scope);
    const sent = stop.length > 0 && !this.#refused.has("stop") ? { stop: [...stop] } : undefined;
    return andThen(deriveModel(this.native, wanted, config), ({ model, options }) => ({
      model,
      // Not spread: new keys after a spread give each object its own hidden class.
      options: Object.assign({ ...extra }, options, sent, config) as RunnableConfig,
    }));
  }

  #input(prompt: ModelPrompt): string | BaseMessage[] {
    if (prompt.kind === "native") return [...prompt.messages];
    const { images = [] } = prompt;
    if (prompt.kind === "text") return this.family === "text" ? prompt.text : [userMessage(prompt.text, images)];
    const last = images.length === 0 ? -1 : prompt.messages.findLastIndex(({ type }) => type === "user");
    const messages = prompt.messages.map(({ type, content }, index) =>
      index === last ? userMessage(content, images) : new MESSAGES[type](content),
    );
    // A message of images alone has no text, so the prompt of a model that receives the conversation omits it.
    return images.length > 0 && last === -1 ? [...messages, userMessage("", images)] : messages;
  }

  #complete(response: unknown, stop: readonly string[], defects?: ModelCompletion["defects"]): ModelCompletion {
    if (typeof response === "string") return { text: truncateAtStop(response, stop), modelName: this.name, defects };
    const output = this.#messageOf(response);
    const whole = extractText(output);
    const text = truncateAtStop(whole, stop);
    const message = rewriteMessage(output, whole, text) as AIMessage;
    const { usage_metadata: reportedUsage } = message;
    // Only counts: other provider fields of the usage are part of the message.
    const usage = reportedUsage === undefined ? undefined : mergeUsageMetadata(undefined, reportedUsage);
    return { text, message, usage, modelName: modelNameOf(message) ?? this.name, defects };
  }

  #messageOf(response: unknown): BaseMessage {
    const output = withRole(response);
    if (isMessage(output) && roleOf(output) === "assistant") return output;
    throw new ModelError(`the model \`${this.name}\` returned neither a string nor a message`);
  }

  #wrap(error: unknown): unknown {
    const isAbort = error instanceof Error && (error.name === "AbortError" || error.name === "ModelAbortError");
    if (isAbort || ModelError.isInstance(error)) return error;
    const reason = error instanceof Error ? error.message : String(error);
    const shown = reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason;
    return new ModelError(`the model \`${this.name}\` of engine \`${this.engine}\` failed: ${shown}`, {
      cause: error,
      model: `${this.engine}/${this.name}`,
    });
  }
}

function userMessage(text: string, images: readonly Readonly<Record<string, unknown>>[]): HumanMessage {
  if (images.length === 0) return new HumanMessage(text);
  const blocks = [...(text.trim() === "" ? [] : [{ type: "text", text }]), ...images];
  // Blocks of the user's message in the form that the application sent to the same provider interface.
  return new HumanMessage({ content: blocks as HumanMessage["content"] });
}

interface PreparedCall {
  readonly model: Runnable;
  readonly options: RunnableConfig;
}

const NO_STOP: readonly string[] = [];

/** Config of a model call, with the common tags. */
function callConfig({ config, signal, runName, tags = [] }: ModelCallScope): RunnableConfig {
  const outerTags = config?.tags ?? [];
  const made: RunnableConfig = Object.assign({}, config);
  const isBare = outerTags.length + tags.length === 0;
  made.tags = isBare ? [...MODEL_CALL_TAGS] : [...new Set([...outerTags, ...MODEL_CALL_TAGS, ...tags])];
  if (runName !== undefined) made.runName = runName;
  if (signal !== undefined) made.signal = signal;
  return made;
}

interface OpenStream {
  readonly steps: Pick<AsyncIterator<unknown>, "next">;
  /** Ends the stream early. */
  leave(): Promise<unknown> | undefined;
}

/**
 * Opens a stream. A model that inherits LangChain's `stream` is iterated without the web stream around it, which takes
 * more time than all steps of the model together.
 */
async function openStream(model: Runnable, input: unknown, options: RunnableConfig): Promise<OpenStream> {
  if (model.stream !== Runnable.prototype.stream) {
    const stream = await model.stream(input, options);
    const iterator = (stream as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    return { steps: iterator, leave: () => iterator.return?.() };
  }
  const config = ensureConfig(options);
  const generator = model._streamIterator(input, config);
  const steps = new AsyncGeneratorWithSetup({ generator, config });
  await steps.setup;
  const leave = async (): Promise<void> => {
    // One more step lets the run see its signal and end as aborted; closing the generator would leave the run open.
    if (config.signal?.aborted === true) await generator.next();
    await generator.return(undefined);
  };
  return { steps, leave };
}

/** Some servers omit the role, mostly in streams without text. Only the model can be the author. */
function withRole(response: unknown): unknown {
  if (!isMessage(response) || response.getType() !== "generic") return response;
  const { role } = response as { role?: unknown };
  if (role !== undefined && role !== "" && role !== "unknown") return response;
  const { content, response_metadata, id } = response;
  return new AIMessageChunk({ content, response_metadata, ...(id === undefined ? {} : { id }) });
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

const MESSAGES = { system: SystemMessage, user: HumanMessage, assistant: AIMessage } as const;

function modelNameOf(message: BaseMessage): string | undefined {
  const name: unknown = message.response_metadata["model_name"] ?? message.response_metadata["model"];
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Returns the parameter that a provider says it does not support, from a rejected request. */
function refusedParameter(error: unknown): "temperature" | "stop" | "max_tokens" | "response_format" | undefined {
  if (!isObject(error) || error["status"] !== 400) return undefined;
  const { param, code, message } = error as { param?: unknown; code?: unknown; message?: unknown };
  const names = ["temperature", "stop", "max_tokens", "response_format"] as const;
  const unsupported = typeof code === "string" && code.startsWith("unsupported");
  if (unsupported) return names.find((name) => name === param);
  if (typeof message !== "string" || !/not support|unsupported|deprecated/i.test(message)) return undefined;
  return names.find((name) => message.includes(`\`${name}\``) || message.includes(`'${name}'`));
}

/**
 * Pieces of a streamed completion. Joining messages costs far more than reading a piece, so it waits for a reader of
 * the message, and text-only chunks are joined as text.
 */
class StreamedPieces {
  #whole: AIMessageChunk | undefined;
  /** Chunks not yet joined. */
  #texts: AIMessageChunk[] = [];
  #usage: UsageMetadata | undefined;

  add(text: string, chunk: AIMessageChunk): ModelPiece {
    const { usage_metadata: usage } = chunk;
    if (usage !== undefined) this.#usage = mergeUsageMetadata(this.#usage, usage);
    if (this.#texts[0] !== undefined && this.#texts[0].id !== chunk.id) this.#flush();
    if (isText(chunk)) this.#texts.push(chunk);
    else {
      this.#flush();
      this.#append(chunk);
    }
    return new StreamedPiece(this, text, this.#usage);
  }

  /** Returns everything received so far; undefined if nothing was. */
  whole(): AIMessageChunk | undefined {
    this.#flush();
    return this.#whole;
  }

  #flush(): void {
    const [first, ...others] = this.#texts;
    this.#texts = [];
    if (first === undefined) return;
    if (others.length === 0) this.#append(first);
    else {
      const content = [first, ...others].map((chunk) => chunk.content as string).join("");
      this.#append(textChunk(content, { id: first.id }));
    }
  }

  #append(chunk: AIMessageChunk): void {
    this.#whole = this.#whole === undefined ? chunk : this.#whole.concat(chunk);
  }
}

/** A class rather than a literal: literals with accessors are slow. */
class StreamedPiece implements ModelPiece {
  readonly text: string;
  readonly usage: UsageMetadata | undefined;
  readonly #pieces: StreamedPieces;

  constructor(pieces: StreamedPieces, text: string, usage: UsageMetadata | undefined) {
    this.#pieces = pieces;
    this.text = text;
    this.usage = usage;
  }

  get message(): AIMessage | undefined {
    return this.#pieces.whole() as unknown as AIMessage | undefined;
  }
}

function isText(chunk: AIMessageChunk): boolean {
  const { content, tool_call_chunks: calls, usage_metadata: usage, name } = chunk;
  if (typeof content !== "string" || usage !== undefined || name !== undefined) return false;
  return (calls?.length ?? 0) === 0 && isEmpty(chunk.additional_kwargs) && isEmpty(chunk.response_metadata);
}
