import type { ActionDefinition } from "../actions/action.js";

/**
 * Stage of a flow of the library. A dialog flow is started by events and not listed as a rail; rails on the
 * calls of tools stand under `tool_output`, those on their results under `tool_input`.
 */
type LibraryStage = "input" | "output" | "retrieval" | "dialog" | "tool_output" | "tool_input";

export interface LibraryFlow {
  /** As it is listed in `rails.<stage>.flows`, without parameters. */
  readonly name: string;
  readonly stage: LibraryStage;
  /**
   * Part of a streamed message that an output rail has to read at once; default: `window`. No rail of the library rewrites.
   */
  readonly stream?: "window" | "answer";
  /** It compares a text with evidence and does nothing without. */
  readonly needsEvidence?: boolean;
}

/** Requirements of a rail, checked when a configuration is loaded. */
interface RailNeeds {
  /** Tasks whose prompts it uses; a prompt of the configuration replaces ours. */
  readonly tasks: readonly string[];
  /** Needs the main model itself, and not only a model for its tasks. */
  readonly mainModel: boolean;
}

/** The manifest of one folder of the library. */
export interface LibraryRail {
  readonly folder: string;
  readonly flows: readonly LibraryFlow[];
  readonly needs: RailNeeds;
  readonly actions: readonly ActionDefinition[];
}
