import { dispatch, type DispatchResult } from "../../actions/dispatcher.js";
import { splitActionEvent } from "../../colang2/event-names.js";
import { isMetaField } from "../../colang2/engine/state/event.js";
import { ActionError } from "../../diagnostics/errors.js";
import { type EventDraft, type GuardrailsEvent, readEvent } from "../../engine/events.js";
import { RESULT_LIMITS } from "../../engine/limits.js";
import { expectPlainData, isEmpty } from "../../engine/plain-data.js";
import type { LlmCallRecord } from "../../llm/task/call-model.js";
import { openActionSpan, recordAction, RunActionContext, runInSpan } from "../action-context.js";
import { andThen, type Cancellation, isPromise, type MaybePromise } from "../../engine/async.js";
import { policyFor } from "../../rails/rail-decision.js";
import { reportProblem } from "../../turn/problem-log.js";
import { isToolOfCaller } from "./tools/tool-names.js";
import { callServices } from "./call-services.js";
import {
  admitEvent,
  type Colang2Run,
  type Colang2Services,
  historyEvents,
  noteSources,
  type PerformedAction,
  variablesOf,
} from "./run.js";
import { type LocalAction, type LocalOutcome, startLocal } from "./local-actions.js";

/** Starts a registered action; undefined for one that the application performs. */
export function launchAction(
  services: Colang2Services,
  run: Colang2Run,
  request: GuardrailsEvent,
): LocalAction | undefined {
  const name = splitActionEvent(request.type)?.action ?? "";
  const resolution = services.registry.resolve(name);
  // A merely similar name belongs to another action.
  if (!resolution.found || resolution.note !== undefined) return undefined;
  if (resolution.definition.yieldsToTools === true && isToolOfCaller(services, name, run.turn.options))
    return undefined;
  const launch = { name, request };
  const { recorded } = run;
  if (recorded?.response !== undefined && ANSWERING.has(name)) {
    const outcome = outcomeEventsOf(services, run, launch, recorded.response);
    delete recorded.response;
    return { done: Promise.resolve(outcome), stop: () => undefined };
  }
  const isAsync = resolution.definition.executeAsync === true;
  return startLocal(run, `the action \`${name}\` was stopped`, (own) => perform(services, run, launch, own), isAsync);
}

interface Launch {
  readonly name: string;
  readonly request: GuardrailsEvent;
}

async function perform(
  services: Colang2Services,
  run: Colang2Run,
  { name, request }: Launch,
  cancellation: Cancellation,
): Promise<LocalOutcome> {
  const action = { name, params: argumentsOf(request), request: () => request };
  const performing = performAction(services, run, action, cancellation);
  const performed = isPromise(performing) ? await performing : performing;
  return outcomeEventsOf(services, run, { name, request }, performed);
}

/** An action performed by a run. */
export interface RunningAction {
  /** Name as written in the flow. */
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Returns the event that requests it. */
  readonly request: () => GuardrailsEvent;
}

/** Performs an action of a run, without the resulting events. */
export function performAction(
  services: Colang2Services,
  run: Colang2Run,
  { name, params, request }: RunningAction,
  cancellation: Cancellation,
): MaybePromise<PerformedAction> {
  const startedAt = run.turn.now();
  const calls: LlmCallRecord[] = [];
  const span = openActionSpan(run, name, params);
  const views = {
    context: variablesOf(run),
    state: () => run.engine.state,
    events: () => [...run.past(), ...historyEvents(run.events), request()],
  };
  const start = (): MaybePromise<DispatchResult> =>
    dispatch({
      registry: services.registry,
      name,
      params,
      context: (own, unlimited) => {
        const { context, state, events } = views;
        const all = { context, state, events, services: () => callServices(services, run, { unlimited, span }) };
        return new RunActionContext(services, run, all, { calls, own, span });
      },
      runWithConfig: services.runWithConfig,
      timeoutMs: waitsForReader(run, name) ? 0 : services.config.settings.actions.timeout_ms,
      signal: cancellation,
    });
  return andThen(span === undefined ? start() : runInSpan(span, start), (outcome): PerformedAction => {
    if (!outcome.ok) return { ok: false, error: outcome.error };
    const performed = readResult(services, outcome);
    if (!performed.ok) return performed;
    const { returnValue, loggedParams: actionParams = params } = outcome.result;
    recordAction(run, { actionName: name, actionParams, returnValue, llmCalls: calls, startedAt });
    return performed;
  });
}

