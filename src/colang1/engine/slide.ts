import { LimitError } from "../../diagnostics/errors.js";
import type { OfferReason } from "../../engine/trace.js";
import { isTruthy, toValue } from "../../expressions/values/value.js";
import type { ElementOf, CompiledFlow, Element } from "../elements.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { assignTo } from "./context.js";
import type { LiveInstance, Processing } from "./processing.js";

/**
 * Runs an instance from its element: assignments, jumps and calls are done at once, at any other element it stops and makes
 * an offer. Callees that have to wait are left in `work.spawned` for the caller to place in the list.
 */
export function run(work: Processing, instance: LiveInstance, reason: OfferReason): void {
  const flow = work.flowOf(instance);
  if (!flow) return work.abort(instance, "its flow no longer exists");
  while (instance.status === "active") {
    const element = flow.elements[instance.at];
    if (!element) return finish(work, instance, flow, null);
    try {
      if (!step(work, instance, flow, element)) return work.offer(instance, reason);
    } catch (error) {
      if (isEventLimit(error)) throw error;
      work.fail(instance, error, element.location);
    }
  }
}

/** Does one sliding element; false at an element that is not. */
function step(work: Processing, instance: LiveInstance, flow: CompiledFlow, element: Element): boolean {
  if (isWait(element)) return false;
  if (!work.slide()) throw slideLimit(work.state.limits.slideSteps, flow.id);
  switch (element.kind) {
    case "Assign":
      assign(work, instance, element);
      instance.at += 1;
      return true;
    case "Jump":
      instance.at = element.target;
      return true;
    case "JumpIfNot":
      instance.at = isTruthy(toValue(work.evaluate(element.condition, instance))) ? instance.at + 1 : element.target;
      return true;
    case "Check":
      if (isTruthy(toValue(work.evaluate(element.condition, instance)))) instance.at += 1;
      else work.abort(instance, "a check did not hold");
      return true;
    case "Return":
      finish(work, instance, flow, returnValue(work, instance, element));
      return true;
    default:
      call(work, instance, element);
      return true;
  }
}

type WaitElement = Exclude<Element, { kind: "Assign" | "Jump" | "JumpIfNot" | "Check" | "Return" | "Call" }>;

/** Returns true for an element at which sliding stops: it waits for an event or requests one. */
export function isWait(element: Element): element is WaitElement {
  return (
    element.kind === "Match" ||
    element.kind === "Choice" ||
    element.kind === "Say" ||
    element.kind === "Run" ||
    element.kind === "Emit" ||
    element.kind === "Stop"
  );
}

/** Returns true if the limit of the event, and not of one flow, is exceeded. */
export function isEventLimit(error: unknown): boolean {
  return LimitError.isInstance(error) && error.code === "CO-403";
}

function slideLimit(maximum: number, flow: string): LimitError {
  const message = `flow \`${flow}\` takes more than ${maximum} steps without waiting`;
  return new LimitError(message, { code: "CO-403", limit: "slideSteps", maximum });
}

function assign(work: Processing, instance: LiveInstance, element: ElementOf<"Assign">): void {
  const assignment = assignTo(work.context, element.target, work.evaluate(element.value, instance));
  if (!assignment.ok) return work.fail(instance, assignment, element.location);
  work.assign(assignment.name, assignment.value);
}

function returnValue(work: Processing, instance: LiveInstance, element: ElementOf<"Return">): unknown {
  const values = element.values.map((value) => work.evaluate(value, instance) ?? null);
  return values.length > 1 ? values : (values[0] ?? null);
}

function finish(work: Processing, instance: LiveInstance, flow: CompiledFlow, value: unknown): void {
  instance.status = "completed";
  instance.at = flow.elements.length;
  work.setReturned(instance, value);
  if (flow.isExtension) work.extensionFinished[instance.tier] = true;
  work.trace.push({ type: "finished", flow: flow.id, instance: instance.uid });
}

/** Does a `do`. The caller stands behind the call from now on, asleep unless the callee has completed. */
function call(work: Processing, caller: LiveInstance, element: ElementOf<"Call">): void {
  const target = resolve(work, caller, element);
  if (!target) return;
  const limit = work.state.limits.callDepth;
  if (caller.depth >= limit) {
    const message = `\`do ${target.id}\` is nested deeper than ${limit}`;
    return work.fail(caller, { code: "CO-402", message }, element.location);
  }
  // INVARIANT: the caller of an instance stands right behind the `Call`, which is how its result finds its variable.
  caller.at += 1;
  const callee = work.create(target, caller);
  work.trace.push({ type: "started", flow: target.id, instance: callee.uid, by: caller.uid });
  run(work, callee, "started");
  if (callee.status === "completed") return storeResult(work, caller, callee.uid);
  if (callee.status === "aborted") return work.abort(caller, `\`${target.id}\`, which it called, was aborted`);
  caller.status = "interrupted";
  caller.sleeping = true;
  caller.suspendedBy = callee.uid;
  work.spawned.push(callee);
}

/** Finds the callee and assigns its parameters, which are there before its first statement. */
function resolve(work: Processing, caller: LiveInstance, element: ElementOf<"Call">): CompiledFlow | undefined {
  const flow = element.flow === undefined ? resolveDynamic(work, caller, element) : work.flowById(element.flow);
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
  const flow = reference && work.flowById(reference.id);
  if (!flow) {
    const message = reference ? `unknown subflow \`${reference.id}\`` : "the name of a subflow must be a text";
    work.fail(caller, { code: "CO-204", message }, element.location);
    return undefined;
  }
  for (const { name, value } of reference.parameters) work.assign(name, value);
  return flow;
}

/** `$r = do x`: the value that the callee returned, null otherwise. */
export function storeResult(work: Processing, caller: LiveInstance, callee: string): void {
  const element = work.flowOf(caller)?.elements[caller.at - 1];
  if (element?.kind !== "Call" || !element.result) return;
  const assignment = assignTo(work.context, element.result, work.returnedBy(callee));
  if (assignment.ok) work.assign(assignment.name, assignment.value);
  else work.fail(caller, assignment, element.location);
}
