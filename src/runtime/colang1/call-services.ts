import type { Colang1Call } from "./generation/services.js";
import type { TaskScope } from "../../llm/task/call-model.js";
import type { ActionContext } from "../../actions/action.js";
import { type ActionCall, type ActionViews, callScope, RunActionContext } from "../action-context.js";
import { type ActingRun, isOurFlow, mergedSlotOf, type RuntimeServices, collectUtterances } from "./run.js";
import { GenerationAccess } from "../generation-access.js";
import type { RespondingRun } from "../response-stream.js";

/** Context of an action in a Colang 1.0 run. */
export function actionContext(services: RuntimeServices, run: ActingRun, call: ActionCall): ActionContext {
  const views: ActionViews = {
    context: run.context,
    state: () => run.state,
    events: () => run.past().concat(run.events),
    services: () => {
      // Values registered by name, plus the per-call dependencies of generation actions under `call`.
      const callServices = new CallServices(services, run, call);
      const { actionParams } = services;
      // New keys come before a spread: after it they give each object its own hidden class.
      return Object.hasOwn(actionParams, "call")
        ? { ...actionParams, call: callServices }
        : { call: callServices, ...actionParams };
    },
  };
  return new RunActionContext(services, run, views, call);
}

class CallServices extends GenerationAccess implements Colang1Call {
  readonly warn: Colang1Call["warn"];
  readonly rail: Colang1Call["rail"];
  readonly own: Colang1Call["own"];
  readonly #services: RuntimeServices;
  readonly #run: ActingRun;
  readonly #action: ActionCall;

  constructor(services: RuntimeServices, run: ActingRun, action: ActionCall) {
    super(run, action);
    const { turn } = run;
    this.#services = services;
    this.#run = run;
    this.#action = action;
    this.own = action.own;
    this.rail = run.rail?.notes;
    // Assigned to a named constant, as in `RunActionContext`.
    const warn: Colang1Call["warn"] = ({ code, message }) => void turn.trace.push({ type: "warning", code, message });
    this.warn = warn;
  }

  get merged(): Colang1Call["merged"] {
    return this.#run.scope === "rail" ? undefined : mergedSlotOf(this.#run.turn);
  }

  get sharedScope(): TaskScope {
    const run = this.#run;
    return { ...callScope(run, this.#action), config: run.config, cancellation: run.turn.cancellation };
  }

  protected override responding(): RespondingRun {
    const services = this.#services;
    const run = this.#run;
    return {
      services,
      run,
      context: () => run.context,
      past: () => [...run.past(), ...run.events],
      hasEmittedText: () => collectUtterances(run.events).length > 0,
      userTexts: () => run.turn.readTexts,
      span: this.#action.span,
    };
  }

  get ownRetrieval(): boolean {
    const { registry, flows } = this.#services;
    const action = registry.resolve("retrieve_relevant_chunks");
    if (action.found && !action.definition.system) return true;
    return CHUNK_FLOWS.some((id) => !isOurFlow(flows.get(id)));
  }
}

/** Flows that chunks pass before a prompt shows them; replaceable, like the action that finds chunks. */
const CHUNK_FLOWS = ["generate bot message", "run retrieval rails"];
