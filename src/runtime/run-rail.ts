import { startTimer } from "../actions/timer.js";
import { ActionError, GuardrailsError } from "../diagnostics/errors.js";
import { contextOf, createState } from "../colang1/engine/state.js";
import { parseFlowReference } from "../colang1/flow-reference.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { Cancellation } from "./cancellation.js";
import type { RailDecision, RailStatus } from "./decision.js";
import type { Entry } from "./entry.js";
import { runLoop } from "./run-loop.js";
import type { StageRequest } from "./stage-request.js";
import type { RailNotes, Run } from "./run.js";
import type { RunScope } from "./run-tracker.js";
import type { RuntimeServices } from "./services.js";
import { sumUsage } from "./usage.js";

export interface RailRequest extends StageRequest {
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

const REWRITTEN = { input: "user_message", output: "bot_message", retrieval: "relevant_chunks" } as const;

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
    request.turn.review(
      request.stage,
      before[REWRITTEN[request.stage]],
      contextOf(run.state)[REWRITTEN[request.stage]],
    );
    decide(request, outcome.decision, { startedAt, notes });
    return outcome;
  } catch (error) {
    scope?.fail(error);
    if (request.cancellation.signal.aborted) throw error;
    request.turn.review(request.stage, before[REWRITTEN[request.stage]], undefined);
    const decision = await errorDecision(services, request, reference.id, error, { startedAt, notes });
    decide(request, decision, { startedAt, notes });
    if (services.onError === "throw") throw error;
    return failedOutcome(services, request, reference.id, decision);
  } finally {
    limit.clear();
  }
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
    tags: [`guardrails:${request.stage}`],
    metadata: { guardrails_stage: request.stage, guardrails_rail: request.rail, guardrails_flow: flow },
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
  const triggered = request.stage === "retrieval" ? {} : { [`triggered_${request.stage}_rail`]: flow };
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

interface RailRecord {
  readonly startedAt: number;
  readonly notes: RailNotes;
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
  const decision: RailDecision = {
    ...baseDecision(request, flow, status, record),
    ...(refusal === undefined ? {} : { refusal }),
    ...(exception === undefined ? {} : { metadata: { ...record.notes.details.metadata, exception } }),
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

function baseDecision(request: RailRequest, flow: string, status: RailStatus, record: RailRecord): RailDecision {
  const usage = sumUsage(record.notes.llmCalls);
  const { reason, categories, score, threshold, metadata } = record.notes.details;
  return {
    status,
    stage: request.stage,
    rail: request.rail,
    flow,
    durationMs: request.turn.now() - record.startedAt,
    ...(reason === undefined ? {} : { reason: withoutText(reason, request) }),
    ...(categories === undefined ? {} : { categories: [...categories] }),
    ...(score === undefined ? {} : { score }),
    ...(threshold === undefined ? {} : { threshold }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(usage === undefined ? {} : { usage }),
  };
}

async function errorDecision(
  services: RuntimeServices,
  request: RailRequest,
  flow: string,
  error: unknown,
  record: RailRecord,
): Promise<RailDecision> {
  const reason = withoutText(error instanceof Error ? error.message : String(error), request);
  const code = GuardrailsError.isInstance(error) ? error.code : "RL-104";
  request.turn.problems.push({ code, message: reason, flow, cause: error });
  const refusal = services.onError === "block" ? await refusalText(services, request) : undefined;
  return {
    ...baseDecision(request, flow, "error", record),
    reason,
    ...(refusal === undefined ? {} : { refusal }),
    metadata: { code },
  };
}

/** Shorter texts are also words of ours. */
const MIN_WITHHELD = 4;

/** INVARIANT: decisions and logs of problems do not tell the text that a rail looked at, whoever words them. */
function withoutText(reason: string, { context, stage }: RailRequest): string {
  const text = context[REWRITTEN[stage]];
  return typeof text === "string" && text.length >= MIN_WITHHELD ? reason.replaceAll(text, () => "…") : reason;
}

/** The configuration's own `bot refuse to respond`; should that one fail too, a fixed text, for a block must hold. */
async function refusalText(services: RuntimeServices, request: RailRequest): Promise<string> {
  try {
    const text = await services.generation.messages.render("refuse to respond", request.context);
    if (text !== undefined && text !== "") return text;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    request.turn.problems.push({ code: "PR-101", message, cause: error });
  }
  return "I cannot answer that.";
}

function failedOutcome(
  services: RuntimeServices,
  request: RailRequest,
  flow: string,
  decision: RailDecision,
): RailOutcome {
  const base = { reference: request.rail, flow, contextUpdates: {}, decision };
  if (services.onError === "allow") return { ...base, blocked: false, entries: [] };
  if (services.config.settings.enable_rails_exceptions) {
    const kind = { input: "InputRailException", output: "OutputRailException", retrieval: "RetrievalRailException" };
    const exception: GuardrailsEvent = {
      type: kind[request.stage],
      message: `Rail \`${flow}\` failed, so it blocked.`,
    };
    return { ...base, blocked: true, exception, entries: [{ draft: exception, feed: true }] };
  }
  const refusal = decision.refusal ?? "";
  return {
    ...base,
    blocked: true,
    refusal,
    entries: [
      { draft: { type: "BotIntent", intent: "refuse to respond" }, feed: false },
      { draft: { type: "StartUtteranceBotAction", script: refusal }, feed: true },
    ],
  };
}

/** Ends a rail after a time; waiting for it ends then even if its work does not. */
class TimeLimit {
  readonly cancellation: Cancellation;
  readonly #stopTimer: () => void;

  constructor(cancellation: Cancellation, timeoutMs: number, rail: string) {
    this.cancellation = cancellation;
    this.#stopTimer = startTimer(timeoutMs, () => {
      const message = `rail \`${rail}\` did not answer within ${timeoutMs} ms`;
      cancellation.abort(new ActionError(message, { action: rail, code: "RL-103" }));
    });
  }

  race<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this.cancellation;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });
  }

  clear(): void {
    this.#stopTimer();
    this.cancellation.release();
  }
}
