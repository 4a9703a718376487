import type { Value } from "../../../expressions/values/value.js";
import type { ValueRecord } from "./event.js";
import type { FlowInstance, OpenScope } from "./state.js";

export type ActionStatus = "initialized" | "starting" | "started" | "stopping" | "finished";

/**
 * The right of one executed statement to an action (spec 6.7). It ends with the flow of the statement, and with every scope
 * that was open at the statement.
 */
export interface Ownership {
  readonly owner: FlowInstance;
  readonly scopes: readonly OpenScope[];
}

/** An action as the engine knows it: its life, and all its events told. */
export interface ActionObject {
  readonly uid: string;
  readonly name: string;
  status: ActionStatus;
  startArguments: ValueRecord;
  /** Fields of all events seen, the latest of each name. */
  readonly context: Record<string, Value>;
  readonly ownerships: Set<Ownership>;
  /** Started by the engine: requests to it from outside do not change its status. */
  readonly isOwn: boolean;
  /** The action this one became one with (R-SHARE). INVARIANT: follow it before anything else is read. */
  sharedWith?: ActionObject;
}

/** The action that stands for this one after equal actions were made one. */
export function resolveAction(action: ActionObject): ActionObject {
  let resolved = action;
  while (resolved.sharedWith !== undefined) resolved = resolved.sharedWith;
  return resolved;
}
