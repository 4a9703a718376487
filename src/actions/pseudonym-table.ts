/** Restores pseudonyms in a text that arrives in pieces, which may split them. */
export interface RestoringPieces {
  /** Adds a piece; returns the text restored so far. */
  push(piece: string): string;
  /** Ends the text; returns its rest. */
  finish(): string;
}

/** Values that rails hid from the model, with their pseudonyms. INVARIANT: belongs to one conversation. */
export interface PseudonymTable {
  restore(text: string): string;
  /** @param options - `json`: the text is JSON, so restored values are escaped as in its strings */
  restoreStream(options?: { readonly json?: boolean }): RestoringPieces;
  /** Replaces values of the table that occur as whole words in a text. */
  hide(text: string): string;
  /** Returns the state as plain JSON, which contains the values. */
  toJSON(): { readonly entries: readonly object[] };
}

/** Holds the table of a call; empty until a rail needs one, or a stored one is read. */
export interface PseudonymSlot {
  pseudonyms: PseudonymTable | undefined;
}

/**
 * Key of the slot in an action's context. INVARIANT: a symbol that the package does not export, so that flows, prompts
 * and application actions cannot find the values.
 */
export const PSEUDONYM_SLOT: unique symbol = Symbol("guardrails.pseudonyms");
