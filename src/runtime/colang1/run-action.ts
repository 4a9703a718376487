import type { ActionParameters, ActionResult } from "../../actions/action.js";
import { checkResult, dispatch, type DispatchResult } from "../../actions/dispatcher.js";
import { assignResult } from "../../colang1/engine/processing.js";
import { ActionError } from "../../diagnostics/errors.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { andThen, isPromise, lazily, type MaybePromise } from "../../engine/async.js";
import type { LlmCallRecord } from "../../llm/task/call-model.js";
import { actionContext } from "./call-services.js";
import { isOfRail } from "../../turn/activity-log.js";
import { fedEvents, type Entry, type StageOutcome } from "../../turn/decision.js";
import { failureEvents } from "./run-loop.js";
import { type ActingRun, RUN_RAILS, type Run, type RuntimeServices } from "./run.js";
import { policyFor } from "../../rails/rail-decision.js";
import { finishStage } from "../../rails/run-stage.js";
import { reportProblem } from "../../turn/problem-log.js";
import type * as SpeculatePart from "./speculate.js";
import type { SpeculationHooks } from "../speculation/run-concurrently.js";
import { openActionSpan, recordAction, runInSpan, spanOf } from "../action-context.js";

type Speculation = typeof SpeculatePart;

/** Loaded only for a configuration that speculates. */
export const speculation = lazily(() => import("./speculate.js"));

const RETRIEVAL = "retrieve_relevant_chunks";

/** Performs the action requested by a `StartInternalSystemAction` and returns the resulting events. */
export function runAction(
  services: RuntimeServices,
  run: Run,
  request: GuardrailsEvent,
): MaybePromise<readonly Entry[]> {
  const name = String(request["action_name"]);
  const params = (request["action_params"] ?? {}) as ActionParameters;
  if (name === RUN_RAILS) return runRailsAction(services, run, request, params);
  // A rail already has its evidence and must not change that of the conversation.
  if (name === RETRIEVAL && run.scope === "rail" && !isOfRail(request["flow_id"]))
    return [finishedDraft(request, null)];

  return andThen(performAction(services, run, { name, params, flow: request["flow_id"] }), (outcome) => {
    if (outcome.ok) return finish(services, run, request, outcome.result);
    const { error } = outcome;
    const { passing } = error;
    const policy = run.scope === "rail" || passing === undefined ? "block" : policyFor(services, error);
    if (policy === "throw") run.turn.rejection ??= { error };
    if (policy === "allow" && passing !== undefined) {
      const problem = { code: error.code, message: error.message, action: error.action, cause: error };
      reportProblem(services, run.turn, problem, { effect: "the text passes" });
      return finish(services, run, request, checkResult(error.action, passing.value));
    }
    return failureEvents(services, run, { action: request, error, missing: outcome.kind === "missing" });
  });
}

/** An action that a flow requests. */
interface RequestedAction {
  readonly name: string;
  readonly params: ActionParameters;
  /** Id of the flow. */
  readonly flow: unknown;
}

/** Performs an action of a run, without the resulting events. */
export function performAction(
  services: RuntimeServices,
  run: ActingRun,
  { name, params, flow }: RequestedAction,
): MaybePromise<DispatchResult> {
  const { turn } = run;
  const startedAt = turn.activity === undefined ? 0 : turn.now();
  const calls: LlmCallRecord[] = [];
  // A model may have invented a name.
  const isKnown = turn.span === undefined || services.registry.resolve(name).found;
  const span = openActionSpan(run, isKnown ? name : "unknown", params, run.rail === undefined || isOfRail(flow));
  const start = (): MaybePromise<DispatchResult> =>
    dispatch({
      registry: services.registry,
      name,
      params,
      context: (own, unlimited) => actionContext(services, run, { calls, own, unlimited, span: span ?? spanOf(run) }),
      runWithConfig: services.runWithConfig,
      timeoutMs:
        turn.options.stream !== undefined && waitsForReader(services, run, name)
          ? 0
          : services.config.settings.actions.timeout_ms,
      signal: run.cancellation,
    });
  return andThen(span === undefined ? start() : runInSpan(span, start), (outcome) => {
    if (!outcome.ok) return outcome;
    if (outcome.note) turn.trace.push({ type: "warning", code: outcome.note.code, message: outcome.note.message });
    const isLogged = run.rail === undefined || calls.length > 0 || isOfRail(flow);
    if (turn.activity !== undefined && isLogged) {
      const { returnValue, loggedParams: actionParams = params } = outcome.result;
      recordAction(run, { actionName: name, actionParams, returnValue, llmCalls: calls, startedAt });
    }
    return outcome;
  });
}

