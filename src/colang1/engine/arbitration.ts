import type { TraceOffer } from "../../engine/trace.js";
import type { Tier } from "../elements.js";
import { isActionable, type LiveInstance, type Offer, type Processing } from "./processing.js";
import { UTTERANCE } from "./program-index.js";

/**
 * Returns the offer that wins. Offers are considered in the order they were made; one is accepted when there is none
 * yet or its priority is above what is stored, which is the winner's priority scaled down when it did not move.
 */
function arbitrate(offers: readonly Offer[]): Offer | undefined {
  let winner: Offer | undefined;
  for (const offer of offers) {
    if (offer.instance.status === "active" && (!winner || winner.scaled < offer.priority)) winner = offer;
  }
  return winner;
}

/** Returns the instance that decides for one tier: the one with the best accepted offer. */
export function deciderOf(work: Processing, tier: Tier): LiveInstance | undefined {
  if (tier === "user" && userStepsWait(work)) return undefined;
  return arbitrate(work.offers.filter((offer) => offer.instance.tier === tier))?.instance;
}

/** Decides the step of this event, and discards system flows that lost their first one. */
export function decide(work: Processing): Offer | undefined {
  const waits = userStepsWait(work);
  const eligible = waits ? work.offers.filter((offer) => offer.instance.tier === "system") : work.offers;
  const winner = arbitrate(eligible);
  if (winner) {
    const others = work.offers.filter((offer) => offer !== winner && offer.instance !== winner.instance);
    work.trace.push({ type: "decided", winner: describe(winner), others: others.map(describe) });
  }
  discardLosers(work, winner?.instance);
  return winner;
}

/**
 * Steps of users' flows wait while a system flow is in the middle of its pipeline, and while the input stage begins:
 * nothing may come between an utterance and the rails that check it.
 */
function userStepsWait(work: Processing): boolean {
  if (work.event.type === UTTERANCE && work.instances.some(startedByThis)) return true;
  return work.instances.some(
    (instance) => instance.tier === "system" && standsAtStep(work, instance) && isEngaged(work, instance),
  );

  function startedByThis(instance: LiveInstance): boolean {
    return instance.tier === "system" && !instance.engaged && instance.startedBy === UTTERANCE;
  }
}

function standsAtStep(work: Processing, instance: LiveInstance): boolean {
  if (instance.status !== "active") return false;
  const element = work.elementOf(instance);
  return element !== undefined && isActionable(element);
}

function isEngaged(work: Processing, instance: LiveInstance): boolean {
  return instance.engaged || (instance.caller !== null && work.chainOf(instance).some((caller) => caller.engaged));
}

function discardLosers(work: Processing, winner: LiveInstance | undefined): void {
  for (const instance of work.instances) {
    if (instance.tier !== "system" || instance === winner || instance.engaged) continue;
    if (!standsAtStep(work, instance) || isEngaged(work, instance)) continue;
    for (const member of work.chainOf(instance)) work.abort(member, "it lost arbitration on its first step");
  }
}

function describe({ instance, flow, element, reason, priority }: Offer): TraceOffer {
  const { location, text } = element;
  return { flow: flow.id, instance: instance.uid, reason, priority, location, step: text };
}
