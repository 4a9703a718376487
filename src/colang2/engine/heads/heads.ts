import type { ElementOf } from "../../elements.js";
import { LimitError } from "../../../diagnostics/errors.js";
import type { FlowInstance, Head, PlacedHead } from "../state/records.js";
import { instanceOf, type EngineState, bestOf, elementOf, isListening, scoresOf, nextIndex } from "../state/state.js";

/** Heads at an act or a merge, in order of arrival, without duplicates. */
export type Acting = Set<Head>;

const NO_SCOPES: readonly number[] = [];

interface HeadOrigin {
  readonly address: number;
  readonly scores: readonly number[];
  readonly handlers?: readonly number[];
  readonly scopes?: readonly number[];
  readonly parent?: Head;
  readonly branch?: number;
}

/** Adds a cursor to an instance. */
export function addHead(state: EngineState, instance: FlowInstance, from: HeadOrigin): Head {
  const { headsPerInstance } = state.options.limits;
  if (instance.heads.length >= headsPerInstance) {
    const message = `flow \`${instance.flow}\` has more than ${headsPerInstance} heads`;
    throw new LimitError(message, { limit: "headsPerInstance", maximum: headsPerInstance });
  }
  const head = makeHead(state, instance.uid, from);
  instance.heads.push(head);
  state.index.addHead(head);
  return head;
}

/** Creates a cursor that is not yet part of its instance. */
export function makeHead(state: EngineState, flow: string, from: HeadOrigin): Head {
  const head: Head = {
    id: (state.data.orders += 1),
    flow,
    parent: from.parent?.id,
    branch: from.branch ?? 0,
    address: from.address,
    status: "active",
    handlers: from.handlers === undefined ? [] : from.handlers.slice(),
    scopes: from.scopes ?? NO_SCOPES,
    fork: undefined,
    waits: "no",
    pattern: undefined,
    isStale: false,
    act: undefined,
  };
  state.round.scores.set(head.id, from.scores);
  return head;
}

/** Removes a head and everything forked from it. */
export function removeHead(state: EngineState, placed: PlacedHead): void {
  const { head, instance } = placed;
  if (head.status === "gone") return;
  if (head.pattern === undefined) head.waits = "no";
  else stopWaiting(state, placed);
  if (head.fork !== undefined) removeFork(state, placed);
  head.status = "gone";
  head.act = undefined;
  state.index.deleteHead(head);
  instance.heads.splice(instance.heads.indexOf(head), 1);
}

/** Removes the fork made by a head, if any, with its heads. */
function removeFork(state: EngineState, { head, instance }: PlacedHead): void {
  if (state.index.startingForks.size > 0) state.index.startingForks.delete(head);
  for (const branch of state.index.branches.of(head.id)) removeHead(state, { head: branch, instance });
  head.fork = undefined;
}

/** Removes the head from the indexes while it does not wait. */
export function stopWaiting({ index }: EngineState, { head, instance }: PlacedHead): void {
  head.waits = "no";
  if (head.pattern === undefined) return;
  index.waiting.remove(head);
  if (index.latches.heads.size > 0) index.latches.remove(head);
  if (head.isStale) index.staleHeads.delete(head);
  head.isStale = false;
  for (const name of instance.globalNames) index.globalReaders.delete(name, head);
  head.pattern = undefined;
}

/** The head that forked this one. */
function forkingHead({ index }: EngineState, head: Head): Head | undefined {
  return head.parent === undefined ? undefined : index.heads.get(head.parent);
}

/** The head that made the nearest fork of this number around a head. */
export function findFork(state: EngineState, head: Head, number: number): Head | undefined {
  let at = forkingHead(state, head);
  while (at !== undefined && at.fork?.number !== number) at = forkingHead(state, at);
  return at;
}

/** The fork branch of a head. */
export function branchOf(state: EngineState, head: Head, forking: Head): number {
  let inner = head;
  for (let at = forkingHead(state, head); at !== undefined && at !== forking; at = forkingHead(state, at)) inner = at;
  return inner.branch;
}

/** Adds a head to an open fork, with the handlers and scopes of its dormant parent head. */
export function spawnHead(
  state: EngineState,
  parent: Head,
  { target, scores }: { readonly target: number; readonly scores: readonly number[] },
): Head {
  const { handlers, scopes } = parent;
  return addHead(state, instanceOf(state, parent), { address: target, scores, handlers, scopes, parent, branch: -1 });
}

