import type { EventDraft } from "../../engine/events.js";
import { runLoop } from "./run-loop.js";
import { type Perform, type Run, type RuntimeServices } from "./run.js";
import type { StageOutcome } from "../../turn/decision.js";
import { Turn } from "../../turn/turn.js";
import { type ConcurrentStage, runConcurrently } from "../speculation/run-concurrently.js";
import type { Speculation } from "../speculation/speculation.js";

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
  const ahead: ConcurrentStage["ahead"] = (speculation, context) =>
    runAhead(services, run, speculation, { context, finished });
  return runConcurrently(services, { turn: run.turn, stage, ahead });
}

/**
 * Goes on with a copy of the conversation as if the input rails had let the text pass, so that the calls which the turn
 * would make next begin now. It stops at the first action that may do more than look things up and ask models, and
 * nothing of it but these calls outlives it.
 */
async function runAhead(
  services: RuntimeServices,
  run: Run,
  speculation: Speculation,
  { context, finished }: { readonly context: Readonly<Record<string, unknown>>; readonly finished: EventDraft },
): Promise<void> {
  const text = context["user_message"];
  const turn = new Turn({
    options: { ...run.turn.options, config: { signal: speculation.signal } },
    limits: services.limits,
    clock: services.clock,
    userTexts: [...run.turn.userTexts.slice(0, -1), ...(typeof text === "string" ? [text] : [])],
    instructions: run.turn.instructions,
  });
  turn.extras = run.turn.extras;
  turn.readsExtras = run.turn.readsExtras;
  turn.speculation = speculation.ahead;
  const perform: Perform = (_services, copied, request) =>
    services.askingActions.has(String(request["action_name"])) ? run.perform(services, copied, request) : [];
  const copy: Run = {
    ...run,
    turn,
    events: [...run.events],
    cancellation: turn.cancellation,
    perform,
  };
  const before = run.state.context;
  const changes = Object.entries(context).filter(([name, value]) => !Object.is(before[name], value));
  const update: EventDraft[] =
    changes.length === 0 ? [] : [{ type: "ContextUpdate", data: Object.fromEntries(changes) }];
  try {
    await runLoop(services, copy, [...update, finished]);
  } catch {
    // The committed run meets the same failure and reports it.
  } finally {
    turn.close();
  }
}
