import { pauseOne } from "./pause.js";
import { readOwn, type Value } from "../../../expressions/values/value.js";
import { releaseOwnership } from "../actions/actions.js";
import { queueLogs, queueError, queueFlowEvent, flowEvent } from "../dispatch/queue.js";
import { removeHead } from "../heads/heads.js";
import type {
  Activation,
  EngineEvent,
  FailReason,
  FlowInstance,
  FlowTarget,
  Head,
  Scope,
  ValueRecord,
} from "../state/records.js";
import {
  actionOf,
  isAround,
  isLive,
  nextUid,
  parentOf,
  targetOf,
  variablesOf,
  type EngineState,
} from "../state/state.js";
import { isTemporaryOf } from "../values/evaluate-in.js";

export type Outcome =
  | { readonly kind: "finished"; readonly value: Value }
  | { readonly kind: "failed"; readonly reason: FailReason; readonly error?: string };

export interface EndCause {
  readonly scores?: readonly number[];
  /** The event that made a wait impossible. */
  readonly by?: EngineEvent;
  /** Values that the request writes to the variables. */
  readonly contextUpdate?: ValueRecord;
}

/** Marks the flow as started: the flow that started it continues, and a pause requested before takes effect. */
export function beginFlow(state: EngineState, instance: FlowInstance, scores: readonly number[]): void {
  instance.status = "started";
  queueFlowEvent(state, "FlowStarted", instance, { scores });
  const pause = instance.pausesWhenStarted;
  if (pause === undefined) return;
  instance.pausesWhenStarted = undefined;
  pauseOne(state, instance, pause);
}

/** Ends an instance and everything it started. Ending twice has no effect. */
export function endFlow(state: EngineState, instance: FlowInstance, outcome: Outcome, cause: EndCause = {}): void {
  if (!isLive(instance)) return;
  const wasPaused = instance.status === "paused";
  instance.status = "stopping";
  instance.pause = undefined;
  instance.pausesWhenStarted = undefined;
  endChildren(state, instance);
  if (instance.ownerships.length > 0) {
    for (const ownership of instance.ownerships.slice()) releaseOwnership(state, ownership);
  }
  for (const head of instance.heads.slice()) removeHead(state, { head, instance });
  instance.scopes.length = 0;
  state.data.flows.delete(instance.uid);
  state.data.ended.set(instance.uid, instance);
  state.index.deleteFlow(instance, wasPaused);
  const variables = instance.sharesVariables ? variablesOf(state, instance) : instance.variables;
  const update = cause.contextUpdate;
  if (update !== undefined) for (const name of Object.keys(update)) variables[name] = readOwn(update, name) ?? null;
  const scores = cause.scores ?? [];
  if (outcome.kind === "finished") {
    instance.returnValue = outcome.value;
    instance.status = "finished";
    queueFlowEvent(state, "FlowFinished", instance, { fields: { return_value: outcome.value }, scores });
    queueLogs(state, instance, variables, scores);
    state.round.trace.push({ type: "finished", flow: instance.flow, instance: instance.uid });
  } else {
    instance.failReason = outcome.reason;
    instance.status = "stopped";
    if (instance.flow === "main") state.data.mainFailed = true;
    const { losers } = state.round;
    if (outcome.reason === "conflict" || losers.has(cause.by?.flow?.uid ?? "")) losers.add(instance.uid);
    const fields = { reason: outcome.reason, error: outcome.error ?? null };
    queueFlowEvent(state, "FlowFailed", instance, { fields, scores });
    const detail = outcome.error ?? (cause.by === undefined ? undefined : describeEvent(cause.by));
    const why = detail === undefined ? outcome.reason : `${outcome.reason}: ${detail}`;
    state.round.trace.push({ type: "aborted", flow: instance.flow, instance: instance.uid, why });
  }
  // Compiler temporaries would keep everything that the flow ever started alive.
  for (const name of Object.keys(variables)) {
    if (name.startsWith("%") && isTemporaryOf(instance, name)) delete variables[name];
  }
  restart(state, instance, outcome);
}

