import { andThen, type Cancellation, type MaybePromise } from "../engine/async.js";
import { superseded, runRail } from "./run-rail.js";
import type { PlannedRail, RailGroup } from "./plan.js";
import { REWRITTEN } from "./rail-decision.js";
import { type RailOutcome, type RailRequest } from "./rail-dialect.js";
import type { RailServices } from "./services.js";

/** Request to the rails of a group, on messages or tools. */
export type GroupRequest = Omit<RailRequest, "rail">;

/** The outcomes of the rails of a group, up to the one that blocked. */
export function runGroup(
  services: RailServices,
  request: GroupRequest,
  group: RailGroup,
): MaybePromise<readonly RailOutcome[]> {
  const { rails, isRace, rewritesInOrder } = group;
  const [first] = rails;
  if (first !== undefined && rails.length === 1) {
    return andThen(runRail(services, { rail: first.rail, ...request }), (outcome) => [outcome]);
  }
  if (!isRace) return runConcurrently(services, request, rails);
  return rewritesInOrder === true ? runInOrder(services, request, rails) : runRace(services, request, rails);
}

/** Runs rails concurrently, and those that rewrote the text again in their order. */
async function runInOrder(
  services: RailServices,
  request: GroupRequest,
  rails: readonly PlannedRail[],
): Promise<readonly RailOutcome[]> {
  const order = request.turn.openOrder();
  const outcomes = await runRace(services, request, rails);
  const made = await rewriteInOrder(services, request, { rails, outcomes });
  // Of a race that was won the winner stays in front.
  if (made.at(-1)?.blocked !== true) order.close(rails.map(({ rail }) => rail));
  return made;
}

/**
 * Two rails that rewrote the text at the same time have each worked on the text before both. INVARIANT: what one has masked
 * stays masked, so the later one works on what the earlier one has made.
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
 * Runs rails side by side with the outcome that running them one after the other has: a block ends the rails behind it
 * in the list at once, while those before it are waited for, since each of them would have come first.
 *
 * @returns the outcomes of the rails as listed, up to the first that blocks
 * @throws what the first rail to fail throws (`onError: "throw"`), unless one before it blocks
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
  const endBehind = (index: number): void => {
    for (const [at, branch] of branches.entries()) if (at > index) branch.abort(superseded(rails[at]?.rail ?? ""));
  };
  const running = rails.map(async ({ rail, hidden }, index) => {
    const context = withoutVariables(request.context, hidden);
    const cancellation = branches[index] ?? request.cancellation;
    try {
      const outcome = await runRail(services, { ...request, rail, context, cancellation });
      if (outcome.blocked) {
        endBehind(index);
        request.onBlock?.();
      }
      return outcome;
    } catch (error) {
      endBehind(index);
      throw error;
    }
  });
  // Each is awaited in its turn, which may be after it has failed.
  for (const rail of running) rail.catch(() => undefined);
  const outcomes: RailOutcome[] = [];
  try {
    for (const rail of running) {
      const outcome = await rail;
      outcomes.push(outcome);
      if (outcome.blocked) {
        // INVARIANT: a rail behind the one that blocked would not have run, so its failure rejects nothing.
        await Promise.allSettled(running);
        turn.rejection = before;
        break;
      }
    }
    return outcomes;
  } finally {
    // Rails that were ended are over within a few ticks; none of them outlives the stage.
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
 * Runs rails concurrently, and the first block in time counts (`parallel: true`).
 *
 * @returns the outcome of the rail that blocked, or those of all rails as listed
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
    // With `onError: "throw"` one failure ends the call, and so the other rails.
    cancellation.abort(error);
    throw error;
  } finally {
    cancellation.release();
  }
}

/** The first rail to block, or undefined when all have passed. A rejection (onError: "throw") leaves at once. */
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
