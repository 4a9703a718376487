import type { CompiledFlow, Tier } from "../elements.js";
import { deciderOf, isAtStep } from "./decide.js";
import { listensTo, matchAt, tryStart, type Match } from "./match.js";
import { STEP_KINDS, type LiveInstance, type Processing } from "./processing.js";
import { startersOf } from "./program-index.js";
import { isEventLimit, revive, run, runInPlace, stabilize, TIERS } from "./slide.js";

/** Applies one event to the flows, up to the decision. */
export function processEvent(work: Processing): void {
  if (work.emitter) advanceEmitter(work);
  const userMatched = moveInstances(work);
  if (work.event.type === "UserIntent" && !userMatched) resumeWaiting(work);
  startFlows(work);
  if (work.abortedByEvent.length > 0) revive(work);
  if (work.interrupts || work.abortedByEvent.length > 0) for (const tier of TIERS) suspend(work, tier);
  stabilize(work);
}

/**
 * Moves the flow that emitted the event past its `Emit`, and the flows that waited for its end. They then process their
 * own event like all other flows, but it cannot interrupt or abort them.
 */
export function advanceEmitter(work: Processing): void {
  const { emitter } = work;
  if (!emitter || work.flows.get(emitter.flow)?.elements[emitter.at]?.kind !== "Emit") return;
  work.makeImmune(emitter);
  const known = new Set(work.instances.map((instance) => instance.uid));
  emitter.at += 1;
  runInPlace(work, emitter, "matched");
  stabilize(work);
  for (const instance of work.instances) if (!known.has(instance.uid)) work.makeImmune(instance);
  // Offers made now would count as moved; they are made again after all flows have seen the event.
  work.offers.length = 0;
}

/** Moves the instances that match the event; returns true if a user flow's instance moved. */
function moveInstances(work: Processing): boolean {
  let userMatched = false;
  for (const instance of work.instances) {
    if (instance.status !== "active") continue;
    const flow = work.flows.get(instance.flow);
    if (!flow) {
      work.abort(instance, "its flow no longer exists");
      continue;
    }
    if (moveInstance(work, instance, flow) && instance.tier === "user") userMatched = true;
  }
  return userMatched;
}

function moveInstance(work: Processing, instance: LiveInstance, flow: CompiledFlow): boolean {
  let match: Match | undefined;
  try {
    match = matchInstance(work, instance, flow);
  } catch (error) {
    if (isEventLimit(error)) throw error;
    work.fail(instance, error, flow.elements[instance.at]?.location);
    return false;
  }
  if (match) {
    moveTo(work, instance, match);
    return true;
  }
  leaveUnmatched(work, instance, flow);
  return false;
}

function matchInstance(work: Processing, instance: LiveInstance, flow: CompiledFlow): Match | undefined {
  if (instance.waitingFor === null) return matchAt(flow, instance.at, work.viewFor(instance.tier), instance);
  if (!isResultFor(work, instance)) return undefined;
  const { status, is_success: success } = work.event;
  const succeeded = status === undefined ? success !== false : status === "success";
  return succeeded ? { next: instance.at + 1, utterance: false } : undefined;
}

function isResultFor(work: Processing, instance: LiveInstance): boolean {
  const { event } = work;
  return event.type === "InternalSystemActionFinished" && event["action_uid"] === instance.waitingFor;
}

function moveTo(work: Processing, instance: LiveInstance, match: Match): void {
  instance.at = match.next;
  instance.waitingFor = null;
  if (match.utterance && instance.tier === "user") work.showUtterance(instance);
  const { flow, uid } = instance;
  const location = work.flows.get(flow)?.elements[instance.at]?.location;
  work.trace.push(
    location === undefined ? { type: "moved", flow, instance: uid } : { type: "moved", flow, instance: uid, location },
  );
  runInPlace(work, instance, "matched");
}

