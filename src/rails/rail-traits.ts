import type { RailsStage } from "../turn/stages.js";

/** What is known of a listed rail before it runs. */
export interface RailTraits {
  /** It may change the text, or do something beyond judging it: such rails run first, one after the other. */
  readonly rewrites: boolean;
  /** Its flow assigns the text, or may do so for all that can be told; unset where nobody asks. */
  readonly rewritesText?: boolean;
  /** Why, in the words of a message to the user; of rails that only judge undefined. */
  readonly because?: string;
  /** Whether all that it may do can be told from its flow. */
  readonly isKnown: boolean;
  /** One of its actions is handed all variables, so what it reads does not show in its flow. */
  readonly readsAll?: boolean;
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

/** What a stage hands on. */
export const HANDED_ON = ["user_message", "bot_message", "relevant_chunks", "tool_args", "tool_message"] as const;

/** The stage whose text a rail reads; undefined if it reads none by name. */
export function stageByReads(reads: ReadonlySet<string>): RailsStage | undefined {
  if (reads.has("bot_message")) return "output";
  if (reads.has("relevant_chunks") || reads.has("relevant_chunks_sep")) return "retrieval";
  return reads.has("user_message") ? "input" : undefined;
}
