import { LimitError } from "../../diagnostics/errors.js";
import type { OfferReason } from "../../engine/explain.js";
import { isTruthy } from "../../expressions/values/value.js";
import type { CompiledFlow, Element, ElementOf, Tier } from "../elements.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { assignTo, STEP_KINDS, type LiveInstance, type Processing } from "./processing.js";

/**
 * Runs an instance from its element: executes assignments, jumps and calls, stops at any other element and makes an
 * offer. Callees that must wait are left in `work.spawned` for the caller to place in the list.
 */
export function run(work: Processing, instance: LiveInstance, reason: OfferReason): void {
  const flow = work.flows.get(instance.flow);
  if (!flow) return work.abort(instance, "its flow no longer exists");
  while (instance.status === "active") {
    const element = flow.elements[instance.at];
    if (!element) return work.complete(instance, flow, null);
    if (WAITS.has(element.kind)) return work.offer(instance, flow, reason);
    try {
      step(work, instance, flow, element);
    } catch (error) {
      if (isEventLimit(error)) throw error;
      work.fail(instance, error, element.location);
    }
  }
}

/** Kinds of elements that end sliding: they wait for an event or request one. */
export const WAITS: ReadonlySet<Element["kind"]> = new Set(["Match", "Choice", ...STEP_KINDS]);

/** Executes one sliding element. */
function step(work: Processing, instance: LiveInstance, flow: CompiledFlow, element: Element): void {
  if (!work.slide()) {
    const maximum = work.state.limits.slideSteps;
    const message = `flow \`${flow.id}\` takes more than ${maximum} steps without waiting`;
    throw new LimitError(message, { code: "CO-403", limit: "slideSteps", maximum });
  }
  switch (element.kind) {
    case "Assign":
      store(work, instance, element, work.evaluate(element.value, instance));
      instance.at += 1;
      break;
    case "Jump":
      instance.at = element.target;
      break;
    case "JumpIfNot":
      instance.at = isTruthy(work.evaluate(element.condition, instance)) ? instance.at + 1 : element.target;
      break;
    case "Check":
      if (isTruthy(work.evaluate(element.condition, instance))) instance.at += 1;
      else work.abort(instance, "a check did not hold");
      break;
    case "Return":
      work.complete(instance, flow, returnValue(work, instance, element));
      break;
    case "Call":
      call(work, instance, element);
  }
}

/** Returns true if the limit of the event, rather than of one flow, is exceeded. */
export function isEventLimit(error: unknown): boolean {
  return LimitError.isInstance(error) && error.code === "CO-403";
}

/** Sets the variable of an element, or a property of it; a call may have none. */
function store(work: Processing, instance: LiveInstance, element: ElementOf<"Assign" | "Call">, value: unknown): void {
  const target = element.kind === "Call" ? element.result : element.target;
  if (!target) return;
  const assignment = assignTo(work.context, target, value);
  if (assignment.ok) work.assign(assignment.name, assignment.value);
  else work.fail(instance, assignment, element.location);
}

function returnValue(work: Processing, instance: LiveInstance, element: ElementOf<"Return">): unknown {
  const values = element.values.map((value) => work.evaluate(value, instance) ?? null);
  return values.length > 1 ? values : (values[0] ?? null);
}

/** Executes a `do`. The caller then stands after the call, asleep unless the callee has completed. */
function call(work: Processing, caller: LiveInstance, element: ElementOf<"Call">): void {
  const target = resolve(work, caller, element);
  if (!target) return;
  const limit = work.state.limits.callDepth;
  if (caller.depth >= limit) {
    const message = `\`do ${target.id}\` is nested deeper than ${limit}`;
    return work.fail(caller, { code: "CO-402", message }, element.location);
  }
  // INVARIANT: the caller of an instance stands right after the `Call`, where its result finds its variable.
  caller.at += 1;
  const callee = work.create(target, caller);
  work.trace.push({ type: "started", flow: target.id, instance: callee.uid, by: caller.uid });
  run(work, callee, "started");
  if (callee.status === "completed") return storeResult(work, caller, callee.uid);
  if (callee.status === "aborted") return work.abort(caller, `\`${target.id}\`, which it called, was aborted`);
  caller.status = "interrupted";
  caller.sleeping = true;
  caller.suspendedBy = callee.uid;
  work.spawn(callee);
}

