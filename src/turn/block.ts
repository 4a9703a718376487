import type { GuardrailsEvent } from "../engine/events.js";
import type { GuardrailsMetadata } from "./decision.js";

/** A block by a rail, with the text that replaces the blocked one. */
export interface Block {
  readonly refusal: string;
  readonly exception?: GuardrailsEvent | undefined;
  readonly verdict: GuardrailsMetadata;
}

/** Returns the block with these decisions in its verdict. */
export function blockWith(block: Block, decisions: GuardrailsMetadata["decisions"]): Block {
  return { ...block, verdict: { ...block.verdict, decisions } };
}
