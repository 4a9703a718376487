import { GuardrailsError, LimitError } from "../../../diagnostics/errors.js";
import type { Value } from "../../../expressions/values/value.js";
import { beginFlow } from "../flows/pause.js";
import type { EngineEvent, FailReason, Head } from "../state/records.js";
import { endFlow, endsAtOnce } from "../flows/endings.js";
import { stopWaiting } from "./heads.js";
import { ENGINE_WORK } from "../limits.js";
import { queueError } from "../dispatch/queue.js";
import { executeStep } from "./steps/steps.js";
import { definitionOf, instanceOf, isListening, isLive, scoresOf, type EngineState } from "../state/state.js";

/** Heads that stand on an act or a merge, in the order they came there, none twice. */
export type Acting = Set<Head>;

/** Moves a head on from where it stands, as far as it gets. */
export function advance(state: EngineState, head: Head, acting: Acting, from?: number): void {
  if (head.status !== "active") return;
  const instance = instanceOf(state, head);
  if (!isListening(instance)) return;
  stopWaiting(state, head);
  head.act = undefined;
  if (instance.status === "waiting") instance.status = "starting";
  head.address = from ?? head.address + 1;
  const added = [...slide(state, head, acting)];
  // Heads that were added to open forks come after the one that added them; they may add further ones.
  for (let next = added.shift(); next !== undefined; next = added.shift())
    added.push(...advanceNew(state, next, acting));
  beginIfWaiting(state, head);
}

/** A head that was just added stands before its first instruction. */
export function advanceNew(state: EngineState, head: Head, acting: Acting): Head[] {
  if (head.status !== "active" || !isListening(instanceOf(state, head))) return [];
  const added = slide(state, head, acting);
  beginIfWaiting(state, head);
  return added;
}

/** A flow has started when all that its heads do is wait. */
function beginIfWaiting(state: EngineState, advanced: Head): void {
  const instance = instanceOf(state, advanced);
  if (instance.status !== "starting") return;
  for (const head of instance.heads) if (head.status !== "dormant" && head.waits !== "open") return;
  beginFlow(state, instance, scoresOf(state, advanced));
}

function slide(state: EngineState, head: Head, acting: Acting): Head[] {
  const instance = instanceOf(state, head);
  const { elements } = definitionOf(state, instance);
  const { stepsPerAdvance } = state.options.limits;
  const added: Head[] = [];
  let steps = 0;
  while (head.status === "active" && isListening(instance)) {
    const element = elements[head.address];
    if (element === undefined) {
      finish(state, head, null);
      break;
    }
    try {
      if ((steps += 1) > stepsPerAdvance) {
        const message = `flow \`${instance.flow}\` does not come to a wait within ${stepsPerAdvance} steps`;
        throw new LimitError(message, { limit: "stepsPerAdvance", maximum: stepsPerAdvance });
      }
      state.work.spend(ENGINE_WORK.instruction);
      const move = executeStep({ state, instance, head, element, added });
      if (move === "next") head.address += 1;
      else if (typeof move === "number") head.address = move;
      else if (move === "wait" || move === "vanish") break;
      else if (move === "report") {
        acting.add(head);
        break;
      } else if (move.kind === "return") {
        finish(state, head, move.value);
        break;
      } else if (move.kind === "fork") {
        for (const child of move.heads) added.push(...slideChild(state, child, acting));
        break;
      } else if (!catchFailure(state, head, move.isAbort ? "abort" : "impossible")) break;
    } catch (error) {
      failWithError(state, head, error);
      break;
    }
  }
  return added;
}

function slideChild(state: EngineState, child: Head, acting: Acting): Head[] {
  return child.status === "active" ? slide(state, child, acting) : [];
}

/** Goes to the innermost handler of the head, which is then used up; without one the flow fails. */
export function catchFailure(state: EngineState, head: Head, reason: FailReason, by?: EngineEvent): boolean {
  const target = head.handlers.pop();
  if (target === undefined) {
    const cause = { scores: scoresOf(state, head), ...(by === undefined ? {} : { by }) };
    endFlow(state, instanceOf(state, head), { kind: "failed", reason }, cause);
    return false;
  }
  stopWaiting(state, head);
  head.act = undefined;
  head.status = "active";
  head.address = target;
  return true;
}

/** The end of the body. A flow that begins again when it ends must have waited for something. */
function finish(state: EngineState, head: Head, value: Value): void {
  const instance = instanceOf(state, head);
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

/** An error of the program fails exactly the flow it happened in. */
export function failWithError(state: EngineState, head: Head, error: unknown): void {
  if (!GuardrailsError.isInstance(error)) throw error;
  const instance = instanceOf(state, head);
  const { flow } = instance;
  const { elements, places } = definitionOf(state, instance);
  const isBudget = LimitError.isInstance(error) && BUDGETS.has(error.limit);
  const place = places[elements[head.address]?.place ?? -1];
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