/** Keeps, interrupts or aborts an instance that the event does not match. */
function leaveUnmatched(work: Processing, instance: LiveInstance, flow: CompiledFlow): void {
  const element = flow.elements[instance.at];
  const disturbed =
    disturbs(work, instance, isResultFor(work, instance)) ||
    (!isPrivate(work) && listensTo(flow, instance.at, work.viewFor(instance.tier)));
  if (!isEnded(work, instance, flow) && (!disturbed || isProtected(work, instance, flow))) {
    work.offer(instance, flow, "pending");
    return;
  }
  if (!flow.interruptible || (element && STEP_KINDS.has(element.kind))) {
    work.disturb(instance, `\`${work.event.type}\` came instead of what it was about to do`);
    if (work.origin.kind !== "action" || work.origin.instance !== instance.uid) return;
    const message = `an event returned by its own action ended flow \`${instance.flow}\``;
    work.trace.push({ type: "warning", code: "CO-409", flow: instance.flow, message });
    return;
  }
  interrupt(work, instance);
}

/** Returns true if the flow must not be interrupted, or the event is its own. */
function isProtected(work: Processing, instance: LiveInstance, flow: CompiledFlow): boolean {
  if (work.isImmune(instance)) return true;
  return !flow.interruptible && work.event.type !== "UserIntent" && !isResultFor(work, instance);
}

/** Returns true for an uninterruptible flow while another user flow takes a step: it ends. */
function isEnded(work: Processing, instance: LiveInstance, flow: CompiledFlow): boolean {
  if (flow.interruptible || instance.tier !== "user" || work.isImmune(instance)) return false;
  const { origin } = work;
  return origin.kind === "step" && origin.tier === "user" && origin.instance !== instance.uid;
}

function interrupt(work: Processing, instance: LiveInstance): void {
  instance.status = "interrupted";
  instance.suspendedBy = null;
  instance.since = work.state.events;
  work.interrupts = true;
}

/** Resumes the flow that waits for this intent, even if another one has suspended it since. */
function resumeWaiting(work: Processing): void {
  const candidates = work.instances
    .filter((instance) => instance.status === "interrupted" && instance.tier === "user" && !instance.sleeping)
    .toReversed()
    .toSorted((a, b) => b.since - a.since);
  for (const instance of candidates) {
    const flow = work.flows.get(instance.flow);
    const match = flow && matchAt(flow, instance.at, work.viewFor(instance.tier), instance);
    if (!flow || !match) continue;
    const holder = work.find(instance.suspendedBy);
    instance.status = "active";
    instance.suspendedBy = null;
    work.trace.push({ type: "resumed", flow: instance.flow, instance: instance.uid });
    moveTo(work, instance, match);
    if (holder?.status === "active" && !isAtStep(work, holder)) interrupt(work, holder);
    return;
  }
}

/** Starts the flows whose first matcher matches the event. */
function startFlows(work: Processing): void {
  const { event, state } = work;
  if (event.type === "start_flow") startById(work);
  for (const { flow } of startersOf(work.index, event.type, event["intent"])) {
    if (state.scope === "rail" && flow.tier === "user") continue;
    if (!flow.allowMultiple && isRunning(work, flow)) continue;
    const start = tryStart(work, flow, work.viewFor(flow.tier));
    if (!start) continue;
    for (const [name, value] of start.assigned) work.assign(name, value);
    const instance = work.create(flow);
    if (start.utterance && flow.tier === "user") work.showUtterance(instance);
    instance.at = start.next;
    begin(work, instance);
  }
}

/** An instance that ended with this event still counts: no flow completes and restarts on one event. */
function isRunning(work: Processing, flow: CompiledFlow): boolean {
  for (const instance of work.instances) {
    if (instance.flow !== flow.id) continue;
    work.trace.push({ type: "not-started", flow: flow.id, why: "it is already running" });
    return true;
  }
  return false;
}

