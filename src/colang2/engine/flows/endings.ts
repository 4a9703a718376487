import { createMap, readOwn, type Value } from "../../../expressions/values/value.js";
import { isTemporaryOf } from "../values/evaluate-in.js";
import { releaseOwnership } from "../actions/actions.js";
import { deleteActivation } from "./activations.js";
import { resolveAction } from "../state/action-object.js";
import type { EngineEvent, ValueRecord } from "../state/event.js";
import { dropHeads } from "../heads/heads.js";
import { queueLogs } from "../dispatch/logs.js";
import { field, internalEvent, queueError, queueFlowEvent } from "../dispatch/queue.js";
import { FlowReference } from "../state/references.js";
import {
  isLive,
  nextUid,
  type Activation,
  type EngineState,
  type FailReason,
  type FlowInstance,
  type Head,
  type OpenScope,
} from "../state/state.js";

export type Outcome =
  | { readonly kind: "finished"; readonly value: Value }
  | { readonly kind: "failed"; readonly reason: FailReason; readonly error?: string };

export interface EndCause {
  readonly scores?: readonly number[];
  /** The event that made a wait impossible. */
  readonly by?: EngineEvent;
  /** What the request wrote into the variables (spec 5.3). */
  readonly contextUpdate?: ValueRecord;
}

/** Ends an instance and everything it started (spec 6.5). Ending twice has no effect. */
export function endFlow(state: EngineState, instance: FlowInstance, outcome: Outcome, cause: EndCause = {}): void {
  if (!isLive(instance)) return;
  const wasPaused = instance.status === "paused";
  instance.status = "stopping";
  instance.pause = undefined;
  instance.pausesWhenStarted = undefined;
  endBelongings(state, instance);
  for (const ownership of instance.ownerships.keys()) releaseOwnership(state, ownership);
  dropHeads(state, instance);
  instance.parent?.belongings.delete(instance);
  forget(state, instance, wasPaused);
  for (const name of Object.keys(cause.contextUpdate ?? {})) {
    instance.variables.set(name, readOwn(cause.contextUpdate ?? {}, name) ?? null);
  }
  const scores = cause.scores ?? [];
  if (outcome.kind === "finished") {
    instance.returnValue = outcome.value;
    instance.status = "finished";
    queueFlowEvent(state, "FlowFinished", instance, { fields: field("return_value", outcome.value), scores });
    queueLogs(state, instance, scores);
    state.trace.push({ type: "finished", flow: instance.definition.id, instance: instance.uid });
  } else {
    instance.failReason = outcome.reason;
    instance.status = "stopped";
    const fields = createMap();
    fields["reason"] = outcome.reason;
    fields["error"] = outcome.error ?? null;
    queueFlowEvent(state, "FlowFailed", instance, { fields, scores });
    const detail = outcome.error ?? (cause.by === undefined ? undefined : describeEvent(cause.by));
    const why = detail === undefined ? outcome.reason : `${outcome.reason}: ${detail}`;
    state.trace.push({ type: "aborted", flow: instance.definition.id, instance: instance.uid, why });
  }
  forgetTemporaries(instance);
  restart(state, instance, outcome);
}

/** What the compiler keeps in the variable table would keep everything alive that the flow ever started. */
function forgetTemporaries(instance: FlowInstance): void {
  for (const name of instance.variables.keys()) {
    if (isTemporaryOf(instance, name)) instance.variables.delete(name);
  }
}

function describeEvent({ name, flow }: EngineEvent): string {
  return flow === undefined ? `\`${name}\`` : `\`${name}\` of \`${flow.flowId}\``;
}

function endBelongings(state: EngineState, instance: FlowInstance): void {
  for (const item of instance.belongings) {
    if ("owners" in item) removeOwner(state, item, instance);
    else if (item.activation === undefined) endFlow(state, item, { kind: "failed", reason: "parent_ended" });
  }
  instance.belongings.clear();
}

