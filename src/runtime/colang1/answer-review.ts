import { contextOf } from "../../colang1/engine/state.js";
import type { Run } from "./run.js";
import type { RuntimeServices } from "./services.js";
import { collectUtterances } from "./utterances.js";
import { ReviewSession } from "../../rails/review/review-session.js";

/**
 * The review of the answer that is about to be made in a turn that streams. Undefined when it has to be seen as a whole:
 * the plan or a rail wants that, or the bot has spoken in this turn already, so that the answer is only a part of the text.
 *
 * @param updates - variables that change with the answer
 */
export function openAnswerReview(
  services: RuntimeServices,
  run: Run,
  updates: Readonly<Record<string, unknown>> = {},
): ReviewSession | undefined {
  const plan = run.turn.options.stream;
  if (plan === undefined || collectUtterances(run.events).length > 0) return undefined;
  const request = {
    turn: run.turn,
    stage: "output",
    context: { ...contextOf(run.state), ...updates },
    config: run.config,
    cancellation: run.cancellation,
    past: () => [...run.past(), ...run.events],
  } as const;
  return ReviewSession.open(services, request, plan);
}
