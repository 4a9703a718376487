import { contextOf, createState } from "../colang1/engine/state.js";
import { parseFlowReference } from "../colang1/flow-reference.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { Cancellation } from "./cancellation.js";
import type { RailDecision, RailStatus } from "./decision.js";
import type { Entry } from "./entry.js";
import {
  baseDecision,
  decisionStage,
  errorDecision,
  failedOutcome,
  REWRITTEN,
  type RailRecord,
} from "./rail-decision.js";
import { isOvertaken } from "./overtaken.js";
import { runLoop } from "./run-loop.js";
import { isToolStage, type RailsStage, type StageRequest, type ToolStage } from "./stage-request.js";
import type { RailNotes, Run } from "./run.js";
import type { RunScope } from "./run-tracker.js";
import type { RuntimeServices } from "./services.js";
import { TimeLimit } from "./time-limit.js";

export interface RailRequest extends Omit<StageRequest, "stage"> {
  readonly stage: RailsStage | ToolStage;
  /** As configured, with parameters: `content safety check $model=guard`. */
  readonly rail: string;
}

export interface RailOutcome {
  readonly reference: string;
  readonly flow: string;
  readonly blocked: boolean;
  readonly contextUpdates: Readonly<Record<string, unknown>>;
  readonly entries: readonly Entry[];
  readonly refusal?: string;
  readonly exception?: GuardrailsEvent;
  readonly decision: RailDecision;
}

/**
 * Runs one rail in a state of its own over a copy of the context, with its time limit, as a traced child run.
 * A rail that fails or does not answer in time counts as a block with status `error` unless `onError` says otherwise.
 *
 * @throws the cause with `onError: "throw"`; the signal's reason when the caller aborted
 */
export async function runRail(services: RuntimeServices, request: RailRequest): Promise<RailOutcome> {
  const reference = parseFlowReference(request.rail);
  const startedAt = request.turn.now();
  const notes: RailNotes = { details: {}, llmCalls: [], steps: [], actions: [] };
  const limit = new TimeLimit(request.cancellation.child(), services.timeoutMs, request.rail);
  let scope: RunScope | undefined;
  const before = request.context;
  try {
    scope = await openRun(services, request, reference.id);
    const run = createRailRun(services, request, reference.id, limit.cancellation, scope, notes);
    const flow = { type: "start_flow", flow_id: reference.id, params: parametersOf(services, reference) };
    await limit.race(runLoop(services, run, [flow]));
    const outcome = conclude(services, request, reference.id, run, before, { startedAt, notes });
    scope.end({ status: outcome.decision.status });
    review(request, before, contextOf(run.state)[REWRITTEN[request.stage]]);
    decide(request, outcome.decision, { startedAt, notes });
    return outcome;
  } catch (error) {
    if (request.cancellation.aborted) {
      if (isOvertaken(request.cancellation.reason)) scope?.end({ status: "cancelled" });
      else scope?.fail(error);
      throw error;
    }
    scope?.fail(error);
    review(request, before, undefined);
    const decision = await errorDecision(services, request, reference.id, error, { startedAt, notes });
    decide(request, decision, { startedAt, notes });
    if (services.onError === "throw") throw error;
    return failedOutcome(services, request, reference.id, decision);
  } finally {
    limit.clear();
  }
}

/** What rails made of a tool call is kept in no conversation, so nothing has to be withheld from one. */
function review({ turn, stage }: RailRequest, before: Readonly<Record<string, unknown>>, after: unknown): void {
  if (!isToolStage(stage)) turn.review(stage, before[REWRITTEN[stage]], after);
}

function decide(request: RailRequest, decision: RailDecision, { startedAt, notes }: RailRecord): void {
  const { turn } = request;
  turn.decide(decision);
  turn.activity?.rail(decision, { steps: notes.steps, actions: notes.actions, startedAt, finishedAt: turn.now() });
}

function openRun(services: RuntimeServices, request: RailRequest, flow: string): Promise<RunScope> | RunScope {
  if (!services.tracker.listens(request.config)) {
    return { config: request.config, end: () => undefined, fail: () => undefined };
  }
  return services.tracker.start(request.config, {
    name: `rail:${flow}`,
    tags: [`guardrails:${decisionStage(request.stage)}`],
    metadata: { guardrails_stage: decisionStage(request.stage), guardrails_rail: request.rail, guardrails_flow: flow },
    input: { [REWRITTEN[request.stage]]: request.context[REWRITTEN[request.stage]] ?? "" },
  });
}