function forget(state: EngineState, instance: FlowInstance, wasPaused: boolean): void {
  state.instances.delete(instance.uid);
  if (state.main === instance) state.main = undefined;
  state.interruptible.delete(instance);
  state.digressions.delete(instance);
  const sameFlow = state.byFlow.get(instance.definition.id);
  sameFlow?.delete(instance);
  if (sameFlow?.size === 0) state.byFlow.delete(instance.definition.id);
  if (!wasPaused) countLoop(state, instance.loop, -1);
}

/** Loops with an instance that is alive and not paused are the active ones (spec 5.6). */
export function countLoop(state: EngineState, loop: string, by: number): void {
  const count = (state.loops.get(loop) ?? 0) + by;
  if (count > 0) state.loops.set(loop, count);
  else state.loops.delete(loop);
}

/**
 * Whether a flow that ends now never waited for anything but flows of its own that ended at once. Begun again, it would end
 * again before the next event.
 */
export function endsAtOnce(state: EngineState, instance: FlowInstance): boolean {
  return !instance.hasWaited || (instance.bornIn === state.round && !instance.wasMoved);
}

/** Notes that an event moves an instance on, so that it does not end at once. */
export function noteMove(state: EngineState, instance: FlowInstance, event: EngineEvent): void {
  if (instance.bornIn !== state.round || instance.wasMoved) return;
  const cause = event.flow?.instance;
  const isOwn = cause !== undefined && isBelow(cause, instance);
  if (!isOwn || !endsAtOnce(state, cause)) instance.wasMoved = true;
}

function isBelow(instance: FlowInstance, root: FlowInstance): boolean {
  for (let at = instance.parent; at !== undefined; at = at.parent) if (at === root) return true;
  return false;
}

/** An activated flow begins again when it ends (spec 6.8.3), unless it failed at once (guard B) or too often (guard C). */
function restart(state: EngineState, instance: FlowInstance, outcome: Outcome): void {
  const { activation } = instance;
  if (activation === undefined) return;
  activation.current.delete(instance);
  const reason = outcome.kind === "failed" ? outcome.reason : undefined;
  if (activation.hasEnded || reason === "deactivated" || reason === "removed" || instance.hasSuccessor) return;
  if (reason !== undefined && reason !== "conflict" && endsAtOnce(state, instance)) {
    state.dormant.add(activation);
    return;
  }
  if (!mayRestart(state, activation)) return;
  queueRestart(state, activation);
}

/** Counts a restart; one too many leaves the activation dormant (guard C). */
export function mayRestart(state: EngineState, activation: Activation): boolean {
  if (activation.restartRound !== state.round) {
    activation.restartRound = state.round;
    activation.restarts = 0;
  }
  activation.restarts += 1;
  if (activation.restarts <= state.options.limits.restartsPerRound) return true;
  state.dormant.add(activation);
  const message = `flow \`${activation.flow}\` was restarted more than ${state.options.limits.restartsPerRound} times for one event`;
  queueError(state, "ActivationLoop", message, { flow: activation.flow });
  return false;
}

/** The request goes to the front of the queue, so that the flow waits again before anything else happens. */
export function queueRestart(state: EngineState, activation: Activation, position: "front" | "back" = "front"): void {
  state.dormant.delete(activation);
  const fields = createMap();
  fields["flow_id"] = activation.flow;
  fields["activate"] = true;
  const reference = new FlowReference(nextUid(state), activation.flow);
  fields["flow_instance_uid"] = reference.uid;
  fields["source_flow_instance_uid"] = activation.parent?.uid ?? null;
  const origin = { source: activation.parent, address: 0, reference, activation };
  const event = internalEvent(state, "StartFlow", { fields, payload: activation.bound, origin, flow: reference });
  if (position === "front") state.queue.unshift(event);
  else state.queue.push(event);
}

