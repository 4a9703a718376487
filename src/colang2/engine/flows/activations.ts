import { isObject, type Value } from "../../../expressions/values/value.js";
import { equalValues } from "../values/equal-values.js";
import type { ValueRecord } from "../state/event.js";
import type { Activation, EngineState } from "../state/state.js";

/** The activation of the flow with equal arguments (R-ACTIVATE-ONCE). */
export function findActivation(state: EngineState, flow: string, bound: ValueRecord): Activation | undefined {
  for (const activation of state.activationsByKey.get(keyOf(flow, bound)) ?? []) {
    if (equalValues(activation.bound, bound, state.work)) return activation;
  }
  return undefined;
}

export function addActivation(state: EngineState, activation: Activation): void {
  const { flow, bound } = activation;
  add(state.activations, flow, activation);
  add(state.activationsByKey, keyOf(flow, bound), activation);
}

export function deleteActivation(state: EngineState, activation: Activation): void {
  state.dormant.delete(activation);
  remove(state.activations, activation.flow, activation);
  remove(state.activationsByKey, keyOf(activation.flow, activation.bound), activation);
}

/**
 * Equal arguments have equal keys. Of lists, sets and maps nothing is said but that they are some: a program may change them
 * while the activation lasts.
 */
function keyOf(flow: string, bound: ValueRecord): string {
  let key = flow;
  for (const name of Object.keys(bound).sort()) key += `\n${name}\t${textOf(bound[name] ?? null)}`;
  return key;
}

function textOf(value: Value): string {
  if (typeof value !== "object" || value === null) return `${typeof value} ${String(value)}`;
  return isObject(value) ? "object" : "items";
}

function add(table: Map<string, Set<Activation>>, key: string, activation: Activation): void {
  const known = table.get(key);
  if (known === undefined) table.set(key, new Set([activation]));
  else known.add(activation);
}

function remove(table: Map<string, Set<Activation>>, key: string, activation: Activation): void {
  const known = table.get(key);
  known?.delete(activation);
  if (known?.size === 0) table.delete(key);
}
