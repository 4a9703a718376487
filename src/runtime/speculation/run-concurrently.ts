import { selectRails } from "../../rails/plan.js";
import type { RailServices } from "../../rails/services.js";
import { areMarkersAwaited } from "../../rails/stage-outcome.js";
import { type StageOutcome } from "../../turn/decision.js";
import type { StageRequest } from "../../rails/rail-dialect.js";
import type { MaybePromise } from "../../engine/async.js";
import { Turn } from "../../turn/turn.js";
import { Speculation } from "./speculation.js";

/** Callbacks of the input stage that control speculation. */
export type SpeculationHooks = Pick<StageRequest, "onFinalText" | "onBlock">;

/** A stage of input rails, and the continuation of the turn. */
export interface ConcurrentStage {
  readonly turn: Turn;
  readonly stage: (hooks: SpeculationHooks) => Promise<StageOutcome>;
  /** Continues a copy in its own turn as if the rails passed the text, with their current variables. */
  readonly speculate: (turn: Turn, context: Readonly<Record<string, unknown>>) => MaybePromise<unknown>;
}

/**
 * Runs the input rails and, concurrently, the next steps of the turn that only call models.
 *
 * INVARIANT: the outcome is that of the stage alone. Speculative calls are kept for the turn to take over, or ended.
 */
export async function runConcurrently(
  services: RailServices,
  { turn, stage, speculate }: ConcurrentStage,
): Promise<StageOutcome> {
  const speculation = openSpeculation(services, turn);
  if (speculation === undefined) return stage({});
  try {
    const outcome = await stage({
      onFinalText: (context) => void runSpeculatively(services, { turn, speculate }, speculation, context),
      onBlock: () => speculation.discard(),
    });
    if (outcome.blocked) {
      speculation.discard();
      return outcome;
    }
    speculation.finish();
    turn.speculation = speculation.committed;
    return outcome;
  } catch (error) {
    speculation.discard();
    throw error;
  }
}

/** INVARIANT: only the calls that the copy started outlive it. */
async function runSpeculatively(
  { limits, clock }: RailServices,
  { turn, speculate }: Pick<ConcurrentStage, "turn" | "speculate">,
  speculation: Speculation,
  context: Readonly<Record<string, unknown>>,
): Promise<void> {
  const text = context["user_message"];
  const options = { ...turn.options, config: { signal: speculation.signal } };
  const userTexts = [...turn.userTexts.slice(0, -1), ...(typeof text === "string" ? [text] : [])];
  const copy = new Turn({ options, limits, clock, userTexts, instructions: turn.instructions });
  copy.extras = turn.extras;
  copy.readsExtras = turn.readsExtras;
  copy.speculation = speculation.speculative;
  try {
    await speculate(copy, context);
  } catch {
    // The committed run meets the same failure and reports it.
  } finally {
    copy.close();
  }
}

/** Returns undefined if a flow waits for events of the stage, since it may have effects. */
function openSpeculation(services: RailServices, turn: Turn): Speculation | undefined {
  const { options } = turn;
  if (!services.config.settings.rails.input.speculative || turn.speculation !== undefined) return undefined;
  if (options.rails?.dialog === false || areMarkersAwaited(services, "input")) return undefined;
  return selectRails(services, options, "input").length === 0 ? undefined : new Speculation(turn.cancellation);
}
