import type { Acting } from "./advance.js";
import { findFork, forkingHead, removeFork } from "./heads.js";
import { nextIndex } from "../state/random.js";
import { endStartPhase } from "./steps/control-steps.js";
import type { Head } from "../state/records.js";
import { bestOf, elementOf, instanceOf, isListening, scoresOf, type EngineState } from "../state/state.js";

export interface Merges {
  /** The heads that continue, which stand on their merge. */
  readonly merged: readonly Head[];
  /** New heads of a group whose operand is over while a branch of it was still starting: they begin with the next operand. */
  readonly begun: readonly Head[];
  /** Heads that are merged after the forks inside theirs. */
  readonly postponed: ReadonlySet<Head>;
}

/**
 * Resolves the forks whose heads came to a merge, the innermost ones only: the best head continues as the parent
 * head of its fork. Heads of paused flows are in neither list: they come back when their flow is resumed.
 */
export function resolveMerges(state: EngineState, acting: Acting): Merges {
  const forks = new Map<Head, Head[]>();
  for (const head of acting) {
    if (head.status !== "merging" || !isListening(instanceOf(state, head))) continue;
    const forking = mergingFork(state, head);
    if (forking === undefined) continue;
    const heads = forks.get(forking);
    if (heads === undefined) forks.set(forking, [head]);
    else heads.push(head);
  }
  const merged: Head[] = [];
  const begun: Head[] = [];
  const postponed = new Set<Head>();
  const all = [...forks.keys()];
  state.work.add((all.length * all.length) / 8);
  for (const [forking, heads] of forks) {
    if (all.some((other) => isInside(state, other, forking))) for (const head of heads) postponed.add(head);
    else {
      if (state.index.startingForks.has(forking)) begun.push(...endStartPhase(state, forking));
      merged.push(resolveFork(state, forking, heads));
    }
  }
  return { merged, begun, postponed };
}

/** The head that made the fork which a head merges. */
function mergingFork(state: EngineState, head: Head): Head | undefined {
  const element = elementOf(state, { head, instance: instanceOf(state, head) });
  return element?.kind === "Merge" ? findFork(state, head, element.fork) : undefined;
}

function isInside(state: EngineState, inner: Head, outer: Head): boolean {
  let at = forkingHead(state, inner);
  while (at !== undefined && at !== outer) at = forkingHead(state, at);
  return at === outer;
}

function resolveFork(state: EngineState, forking: Head, heads: readonly Head[]): Head {
  const winner = chooseHead(state, heads);
  forking.address = winner.address;
  forking.handlers = [...winner.handlers];
  forking.scopes = openScopes(state, forking);
  state.round.scores.set(forking.id, scoresOf(state, winner));
  removeFork(state, { head: forking, instance: instanceOf(state, forking) });
  forking.status = "active";
  return forking;
}

/** The best score list; of equally good heads those that failed, then the RNG draws. */
function chooseHead(state: EngineState, heads: readonly Head[]): Head {
  const best = bestOf(heads, (head) => scoresOf(state, head));
  const failed = best.filter((head) => isFailed(state, head));
  const tied = failed.length > 0 ? failed : best;
  const chosen = tied[nextIndex(state.data, tied.length)] ?? heads[0];
  if (chosen === undefined) throw new RangeError("a fork without heads cannot be merged");
  return chosen;
}

function isFailed(state: EngineState, head: Head): boolean {
  const element = elementOf(state, { head, instance: instanceOf(state, head) });
  return element?.kind === "Merge" && element.failed;
}

/** Of all heads of the fork, in the order they were opened. */
function openScopes(state: EngineState, forking: Head): number[] {
  const scopes = new Set(forking.scopes);
  const collect = (parent: Head): void => {
    for (const head of state.index.branches.get(parent.id)) {
      for (const scope of head.scopes) scopes.add(scope);
      collect(head);
    }
  };
  collect(forking);
  return [...scopes].sort((left, right) => left - right);
}
