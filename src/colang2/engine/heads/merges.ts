import type { Acting } from "./advance.js";
import { findFork, removeFork } from "./heads.js";
import { nextIndex } from "../state/random.js";
import { endStartPhase } from "./steps/control-steps.js";
import {
  compareScores,
  isListening,
  scoresOf,
  setScores,
  type EngineState,
  type Fork,
  type Head,
  type OpenScope,
} from "../state/state.js";

export interface Merges {
  /** The heads that go on, which stand on their merge. */
  readonly merged: readonly Head[];
  /** New heads of a group whose operand is over while a branch of it was still starting: they begin with the next operand. */
  readonly begun: readonly Head[];
  /** Heads whose turn comes when the forks inside theirs are merged. */
  readonly postponed: ReadonlySet<Head>;
}

/**
 * Resolves the forks whose heads came to a merge, the innermost ones only (spec 6.4): the best head goes on as the parent
 * head of its fork. Heads of paused flows are in neither list: they come back when their flow goes on.
 */
export function resolveMerges(state: EngineState, acting: Acting): Merges {
  const forks = new Map<Fork, Head[]>();
  for (const head of acting) {
    if (head.status !== "merging" || !isListening(head.instance)) continue;
    const fork = forkOf(head);
    if (fork === undefined) continue;
    const heads = forks.get(fork);
    if (heads === undefined) forks.set(fork, [head]);
    else heads.push(head);
  }
  const merged: Head[] = [];
  const begun: Head[] = [];
  const postponed = new Set<Head>();
  const all = [...forks.keys()];
  state.work.add((all.length * all.length) / 8);
  for (const [fork, heads] of forks) {
    if (all.some((other) => other !== fork && isInside(other, fork))) for (const head of heads) postponed.add(head);
    else {
      if (state.startingForks.has(fork)) begun.push(...endStartPhase(state, fork));
      merged.push(resolveFork(state, fork, heads));
    }
  }
  return { merged, begun, postponed };
}

function forkOf(head: Head): Fork | undefined {
  const element = head.instance.definition.elements[head.address];
  return element?.kind === "Merge" ? findFork(head, element.fork) : undefined;
}

function isInside(inner: Fork, outer: Fork): boolean {
  for (let fork = inner.parent.fork; fork !== undefined; fork = fork.parent.fork) if (fork === outer) return true;
  return false;
}

function resolveFork(state: EngineState, fork: Fork, heads: readonly Head[]): Head {
  const winner = chooseHead(state, heads);
  const { parent } = fork;
  const scores = scoresOf(state, winner);
  const scopes = openScopes(fork);
  parent.address = winner.address;
  parent.handlers = [...winner.handlers];
  parent.scopes = scopes;
  setScores(state, parent, scores);
  removeFork(state, fork);
  parent.status = "active";
  return parent;
}

/** The best score list; of equally good heads those that failed (N47), then the RNG draws. */
function chooseHead(state: EngineState, heads: readonly Head[]): Head {
  let best: Head[] = [];
  for (const head of heads) {
    const [first] = best;
    const difference = first === undefined ? 1 : compareScores(scoresOf(state, head), scoresOf(state, first));
    if (difference > 0) best = [head];
    else if (difference === 0) best.push(head);
  }
  const failed = best.filter(isFailed);
  const tied = failed.length > 0 ? failed : best;
  const chosen = tied[nextIndex(state, tied.length)] ?? heads[0];
  if (chosen === undefined) throw new RangeError("a fork without heads cannot be merged");
  return chosen;
}

function isFailed(head: Head): boolean {
  const element = head.instance.definition.elements[head.address];
  return element?.kind === "Merge" && element.failed;
}

/** Of all heads of the fork, in the order they were opened. */
function openScopes(fork: Fork): OpenScope[] {
  const scopes = new Set<OpenScope>(fork.parent.scopes);
  const collect = (open: Fork): void => {
    for (const head of open.heads) {
      for (const scope of head.scopes) scopes.add(scope);
      if (head.ownFork !== undefined) collect(head.ownFork);
    }
  };
  collect(fork);
  return [...scopes].sort((left, right) => left.order - right.order);
}
