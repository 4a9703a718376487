/**
 * Text of `bot refuse to respond` if the configuration defines none. `src/library/messages.v1.co` and
 * `src/colang2/stdlib/core.co` repeat it.
 */
export const DEFAULT_REFUSAL = "I'm sorry, I can't respond to that.";
