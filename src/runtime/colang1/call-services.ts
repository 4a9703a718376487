import type { Lookup } from "../../generation/indexes.js";
import type { Colang1Call } from "./generation/services.js";
import type { Generator, WriteText, CallAccess } from "../../turn/response.js";
import type { TaskScope } from "../../llm/task/call-model.js";
import type { ActionContext } from "../../actions/action.js";
import { type ActionCall, type ActionViews, callScope, RunActionContext } from "../action-context.js";
import { type ActingRun, isOurFlow, mergedSlotOf, type RuntimeServices, collectUtterances } from "./run.js";
import { guardedGenerator, openWriter, type RespondingRun } from "../response-stream.js";

/** Context of an action in a Colang 1.0 run. */
export function actionContext(services: RuntimeServices, run: ActingRun, call: ActionCall): ActionContext {
  const views: ActionViews = {
    context: run.context,
    state: () => run.state,
    events: () => run.past().concat(run.events),
    services: () => {
      // Values registered by name, plus the per-call dependencies of generation actions under `call`.
      const own = new CallServices(services, run, call);
      const { actionParams } = services;
      // New keys come before a spread: after it they give each object its own hidden class.
      return Object.hasOwn(actionParams, "call") ? { ...actionParams, call: own } : { call: own, ...actionParams };
    },
  };
  return new RunActionContext(services, run, views, call);
}

/** A class, because literals with accessors are slow and retain their closure for long. */
class CallServices implements Colang1Call {
  readonly llmParams: Colang1Call["llmParams"];
  readonly generator: Generator | undefined;
  readonly warn: Colang1Call["warn"];
  readonly atEnd: Colang1Call["atEnd"];
  readonly rail: Colang1Call["rail"];
  readonly #services: RuntimeServices;
  readonly #run: ActingRun;
  readonly own: Colang1Call["own"];
  readonly #action: ActionCall;
  #writer: { readonly writeText: WriteText | undefined } | undefined;
  // INVARIANT: an action stays on the side of the verdict where it started, speculative or committed.
  readonly #speculation: CallAccess | undefined;

  constructor(services: RuntimeServices, run: ActingRun, action: ActionCall) {
    const { turn } = run;
    this.#action = action;
    this.own = action.own;
    this.#speculation = run.scope === "rail" ? undefined : turn.speculation;
    this.#services = services;
    this.#run = run;
    this.llmParams = turn.options.llmParams;
    this.generator = guardedGenerator(this.#responding());
    this.rail = run.rail?.notes;
    // Assigned to named constants, as in `RunActionContext`.
    const atEnd: Colang1Call["atEnd"] = (end) => turn.atEnd(end);
    const warn: Colang1Call["warn"] = ({ code, message }) => void turn.trace.push({ type: "warning", code, message });
    this.atEnd = atEnd;
    this.warn = warn;
  }

  get merged(): Colang1Call["merged"] {
    return this.#run.scope === "rail" ? undefined : mergedSlotOf(this.#run.turn);
  }

  get sharedScope(): TaskScope {
    const run = this.#run;
    return { ...callScope(run, this.#action), config: run.config, cancellation: run.turn.cancellation };
  }

  get lookup(): Lookup | undefined {
    const speculation = this.#speculation;
    if (speculation === undefined) return undefined;
    return (key, search) => speculation.lookup(key, this.#run.cancellation.signal, search);
  }

  get writeText(): WriteText | undefined {
    this.#writer ??= { writeText: openWriter(this.#responding(), this.#action.unlimited) };
    return this.#writer.writeText;
  }

  #responding(): RespondingRun {
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
