/** An image in a user message, as its content block. */
export type ImageBlock = Readonly<Record<string, unknown>>;

/** Images that rails are currently checking; empty for a rail that reads a text. */
export interface ImageSlot {
  readonly images: readonly ImageBlock[];
}

/**
 * Key of a rail's images in an action's context. INVARIANT: a symbol that the package does not export, so no variable,
 * event or stored conversation contains images.
 */
export const IMAGE_SLOT: unique symbol = Symbol("guardrails.images");
