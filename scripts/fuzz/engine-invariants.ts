import type { Activation, FlowInstance, Head } from "../../src/colang2/engine/state/records.js";
import {
  ancestry,
  findFlow,
  instanceOf,
  isListening,
  isLive,
  parentOf,
  type EngineState,
} from "../../src/colang2/engine/state/state.js";

/**
 * Returns the violated invariants between two events from outside. Checks of one conversation share the set of the
 * actions that had an owner.
 */
export function brokenInvariants(state: EngineState, owned = new Set<string>()): readonly string[] {
  const broken: string[] = [];
  const holds = (what: string, isTrue: boolean): void => {
    if (!isTrue) broken.push(what);
  };
  const { data, index, options, round } = state;
  holds("nothing is left in the queue", round.queue.length === 0);
  holds("no instance is expected any more", round.expected.size === 0);
  const waiting = new Set<Head>();
  const latched = new Set<Head>();
  const heads = new Set<Head>();
  const loops = new Map<string, number>();
  for (const [uid, instance] of data.flows) {
    const name = `${instance.flow} ${uid}`;
    holds(`${name} is known by its identifier`, instance.uid === uid);
    holds(`${name} lives`, isLive(instance));
    // An activation survives its first owner while others remain.
    const parent = parentOf(state, instance);
    holds(
      `${name} has a parent that lives`,
      parent === undefined || instance.activation !== undefined || isLive(parent),
    );
    holds(`${name} has a parent that is known`, (instance.parent === undefined) === (parent === undefined));
    holds(`${name} is listed by its flow`, index.byFlow.get(instance.flow).has(instance));
    holds(
      `${name} is paused exactly while it has a pause`,
      (instance.status === "paused") === (instance.pause !== undefined),
    );
    if (instance.status !== "paused") loops.set(instance.loop, (loops.get(instance.loop) ?? 0) + 1);
    for (const head of instance.heads) {
      heads.add(head);
      holds(`${name} has heads of its own`, instanceOf(state, head) === instance && head.status !== "gone");
      holds(`${name} has heads that are indexed`, index.heads.get(head.id) === head);
      if (head.parent !== undefined) {
        holds(`${name} has heads of forks`, index.heads.get(head.parent)?.fork !== undefined);
        holds(`${name} has branches`, index.branches.get(head.parent).has(head));
      }
      holds(`${name} has stale heads`, head.isStale === index.staleHeads.has(head));
      if (head.pattern === undefined) continue;
      if (isListening(instance)) waiting.add(head);
      else if (index.latches.heads.has(head)) latched.add(head);
    }
    holds(`${name} can move`, canMove(instance));
    holds(`${name} has no more heads than allowed`, instance.heads.length <= options.limits.headsPerInstance);
    checkChildren(state, instance, holds);
  }
  holds("the heads are those of the flows", equal(new Set(index.heads.values()), heads));
  holds("the index holds the heads that wait", equal(new Set(index.waiting.heads.keys()), waiting));
  holds("the heads of paused flows are latched", equal(new Set(index.latches.heads.keys()), latched));
  holds("loops are counted", equal(new Set(flat(index.loops)), new Set(flat(loops))));
  for (const [id, instances] of index.byFlow.entries()) {
    for (const instance of instances) holds(`${id} lists live instances`, data.flows.get(instance.uid) === instance);
  }
  holds("no more instances than allowed", data.flows.size <= options.limits.instances);
  for (const instance of data.ended.values()) {
    holds(`${instance.uid} has ended`, !isLive(instance) && instance.heads.length === 0);
  }
  checkActivations(state, holds);
  checkActions(state, owned, holds);
  for (const head of index.startingForks) {
    holds("a start phase belongs to a flow that lives", isLive(instanceOf(state, head)) && head.fork !== undefined);
  }
  for (const instance of index.digressions) holds("a digression pauses", instance.status === "paused");
  return broken;
}

type Holds = (what: string, isTrue: boolean) => void;

