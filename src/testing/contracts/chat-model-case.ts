import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import type { ServerReply } from "../scripted-server.js";
import { requireSame } from "./contract.js";

/** The request that reached the provider in one call. */
export interface ModelRequest {
  /** Role as LangChain names it (`human`, `ai`, `tool`, `system`) and text, in order. */
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly string[];
  readonly stop: readonly string[];
}

/** A scripted model and its recorded calls. */
export interface ModelUnderTest {
  readonly model: BaseChatModel;
  requests(): readonly ModelRequest[];
  close?(): Promise<void>;
}

export interface ChatModelContractOptions {
  /** Creates a model with these replies in order; each case gets its own. */
  create(replies: readonly ServerReply[]): ModelUnderTest | Promise<ModelUnderTest>;
  /** True if the model accepts images. Default: true. */
  readonly imageInput?: boolean;
}

/** One requirement: the provider's replies, and the expected result. */
export interface ModelDemand {
  readonly name: string;
  readonly replies: readonly ServerReply[];
  readonly needs?: "imageInput";
  run(subject: ModelUnderTest): Promise<void>;
}

export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** The chunks of a stream as one message. */
export function joinMessages(chunks: readonly BaseMessage[]): AIMessageChunk {
  requireTrue(chunks.length > 0, "the stream gave something");
  requireTrue(
    chunks.every((chunk) => AIMessageChunk.isInstance(chunk)),
    "a stream gives chunks of messages",
  );
  return (chunks as AIMessageChunk[]).reduce((whole, chunk) => whole.concat(chunk));
}

/** Tokens in and out, as the message reports them. */
export function usageOf(message: object): readonly (number | undefined)[] {
  const { usage_metadata: usage } = message as { usage_metadata?: { input_tokens: number; output_tokens: number } };
  return [usage?.input_tokens, usage?.output_tokens];
}

export function requireResponse(message: unknown, text: string): asserts message is AIMessage {
  requireTrue(
    AIMessage.isInstance(message) || AIMessageChunk.isInstance(message),
    "the answer is a message of the bot",
  );
  requireSame((message as AIMessage).text, text, "the text of the answer");
}

/** @throws Error naming the violated requirement */
export function requireTrue(holds: boolean, what: string): void {
  if (!holds) throw new Error(`this does not hold: ${what}`);
}

/** @throws Error if nothing was thrown */
export async function requireError(promise: Promise<unknown>, what: string): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`expected an error: ${what}`);
}
