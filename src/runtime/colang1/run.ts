import type { Colang1State } from "../../colang1/engine/state.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { Soon } from "../../engine/soon.js";
import type { Entry } from "../../turn/entry.js";
import type { ActionRun } from "../action-context.js";
import type { RuntimeServices } from "./services.js";

/** Performs what a `StartInternalSystemAction` asks for; handed down so that rails can run loops of their own. */
export type Perform = (services: RuntimeServices, run: Run, request: GuardrailsEvent) => Soon<readonly Entry[]>;

/**
 * One run of the engine: the conversation itself, or a rail in a state of its own.
 * INVARIANT: rails never see the instances of the conversation, and the conversation never sees theirs.
 */
export interface Run extends ActionRun {
  state: Colang1State;
  /** What happened before this run, for prompts and actions. */
  readonly past: () => readonly GuardrailsEvent[];
  readonly events: GuardrailsEvent[];
  readonly perform: Perform;
  stopped: boolean;
  failed: boolean;
  exception?: GuardrailsEvent;
}