/** Runs an existing flow by id, even a subflow; the event of its first matcher counts as received. */
function startById(work: Processing): void {
  const id = work.event["flow_id"];
  const flow = typeof id === "string" ? work.flows.get(id) : undefined;
  if (!flow) return;
  if (!flow.allowMultiple && isRunning(work, flow)) return;
  const params = work.event["params"];
  if (typeof params === "object" && params !== null) {
    for (const [name, value] of Object.entries(params)) work.assign(name, value);
  }
  const instance = work.create(flow);
  // It was requested by name, so it cannot lose arbitration.
  instance.engaged = true;
  begin(work, instance);
  if (instance.status !== "active" || work.elementOf(instance)?.kind !== "Match") return;
  instance.at += 1;
  begin(work, instance);
}

/** Appends a new instance, followed by its callees. */
function begin(work: Processing, instance: LiveInstance): void {
  if (!work.instances.includes(instance)) {
    work.trace.push({ type: "started", flow: instance.flow, instance: instance.uid, by: work.event.type });
    work.instances.push(instance);
  }
  run(work, instance, "started");
  if (work.spawned.length === 0) return;
  work.instances.push(...work.spawned);
  work.spawned = [];
}

/** Lets the decider of the tier suspend the instances that this event interrupted. */
function suspend(work: Processing, tier: Tier): void {
  const interrupted = work.instances.filter(
    (instance) => instance.tier === tier && instance.status === "interrupted" && instance.since === work.state.events,
  );
  const aborted = work.abortedByEvent.filter((instance) => instance.tier === tier && instance.status === "aborted");
  if (interrupted.length === 0 && aborted.length === 0) return;
  const decider = deciderOf(work, tier);
  for (const instance of interrupted) {
    if (instance.sleeping || instance.suspendedBy !== null) continue;
    instance.suspendedBy = decider?.uid ?? null;
    const by = decider ? { by: decider.flow } : {};
    work.trace.push({ type: "interrupted", flow: instance.flow, instance: instance.uid, ...by });
  }
  const extension = decider && work.chainOf(decider).find((member) => work.flows.get(member.flow)?.isExtension);
  if (!extension) return;
  for (const instance of aborted) {
    if (!work.flows.get(instance.flow)?.interruptible) continue;
    instance.status = "interrupted";
    instance.suspendedBy = extension.uid;
    work.trace.push({ type: "interrupted", flow: instance.flow, instance: instance.uid, by: extension.flow });
  }
}

/** Stage and rail markers, for logs and for flows that name them; they disturb no other flow. */
const MARKERS: ReadonlySet<string> = new Set(
  ["Input", "Output", "Retrieval", "ToolInput", "ToolOutput"].flatMap((stage) =>
    ["Rail", "Rails"].flatMap((rail) => [`Start${stage}${rail}`, `${stage}${rail}Finished`]),
  ),
);

/** Events that drive or end the dialog, also when the pipeline causes them. */
const PUBLIC: ReadonlySet<string> = new Set(
  "UserIntent BotIntent UserMessage BotMessage StartUtteranceBotAction UtteranceUserActionFinished start_flow".split(
    " ",
  ),
);

/**
 * Returns true for private events of system flows, which only reach user flows that wait for their type. The dialog's
 * own events stay public even if a replaced stage emits them, since it could not steer the dialog otherwise.
 */
function isPrivate({ event, origin }: Processing): boolean {
  if (MARKERS.has(event.type)) return true;
  if (origin.kind === "external" || origin.tier === "user") return false;
  return !PUBLIC.has(event.type) && !event.type.endsWith("Exception");
}

/**
 * Returns true if an unmatched event of one of the three standard types disturbs an instance. The end of an action
 * disturbs user flows if one of them requested it; pipeline actions only concern flows that wait for them.
 */
function disturbs(work: Processing, instance: LiveInstance, isOwnResult: boolean): boolean {
  const { type, action_uid: uid } = work.event;
  if (type === "UserIntent" || type === "BotIntent" || isOwnResult) return true;
  if (type !== "InternalSystemActionFinished" || instance.tier !== "user") return false;
  return work.state.running.find((action) => action.uid === uid)?.tier === "user";
}