/** Adds the head that waits for the started branches; none if all of them failed. */
export function endStartPhase(state: EngineState, forking: Head): Head[] {
  const { fork: ended } = forking;
  state.index.startingForks.delete(forking);
  const into = state.index.heads.get(ended?.next?.into ?? -1);
  if (ended?.next === undefined || into === undefined || ended.isReady) return [];
  const known = state.round.startScores.get(forking.id) ?? [];
  const scores = ended.starts.flatMap((start, branch) => (start === "ready" ? [known[branch] ?? []] : []));
  const [best] = bestOf(scores, (score) => score);
  if (best === undefined) return [];
  ended.isReady = true;
  return [spawnHead(state, into, { target: ended.next.target, scores: best })];
}

export interface Merges {
  /** The heads that continue from their merge; those of forks that failed come first, since they had nothing to choose. */
  readonly merged: readonly Head[];
  /** New heads of a group whose operand ended while a branch was still starting: they begin with the next operand. */
  readonly begun: readonly Head[];
  /** Heads merged after the forks inside theirs. */
  readonly postponed: ReadonlySet<Head>;
}

/**
 * Resolves the innermost forks whose heads reached a merge: the best head continues as the parent head of its fork.
 * Heads of paused flows are in neither list and return when their flow is resumed.
 */
export function resolveMerges(state: EngineState, acting: Acting): Merges {
  const forks = new Map<Head, Head[]>();
  for (const head of acting) {
    if (head.status !== "merging" || !isListening(instanceOf(state, head))) continue;
    const merge = mergeAt(state, head);
    const forking = merge && findFork(state, head, merge.fork);
    if (forking === undefined) continue;
    const heads = forks.get(forking);
    if (heads === undefined) forks.set(forking, [head]);
    else heads.push(head);
  }
  const failed: Head[] = [];
  const chosen: Head[] = [];
  const begun: Head[] = [];
  const postponed = new Set<Head>();
  const all = [...forks.keys()];
  state.work.add((all.length * all.length) / 8);
  for (const [forking, heads] of forks) {
    if (all.some((other) => isInside(state, other, forking))) for (const head of heads) postponed.add(head);
    else {
      if (state.index.startingForks.has(forking)) begun.push(...endStartPhase(state, forking));
      const winner = chooseHead(state, heads);
      const isFailed = mergeAt(state, winner)?.failed === true;
      (isFailed ? failed : chosen).push(continueFork(state, forking, winner));
    }
  }
  return { merged: [...failed, ...chosen], begun, postponed };
}

/** The merge at which a head is. */
function mergeAt(state: EngineState, head: Head): ElementOf<"Merge"> | undefined {
  const element = elementOf(state, { head, instance: instanceOf(state, head) });
  return element?.kind === "Merge" ? element : undefined;
}

function isInside(state: EngineState, inner: Head, outer: Head): boolean {
  let at = forkingHead(state, inner);
  while (at !== undefined && at !== outer) at = forkingHead(state, at);
  return at === outer;
}

function continueFork(state: EngineState, forking: Head, winner: Head): Head {
  forking.address = winner.address;
  forking.handlers = [...winner.handlers];
  forking.scopes = openScopes(state, forking);
  state.round.scores.set(forking.id, scoresOf(state, winner));
  removeFork(state, { head: forking, instance: instanceOf(state, forking) });
  forking.status = "active";
  return forking;
}

/** The best score list; among ties, failed heads, then the RNG. */
function chooseHead(state: EngineState, heads: readonly Head[]): Head {
  const best = bestOf(heads, (head) => scoresOf(state, head));
  const failed = best.filter((head) => mergeAt(state, head)?.failed === true);
  const tied = failed.length > 0 ? failed : best;
  const chosen = tied[nextIndex(state.data, tied.length)] ?? heads[0];
  if (chosen === undefined) throw new RangeError("a fork without heads cannot be merged");
  return chosen;
}

/** Of all heads of the fork, in the order they were opened. */
function openScopes(state: EngineState, forking: Head): number[] {
  const scopes = new Set(forking.scopes);
  const collect = (parent: Head): void => {
    for (const head of state.index.branches.of(parent.id)) {
      for (const scope of head.scopes) scopes.add(scope);
      collect(head);
    }
  };
  collect(forking);
  return [...scopes].sort((left, right) => left - right);
}
