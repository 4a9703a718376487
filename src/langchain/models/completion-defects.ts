import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { CallbackManager } from "@langchain/core/callbacks/manager";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, AIMessage } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { ensureConfig, type Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { omitUndefined } from "../../engine/plain-data.js";
import { visitParts } from "../../engine/walk.js";
import type { CompletionDefect, ReplyFormat } from "../../llm/model.js";
import { isReasoningBlock, isToolCallBlock } from "../values/content-blocks.js";
import { extractText } from "../values/content.js";
import { isMessage, isObject, type PlainObject, wordSet } from "../values/message-kinds.js";

type Generation = LLMResult["generations"][number][number];

const FINISH_KEYS: ReadonlySet<string> = wordSet(
  "finish_reason finishReason stop_reason stopReason done_reason doneReason completionReason",
);
/** Finish reasons of complete responses; LangChain joins streams that repeat one to "stopstop". */
const FINISHED =
  /^(?:stop|end_turn|stop_sequence|stop_token|eos|eos_token|eogtoken|stopgenerationtrigger|customstoptrigger|end_of_text|end_of_turn|endoftext|complete|completed|finish|finished|finish_reason_stop|success|done)+$/;
const FILTERED =
  /filter|safety|block|guardrail|interven|moderat|prohibit|recitation|toxic|spii|sensitive|harm|jailbreak/;
const TRUNCATED = /length|max_?tokens|max_output|context_window|token_limit/;
const TOOLS = /tool|function/;
const UNFINISHED_STATUS: ReadonlySet<unknown> = new Set(["incomplete", "failed", "cancelled", "in_progress", "queued"]);

/** Keys by which providers report that their own moderation intervened. */
const FILTER_FLAGS: ReadonlySet<string> = new Set(["filtered", "blocked"]);
const FILTER_REASONS: ReadonlySet<string> = new Set(["blockReason", "block_reason", "amazon-bedrock-guardrailAction"]);

const TEXT_TYPES: ReadonlySet<unknown> = new Set(["text", "output_text", "text_delta"]);

/** Output of a model and all choices of its call, if LangChain reports them. */
interface ObservedOutput {
  readonly output: unknown;
  readonly choices: readonly Generation[];
}

type ChatModel = Runnable & Pick<BaseChatModel, "generate">;

/** Invokes a model and keeps the choices of its reply, of which `invoke` returns only the first. */
export async function invokeWithChoices(
  model: Runnable,
  input: string | BaseMessage[],
  options: RunnableConfig,
): Promise<ObservedOutput> {
  if (typeof input !== "string" && isPlainChatModel(model)) {
    const { generations } = await model.generate([input], options, options.callbacks);
    const choices = generations[0] ?? [];
    return { output: choices[0] === undefined ? undefined : messageOf(choices[0]), choices };
  }
  const collector = new ChoiceCollector();
  const output: unknown = await model.invoke(input, withCollector(options, collector));
  return { output, choices: collector.choices };
}

/** True if `invoke` is LangChain's own, which takes the first choice of `generate`; a handler would cost more. */
function isPlainChatModel(model: Runnable): model is ChatModel {
  let owner: unknown = model;
  while (isObject(owner) && !Object.hasOwn(owner, "invoke")) owner = Object.getPrototypeOf(owner);
  return isObject(owner) && Object.hasOwn(owner, "generatePrompt") && Object.hasOwn(owner, "_generateUncached");
}

/** Collects the choices of models inside bindings and chains. */
class ChoiceCollector extends BaseCallbackHandler {
  readonly name = "langchain_guardrails_choices";
  override awaitHandlers = true;
  /** Choices of the last call; a chain returns the output of its last model. */
  choices: readonly Generation[] = [];

  override handleLLMEnd(output: LLMResult): void {
    this.choices = output.generations.flat();
  }
}

/** A config whose calls the collector observes as well. */
function withCollector(config: RunnableConfig, collector: ChoiceCollector): RunnableConfig {
  // Callbacks given here replace those that LangChain takes from the caller's context.
  const callbacks = config.callbacks ?? ensureConfig(config).callbacks;
  if (callbacks === undefined) return { ...config, callbacks: [collector] };
  if (Array.isArray(callbacks)) return { ...config, callbacks: [...callbacks, collector] };
  return { ...config, callbacks: (callbacks as CallbackManager).copy([collector]) };
}

/** Finds the reasons why a reply is incomplete, in its message and in the model's other choices. */
export function findDefects({ output, choices }: ObservedOutput): readonly CompletionDefect[] {
  const defects = new Set<CompletionDefect>();
  if (isMessage(output)) addMessageDefects(output, defects);
  const text = textOf(output);
  // Choices of a model inside a chain are irrelevant to the text that the chain made of them.
  const isOwn = choices.some((choice) => messageOf(choice) === output || textOf(messageOf(choice)) === text);
  for (const choice of isOwn ? choices : []) {
    const message = messageOf(choice);
    if (textOf(message) !== text) defects.add("several-choices");
    if (isMessage(message) && message !== output) addMessageDefects(message, defects);
    if (isObject(choice.generationInfo)) addRecordDefects(choice.generationInfo, defects);
  }
  return [...defects];
}

/** Returns the message of a chat model's choice, or the text of any other. */
function messageOf(choice: Generation): unknown {
  return (choice as { message?: unknown }).message ?? choice.text;
}

function textOf(output: unknown): unknown {
  return isMessage(output) ? extractText(output) : output;
}

function addMessageDefects(message: BaseMessage, defects: Set<CompletionDefect>): void {
  const { content, tool_calls, invalid_tool_calls, tool_call_chunks } = message as BaseMessage & PlainObject;
  if ([tool_calls, invalid_tool_calls, tool_call_chunks].some(isFilled)) defects.add("tool-calls");
  if (Array.isArray(content)) for (const block of content as readonly unknown[]) addBlockDefects(block, defects);
  const kwargs: PlainObject = message.additional_kwargs ?? {};
  if (isFilled(kwargs["tool_calls"]) || isFilled(kwargs["function_call"])) defects.add("tool-calls");
  if (isFilled(kwargs["audio"])) defects.add("other-content");
  addRecordDefects(kwargs, defects);
  addRecordDefects(message.response_metadata ?? {}, defects);
}

function addBlockDefects(block: unknown, defects: Set<CompletionDefect>): void {
  if (isToolCallBlock(block)) defects.add("tool-calls");
  else if (!isObject(block)) {
    if (typeof block !== "string") defects.add("other-content");
  } else if (block["type"] === "refusal") defects.add("refused");
  else if (!isReasoningBlock(block) && !(TEXT_TYPES.has(block["type"]) && typeof block["text"] === "string"))
    defects.add("other-content");
}

function addRecordDefects(record: PlainObject, defects: Set<CompletionDefect>): void {
  const keys = Object.keys(record);
  if (keys.length === 0) return;
  for (const key of keys) if (FINISH_KEYS.has(key)) addFinishDefect(record[key], defects);
  if (isFilled(record["refusal"])) defects.add("refused");
  if (isFilled(record["incomplete_details"]) || UNFINISHED_STATUS.has(record["status"])) defects.add("unfinished");
  if (isFilled(record["error"])) defects.add("unfinished");
  visitParts(record, (part, key = "") => {
    const isReason = FILTER_REASONS.has(key) && typeof part === "string" && !/^(?:none|)$/i.test(part);
    if (isReason || (FILTER_FLAGS.has(key) && part === true)) defects.add("filtered");
  });
}

function addFinishDefect(reason: unknown, defects: Set<CompletionDefect>): void {
  if (reason === undefined || reason === null || reason === "") return;
  const name = typeof reason === "string" ? reason.toLowerCase().replace(/[\s-]+/g, "_") : "";
  if (FINISHED.test(name)) return;
  if (FILTERED.test(name)) defects.add("filtered");
  else if (TRUNCATED.test(name)) defects.add("truncated");
  else if (TOOLS.test(name)) defects.add("tool-calls");
  else defects.add(name.includes("refus") ? "refused" : "unfinished");
}

function isFilled(value: unknown): boolean {
  if (typeof value === "string" || Array.isArray(value)) return value.length > 0;
  return isObject(value) && Object.keys(value).length > 0;
}

type StructuredModel = Pick<BaseChatModel, "withStructuredOutput">;

/** Returns true if a model's profile supports structured output. */
export function hasStructuredOutput(model: unknown): boolean {
  if (!isObject(model)) return false;
  try {
    const profile: unknown = model["profile"];
    return isObject(profile) && profile["structuredOutput"] === true && isStructured(model);
  } catch {
    return false;
  }
}

function isStructured(model: unknown): model is StructuredModel {
  return typeof (model as { withStructuredOutput?: unknown }).withStructuredOutput === "function";
}

/** Invokes a model with a schema; the output is its message, with the object as JSON text. */
export async function invokeStructured(
  model: Runnable,
  { name, schema }: ReplyFormat,
  input: string | BaseMessage[],
  options: RunnableConfig,
): Promise<ObservedOutput> {
  if (!isStructured(model)) return invokeWithChoices(model, input, options);
  const structured = model.withStructuredOutput(schema, { name, includeRaw: true, method: "jsonSchema" });
  const observed = await invokeWithChoices(structured, input, options);
  const raw = isObject(observed.output) ? observed.output["raw"] : undefined;
  const called = calledWith(raw, name);
  // INVARIANT: a single call of the schema's own tool is the reply; any other call remains a defect.
  if (called === undefined || observed.choices.length > 1) return { ...observed, output: raw };
  return { output: called, choices: [] };
}

/** Builds the message of a model that implements schemas by a tool call, with the arguments as its text. */
function calledWith(raw: unknown, name: string): AIMessage | undefined {
  if (!isMessage(raw)) return undefined;
  const { tool_calls: calls, invalid_tool_calls: invalid, usage_metadata, response_metadata, id } = raw as AIMessage;
  const [call] = calls ?? [];
  if (call?.name !== name || calls?.length !== 1 || (invalid?.length ?? 0) > 0) return undefined;
  const isToolEnd = (value: unknown): boolean => typeof value === "string" && /^tool_(?:calls?|use)$/i.test(value);
  const metadata = Object.entries(response_metadata).filter(([, value]) => !isToolEnd(value));
  return new AIMessage({
    content: JSON.stringify(call.args),
    response_metadata: Object.fromEntries(metadata),
    ...omitUndefined({ usage_metadata, id }),
  });
}
