/**
 * The text of `bot refuse to respond` where a configuration defines none. `src/library/messages.v1.co` and
 * `src/colang2/stdlib/core.co` say the same.
 */
export const DEFAULT_REFUSAL = "I'm sorry, I can't respond to that.";
