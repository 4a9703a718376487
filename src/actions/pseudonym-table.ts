/** Restores pseudonyms in pieces of a text, which may cut them. */
export interface RestoringPieces {
  /** Adds a piece; returns the text that is complete. */
  push(piece: string): string;
  /** Ends the text; returns the rest of it. */
  finish(): string;
}

/** Values that rails replaced towards the model, with their pseudonyms. INVARIANT: belongs to one conversation. */
export interface PseudonymTable {
  restore(text: string): string;
  /** @param options - `json`: the text is JSON, so restored values are escaped as in its strings */
  restoreStream(options?: { readonly json?: boolean }): RestoringPieces;
  /** Returns a text in which the values of the table are replaced where they stand as whole words. */
  hide(text: string): string;
  /** State as plain JSON. It holds the values. */
  toJSON(): { readonly entries: readonly object[] };
}

/** Place of the table of a call; empty until a rail needs one, or a stored one is read. */
export interface PseudonymSlot {
  pseudonyms: PseudonymTable | undefined;
}

/**
 * Key under which an action's context has the slot of its call. INVARIANT: a symbol that the package does not export, so that
 * neither flows nor prompts nor actions of applications find the values.
 */
export const PSEUDONYM_SLOT: unique symbol = Symbol("guardrails.pseudonyms");
