/** A picture in a user's message, as the block of its content. */
export type ImageBlock = Readonly<Record<string, unknown>>;

/** Pictures that rails look at, while they do; empty for a rail that reads a text. */
export interface ImageSlot {
  readonly images: readonly ImageBlock[];
}

/**
 * Key under which an action's context has the pictures of its rail. INVARIANT: a symbol that the package does not export, so that
 * pictures stand in no variable, event or stored conversation.
 */
export const IMAGE_SLOT: unique symbol = Symbol("guardrails.images");