/** Returns the result of an action, or an error if flows cannot hold it. */
function readResult(
  services: Colang2Services,
  { action, result: { returnValue, contextUpdates, events } }: Extract<DispatchResult, { readonly ok: true }>,
): PerformedAction {
  try {
    const updates = isEmpty(contextUpdates)
      ? NO_UPDATES
      : (readEvent({ type: "ContextUpdate", data: contextUpdates }, RESULT_LIMITS)["data"] as typeof contextUpdates);
    const value = expectPlainData(returnValue, { at: "returnValue", limits: RESULT_LIMITS });
    // INVARIANT: an action's events also come from outside, so engine events are rejected.
    return { ok: true, value, updates, events: events.map((event) => admitEvent(event, services.events)) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "it cannot be read";
    const message = `the result of \`${action.name}\` cannot be kept: ${why}`;
    return { ok: false, error: new ActionError(message, { action: action.name, code: "CO-407", cause }) };
  }
}

const NO_UPDATES = {};

/** Converts the result of an action to events. */
export function outcomeEventsOf(
  services: Colang2Services,
  run: Colang2Run,
  launch: Launch,
  performed: PerformedAction,
): LocalOutcome {
  if (!performed.ok) return failed(services, run, launch, performed.error);
  const { value, updates, events } = performed;
  noteSources(run, updates);
  const end = finished(launch.name, launch.request, { status: "success", is_success: true, return_value: value });
  return { events: isEmpty(updates) ? [end, ...events] : [{ type: "ContextUpdate", data: updates }, end, ...events] };
}

/** While a response streams, its action takes as long as the reader does. */
function waitsForReader({ turn, scope }: Colang2Run, name: string): boolean {
  const { stream, generator } = turn.options;
  return scope !== "rail" && stream !== undefined && generator !== undefined && ANSWERING.has(name);
}

const ANSWERING: ReadonlySet<string> = new Set(["AnswerUserAction", "PassthroughLLMAction"]);

/**
 * The end of a failed action. An awaited library rail applies its policy for service failures.
 *
 * @throws ActionError inside a rail, which would guard nothing without its verdict
 */
function failed(services: Colang2Services, run: Colang2Run, launch: Launch, error: ActionError): LocalOutcome {
  if (run.scope === "rail") throw error;
  const problem = { code: error.code, message: error.message, action: error.action, cause: error };
  const policy = error.passing === undefined ? "block" : policyFor(services, error);
  if (policy === "throw") run.turn.rejection ??= { error };
  if (policy === "allow" && error.passing !== undefined) {
    reportProblem(services, run.turn, problem, { effect: "the text passes" });
    const value = expectPlainData(error.passing.value, { at: "returnValue", limits: RESULT_LIMITS });
    return outcomeEventsOf(services, run, launch, { ok: true, value, updates: NO_UPDATES, events: [] });
  }
  reportProblem(services, run.turn, problem);
  const end = { status: "failed", is_success: false, failure_reason: error.message, return_value: null };
  return {
    events: [finished(launch.name, launch.request, end)],
    error: { type: "ActionError", message: error.message },
  };
}

function finished(name: string, request: GuardrailsEvent, end: Readonly<Record<string, unknown>>): EventDraft {
  return { type: `${name}Finished`, action_uid: request["action_uid"], action_name: name, ...end };
}

/** Arguments of an action: all fields of its request except the envelope. */
export function argumentsOf(request: GuardrailsEvent): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => !isMetaField(name)));
}