/**
 * Returns true for the action that streams a response. It takes as long as the reader does, so the generator limits the
 * time between two parts instead.
 */
function waitsForReader(services: RuntimeServices, run: ActingRun, name: string): boolean {
  if (run.turn.options.generator === undefined || run.scope === "rail") return false;
  return name === "generate_bot_message" || (name === "generate_user_intent" && !services.generation.hasUserMessages);
}

/** The pure part after an action: variables first, then the end of the action, then the events it requested. */
export function finish(
  services: RuntimeServices,
  run: Run,
  request: GuardrailsEvent,
  result: ActionResult,
): readonly Entry[] {
  const entries: Entry[] = [];
  const key = request["action_result_key"];
  // A key added to a copy gives each object its own hidden class; most actions have no updates.
  const isEmpty = Object.keys(result.contextUpdates).length === 0;
  const update: Record<string, unknown> = isEmpty ? {} : { ...result.contextUpdates };
  if (typeof key === "string") {
    const stored = assignResult(run.state.context, key, result.returnValue ?? null);
    if (!stored.ok) {
      const error = new ActionError(stored.message, { action: String(request["action_name"]), code: stored.code });
      return failureEvents(services, run, { action: request, error, missing: false });
    }
    update[stored.name] = stored.value;
  }
  const data = changedOnly(run.state.context, update);
  if (data !== undefined) entries.push({ type: "ContextUpdate", data });
  entries.push(finishedDraft(request, result.returnValue, result.events), ...result.events);
  return entries;
}

/** `events` announces the following events, so that the engine can attribute them. */
function finishedDraft(request: GuardrailsEvent, returnValue: unknown, events: readonly EventDraft[] = []): EventDraft {
  return {
    type: "InternalSystemActionFinished",
    action_uid: request["action_uid"],
    action_name: request["action_name"],
    action_params: request["action_params"],
    action_result_key: request["action_result_key"],
    is_system_action: request["is_system_action"],
    status: "success",
    is_success: true,
    return_value: returnValue,
    events,
  };
}

/** Keeps only values that differ. */
function changedOnly(
  context: Readonly<Record<string, unknown>>,
  update: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  let changed: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(update)) {
    if (Object.hasOwn(context, name) && Object.is(context[name], value)) continue;
    changed ??= {};
    changed[name] = value;
  }
  return changed;
}

async function runRailsAction(
  services: RuntimeServices,
  run: Run,
  request: GuardrailsEvent,
  params: Readonly<Record<string, unknown>>,
): Promise<readonly Entry[]> {
  // INVARIANT: rails do not review the utterances of rails.
  if (run.scope === "rail") return [finishedDraft(request, null)];
  const stage = params["stage"];
  if (stage !== "input" && stage !== "output" && stage !== "retrieval") return [finishedDraft(request, null)];
  const context = run.state.context;
  // A streamed response was reviewed while it was generated.
  const known = stage === "output" ? run.turn.responseReview?.outcomeFor(context["bot_message"]) : undefined;
  // Written out: after a spread, a new key gives each request its own hidden class.
  const runStage = async ({ onFinalText, onBlock }: SpeculationHooks): Promise<StageOutcome> =>
    finishStage(
      services,
      {
        turn: run.turn,
        stage,
        context,
        config: run.config,
        cancellation: run.cancellation,
        past: () => [...run.past(), ...run.events],
        onFinalText,
        onBlock,
      },
      known,
    );
  const outcome =
    stage === "input" && services.config.settings.rails.input.speculative
      ? await runSpeculating(services, run, finishedDraft(request, null), runStage)
      : await runStage({});
  return stageEntries(request, outcome);
}

async function runSpeculating(...stage: Parameters<Speculation["speculateDuringRails"]>): Promise<StageOutcome> {
  const part = speculation();
  return (isPromise(part) ? await part : part).speculateDuringRails(...stage);
}

/** Returns the events that follow from the rails of a stage. */
export function stageEntries(request: GuardrailsEvent, outcome: StageOutcome): readonly Entry[] {
  const entries: Entry[] = [];
  if (outcome.contextUpdates !== undefined) {
    entries.push({ type: "ContextUpdate", data: outcome.contextUpdates });
  }
  const following = [...outcome.entries];
  if (outcome.blocked) following.push({ type: "BotIntent", intent: "stop" });
  entries.push(finishedDraft(request, null, fedEvents(following)), ...following);
  return entries;
}
