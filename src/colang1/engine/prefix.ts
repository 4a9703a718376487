import { isTruthy, toValue } from "../../expressions/values/value.js";
import type { CompiledFlow } from "../elements.js";
import { assignTo } from "./context.js";
import { readOwn } from "../../engine/variables.js";
import { matchAt, type Match, type MatchView } from "./match.js";
import { describeFailure, STEPS_PER_SLIDE, type Processing } from "./processing.js";
import { isEventLimit, isWait } from "./slide.js";

// New properties stand before what is spread: behind it, each object would get a hidden class of its own.

/** The start of a flow: the element to go on with, and the variables that its prefix has assigned. */
export interface Start extends Match {
  readonly assigned: ReadonlyMap<string, unknown>;
}

const NOTHING: ReadonlyMap<string, unknown> = new Map();

/**
 * Slides a flow from its beginning on an overlay of the context and compares the first matcher with the event. Nothing of it
 * is visible unless the flow starts; a flow with an error does not start.
 */
export function tryStart(work: Processing, flow: CompiledFlow, view: MatchView): Start | undefined {
  try {
    const first = flow.elements[0];
    if (first && isWait(first)) {
      const match = matchAt(flow, 0, view);
      return match && { assigned: NOTHING, ...match };
    }
    return probe(work, flow, view);
  } catch (error) {
    if (isEventLimit(error)) throw error;
    report(work, flow, error);
    return undefined;
  }
}

function probe(work: Processing, flow: CompiledFlow, view: MatchView): Start | undefined {
  const assigned = new Map<string, unknown>();
  const probing: MatchView = { ...view, evaluate: (expression) => work.evaluate(expression, undefined, assigned) };
  let at = 0;
  for (let steps = 0; steps <= work.state.limits.slideSteps; steps += 1) {
    work.work.spend(STEPS_PER_SLIDE);
    const element = flow.elements[at];
    if (!element || element.kind === "Return" || element.kind === "Call") return undefined;
    if (isWait(element)) {
      const match = matchAt(flow, at, probing);
      return match && { assigned, ...match };
    }
    switch (element.kind) {
      case "Assign": {
        const { name } = element.target;
        const current = assigned.has(name) ? assigned.get(name) : readOwn(work.context, name);
        const assignment = assignTo({ [name]: current }, element.target, probing.evaluate(element.value));
        if (!assignment.ok) throw new PrefixError(assignment.message, assignment.code);
        assigned.set(name, assignment.value);
        at += 1;
        break;
      }
      case "Jump":
        at = element.target;
        break;
      case "JumpIfNot":
        at = isTruthy(toValue(probing.evaluate(element.condition))) ? at + 1 : element.target;
        break;
      case "Check":
        if (!isTruthy(toValue(probing.evaluate(element.condition)))) return undefined;
        at += 1;
        break;
    }
  }
  throw new PrefixError(`more than ${work.state.limits.slideSteps} steps before the first matcher`, "CO-403");
}

class PrefixError extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** Reports a prefix error, once for each flow and conversation. */
function report(work: Processing, flow: CompiledFlow, error: unknown): void {
  const { message } = describeFailure(error);
  work.trace.push({ type: "not-started", flow: flow.id, code: "CO-405", why: message });
  if (work.reported.includes(flow.id)) return;
  work.reported = [...work.reported, flow.id];
  work.trace.push({
    type: "warning",
    code: "CO-405",
    flow: flow.id,
    message: `flow \`${flow.id}\` cannot start: ${message}`,
  });
}
