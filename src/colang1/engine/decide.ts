import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import type { TraceOffer } from "../../engine/explain.js";
import { writeOwn } from "../../engine/plain-data.js";
import type { ElementArgument, ElementOf, Tier } from "../elements.js";
import { equalValues } from "./match.js";
import { STEP_KINDS, type LiveInstance, type Offer, type Processing } from "./processing.js";
import { UTTERANCE } from "./program-index.js";
import { isEventLimit } from "./slide.js";

const LOST = "it lost arbitration on its first step";
const NO_STEPS: readonly LiveInstance[] = [];

/**
 * Returns the winning offer, of all tiers or of one. Offers are considered in order; one is accepted if there is none
 * yet or its priority exceeds the stored one, which is the winner's priority, scaled down if it did not move.
 */
function arbitrate({ offers }: Processing, tier?: Tier): Offer | undefined {
  let winner: Offer | undefined;
  for (const offer of offers) {
    if (offer.instance.status !== "active" || (tier !== undefined && offer.instance.tier !== tier)) continue;
    if (!winner || winner.scaled < offer.priority) winner = offer;
  }
  return winner;
}

/** Returns the deciding instance of a tier: the one with the best accepted offer. */
export function deciderOf(work: Processing, tier: Tier): LiveInstance | undefined {
  if (tier === "user" && userStepsWait(work, systemSteps(work))) return undefined;
  const winner = arbitrate(work, tier === "user" && work.event.type === "UserIntent" ? undefined : tier);
  return winner?.instance.tier === tier ? winner.instance : undefined;
}

/**
 * Decides the step of this event, and discards system flows that lost on their first step. User flows that lose a
 * user's intent to the pipeline, which asks the model, end.
 */
export function decide(work: Processing): Offer | undefined {
  const steps = systemSteps(work);
  const tier = work.offers.length > 0 && userStepsWait(work, steps) ? "system" : undefined;
  const winner = work.offers.length > 0 ? arbitrate(work, tier) : undefined;
  if (winner) {
    const others: TraceOffer[] = [];
    for (const offer of work.offers) if (offer.instance !== winner.instance) others.push(describe(offer));
    work.trace.push({ type: "decided", winner: describe(winner), others });
  }
  if (tier === undefined && winner?.instance.tier === "system" && work.event.type === "UserIntent") {
    for (const { instance } of work.offers) {
      if (instance.tier !== "user" || instance.status !== "active") continue;
      for (const member of work.chainOf(instance)) work.abort(member, LOST);
    }
  }
  for (const instance of steps) {
    if (instance === winner?.instance || instance.status !== "active") continue;
    if (instance.engaged || hasEngagedCaller(work, instance)) continue;
    for (const member of work.chainOf(instance)) work.abort(member, LOST);
  }
  return winner;
}

/** Returns the instances of system flows that are at a step. */
function systemSteps(work: Processing): readonly LiveInstance[] {
  let steps: LiveInstance[] | undefined;
  for (const instance of work.instances) {
    if (instance.tier !== "system" || instance.status !== "active" || !isAtStep(work, instance)) continue;
    if (steps === undefined) steps = [instance];
    else steps.push(instance);
  }
  return steps ?? NO_STEPS;
}

export function isAtStep(work: Processing, instance: LiveInstance): boolean {
  const element = work.flows.get(instance.flow)?.elements[instance.at];
  return element !== undefined && STEP_KINDS.has(element.kind);
}

/**
 * Returns true if steps of user flows wait: while a system flow is in the middle of its pipeline, and at the start of
 * the input stage, since nothing may come between an utterance and its rails.
 */
function userStepsWait(work: Processing, steps: readonly LiveInstance[]): boolean {
  if (work.event.type === UTTERANCE) {
    for (const { tier, engaged, startedBy } of work.instances) {
      if (tier === "system" && !engaged && startedBy === UTTERANCE) return true;
    }
  }
  for (const instance of steps) if (instance.engaged || hasEngagedCaller(work, instance)) return true;
  return false;
}

function hasEngagedCaller(work: Processing, instance: LiveInstance): boolean {
  return instance.caller !== null && work.chainOf(instance).some((caller) => caller.engaged);
}

function describe({ instance, flow, element, reason, priority }: Offer): TraceOffer {
  const { location, text } = element;
  return { flow: flow.id, instance: instance.uid, reason, priority, location, step: text };
}

/**
 * Returns the event requested by a step, with its values evaluated; undefined on failure, which the processing records.
 */
export function draftOf(work: Processing, offer: Offer): EventDraft | undefined {
  const { instance, flow, element } = offer;
  try {
    switch (element.kind) {
      case "Stop":
        return { type: "BotIntent", intent: "stop" };
      case "Say":
        return sayDraft(work, element, instance);
      case "Run":
        return runDraft(element, flow.id, valuesOf(work, instance, element.arguments));
      case "Emit": {
        const { type } = element;
        const draft = valuesOf(work, instance, element.arguments, { type });
        // INVARIANT: a property cannot change what kind of event this is.
        return Object.assign(draft, { type });
      }
    }
  } catch (error) {
    if (isEventLimit(error)) throw error;
    work.fail(instance, error, element.location);
  }
  return undefined;
}

function valuesOf(
  work: Processing,
  instance: LiveInstance,
  given: readonly ElementArgument[],
  values: Record<string, unknown> = {},
): Record<string, unknown> {
  let at = 0;
  for (const { name, value } of given) {
    at += 1;
    const computed = work.evaluate(value, instance) ?? null;
    if (name === "__proto__") writeOwn(values, name, computed);
    else values[name ?? `$${at}`] = computed;
  }
  return values;
}

function sayDraft(work: Processing, say: ElementOf<"Say">, instance: LiveInstance): EventDraft {
  const { content } = say;
  const instructions = say.instructions === undefined ? {} : { instructions: say.instructions };
  if (content.type === "intent" && say.instructions === undefined) return { type: "BotIntent", intent: content.intent };
  if (content.type === "intent") return { type: "BotIntent", intent: content.intent, ...instructions };
  if (content.type === "literal") {
    return { type: "BotIntent", intent: content.intent, text: content.text, ...instructions };
  }
  const value = work.evaluate(content.value, instance);
  if (value === undefined || value === null) {
    const cause = { code: "CO-401", message: `message variable \`${content.source}\` is not defined` };
    work.fail(instance, cause, say.location);
  }
  return { type: "BotIntent", intent: content.source, value, ...instructions };
}

function runDraft(element: ElementOf<"Run">, flow: string, params: Record<string, unknown>): EventDraft {
  const { result } = element;
  return {
    type: "StartInternalSystemAction",
    action_name: element.action,
    action_params: params,
    action_result_key: result ? [result.name, ...result.path].join(".") : null,
    is_system_action: false,
    flow_id: flow,
  };
}

/** Returns true if an event is the requested draft, completed by the run loop. */
export function realises(event: GuardrailsEvent, draft: EventDraft): boolean {
  if (event.type !== draft.type) return false;
  if (event.type === "StartInternalSystemAction") {
    return event["action_name"] === draft["action_name"] && event["flow_id"] === draft["flow_id"];
  }
  if (event.type === "BotIntent") return event["intent"] === draft["intent"];
  for (const key of Object.keys(draft)) {
    if (!Object.hasOwn(event, key)) return false;
    // The run loop completes the draft itself, so most values are identical.
    if (event[key] !== draft[key] && !equalValues(event[key], draft[key])) return false;
  }
  return true;
}