/** The end of an owner takes all its ownerships away (spec 6.8.9). */
function removeOwner(state: EngineState, activation: Activation, owner: FlowInstance): void {
  for (let at = activation.owners.length - 1; at >= 0; at -= 1) {
    if (activation.owners[at] === owner) activation.owners.splice(at, 1);
  }
  if (!isKept(activation)) endActivation(state, activation, { kind: "failed", reason: "deactivated" });
}

/** Whether somebody has a right to the activation who would live without it: flows that activate themselves do not count. */
function isKept(activation: Activation, seen: Set<Activation> = new Set([activation])): boolean {
  return activation.owners.some((owner) => {
    let root = owner;
    while (root !== undefined && root.activation === undefined) root = root.parent;
    const around = root?.activation;
    if (around === undefined) return true;
    if (seen.has(around)) return false;
    seen.add(around);
    return isKept(around, seen);
  });
}

/** Takes one ownership away, the owner's own or else the oldest; without an owner the activation ends (spec 6.8.8). */
export function releaseActivation(
  state: EngineState,
  activation: Activation,
  {
    owner,
    outcome,
    cause,
  }: { readonly owner: FlowInstance | undefined; readonly outcome: Outcome; readonly cause: EndCause },
): void {
  const own = activation.owners.indexOf(owner);
  const [removed] = activation.owners.splice(Math.max(0, own), 1);
  if (removed !== undefined && !activation.owners.includes(removed)) removed.belongings.delete(activation);
  if (!isKept(activation)) endActivation(state, activation, outcome, cause);
}

export function endActivation(
  state: EngineState,
  activation: Activation,
  outcome: Outcome,
  cause: EndCause = {},
): void {
  if (activation.hasEnded) return;
  activation.hasEnded = true;
  deleteActivation(state, activation);
  for (const owner of activation.owners) owner?.belongings.delete(activation);
  activation.owners.length = 0;
  for (const instance of activation.current) endFlow(state, instance, outcome, cause);
}

/** Ends what was started in the scope and is still alive, in this order (spec 6.4). */
export function closeScope(state: EngineState, head: Head, number: number): void {
  const at = head.scopes.findLastIndex((scope) => scope.number === number);
  const scope = head.scopes[at];
  if (scope === undefined) return;
  head.scopes = head.scopes.toSpliced(at, 1);
  endScope(state, scope);
}

function endScope(state: EngineState, scope: OpenScope): void {
  for (const member of scope.members) {
    if (member instanceof FlowReference) {
      // The request may still be in the queue: then there is no instance, and there will be none.
      if (member.instance === undefined) cancelStart(state, member);
      else endFlow(state, member.instance, { kind: "failed", reason: "scope_ended" });
    } else {
      for (const ownership of resolveAction(member).ownerships) {
        if (ownership.scopes.includes(scope)) releaseOwnership(state, ownership);
      }
    }
  }
  scope.members.clear();
}

function cancelStart(state: EngineState, reference: FlowReference): void {
  const at = state.queue.findIndex((event) => event.origin?.reference === reference);
  const [request] = at === -1 ? [] : state.queue.splice(at, 1);
  if (request !== undefined) queueNeverStarted(state, request, "scope_ended");
}

/** Whoever waits for an instance that will never be made is told so. */
export function queueNeverStarted(state: EngineState, request: EngineEvent, reason: FailReason, error?: string): void {
  const { origin } = request;
  if (origin === undefined) return;
  const { reference, source } = origin;
  state.expected.delete(reference.uid);
  const fields = createMap();
  fields["flow_id"] = reference.flowId;
  fields["flow_instance_uid"] = reference.uid;
  fields["source_flow_instance_uid"] = source?.uid ?? null;
  fields["reason"] = reason;
  fields["error"] = error ?? null;
  state.queue.push(internalEvent(state, "FlowFailed", { fields, flow: reference }));
  state.trace.push({ type: "not-started", flow: reference.flowId, why: error ?? reason });
}
