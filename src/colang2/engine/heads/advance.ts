import { GuardrailsError, LimitError } from "../../../diagnostics/errors.js";
import type { Value } from "../../../expressions/values/value.js";
import { beginFlow, endFlow, endsAtOnce } from "../flows/lifecycle.js";
import type { EngineEvent, FailReason, Head, PlacedHead } from "../state/records.js";
import { stopWaiting, type Acting } from "./heads.js";
import { ENGINE_WORK } from "../limits.js";
import { queueError } from "../dispatch/queue.js";
import { wait } from "./build-pattern.js";
import { CONTROL_STEPS } from "./steps/control-steps.js";
import type { Move, Step, Steps } from "./steps/move.js";
import { REQUEST_STEPS } from "./steps/request-steps.js";
import { VALUE_STEPS } from "./steps/value-steps.js";
import { isListening, isLive, scoresOf, type EngineState, placeAt } from "../state/state.js";

/** Advances a head as far as possible. */
export function advance(state: EngineState, placed: PlacedHead, acting: Acting, from?: number): void {
  const { head, instance } = placed;
  if (head.status !== "active" || (instance.status !== "started" && !isListening(instance))) return;
  if (head.pattern === undefined) head.waits = "no";
  else stopWaiting(state, placed);
  head.act = undefined;
  if (instance.status === "waiting") instance.status = "starting";
  head.address = from ?? head.address + 1;
  const added = slide(state, placed, acting);
  // Heads added to open forks come after the one that added them; they may add further ones.
  for (const next of added) added.push(...advanceNew(state, { head: next, instance }, acting));
  if (instance.status === "starting") beginIfWaiting(state, placed);
}

/** A newly added head is before its first instruction. */
export function advanceNew(state: EngineState, placed: PlacedHead, acting: Acting): Head[] {
  const { head, instance } = placed;
  if (head.status !== "active" || !isListening(instance)) return [];
  const added = slide(state, placed, acting);
  if (instance.status === "starting") beginIfWaiting(state, placed);
  return added;
}

/** A flow has started once all of its heads wait. */
function beginIfWaiting(state: EngineState, { head: advanced, instance }: PlacedHead): void {
  for (const head of instance.heads) if (head.status !== "dormant" && head.waits !== "open") return;
  beginFlow(state, instance, scoresOf(state, advanced));
}

const STEPS: Steps = { ...CONTROL_STEPS, ...REQUEST_STEPS, ...VALUE_STEPS, Wait: wait };

function slide(state: EngineState, placed: PlacedHead, acting: Acting): Head[] {
  const { head, instance } = placed;
  const { work } = state;
  const elements = state.definitions.get(instance.flow)?.elements ?? [];
  const { stepsPerAdvance } = state.options.limits;
  const added: Head[] = [];
  const step = { state, instance, head, element: elements[head.address], added };
  let steps = 0;
  // INVARIANT: no instruction pauses its own flow, and the heads of an ending flow are removed.
  while (head.status === "active") {
    const element = elements[head.address];
    if (element === undefined) {
      finish(state, placed, null);
      break;
    }
    try {
      if ((steps += 1) > stepsPerAdvance) {
        const message = `flow \`${instance.flow}\` does not come to a wait within ${stepsPerAdvance} steps`;
        throw new LimitError(message, { limit: "stepsPerAdvance", maximum: stepsPerAdvance });
      }
      if ((work.spent += ENGINE_WORK.instruction) > work.maximum) throw work.error();
      step.element = element;
      const execute = STEPS[element.kind] as (step: Step) => Move;
      const move = execute(step as Step);
      if (move === undefined) head.address += 1;
      else if (typeof move === "number") head.address = move;
      else if (move === "wait" || move === "vanish") break;
      else if (move === "report") {
        acting.add(head);
        break;
      } else if (move.kind === "return") {
        finish(state, placed, move.value);
        break;
      } else if (move.kind === "fork") {
        for (const child of move.heads) added.push(...slide(state, { head: child, instance }, acting));
        break;
      } else if (!catchFailure(state, placed, move.isAbort ? "abort" : "impossible")) break;
    } catch (error) {
      failWithError(state, placed, error);
      break;
    }
  }
  return added;
}

/** Jumps to the innermost handler of the head, which is then consumed; without one, the flow fails. */
export function catchFailure(state: EngineState, placed: PlacedHead, reason: FailReason, by?: EngineEvent): boolean {
  const { head, instance } = placed;
  const target = head.handlers.pop();
  if (target === undefined) {
    const cause = { scores: scoresOf(state, head), ...(by === undefined ? {} : { by }) };
    endFlow(state, instance, { kind: "failed", reason }, cause);
    return false;
  }
  stopWaiting(state, placed);
  head.act = undefined;
  head.status = "active";
  head.address = target;
  return true;
}

/** Handles the end of the body. A flow that restarts at its end must have waited for something. */
function finish(state: EngineState, { head, instance }: PlacedHead, value: Value): void {
  const scores = scoresOf(state, head);
  const isIdle =
    instance.activation === undefined
      ? instance === state.index.main && !instance.hasWaited
      : endsAtOnce(state, instance);
  if (instance.status !== "started") {
    // It has nothing left to pause for.
    instance.pausesWhenStarted = undefined;
    beginFlow(state, instance, scores);
  }
  if (isIdle && isLive(instance)) {
    instance.isIdle = true;
    head.waits = "open";
    return;
  }
  endFlow(state, instance, { kind: "finished", value }, { scores });
}

/** Limits whose excess makes the flow fail for its budget. */
const BUDGETS: ReadonlySet<string> = new Set(["stepsPerAdvance", "workPerEvent"]);

/** A program error fails exactly the flow in which it occurred. */
export function failWithError(state: EngineState, { head, instance }: PlacedHead, error: unknown): void {
  if (!GuardrailsError.isInstance(error)) throw error;
  const { flow } = instance;
  const isBudget = LimitError.isInstance(error) && BUDGETS.has(error.limit);
  const place = placeAt(state, instance, head.address);
  const line = place?.location.line;
  state.round.trace.push({
    type: "failed",
    flow,
    instance: instance.uid,
    code: error.code,
    message: error.message,
    ...(place === undefined ? {} : { location: place.location }),
  });
  const outcome = { kind: "failed", reason: isBudget ? "budget" : "error", error: error.message } as const;
  endFlow(state, instance, outcome, { scores: scoresOf(state, head) });
  queueError(state, errorType(error, isBudget), error.message, {
    flow,
    uid: instance.uid,
    ...(line === undefined ? {} : { line }),
  });
}

function errorType(error: GuardrailsError, isBudget: boolean): string {
  if (isBudget) return "StepBudgetExceeded";
  return LimitError.isInstance(error) ? "ColangRuntimeError" : "ColangValueError";
}
