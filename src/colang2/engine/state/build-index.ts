import { damaged } from "../../../engine/stored-shape.js";
import { globalsReadBy } from "../heads/build-pattern.js";
import type { FlowInstance, Head } from "./records.js";
import { definitionOf, type EngineState } from "./state.js";

/**
 * Builds the lookup tables of a conversation from its records.
 *
 * @throws InputShapeError for duplicates
 */
export function buildIndex(state: EngineState): void {
  const { data, index } = state;
  for (const action of data.actions.values()) {
    if (!action.isKnown) continue;
    if (index.actions.has(action.uid)) throw damaged("an action is there twice");
    index.actions.set(action.uid, action);
  }
  const children: { readonly order: number; readonly add: () => void }[] = [];
  for (const instance of data.flows.values()) {
    children.push({ order: instance.order, add: () => index.addFlow(instance, definitionOf(state, instance)) });
    for (const ownership of instance.ownerships) index.ownerships.add(ownership.action, ownership);
    for (const head of instance.heads) indexHead(state, instance, head);
  }
  for (const activation of data.activations.values()) {
    index.addActivation(activation);
    for (const { flow, order } of activation.owners) {
      if (flow !== undefined) children.push({ order, add: () => index.children.add(flow, activation) });
    }
  }
  for (const { add } of children.sort((left, right) => left.order - right.order)) add();
}

function indexHead(state: EngineState, instance: FlowInstance, head: Head): void {
  const { index } = state;
  if (index.heads.has(head.id)) throw damaged("a head is there twice");
  index.addHead(head);
  if (head.fork?.next !== undefined && !head.fork.isReady) index.startingForks.add(head);
  if (head.pattern === undefined) return;
  const element = definitionOf(state, instance).elements[head.address];
  const reads = element?.kind === "Wait" ? globalsReadBy(element, instance) : [];
  index.addWait(head, reads, instance.status === "paused");
}