function createRailRun(
  services: RuntimeServices,
  request: RailRequest,
  flow: string,
  cancellation: Cancellation,
  scope: RunScope,
  notes: RailNotes,
): Run {
  const triggered =
    request.stage !== "input" && request.stage !== "output" ? {} : { [`triggered_${request.stage}_rail`]: flow };
  const context = { ...request.context, ...triggered };
  return {
    turn: request.turn,
    scope: "rail",
    state: createState(services.program, context, { scope: "rail", limits: services.limits }),
    past: request.past,
    events: [],
    config: scope.config,
    cancellation,
    perform: request.perform,
    rail: { name: flow, notes },
    stopped: false,
    failed: false,
  };
}

/** Parameters that the rail declares and the reference does not give are null, whatever a variable of that name holds. */
function parametersOf(
  services: RuntimeServices,
  reference: ReturnType<typeof parseFlowReference>,
): Readonly<Record<string, string | null>> {
  const parameters: Record<string, string | null> = {};
  const declared = services.flows.get(reference.id)?.parameters ?? [];
  for (const name of declared) parameters[name] = null;
  for (const { name, value } of reference.parameters) parameters[name] = value;
  return parameters;
}

function conclude(
  services: RuntimeServices,
  request: RailRequest,
  flow: string,
  run: Run,
  before: Readonly<Record<string, unknown>>,
  record: RailRecord,
): RailOutcome {
  const utterances = run.events
    .filter((event) => event.type === "StartUtteranceBotAction")
    .map((event) => String(event["script"] ?? ""));
  const continues = services.flows.get(flow)?.continues === true;
  const spoke = utterances.length > 0 && !continues;
  const blocked = run.stopped || run.exception !== undefined || spoke;
  const contextUpdates = changes(before, contextOf(run.state));
  if (request.stage === "retrieval") separateChunks(contextUpdates);
  const rewritten = Object.hasOwn(contextUpdates, REWRITTEN[request.stage]);
  const status: RailStatus = blocked ? "blocked" : rewritten ? "modified" : "passed";
  const refusal = blocked && utterances.length > 0 ? utterances.join("\n") : undefined;
  const exception = run.exception;
  const base = baseDecision(request, flow, status, record);
  const decision: RailDecision = {
    ...base,
    ...(refusal === undefined ? {} : { refusal }),
    ...(exception === undefined ? {} : { metadata: { ...base.metadata, exception } }),
  };
  return {
    reference: request.rail,
    flow,
    blocked,
    contextUpdates,
    entries: spokenEntries(run.events, blocked),
    ...(refusal === undefined ? {} : { refusal }),
    ...(exception === undefined ? {} : { exception }),
    decision,
  };
}

/** INVARIANT: nobody reads, chunk by chunk, what a rail has rewritten as a whole. */
function separateChunks(updates: Record<string, unknown>): void {
  if (!Object.hasOwn(updates, "relevant_chunks") || Object.hasOwn(updates, "relevant_chunks_sep")) return;
  const { relevant_chunks: text } = updates;
  updates["relevant_chunks_sep"] = typeof text === "string" && text !== "" ? [text] : [];
}

/** The rail's intents and actions are written down only; what was said, masked or raised reaches the conversation. */
function spokenEntries(events: readonly GuardrailsEvent[], blocked: boolean): Entry[] {
  const entries: Entry[] = [];
  for (const event of events) {
    if (event.type === "StartUtteranceBotAction" || event.type === "mask_prev_user_message") {
      entries.push({ draft: event, feed: true });
    } else if (event.type.endsWith("Exception") && blocked) {
      entries.push({ draft: event, feed: true });
    } else if (event.type === "BotIntent" && event["intent"] !== "stop") {
      entries.push({ draft: event, feed: false });
    }
  }
  return entries;
}

function changes(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  if (before === after) return changed;
  for (const [name, value] of Object.entries(after)) {
    if (name.startsWith("triggered_") || name === "last_bot_message") continue;
    if (!Object.hasOwn(before, name) || !Object.is(before[name], value)) changed[name] = value;
  }
  return changed;
}
