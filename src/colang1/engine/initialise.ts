import type { GuardrailsEvent } from "../../engine/events.js";
import type { TraceEvent } from "../../engine/trace.js";
import type { Colang1Program } from "../elements.js";
import { Processing } from "./processing.js";
import { indexOf } from "./program-index.js";
import { run } from "./slide.js";
import type { Colang1State } from "./state.js";

const NO_TRACE: readonly TraceEvent[] = [];

/**
 * Runs flows without a matcher, once, before the first event of a conversation is processed. Variables that the caller sets
 * in that event therefore stay.
 */
export function initialise(
  program: Colang1Program,
  state: Colang1State,
  event: GuardrailsEvent,
): { readonly state: Colang1State; readonly trace: readonly TraceEvent[] } {
  if (state.initialised) return { state, trace: NO_TRACE };
  const { initialisers } = indexOf(program);
  if (state.scope === "rail" || initialisers.length === 0) {
    return { state: { ...state, initialised: true }, trace: NO_TRACE };
  }
  const work = new Processing(program, state, event, { kind: "external" });
  for (const flow of initialisers) {
    const instance = work.create(flow);
    work.trace.push({ type: "started", flow: flow.id, instance: instance.uid, by: "the start of the conversation" });
    run(work, instance, "started");
  }
  const { context, changed, created, failure } = work;
  return { state: { ...state, initialised: true, context, changed, created, failure }, trace: work.trace };
}
