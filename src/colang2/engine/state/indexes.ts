import { type Value, isObject } from "../../../expressions/values/value.js";
import type { CompiledFlow } from "../../program.js";
import { Groups } from "./groups.js";
import type { ActionRecord, Activation, FlowInstance, Head, Ownership, ValueRecord } from "./records.js";
import { WaitingIndex } from "./waiting-index.js";

/** Lookup tables derived from the data of a conversation. */
export class StateIndex {
  /** The youngest live instance of `main`. */
  main: FlowInstance | undefined;
  /** Live instances, by flow. */
  readonly byFlow = new Groups<string, FlowInstance>();
  /** Live instances and activations, by the instance that started or owns them, oldest first. */
  readonly children = new Groups<string, FlowInstance | Activation>();
  /** Live instances, by the activation that keeps them running. */
  readonly activated = new Groups<number, FlowInstance>();
  /** Number of live instances that are not paused, by interaction loop. */
  readonly loops = new Map<string, number>();
  /** Live instances that a digression may interrupt. */
  readonly interruptible = new Set<FlowInstance>();
  /** Instances paused by a digression. */
  readonly digressions = new Set<FlowInstance>();
  readonly heads = new Map<number, Head>();
  /** Heads of a fork, by the head that made it. */
  readonly branches = new Groups<number, Head>();
  /** Heads whose fork has branches in their start phase. */
  readonly startingForks = new Set<Head>();
  readonly waiting = new WaitingIndex();
  /** Heads of paused instances with stored events. */
  readonly latches = new WaitingIndex();
  /** Waiting heads whose patterns read a global variable. */
  readonly globalReaders = new Groups<string, Head>();
  readonly staleHeads = new Set<Head>();
  readonly activations = new Groups<string, Activation>();
  readonly #activationsByArguments = new Groups<string, Activation>();
  readonly dormant = new Set<Activation>();
  /** Known actions, by identifier. */
  readonly actions = new Map<string, ActionRecord>();
  /** Ownerships, by action. */
  readonly ownerships = new Groups<number, Ownership>();

  addFlow(instance: FlowInstance, definition: CompiledFlow): void {
    if (definition.isInterruptible) this.interruptible.add(instance);
    if (instance.flow === "main") this.main = instance;
    this.byFlow.add(instance.flow, instance);
    if (instance.status !== "paused") this.countLoop(instance.loop, 1);
    if (instance.pause?.reason === "digression") this.digressions.add(instance);
    if (instance.activation !== undefined) this.activated.add(instance.activation, instance);
    else if (instance.parent !== undefined) this.children.add(instance.parent, instance);
  }

  deleteFlow(instance: FlowInstance, wasPaused: boolean): void {
    if (this.interruptible.size > 0) this.interruptible.delete(instance);
    if (this.digressions.size > 0) this.digressions.delete(instance);
    if (this.main === instance) this.main = undefined;
    this.byFlow.delete(instance.flow, instance);
    if (!wasPaused) this.countLoop(instance.loop, -1);
    if (instance.activation !== undefined) this.activated.delete(instance.activation, instance);
    else if (instance.parent !== undefined) this.children.delete(instance.parent, instance);
    this.children.deleteAll(instance.uid);
  }

  /** Loops with a live, unpaused instance are active. */
  countLoop(loop: string, by: 1 | -1): void {
    const count = (this.loops.get(loop) ?? 0) + by;
    if (count > 0) this.loops.set(loop, count);
    else this.loops.delete(loop);
  }

  addHead(head: Head): void {
    this.heads.set(head.id, head);
    if (head.parent !== undefined) this.branches.add(head.parent, head);
  }

  deleteHead(head: Head): void {
    this.heads.delete(head.id);
    if (head.parent !== undefined) this.branches.delete(head.parent, head);
  }

  /** @param reads - names of the global variables that its pattern reads */
  addWait(head: Head, reads: readonly string[], isPaused: boolean): void {
    if (!isPaused) this.waiting.add(head);
    else if (head.pattern?.bound !== undefined && head.pattern.isOnce) this.latches.add(head);
    for (const name of reads) this.globalReaders.add(name, head);
    if (head.isStale) this.staleHeads.add(head);
  }

  addActivation(activation: Activation): void {
    this.activations.add(activation.flow, activation);
    this.#activationsByArguments.add(keyOf(activation.flow, activation.bound), activation);
    if (activation.isDormant) this.dormant.add(activation);
  }

  deleteActivation(activation: Activation): void {
    this.dormant.delete(activation);
    this.activations.delete(activation.flow, activation);
    this.#activationsByArguments.delete(keyOf(activation.flow, activation.bound), activation);
  }

  /** Activations of the flow whose arguments may be equal to these. */
  activationsLike(flow: string, bound: ValueRecord): Iterable<Activation> {
    return this.#activationsByArguments.of(keyOf(flow, bound));
  }

  setDormant(activation: Activation, isDormant: boolean): void {
    activation.isDormant = isDormant;
    if (isDormant) this.dormant.add(activation);
    else this.dormant.delete(activation);
  }
}

/** Equal arguments have equal keys. Lists, sets and maps share one key, since a program may change them later. */
function keyOf(flow: string, bound: ValueRecord): string {
  let key = flow;
  for (const name of Object.keys(bound).sort()) key += `\n${name}\t${textOf(bound[name] ?? null)}`;
  return key;
}

function textOf(value: Value): string {
  if (typeof value !== "object" || value === null) return `${typeof value} ${String(value)}`;
  return isObject(value) ? "object" : "items";
}
