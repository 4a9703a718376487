import { LimitError } from "../../../diagnostics/errors.js";
import type { FlowInstance, Head, PlacedHead } from "../state/records.js";
import { instanceOf, nextOrder, type EngineState } from "../state/state.js";

/** Adds a cursor to an instance. */
export function addHead(
  state: EngineState,
  instance: FlowInstance,
  from: {
    readonly address: number;
    readonly scores: readonly number[];
    readonly handlers?: readonly number[];
    readonly scopes?: readonly number[];
    readonly parent?: Head;
    readonly branch?: number;
  },
): Head {
  const { headsPerInstance } = state.options.limits;
  if (instance.heads.length >= headsPerInstance) {
    const message = `flow \`${instance.flow}\` has more than ${headsPerInstance} heads`;
    throw new LimitError(message, { limit: "headsPerInstance", maximum: headsPerInstance });
  }
  const head: Head = {
    id: nextOrder(state),
    flow: instance.uid,
    address: from.address,
    status: "active",
    handlers: [...(from.handlers ?? [])],
    scopes: [...(from.scopes ?? [])],
    parent: from.parent?.id,
    branch: from.branch ?? 0,
    fork: undefined,
    waits: "no",
    pattern: undefined,
    isStale: false,
    act: undefined,
  };
  state.round.scores.set(head.id, from.scores);
  instance.heads.push(head);
  state.index.addHead(head);
  return head;
}

/** Removes a head with everything that was forked from it. */
export function removeHead(state: EngineState, placed: PlacedHead): void {
  const { head, instance } = placed;
  if (head.status === "gone") return;
  stopWaiting(state, placed);
  if (head.fork !== undefined) removeFork(state, placed);
  head.status = "gone";
  head.act = undefined;
  state.index.deleteHead(head);
  instance.heads.splice(instance.heads.indexOf(head), 1);
}

/** Removes the fork that a head made, if there is one, with its heads. */
export function removeFork(state: EngineState, { head, instance }: PlacedHead): void {
  state.index.startingForks.delete(head);
  for (const branch of state.index.branches.get(head.id)) removeHead(state, { head: branch, instance });
  head.fork = undefined;
}

/** Takes the head out of the indexes, as long as it does not wait. */
export function stopWaiting({ index }: EngineState, { head, instance }: PlacedHead): void {
  head.waits = "no";
  if (head.pattern === undefined) return;
  index.waiting.remove(head);
  if (index.latches.heads.size > 0) index.latches.remove(head);
  index.staleHeads.delete(head);
  head.isStale = false;
  for (const name of instance.globalNames) index.globalReaders.delete(name, head);
  head.pattern = undefined;
}

/** The head that forked this one. */
export function forkingHead({ index }: EngineState, head: Head): Head | undefined {
  return head.parent === undefined ? undefined : index.heads.get(head.parent);
}

/** The head that made the nearest fork of this number around a head. */
export function findFork(state: EngineState, head: Head, number: number): Head | undefined {
  let at = forkingHead(state, head);
  while (at !== undefined && at.fork?.number !== number) at = forkingHead(state, at);
  return at;
}

/** The branch of a fork that the head stands in. */
export function branchOf(state: EngineState, head: Head, forking: Head): number {
  let inner = head;
  for (let at = forkingHead(state, head); at !== undefined && at !== forking; at = forkingHead(state, at)) inner = at;
  return inner.branch;
}

/** Adds a head to a fork that is open already, with the handlers and scopes of its dormant parent head. */
export function spawnHead(
  state: EngineState,
  parent: Head,
  { target, scores }: { readonly target: number; readonly scores: readonly number[] },
): Head {
  const { handlers, scopes } = parent;
  return addHead(state, instanceOf(state, parent), { address: target, scores, handlers, scopes, parent, branch: -1 });
}
