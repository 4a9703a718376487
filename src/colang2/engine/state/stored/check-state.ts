import { isLive, type EngineState, type FlowInstance, type Head } from "../state.js";
import { damaged } from "./read-stored.js";

/**
 * What must hold between the parts of a state that was read, beyond the shape of each. It is what keeps the engine from going
 * in circles.
 *
 * @throws InputShapeError when it does not hold
 */
export function checkState(state: EngineState, instances: readonly FlowInstance[]): void {
  const { limits } = state.options;
  if (state.instances.size > limits.instances) throw damaged("too many flows are alive");
  for (const instance of instances) checkInstance(state, instance);
  for (const activations of state.activations.values()) {
    for (const activation of activations) {
      if (activation.order > state.orders) throw damaged("an order is not reached yet");
      if (activation.owners.some((owner) => owner !== undefined && !isLive(owner))) {
        throw damaged("a flow that has ended keeps another one active");
      }
    }
  }
}

function checkInstance(state: EngineState, instance: FlowInstance): void {
  const { parent } = instance;
  if (instance.order > state.orders) throw damaged("an order is not reached yet");
  // INVARIANT: parents are older, so following them ends.
  if (parent !== undefined && parent.order >= instance.order)
    throw damaged("a flow is older than the one that started it");
  if (instance.hierarchy.length > state.options.limits.flowDepth) throw damaged("flows are too deep");
  if ((instance.status === "paused") !== (instance.pause !== undefined)) throw damaged("a pause belongs to no flow");
  if (!isLive(instance)) {
    if (instance.heads.size > 0) throw damaged("a flow that has ended goes on");
    return;
  }
  if (parent !== undefined && instance.activation === undefined && !isLive(parent)) {
    throw damaged("a flow outlives the one that started it");
  }
  for (const item of instance.belongings) checkBelonging(instance, item);
  if (instance.heads.size > state.options.limits.headsPerInstance) throw damaged("a flow has too many heads");
  const ids = new Set<number>();
  for (const head of instance.heads) checkHead(state, head, ids);
}

function checkBelonging(
  instance: FlowInstance,
  item: FlowInstance["belongings"] extends Set<infer Item> ? Item : never,
): void {
  const isOwn = "owners" in item ? item.owners.includes(instance) : item.parent === instance && isLive(item);
  if (!isOwn) throw damaged("a flow has what belongs to another");
}

function checkHead(state: EngineState, head: Head, ids: Set<number>): void {
  if (head.id > state.orders || ids.has(head.id)) throw damaged("the number of a head is wrong");
  ids.add(head.id);
  const element = head.instance.definition.elements[head.address];
  if (head.status === "merging" && element?.kind !== "Merge") throw damaged("a head merges where there is no merge");
  if (head.act !== undefined && element?.kind !== "Act" && element?.kind !== "SendReference") {
    throw damaged("a head acts where there is no act");
  }
  if ((head.status === "dormant") !== (head.ownFork !== undefined)) throw damaged("a head waits for no other heads");
}