/** INVARIANT: no flow remains that nothing could ever move. */
function canMove(instance: FlowInstance): boolean {
  if (instance.isIdle || instance.status === "paused") return true;
  return instance.heads.some((head) => head.pattern !== undefined);
}

function checkChildren(state: EngineState, instance: FlowInstance, holds: Holds): void {
  const name = `${instance.flow} ${instance.uid}`;
  const { data, index } = state;
  for (const child of index.children.get(instance.uid)) {
    if ("owners" in child) {
      holds(
        `${name} owns what it activated`,
        child.owners.some(({ flow }) => flow === instance.uid),
      );
      holds(`${name} owns a known activation`, data.activations.get(child.order) === child);
    } else holds(`${name} has children that live`, isLive(child) && child.parent === instance.uid);
  }
  for (const ownership of instance.ownerships) {
    holds(`${name} has rights of its own`, ownership.flow === instance.uid);
    holds(`${name} owns a known action`, data.actions.has(ownership.action));
    holds(`${name} owns an indexed action`, index.ownerships.get(ownership.action).has(ownership));
  }
}

function checkActivations(state: EngineState, holds: Holds): void {
  const { data, index } = state;
  for (const activation of data.activations.values()) {
    const name = `the activation of ${activation.flow}`;
    holds(`${name} is kept by others than itself`, isKept(state, activation));
    holds(`${name} has an owner`, activation.owners.length > 0);
    holds(
      `${name} is owned by the living`,
      activation.owners.every(({ flow }) => flow === undefined || data.flows.has(flow)),
    );
    const current = index.activated.get(activation.order);
    for (const instance of current) {
      holds(`${name} has instances that live`, isLive(instance) && instance.activation === activation.order);
    }
    holds(`${name} is dormant as it says`, index.dormant.has(activation) === activation.isDormant);
    holds(
      `${name} runs or is dormant`,
      current.size > 0 || activation.isDormant || !state.definitions.has(activation.flow),
    );
  }
  for (const activation of index.dormant) {
    holds("what is dormant is an activation", data.activations.get(activation.order) === activation);
  }
}

/** Returns true if the chain of owners ends at `main` or at the engine, without a cycle. */
function isKept(state: EngineState, activation: Activation, seen: readonly Activation[] = []): boolean {
  if (seen.includes(activation)) return false;
  return activation.owners.some(({ flow }) => {
    const owner = findFlow(state, flow);
    const root = owner && [...ancestry(state, owner)].find((at) => at.activation !== undefined);
    const around = root && state.data.activations.get(root.activation ?? -1);
    return around === undefined || isKept(state, around, [...seen, activation]);
  });
}

function checkActions({ data, index, options }: EngineState, owned: Set<string>, holds: Holds): void {
  let unowned = 0;
  for (const uid of owned) if (!index.actions.has(uid)) owned.delete(uid);
  for (const [uid, action] of index.actions) {
    const name = `the action ${uid}`;
    holds(`${name} is the one it stands for`, action.uid === uid && action.sharedWith === undefined && action.isKnown);
    holds(`${name} is part of the data`, data.actions.get(action.id) === action);
    holds(`${name} is not over`, action.status !== "finished");
    const owners = index.ownerships.get(action.id);
    for (const { flow } of owners) holds(`${name} is owned by the living`, data.flows.has(flow));
    if (owners.size === 0) unowned += 1;
    const runs = action.status === "starting" || action.status === "started";
    if (owners.size > 0) owned.add(uid);
    // An action that a program only sends an event of never has an owner, and continues without one.
    else holds(`${name} is stopped when its last owner ends`, !runs || !owned.has(uid));
  }
  holds("actions without owners are bounded", unowned <= Math.max(1, options.limits.foreignActions));
}

function equal<Item>(left: ReadonlySet<Item>, right: ReadonlySet<Item>): boolean {
  return left.size === right.size && [...left].every((item) => right.has(item));
}

const flat = (counts: ReadonlyMap<string, number>): string[] => [...counts].map(([key, count]) => `${key} ${count}`);
