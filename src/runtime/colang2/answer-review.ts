import { historyEvents } from "./history-events.js";
import { ReviewSession } from "../../rails/review/review-session.js";
import { type Colang2Run, utterancesOf } from "./run.js";
import type { Colang2Services } from "./services.js";

/**
 * The review of the answer that is about to be made in a turn that streams. Undefined when it has to be seen as a whole: the
 * plan or a rail wants that, a flow of the configuration may still change it, or the bot has spoken in this turn already.
 *
 * @param updates - variables that change with the answer
 */
export function openAnswerReview(
  services: Colang2Services,
  run: Colang2Run,
  updates: Readonly<Record<string, unknown>> = {},
): ReviewSession | undefined {
  const plan = run.turn.options.stream;
  if (plan === undefined || utterancesOf(run.events).length > 0) return undefined;
  const request = {
    turn: run.turn,
    stage: "output",
    context: { ...run.engine.globals, ...updates },
    config: run.config,
    cancellation: run.cancellation,
    past: () => [...run.past(), ...historyEvents(run.events)],
  } as const;
  return ReviewSession.open(services, request, plan);
}
