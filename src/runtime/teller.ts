import type { WriteText } from "../turn/answer.js";
import type { ActionRun } from "./action-context.js";
import { untilAborted } from "../engine/cancellation.js";
import type { ReviewSession } from "../rails/review/review-session.js";

export interface TellerInput {
  readonly run: ActionRun;
  /** Opens the review of what is told, given the variables that change with it. */
  readonly open: (updates?: Readonly<Record<string, unknown>>) => ReviewSession | undefined;
  /** Takes the time limit off the action that tells. */
  readonly unlimited?: (() => void) | undefined;
}

/**
 * How an action of a run hands words on. Undefined where nobody reads them as a stream, or the answer has to be seen as a
 * whole. INVARIANT: ahead of the verdict on the input nothing is told; what is written then waits.
 */
export function openTeller({ run, open, unlimited }: TellerInput): WriteText | undefined {
  const { turn, scope, cancellation } = run;
  const { writeText } = turn.options;
  if (writeText === undefined || scope === "rail" || open() === undefined) return undefined;
  const { speculation } = turn;
  return async (words, updates) => {
    if (speculation?.isAhead === true) return untilAborted(new Promise<never>(() => undefined), cancellation.signal);
    const review = open(updates);
    if (review === undefined) return joined(words);
    turn.answerReview = review;
    // From here on its reader says how long it takes.
    unlimited?.();
    return writeText(words, review);
  };
}

async function joined(words: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of words) text += piece;
  return text;
}
