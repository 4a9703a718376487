import type { BaseMessage } from "@langchain/core/messages";
import type { ExtraTexts } from "../../turn/extra-text.js";
import type { EvidenceReader } from "./evidence.js";
import type { EditMessage } from "./message-kinds.js";
import type { UnseenPart } from "./unseen.js";

/** The user's side of a value of any shape. */
export interface UserInput {
  readonly value: unknown;
  readonly messages: readonly BaseMessage[];
  /** Indexes of the unanswered messages: the user's and the tools'. */
  readonly pending: readonly number[];
  /** Keys of the value, besides the user's text, that hold texts which no rail reads. */
  readonly others?: readonly UnseenPart[];
  /** Lines that rails read with a pending text, by the place of the text among those. */
  readonly extras?: ExtraTexts;
  /** Other lists of messages, such as a `chat_history`. */
  readonly histories: readonly (readonly BaseMessage[])[];
  /** Variables that flows may read: the other keys of the value as `$input`, and evidence as `$relevant_chunks`. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The same input with earlier messages edited; pending ones are left to their rails. */
  edited(edit: EditMessage): UserInput;
  /** The value again, of the same type, with the texts of the pending messages and their extra lines replaced. */
  rewrite(texts: readonly string[]): unknown;
  /** The same with these texts alone, without any extra text that rails read. */
  refuse(texts: readonly string[]): unknown;
}

export interface UserInputOptions {
  readonly inputKey?: string | undefined;
  /** The key of evidence in an input object; without it, evidence is data like any other. */
  readonly contextKey?: string | undefined;
  /** Rails that review the evidence, if there are any. */
  readonly evidence?: EvidenceReader | undefined;
  /** Keys that the application fills itself; no rail reads them. */
  readonly trustedKeys?: readonly string[] | undefined;
  /** False for the state of a graph, whose other channels are the application's own. Default: true. */
  readonly readsKeys?: boolean | undefined;
}
