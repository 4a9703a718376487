import { checkOptions } from "../diagnostics/options.js";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { untilAborted } from "../engine/async.js";
import { toChunk } from "../langchain/verdict.js";
import { extractText } from "../langchain/values/content.js";

/** One scripted reply: a text, a message, an error to throw, or a function of the messages. */
export type ScriptedReply =
  | string
  | AIMessage
  | Error
  | ((messages: readonly BaseMessage[], options: ScriptedCallOptions) => ScriptedValue | Promise<ScriptedValue>);

export type ScriptedValue = string | AIMessage | Error;

export interface ScriptedCallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly unknown[];
}

/** One recorded call. */
export interface ScriptedCall {
  readonly messages: readonly BaseMessage[];
  /** The messages as text, one per line: `human: hi`. */
  readonly prompt: string;
  readonly options: ScriptedCallOptions;
}

interface Script {
  readonly replies: readonly ScriptedReply[];
  readonly calls: ScriptedCall[];
  readonly responseAll: boolean;
}

const PIECE_LENGTH = 4;

/**
 * A chat model that answers from a script, in order, and refuses every call that is not scripted.
 *
 * @param replies - one reply per call; a single reply outside a list answers every call
 *
 * @example
 * ```ts
 * const model = scriptedModel(["No", "Hello!"]);
 * await guardrails.wrap(model).invoke("hi");
 * model.assertDone();
 * ```
 */
export function scriptedModel(
  replies: readonly ScriptedReply[] | ScriptedReply,
  options: { readonly name?: string } = {},
): ScriptedModel {
  checkOptions("scriptedModel", options, { name: "text" });
  const responseAll = !Array.isArray(replies);
  const list = responseAll ? [replies as ScriptedReply] : (replies as readonly ScriptedReply[]);
  return new ScriptedModel({ replies: list, calls: [], responseAll }, options.name ?? "scripted-model", {});
}

export class ScriptedModel extends BaseChatModel<ScriptedCallOptions, AIMessageChunk> {
  static override lc_name(): string {
    return "ScriptedModel";
  }

  override lc_serializable = false;
  readonly model: string;
  readonly #script: Script;
  readonly #bound: Partial<ScriptedCallOptions>;

  /** Made by `scriptedModel`. */
  constructor(script: Script, model: string, bound: Partial<ScriptedCallOptions>) {
    super({});
    this.#script = script;
    this.model = model;
    this.#bound = bound;
  }

  override _llmType(): string {
    return "scripted";
  }

  /** All calls so far, in order, including those of models made by `bindTools`. */
  get calls(): readonly ScriptedCall[] {
    return this.#script.calls;
  }

  /** Number of unused scripted replies. */
  get remaining(): number {
    return this.#script.responseAll ? 0 : Math.max(0, this.#script.replies.length - this.#script.calls.length);
  }

  /** @throws Error if replies are left */
  assertDone(): void {
    if (this.remaining === 0) return;
    throw new Error(`${this.remaining} of ${this.#script.replies.length} scripted replies were not asked for`);
  }

  override bindTools(tools: BindToolsInput[], kwargs?: Partial<ScriptedCallOptions>): ScriptedModel {
    return new ScriptedModel(this.#script, this.model, { ...this.#bound, ...kwargs, tools });
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const response = await this.#response(messages, options);
    // LangChain's `withStructuredOutput` binds a tool and reads only chunks.
    const message = this.#bound.tools === undefined ? response : toChunk(response);
    return { generations: [{ text: extractText(message), message }] };
  }

  /** The same reply in pieces of four characters; the last piece carries usage and tool calls. */
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const message = await this.#response(messages, options);
    for (const chunk of splitMessage(message)) {
      options.signal?.throwIfAborted();
      const text = extractText(chunk);
      const generation = new ChatGenerationChunk({ text, message: chunk });
      yield generation;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk: generation });
    }
  }

  async #response(messages: readonly BaseMessage[], options: this["ParsedCallOptions"]): Promise<AIMessage> {
    options.signal?.throwIfAborted();
    const { calls, replies, responseAll } = this.#script;
    const merged = { ...this.#bound, ...options } as ScriptedCallOptions;
    const prompt = messages.map((message) => `${message.getType()}: ${extractText(message)}`).join("\n");
    const reply = responseAll ? replies[0] : replies[calls.length];
    calls.push({ messages: [...messages], prompt, options: merged });
    if (reply === undefined) {
      throw new Error(`call ${calls.length} was not scripted (${replies.length} replies were); its prompt:\n${prompt}`);
    }
    const value =
      typeof reply === "function"
        ? await untilAborted(Promise.resolve(reply(messages, merged)), options.signal)
        : reply;
    options.signal?.throwIfAborted();
    if (value instanceof Error) throw value;
    return typeof value === "string" ? new AIMessage(value) : value;
  }
}

function splitMessage(message: AIMessage): AIMessageChunk[] {
  const whole = toChunk(message);
  const text = extractText(message);
  if (typeof whole.content !== "string" || text.length <= PIECE_LENGTH) return [whole];
  const chunks: AIMessageChunk[] = [];
  for (let start = 0; start < text.length; start += PIECE_LENGTH) {
    const content = text.slice(start, start + PIECE_LENGTH);
    const identity = message.id === undefined ? {} : { id: message.id };
    const isLast = start + PIECE_LENGTH >= text.length;
    chunks.push(isLast ? Object.assign(whole, { content }) : new AIMessageChunk({ content, ...identity }));
  }
  return chunks;
}
