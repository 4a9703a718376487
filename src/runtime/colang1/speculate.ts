import type { EventDraft } from "../../engine/events.js";
import { runLoop } from "./run-loop.js";
import { type Perform, Run, type RuntimeServices } from "./run.js";
import type { StageOutcome } from "../../turn/decision.js";
import { type ConcurrentStage, runConcurrently } from "../speculation/run-concurrently.js";

/**
 * Runs the input rails, and beside them what the turn does next, as far as it only asks models.
 *
 * @param finished - the end of the action that runs the rails, as it is when they let the text pass
 */
export function speculateDuringRails(
  services: RuntimeServices,
  run: Run,
  finished: EventDraft,
  stage: ConcurrentStage["stage"],
): Promise<StageOutcome> {
  // The copy stops at the first action that may do more than look things up and ask models.
  const perform: Perform = (_services, copied, request) =>
    services.askingActions.has(String(request["action_name"])) ? run.perform(services, copied, request) : [];
  const ahead: ConcurrentStage["ahead"] = (turn, context) => {
    const { scope, rail, config, past, state } = run;
    const copy = new Run({ turn, scope, rail, config, past, state, cancellation: turn.cancellation, perform });
    copy.events.push(...run.events);
    const before = run.state.context;
    const changes = Object.entries(context).filter(([name, value]) => !Object.is(before[name], value));
    const update: EventDraft[] =
      changes.length === 0 ? [] : [{ type: "ContextUpdate", data: Object.fromEntries(changes) }];
    return runLoop(services, copy, [...update, finished]);
  };
  return runConcurrently(services, { turn: run.turn, stage, ahead });
}