function describeEvent({ name, flow }: EngineEvent): string {
  return flow === undefined ? `\`${name}\`` : `\`${name}\` of \`${flow.flow}\``;
}

function endChildren(state: EngineState, instance: FlowInstance): void {
  for (const child of state.index.children.of(instance.uid)) {
    if ("owners" in child) removeOwner(state, child, instance);
    else endFlow(state, child, { kind: "failed", reason: "parent_ended" });
  }
}

/**
 * Returns true if an ending flow only ever waited for its own flows that ended at once. If restarted, it would end
 * again before the next event.
 */
export function endsAtOnce({ round }: EngineState, instance: FlowInstance): boolean {
  return !instance.hasWaited || round.unmoved.has(instance.uid);
}

/** Notes that an event moved an instance, so that it does not end at once. */
export function noteMove(state: EngineState, instance: FlowInstance, event: EngineEvent): void {
  if (!state.round.unmoved.has(instance.uid)) return;
  const cause = event.flow === undefined ? undefined : targetOf(state, event.flow);
  const isOwn = cause !== undefined && cause !== instance && isAround(state, instance, cause);
  if (!isOwn || !endsAtOnce(state, cause)) state.round.unmoved.delete(instance.uid);
}

/** Restarts an activated flow when it ends, unless it failed at once or was restarted too often. */
function restart(state: EngineState, instance: FlowInstance, outcome: Outcome): void {
  const activation = state.data.activations.get(instance.activation ?? -1);
  if (activation === undefined || instance.hasSuccessor) return;
  const reason = outcome.kind === "failed" ? outcome.reason : undefined;
  if (reason === "deactivated" || reason === "removed") return;
  if (reason !== undefined && !state.round.losers.has(instance.uid) && endsAtOnce(state, instance)) {
    // Stopping a flow that has idled since an earlier event is not its own failure.
    const wasIdle = reason === "stop_request" && instance.isIdle && !state.round.unmoved.has(instance.uid);
    if (!wasIdle) {
      state.index.setDormant(activation, true);
      return;
    }
  }
  if (mayRestart(state, activation)) queueRestart(state, activation);
}

/** Counts a restart; beyond the limit, the activation is dormant until the next batch. */
export function mayRestart(state: EngineState, activation: Activation): boolean {
  const { restartsPerRound } = state.options.limits;
  const restarts = (state.round.restarts.get(activation.order) ?? 0) + 1;
  state.round.restarts.set(activation.order, restarts);
  if (restarts <= restartsPerRound) return true;
  state.index.setDormant(activation, true);
  const message = `flow \`${activation.flow}\` was restarted more than ${restartsPerRound} times for one event`;
  queueError(state, "ActivationLoop", message, { flow: activation.flow });
  return false;
}

/**
 * Retries activated flows that failed at once.
 *
 * INVARIANT: at most once per batch. A flow that sends an event and then fails would otherwise be retried endlessly for
 * its own event.
 */
export function restartDormant(state: EngineState): void {
  const dormant = [...state.index.dormant].sort((left, right) => left.order - right.order);
  for (const activation of dormant) queueRestart(state, activation, "back");
}

/** The request goes to the front of the queue, so the flow waits again before anything else happens. */
export function queueRestart(state: EngineState, activation: Activation, position: "front" | "back" = "front"): void {
  state.index.setDormant(activation, false);
  const target: FlowTarget = { uid: nextUid(state), flow: activation.flow, instance: undefined };
  const { parent, bound: payload } = activation;
  const origin = { source: parent, address: 0, target, activation: activation.order };
  const event = flowEvent(state, "StartFlow", { flow: target, parent, fields: { activate: true }, payload, origin });
  if (position === "front") state.round.queue.unshift(event);
  else state.round.queue.push(event);
}

/** Ends all ownerships of an owner. */
function removeOwner(state: EngineState, activation: Activation, owner: FlowInstance): void {
  const others = activation.owners.filter(({ flow }) => flow !== owner.uid);
  activation.owners.splice(0, activation.owners.length, ...others);
  if (!isKept(state, activation)) endActivation(state, activation, { kind: "failed", reason: "deactivated" });
}

