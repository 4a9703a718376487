import type { Block } from "../turn/decision.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { LanguageModel } from "../llm/model.js";
import type { ChunkSource, AnswerReview } from "../turn/answer.js";
import type { GuardrailsMetadata } from "../turn/decision.js";
import type { TurnMessage, WriteReviewedText, TurnOptions } from "../turn/options.js";
import type { TurnResult } from "../turn/result.js";
import type { StreamPlan } from "../turn/stream-plan.js";

/** An answer of any shape, as far as rails read it. */
export interface GuardedAnswer {
  readonly value: unknown;
  readonly text: string;
  /** The question it answers, if the value holds it. */
  readonly userText?: string | undefined;
  /** Evidence in the same value. */
  readonly relevantChunks?: readonly string[] | undefined;
  /** Source of each of them. */
  readonly sources?: readonly ChunkSource[] | undefined;
  /** Parts that rails reviewed, when they reviewed it part by part. */
  readonly parts?: readonly string[] | undefined;
  /** Readable reasoning of the model; empty for most answers. */
  reasoning(): string;
}

/** A stream that was opened before the input verdict. */
export interface OpenedStream {
  leave(): void;
}

/** Access to whatever answers the user: a wrapped model, chain or node. */
export interface Responder<Answer extends GuardedAnswer> {
  /**
   * Asks for the answer.
   *
   * @param texts - one text per pending message, as the rails left them
   * @param review - set when the answer may be released part by part
   * @param opened - the stream that `open` returned for the same texts; only used with a review
   */
  ask(
    texts: readonly string[],
    config: RunnableConfig,
    review?: AnswerReview,
    opened?: Promise<OpenedStream>,
  ): Promise<Answer>;
  /** Opens the stream of an answer; absent where the caller reads none. */
  open?(texts: readonly string[], config: RunnableConfig): Promise<OpenedStream>;
}

export interface AnswerRequest<Answer extends GuardedAnswer> {
  /** The whole conversation: one entry per message of the caller. */
  readonly messages: readonly TurnMessage[];
  /** Indexes of the messages without an answer so far: the user's and the tools'. */
  readonly pending: readonly number[];
  /** Absent when the configuration's own prompts answer. */
  readonly responder?: Responder<Answer> | undefined;
  readonly main?: LanguageModel | undefined;
  /** True if asking has no side effects, so that it may begin before the input verdict. */
  readonly asksAhead?: boolean | undefined;
  /** Set when the caller reads a stream. */
  readonly stream?: StreamPlan | undefined;
  readonly writeText?: WriteReviewedText | undefined;
  readonly emitText?: TurnOptions["emitText"];
  /** Names of the tools that the caller can run. */
  readonly tools?: readonly string[] | undefined;
  /** True if rails have checked the results of tools where the tools ran. */
  readonly knowsResults?: boolean | undefined;
}

/** End of a guarded turn: the responder's answer, a text of a flow, or a block. */
export type AnswerOutcome<Answer extends GuardedAnswer> = Ending<Answer> & {
  /** One text per pending message, as the rails left them. */
  readonly texts: readonly string[];
};

/** The end alone, without the texts that led to it. */
export type Ending<Answer extends GuardedAnswer> = {
  /** Result of the dialog turn; absent where the result of a tool was answered without flows. */
  readonly turn?: TurnResult | undefined;
} & (
  | {
      readonly kind: "answer";
      readonly answer: Answer;
      readonly text: string;
      /** The reasoning to release; absent where it stays as it is. */
      readonly reasoning?: string | undefined;
      readonly verdict: GuardrailsMetadata;
    }
  | { readonly kind: "spoken"; readonly text: string; readonly verdict: GuardrailsMetadata }
  | {
      readonly kind: "blocked";
      readonly block: Block;
      readonly answer?: Answer | undefined;
      /** Index among the pending messages of the one that was blocked. */
      readonly blockedAt?: number | undefined;
    }
);
