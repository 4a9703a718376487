import {
  setScores,
  type EngineState,
  type FlowInstance,
  type Fork,
  type Head,
  type OpenScope,
} from "../state/state.js";
import { LimitError } from "../../../diagnostics/errors.js";

/** Adds a cursor to an instance. */
export function addHead(
  state: EngineState,
  instance: FlowInstance,
  from: {
    readonly address: number;
    readonly scores: readonly number[];
    readonly handlers?: readonly number[];
    readonly scopes?: readonly OpenScope[];
    readonly fork?: Fork;
    readonly branch?: number;
  },
): Head {
  const { headsPerInstance } = state.options.limits;
  if (instance.heads.size >= headsPerInstance) {
    const message = `flow \`${instance.definition.id}\` has more than ${headsPerInstance} heads`;
    throw new LimitError(message, { limit: "headsPerInstance", maximum: headsPerInstance });
  }
  state.orders += 1;
  const head: Head = {
    id: state.orders,
    instance,
    address: from.address,
    status: "active",
    scores: [],
    round: 0,
    handlers: [...(from.handlers ?? [])],
    scopes: [...(from.scopes ?? [])],
    fork: from.fork,
    branch: from.branch ?? 0,
    ownFork: undefined,
    waits: "no",
    pattern: undefined,
    act: undefined,
  };
  setScores(state, head, from.scores);
  instance.heads.add(head);
  from.fork?.heads.add(head);
  return head;
}

/** Removes a head with everything that was forked from it. */
export function removeHead(state: EngineState, head: Head): void {
  if (head.status === "gone") return;
  stopWaiting(state, head);
  if (head.ownFork !== undefined) removeFork(state, head.ownFork);
  head.status = "gone";
  head.act = undefined;
  head.fork?.heads.delete(head);
  head.instance.heads.delete(head);
}

export function removeFork(state: EngineState, fork: Fork): void {
  state.startingForks.delete(fork);
  for (const head of fork.heads) removeHead(state, head);
  fork.parent.ownFork = undefined;
}

export function dropHeads(state: EngineState, instance: FlowInstance): void {
  for (const head of instance.heads) removeHead(state, head);
}

/** Takes the head out of the index, as long as it does not wait. */
export function stopWaiting(state: EngineState, head: Head): void {
  head.waits = "no";
  if (head.pattern === undefined) return;
  state.index.remove(head);
  state.latches.remove(head);
  state.staleHeads.delete(head);
  for (const name of head.instance.globalNames) state.globalReaders.get(name)?.delete(head);
  head.pattern = undefined;
}

/** The nearest fork of this number around the head. */
export function findFork(head: Head, number: number): Fork | undefined {
  for (let fork = head.fork; fork !== undefined; fork = fork.parent.fork) if (fork.number === number) return fork;
  return undefined;
}

/** Which branch of the fork the head stands in. */
export function branchOf(head: Head, fork: Fork): number {
  let inner: Head = head;
  while (inner.fork !== undefined && inner.fork !== fork) inner = inner.fork.parent;
  return inner.branch;
}

/** Adds a head to a fork that is open already, with what its dormant parent head has. */
export function spawnHead(state: EngineState, fork: Fork, target: number, scores: readonly number[]): Head {
  const { parent } = fork;
  return addHead(state, parent.instance, {
    address: target,
    scores,
    handlers: parent.handlers,
    scopes: parent.scopes,
    fork,
    branch: -1,
  });
}
