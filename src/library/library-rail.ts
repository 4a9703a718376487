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
   * How much of a streamed answer an output rail has to see at once; default: `window`. No rail of the library rewrites.
   */
  readonly stream?: "window" | "answer";
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
  readonly needs: RailNeeds;
  readonly actions: readonly ActionDefinition[];
}
