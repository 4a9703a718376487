import type { Block } from "../turn/decision.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { LanguageModel } from "../llm/model.js";
import type { ChunkSource, ResponseReview } from "../turn/response.js";
import type { GuardrailsMetadata } from "../turn/decision.js";
import type { TurnMessage, WriteReviewedText, TurnOptions } from "../turn/options.js";
import type { TurnResult } from "../turn/result.js";
import type { StreamPlan } from "../turn/stream-plan.js";

/** A response of any shape, as rails read it. */
export interface GuardedResponse {
  readonly value: unknown;
  readonly text: string;
  /** Question to the response, if the value contains it. */
  readonly userText?: string | undefined;
  /** Evidence in the same value. */
  readonly relevantChunks?: readonly string[] | undefined;
  /** Source of each chunk of evidence. */
  readonly sources?: readonly ChunkSource[] | undefined;
  /** Reviewed parts, if rails reviewed the response part by part. */
  readonly parts?: readonly string[] | undefined;
  /** Returns the model's readable reasoning; empty for most responses. */
  reasoning(): string;
}

/** A stream that was opened before the input verdict. */
export interface OpenedStream {
  leave(): void;
}

/** Access to whatever answers the user: a wrapped model, chain or node. */
export interface Responder<BotResponse extends GuardedResponse> {
  /**
   * Requests the response.
   *
   * @param texts - one text per pending message, as the rails left them
   * @param review - set if the response may be released in parts
   * @param opened - the stream that `open` returned for the same texts; used only with a review
   */
  ask(
    texts: readonly string[],
    config: RunnableConfig,
    review?: ResponseReview,
    opened?: Promise<OpenedStream>,
  ): Promise<BotResponse>;
  /** Opens the stream of a response; absent if the caller does not stream. */
  open?(texts: readonly string[], config: RunnableConfig): Promise<OpenedStream>;
}

export interface TurnRequest<BotResponse extends GuardedResponse> {
  /** The whole conversation: one entry per message of the caller. */
  readonly messages: readonly TurnMessage[];
  /** Indexes of the unanswered messages of user and tools. */
  readonly pending: readonly number[];
  /** Absent if the configuration's own prompts answer. */
  readonly responder?: Responder<BotResponse> | undefined;
  readonly main?: LanguageModel | undefined;
  /** True if the responder has no side effects, so that it may start before the input verdict. */
  readonly isSideEffectFree?: boolean | undefined;
  /** Set if the caller reads a stream. */
  readonly stream?: StreamPlan | undefined;
  readonly writeText?: WriteReviewedText | undefined;
  readonly emitText?: TurnOptions["emitText"];
  /** Names of the tools that the caller can run. */
  readonly tools?: readonly string[] | undefined;
  /** True if rails have checked tool results where the tools ran. */
  readonly knowsResults?: boolean | undefined;
  /** Returns true for a response without a text, such as a message that only calls tools. */
  saysNothing?(response: BotResponse): boolean;
}

/** Outcome of a guarded turn: the responder's response, a text of a flow, or a block. */
export type GuardedTurnOutcome<BotResponse extends GuardedResponse> = Ending<BotResponse> & {
  /** One text per pending message, as the rails left them. */
  readonly texts: readonly string[];
};

/** The outcome without the texts of the user. */
export type Ending<BotResponse extends GuardedResponse> = {
  /** Result of the dialog turn; absent if a tool result was answered without flows. */
  readonly turn?: TurnResult | undefined;
} & (
  | {
      readonly kind: "response";
      readonly response: BotResponse;
      readonly text: string;
      /** Reasoning to release; absent if unchanged. */
      readonly reasoning?: string | undefined;
      readonly verdict: GuardrailsMetadata;
    }
  | { readonly kind: "utterance"; readonly text: string; readonly verdict: GuardrailsMetadata }
  | {
      readonly kind: "blocked";
      readonly block: Block;
      readonly response?: BotResponse | undefined;
      /** Index of the blocked message among the pending ones. */
      readonly blockedAt?: number | undefined;
    }
);
