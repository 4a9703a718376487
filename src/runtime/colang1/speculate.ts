import type { EventDraft } from "../../engine/events.js";
import { runLoop } from "./run-loop.js";
import { type Perform, Run, type RuntimeServices } from "./run.js";
import type { StageOutcome } from "../../turn/decision.js";
import { type ConcurrentStage, runConcurrently } from "../speculation/run-concurrently.js";

/**
 * Runs the input rails and, concurrently, the next steps of the turn that only call models.
 *
 * @param finished - the end of the action that runs the rails, as if they passed the text
 */
export function speculateDuringRails(
  services: RuntimeServices,
  run: Run,
  finished: EventDraft,
  stage: ConcurrentStage["stage"],
): Promise<StageOutcome> {
  // The copy stops at the first action that may do more than search and call models.
  const perform: Perform = (_services, copied, request) =>
    services.askingActions.has(String(request["action_name"])) ? run.perform(services, copied, request) : [];
  const speculate: ConcurrentStage["speculate"] = (turn, context) => {
    const { scope, rail, config, past, state } = run;
    const copy = new Run({ turn, scope, rail, config, past, state, cancellation: turn.cancellation, perform });
    copy.events.push(...run.events);
    const before = run.state.context;
    const changes = Object.entries(context).filter(([name, value]) => !Object.is(before[name], value));
    const update: EventDraft[] =
      changes.length === 0 ? [] : [{ type: "ContextUpdate", data: Object.fromEntries(changes) }];
    return runLoop(services, copy, [...update, finished]);
  };
  return runConcurrently(services, { turn: run.turn, stage, speculate });
}