/** Resolves the callee and assigns its parameters before its first statement. */
function resolve(work: Processing, caller: LiveInstance, element: ElementOf<"Call">): CompiledFlow | undefined {
  const flow = element.flow === undefined ? resolveDynamic(work, caller, element) : work.flows.get(element.flow);
  if (!flow) {
    if (element.flow !== undefined) {
      work.fail(caller, { code: "CO-204", message: `unknown subflow \`${element.flow}\`` }, element.location);
    }
    return undefined;
  }
  const values = element.arguments.map(({ value }) => work.evaluate(value, caller) ?? null);
  let position = 0;
  for (const [at, argument] of element.arguments.entries()) {
    const name = argument.name ?? flow.parameters[position++];
    if (name !== undefined) work.assign(name, values[at]);
  }
  return flow;
}

function resolveDynamic(work: Processing, caller: LiveInstance, element: ElementOf<"Call">): CompiledFlow | undefined {
  const text = element.value ? work.evaluate(element.value, caller) : undefined;
  const reference = typeof text === "string" ? parseFlowReference(text) : undefined;
  const flow = reference && work.flows.get(reference.id);
  if (!flow) {
    const message = reference ? `unknown subflow \`${reference.id}\`` : "the name of a subflow must be a text";
    work.fail(caller, { code: "CO-204", message }, element.location);
    return undefined;
  }
  for (const { name, value } of reference.parameters) work.assign(name, value);
  return flow;
}

/** `$r = do x`: stores the value returned by the callee, otherwise null. */
function storeResult(work: Processing, caller: LiveInstance, callee: string): void {
  const element = work.flows.get(caller.flow)?.elements[caller.at - 1];
  if (element?.kind === "Call") store(work, caller, element, work.returnedBy(callee));
}

/**
 * Repeats until nothing changes: interrupted instances resume when no instance suspends them, and end with the instance
 * they wait for. Resuming comes first, so that a finishing extension flow can revive instances aborted by this event.
 */
export function stabilize(work: Processing): void {
  for (let changed = true; changed;) {
    changed = false;
    let isOrphaned = false;
    for (const instance of work.instances) {
      if (instance.status !== "interrupted") continue;
      const holder = work.find(instance.suspendedBy);
      if (holder?.status === "aborted") isOrphaned = true;
      if (holder && holder.status !== "completed") continue;
      changed = true;
      resume(work, instance, holder);
    }
    if (work.abortedByEvent.length > 0) changed = revive(work) || changed;
    if (!changed && isOrphaned) changed = cascade(work);
  }
}

export const TIERS = ["system", "user"] as const satisfies readonly Tier[];

/** Revives the instances aborted by this event if an extension flow of their tier has finished. */
export function revive(work: Processing): boolean {
  let changed = false;
  for (const tier of TIERS) {
    if (!work.extensionFinished[tier]) continue;
    for (const instance of work.abortedByEvent) {
      if (instance.tier !== tier || instance.status !== "aborted") continue;
      instance.status = "active";
      instance.suspendedBy = null;
      work.trace.push({ type: "resumed", flow: instance.flow, instance: instance.uid });
      const flow = work.flows.get(instance.flow);
      if (flow) work.offer(instance, flow, "resumed");
      changed = true;
    }
  }
  return changed;
}

function resume(work: Processing, instance: LiveInstance, holder: LiveInstance | undefined): void {
  const wasSleeping = instance.sleeping;
  instance.status = "active";
  instance.sleeping = false;
  instance.suspendedBy = null;
  work.trace.push({ type: "resumed", flow: instance.flow, instance: instance.uid });
  if (wasSleeping && holder) storeResult(work, instance, holder.uid);
  if (wasSleeping && holder && work.isImmune(holder)) work.makeImmune(instance);
  runInPlace(work, instance, "resumed");
}

/** Aborts the instances that wait for an aborted one; returns true if there were any. */
export function cascade(work: Processing): boolean {
  let changed = false;
  for (const instance of work.instances) {
    if (instance.status !== "interrupted" || work.find(instance.suspendedBy)?.status !== "aborted") continue;
    work.abort(
      instance,
      instance.sleeping ? "the subflow it waited for was aborted" : "what it waited for was aborted",
    );
    changed = true;
  }
  return changed;
}

/** Runs an instance of the list and inserts its callees before it. */
export function runInPlace(work: Processing, instance: LiveInstance, reason: "matched" | "resumed"): void {
  run(work, instance, reason);
  if (work.spawned.length === 0) return;
  const at = work.instances.indexOf(instance);
  // INVARIANT: a new list, because loops over the old one are in progress.
  work.instances = work.instances.toSpliced(at, 0, ...work.spawned);
  work.spawned = [];
}
