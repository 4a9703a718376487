import { resolveAction } from "../../src/colang2/engine/state/action-object.js";
import {
  type Activation,
  isListening,
  isLive,
  type EngineState,
  type FlowInstance,
  type Head,
} from "../../src/colang2/engine/state/state.js";

/**
 * What always holds between two events of the world; says everything that does not. Checks of one conversation share the set
 * of the actions that had an owner.
 */
export function brokenInvariants(state: EngineState, owned = new Set<string>()): readonly string[] {
  const broken: string[] = [];
  const holds = (what: string, isTrue: boolean): void => {
    if (!isTrue) broken.push(what);
  };
  holds("nothing is left in the queue", state.queue.length === 0);
  holds("nobody is expected any more", state.expected.size === 0);
  const waiting = new Set<Head>();
  const latched = new Set<Head>();
  const loops = new Map<string, number>();
  const byFlow = new Map<string, number>();
  for (const [uid, instance] of state.instances) {
    const name = `${instance.definition.id} ${uid}`;
    byFlow.set(instance.definition.id, (byFlow.get(instance.definition.id) ?? 0) + 1);
    holds(`${name} is known by its identifier`, instance.uid === uid && instance.reference.instance === instance);
    holds(`${name} lives`, isLive(instance));
    // An activation survives its first owner while others remain (spec 6.8.11).
    const isFree = instance.parent === undefined || instance.activation !== undefined;
    holds(`${name} has a parent that lives`, isFree || isLive(instance.parent));
    holds(`${name} is listed by its flow`, state.byFlow.get(instance.definition.id)?.has(instance) === true);
    holds(
      `${name} is paused exactly while it has a pause`,
      (instance.status === "paused") === (instance.pause !== undefined),
    );
    if (instance.status !== "paused") loops.set(instance.loop, (loops.get(instance.loop) ?? 0) + 1);
    for (const head of instance.heads) {
      holds(`${name} has heads of its own`, head.instance === instance && head.status !== "gone");
      if (head.pattern === undefined) continue;
      if (isListening(instance)) waiting.add(head);
      else if (state.latches.has(head)) latched.add(head);
    }
    holds(`${name} can move`, canMove(instance));
    holds(`${name} has no more heads than allowed`, instance.heads.size <= state.options.limits.headsPerInstance);
    checkBelongings(instance, name, holds);
  }
  holds("the index holds the heads that wait", equal(new Set(state.index.heads()), waiting));
  holds("the heads of paused flows are latched", equal(new Set(state.latches.heads()), latched));
  holds("loops are counted", equal(new Set(flat(state.loops)), new Set(flat(loops))));
  holds(
    "flows are counted",
    [...state.byFlow].every(([id, set]) => set.size === byFlow.get(id)),
  );
  holds("no more instances than allowed", state.instances.size <= state.options.limits.instances);
  checkActivations(state, holds);
  checkActions(state, owned, holds);
  for (const fork of state.startingForks)
    holds("a start phase belongs to a flow that lives", isLive(fork.parent.instance));
  for (const head of state.staleHeads) holds("a stale head waits", head.pattern !== undefined);
  for (const instance of state.digressions) holds("a digression pauses", instance.status === "paused");
  return broken;
}

type Holds = (what: string, isTrue: boolean) => void;

/** INVARIANT: no flow stays behind that nothing could ever move. */
function canMove(instance: FlowInstance): boolean {
  if (instance.isIdle || instance.status === "paused") return true;
  return [...instance.heads].some((head) => head.pattern !== undefined);
}

function checkBelongings(instance: FlowInstance, name: string, holds: Holds): void {
  for (const item of instance.belongings) {
    if ("owners" in item) holds(`${name} owns what it activated`, item.owners.includes(instance) && !item.hasEnded);
    else holds(`${name} has children that live`, isLive(item) && item.parent === instance);
  }
  for (const [ownership, action] of instance.ownerships) {
    holds(`${name} has rights of its own`, ownership.owner === instance);
    holds(`${name} owns what knows its owner`, resolveAction(action).ownerships.has(ownership));
  }
}

function checkActivations(state: EngineState, holds: Holds): void {
  const all = new Set([...state.activations.values()].flatMap((set) => [...set]));
  for (const activation of all) {
    const name = `the activation of ${activation.flow}`;
    holds(`${name} is kept by others than itself`, isKept(activation));
    holds(`${name} has an owner`, activation.owners.length > 0 && !activation.hasEnded);
    holds(
      `${name} is owned by the living`,
      activation.owners.every((owner) => owner === undefined || isLive(owner)),
    );
    for (const instance of activation.current) {
      holds(`${name} has instances that live`, isLive(instance) && instance.activation === activation);
    }
    const runs =
      activation.current.size > 0 || state.dormant.has(activation) || !state.definitions.has(activation.flow);
    holds(`${name} runs or is dormant`, runs);
  }
  for (const activation of state.dormant) holds("what is dormant is an activation", all.has(activation));
}

/** Whether the way up from an owner leads to `main` or to the engine, and not in a circle. */
function isKept(activation: Activation, seen: readonly Activation[] = []): boolean {
  if (seen.includes(activation)) return false;
  return activation.owners.some((owner) => {
    for (let at = owner; at !== undefined; at = at.parent) {
      if (at.activation !== undefined) return isKept(at.activation, [...seen, activation]);
    }
    return true;
  });
}

function checkActions(state: EngineState, owned: Set<string>, holds: Holds): void {
  let unowned = 0;
  for (const uid of owned) if (!state.actions.has(uid)) owned.delete(uid);
  for (const [uid, action] of state.actions) {
    holds(`the action ${uid} is the one it stands for`, action.uid === uid && action.sharedWith === undefined);
    holds(`the action ${uid} is not over`, action.status !== "finished");
    for (const { owner } of action.ownerships) holds(`the action ${uid} is owned by the living`, isLive(owner));
    if (action.ownerships.size === 0) unowned += 1;
    const runs = action.status === "starting" || action.status === "started";
    if (action.ownerships.size > 0) owned.add(uid);
    // An action that a program only sends an event of never has an owner, and goes on without one.
    else holds(`the action ${uid} is stopped when its last owner ends`, !runs || !owned.has(uid));
  }
  holds("actions of nobody are bounded", unowned <= Math.max(1, state.options.limits.foreignActions));
}

function equal<Item>(left: ReadonlySet<Item>, right: ReadonlySet<Item>): boolean {
  return left.size === right.size && [...left].every((item) => right.has(item));
}

const flat = (counts: ReadonlyMap<string, number>): string[] => [...counts].map(([key, count]) => `${key} ${count}`);
