import type { BaseMessage } from "@langchain/core/messages";
import type { OptionTable } from "../../diagnostics/options.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { ChunkSource } from "../../turn/result.js";
import type { EvidenceReader } from "./evidence.js";
import type { UnseenPart } from "./unseen.js";

/** The bot's side of a value of any shape, with its text and functions that return the same shape with another text. */
export interface Answer {
  readonly value: unknown;
  readonly text: string;
  /** The text without that of other keys, if there are any. */
  readonly mainText?: string | undefined;
  /** The question it answers, if the value holds it. */
  readonly userText?: string | undefined;
  /** Evidence in the same value. */
  readonly relevantChunks?: readonly string[] | undefined;
  /** Source of each of them. */
  readonly sources?: readonly ChunkSource[] | undefined;
  /** The last message of the bot, when the answer is made of messages. */
  readonly message?: BaseMessage | undefined;
  /** The messages of it that ask for tools which have not run, with their places in a list of messages. */
  readonly callers?: readonly Caller[] | undefined;
  /** The parts that rails reviewed, if they reviewed it part by part. */
  readonly parts?: readonly string[] | undefined;
  /** The parts that no rail can read; absent for answers that are only text. */
  readonly unseen?: (() => readonly UnseenPart[]) | undefined;
  /** Readable reasoning of the model; empty for most answers. */
  reasoning(): string;
  /** Returns the same answer with other reasoning, or without any. */
  replaceReasoning(reasoning: string): Answer;
  /** Returns the same shape with a rewritten text. */
  rewrite(text: string): unknown;
  /** Returns the same shape with a refusal: no part of the blocked answer stays. */
  refuse(refusal: string, verdict: GuardrailsMetadata): unknown;
  /** Returns the same shape as it leaves: with the verdict on its message, and without unreviewed parts. */
  mark(verdict: GuardrailsMetadata): unknown;
}

/** A message that asks for tools; without a place it is the answer itself. */
export interface Caller {
  readonly message: BaseMessage;
  readonly index?: number | undefined;
}

export interface AnswerOptions {
  readonly outputKey?: string | undefined;
  /** Key of the evidence; default: `context`. */
  readonly contextKey?: string | undefined;
  /** Leave the evidence in a blocked object. Off by default. */
  readonly keepContext?: boolean | undefined;
  /** Add the verdict to objects under this key. */
  readonly verdictKey?: string | undefined;
}

export const ANSWER_OPTIONS: OptionTable<AnswerOptions> = {
  outputKey: "text",
  contextKey: "text",
  keepContext: "boolean",
  verdictKey: "text",
};

/** Facts about the call, for the reader. */
export interface ReadOptions extends AnswerOptions {
  /** Rails that have reviewed the evidence, or compare the answer with it; without any it is read with the answer. */
  readonly evidence?: EvidenceReader | undefined;
  /** The object that the call was given; its entries that come back unchanged are the user's own. */
  readonly input?: unknown;
  /** Texts of the user; in a list, the answer begins after them. Default: after the last message of a user. */
  readonly asked?: readonly string[] | undefined;
}