/**
 * Returns true if a flow that would live without the activation owns it; flows that activate themselves do not count.
 */
function isKept(state: EngineState, activation: Activation, seen: Set<number> = new Set([activation.order])): boolean {
  return activation.owners.some(({ flow }) => {
    let root = flow === undefined ? undefined : state.data.flows.get(flow);
    while (root !== undefined && root.activation === undefined) root = parentOf(state, root);
    if (root?.activation === undefined) return true;
    if (seen.has(root.activation)) return false;
    seen.add(root.activation);
    const around = state.data.activations.get(root.activation);
    return around !== undefined && isKept(state, around, seen);
  });
}

/** Removes one ownership: the owner's, otherwise the oldest; without owners, the activation ends. */
export function releaseActivation(
  state: EngineState,
  activation: Activation,
  { owner, ...end }: { readonly owner: string | undefined; readonly outcome: Outcome; readonly cause: EndCause },
): void {
  const ownerIndex = activation.owners.findIndex(({ flow }) => flow === owner);
  const [removed] = activation.owners.splice(Math.max(0, ownerIndex), 1);
  if (removed?.flow !== undefined && !activation.owners.some(({ flow }) => flow === removed.flow)) {
    state.index.children.delete(removed.flow, activation);
  }
  if (!isKept(state, activation)) endActivation(state, activation, end.outcome, end.cause);
}

export function endActivation(state: EngineState, activation: Activation, outcome: Outcome, cause?: EndCause): void {
  if (!state.data.activations.delete(activation.order)) return;
  state.index.deleteActivation(activation);
  for (const { flow } of activation.owners) if (flow !== undefined) state.index.children.delete(flow, activation);
  for (const instance of state.index.activated.of(activation.order)) endFlow(state, instance, outcome, cause);
}

/** Ends everything alive that was started in the scope, in this order. */
export function closeScope(state: EngineState, instance: FlowInstance, head: Head, number: number): void {
  const scope = instance.scopes.findLast((other) => other.number === number && head.scopes.includes(other.order));
  if (scope === undefined) return;
  head.scopes = head.scopes.filter((order) => order !== scope.order);
  const members = scope.members.splice(0);
  // Concurrent heads may have the same scope open.
  if (!instance.heads.some(({ scopes }) => scopes.includes(scope.order))) {
    instance.scopes.splice(instance.scopes.indexOf(scope), 1);
  }
  endMembers(state, scope.order, members);
}

function endMembers(state: EngineState, order: number, members: Scope["members"]): void {
  for (const member of members) {
    if (typeof member === "number") {
      for (const ownership of state.index.ownerships.of(actionOf(state, member).id)) {
        if (ownership.scopes.includes(order)) releaseOwnership(state, ownership);
      }
      continue;
    }
    const instance = state.data.flows.get(member);
    if (instance !== undefined) endFlow(state, instance, { kind: "failed", reason: "scope_ended" });
    // The request is still queued, so the instance does not exist yet and is never created.
    else cancelStart(state, member);
  }
}

function cancelStart(state: EngineState, uid: string): void {
  const { queue } = state.round;
  const at = queue.findIndex((event) => event.origin?.target.uid === uid);
  const [request] = at === -1 ? [] : queue.splice(at, 1);
  if (request !== undefined) queueNeverStarted(state, request, "scope_ended");
}

/** Reports the failure of an instance that will never be created to the flows that wait for it. */
export function queueNeverStarted(state: EngineState, request: EngineEvent, reason: FailReason, error?: string): void {
  const { origin } = request;
  if (origin === undefined) return;
  const { target, source } = origin;
  state.round.expected.delete(target.uid);
  const fields = { reason, error: error ?? null };
  state.round.queue.push(flowEvent(state, "FlowFailed", { flow: target, parent: source, fields }));
  state.round.trace.push({ type: "not-started", flow: target.flow, why: error ?? reason });
}
