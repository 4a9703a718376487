/**
 * How much of a streamed answer a rail has to see at once. `window`: it only judges, and parts of the answer will do.
 * `word`, `line`: it rewrites, each word or line for itself. `answer`: everything, so the answer is held back.
 */
export type RailScope = "window" | "word" | "line" | "answer";
