import type { ActionDefinition } from "../actions/action.js";

/**
 * Where a flow of the library belongs. A dialog flow is started by what happens and not listed as a rail; rails on the
 * calls of tools stand under `tool_output`, those on their results under `tool_input`.
 */
export type LibraryStage = "input" | "output" | "retrieval" | "dialog" | "tool_output" | "tool_input";

export interface LibraryFlow {
  /** As it is listed in `rails.<stage>.flows`, without parameters. */
  readonly name: string;
  readonly stage: LibraryStage;
  /**
   * How much of a streamed answer an output rail has to see at once; a window of it unless told, and the whole answer
   * when the rail rewrites. `word` and `line`: it rewrites, and every word or line for itself.
   */
  readonly stream?: "window" | "word" | "line" | "answer";
  /** It compares a text with evidence, and says nothing without. */
  readonly needsEvidence?: boolean;
}

/** What must be there before the rail can run; checked when a configuration is loaded. */
export interface RailNeeds {
  /** Tasks whose prompts it uses; a prompt of the configuration replaces ours. */
  readonly tasks: readonly string[];
  /** Needs the main model itself, and not only a model for its tasks. */
  readonly mainModel: boolean;
}

/** The manifest of one folder of the library (spec rails 5.8). */
export interface LibraryRail {
  readonly folder: string;
  readonly flows: readonly LibraryFlow[];
  /** What decides: a model by its prompt, a model of its own kind, code, or a service. */
  readonly kind: "llm" | "model" | "local" | "http";
  readonly needs: RailNeeds;
  /** Whether it may change the text, so that it runs before rails that only judge. */
  readonly rewrites: boolean;
  readonly actions: readonly ActionDefinition[];
}
