import { andThen, type Cancellation, type MaybePromise } from "../engine/async.js";
import { superseded, runRail } from "./run-rail.js";
import type { PlannedRail, RailGroup } from "./plan.js";
import { REWRITTEN } from "./rail-decision.js";
import { type RailOutcome, type RailRequest } from "./rail-dialect.js";
import type { RailServices } from "./services.js";

/** Request to run the rails of a group, on messages or tools. */
export type GroupRequest = Omit<RailRequest, "rail">;

/** Returns the outcomes of a group's rails, up to the one that blocked. */
export function runGroup(
  services: RailServices,
  request: GroupRequest,
  group: RailGroup,
): MaybePromise<readonly RailOutcome[]> {
  const { rails, isRace, rewritesInOrder } = group;
  const [first] = rails;
  if (first !== undefined && rails.length === 1) {
    return andThen(runRail(services, forRail(first.rail, request)), (outcome) => [outcome]);
  }
  if (!isRace) return runConcurrently(services, request, rails);
  return rewritesInOrder === true ? runInOrder(services, request, rails) : runRace(services, request, rails);
}

/** The request for one rail. Its keys are written out, since a spread in each call sets them one by one. */
function forRail(rail: string, request: GroupRequest): RailRequest {
  return {
    rail,
    turn: request.turn,
    stage: request.stage,
    context: request.context,
    config: request.config,
    cancellation: request.cancellation,
    past: request.past,
    pastMessages: request.pastMessages,
    known: request.known,
    about: request.about,
    onFinalText: request.onFinalText,
    onBlock: request.onBlock,
    utteringRails: request.utteringRails,
    isShadow: request.isShadow,
  };
}

/** Runs rails concurrently, then reruns those that rewrote the text in order. */
async function runInOrder(
  services: RailServices,
  request: GroupRequest,
  rails: readonly PlannedRail[],
): Promise<readonly RailOutcome[]> {
  const order = request.turn.openOrder();
  const outcomes = await runRace(services, request, rails);
  const made = await rewriteInOrder(services, request, { rails, outcomes });
  // The winner of a race stays first.
  if (made.at(-1)?.blocked !== true) order.close(rails.map(({ rail }) => rail));
  return made;
}

/**
 * Rails that rewrote the text concurrently all worked on the original text. INVARIANT: masked text stays masked, so
 * each later rail reruns on the result of the earlier ones.
 */
async function rewriteInOrder(
  services: RailServices,
  request: GroupRequest,
  { rails, outcomes }: { readonly rails: readonly PlannedRail[]; readonly outcomes: readonly RailOutcome[] },
): Promise<readonly RailOutcome[]> {
  const name = REWRITTEN[request.stage];
  const made: RailOutcome[] = [];
  let rewritten: { readonly text: unknown } | undefined;
  for (const [at, outcome] of outcomes.entries()) {
    const planned = rails[at];
    if (outcome.blocked || planned === undefined || !Object.hasOwn(outcome.contextUpdates, name)) made.push(outcome);
    else {
      const { turn } = request;
      if (rewritten !== undefined) turn.decisions.splice(turn.decisions.indexOf(outcome.decision), 1);
      const context = { ...withoutVariables(request.context, planned.hidden), [name]: rewritten?.text };
      const last =
        rewritten === undefined ? outcome : await runRail(services, { ...request, rail: planned.rail, context });
      made.push(last);
      if (last.blocked) break;
      rewritten = { text: Object.hasOwn(last.contextUpdates, name) ? last.contextUpdates[name] : rewritten?.text };
    }
  }
  return made;
}

/**
 * Runs rails concurrently with the outcome of a sequential run: a block cancels later rails in the list at once, while
 * earlier ones are awaited, since each would have come first.
 *
 * @returns the outcomes of the rails in list order, up to the first block
 * @throws the error of the first failing rail (`onError: "throw"`), unless an earlier one blocks
 */
async function runConcurrently(
  services: RailServices,
  request: GroupRequest,
  rails: readonly PlannedRail[],
): Promise<readonly RailOutcome[]> {
  const { turn } = request;
  const before = turn.rejection;
  const order = turn.openOrder();
  const branches = rails.map(() => request.cancellation.child());
  const cancelLater = (index: number): void => {
    for (const [at, branch] of branches.entries()) if (at > index) branch.abort(superseded(rails[at]?.rail ?? ""));
  };
  const running = rails.map(async ({ rail, hidden }, index) => {
    const context = withoutVariables(request.context, hidden);
    const cancellation = branches[index] ?? request.cancellation;
    try {
      const outcome = await runRail(services, { ...request, rail, context, cancellation });
      if (outcome.blocked) {
        cancelLater(index);
        request.onBlock?.();
      }
      return outcome;
    } catch (error) {
      cancelLater(index);
      throw error;
    }
  });
  // Each is awaited in order, possibly after it has failed.
  for (const rail of running) rail.catch(() => undefined);
  const outcomes: RailOutcome[] = [];
  try {
    for (const rail of running) {
      const outcome = await rail;
      outcomes.push(outcome);
      if (outcome.blocked) {
        // INVARIANT: a rail after the blocking one would not have run, so its failure is ignored.
        await Promise.allSettled(running);
        turn.rejection = before;
        break;
      }
    }
    return outcomes;
  } finally {
    // Cancelled rails end within a few ticks; none outlives the stage.
    await Promise.allSettled(running);
    for (const branch of branches) branch.release();
    order.close(rails.map(({ rail }) => rail));
  }
}

function withoutVariables(
  context: Readonly<Record<string, unknown>>,
  hidden: readonly string[],
): Readonly<Record<string, unknown>> {
  if (hidden.length === 0) return context;
  const copy = { ...context };
  for (const name of hidden) delete copy[name];
  return copy;
}

/**
 * Runs rails concurrently; the first block in time counts (`parallel: true`).
 *
 * @returns the outcome of the blocking rail, or those of all rails in list order
 */
async function runRace(
  services: RailServices,
  request: GroupRequest,
  rails: readonly PlannedRail[],
): Promise<readonly RailOutcome[]> {
  const cancellation: Cancellation = request.cancellation.child();
  try {
    const running = rails.map(async ({ rail, hidden }) => {
      const context = withoutVariables(request.context, hidden);
      return runRail(services, { ...request, rail, context, cancellation });
    });
    const blocked = await firstBlock(running);
    if (blocked === undefined) return await Promise.all(running);
    request.onBlock?.();
    cancellation.abort(superseded(blocked.reference));
    await Promise.allSettled(running);
    return [blocked];
  } catch (error) {
    // With `onError: "throw"`, one failure ends the call and the other rails.
    cancellation.abort(error);
    throw error;
  } finally {
    cancellation.release();
  }
}

/**
 * Resolves to the first rail that blocks, or undefined if all have passed. Rejects at once if a rail does (onError:
 * "throw").
 */
function firstBlock(running: readonly Promise<RailOutcome>[]): Promise<RailOutcome | undefined> {
  return new Promise((resolve, reject) => {
    let open = running.length;
    for (const promise of running) {
      promise.then((outcome) => {
        open -= 1;
        if (outcome.blocked) resolve(outcome);
        else if (open === 0) resolve(undefined);
      }, reject);
    }
  });
}
