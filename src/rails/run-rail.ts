import { omitUndefined } from "../engine/plain-data.js";
import { parseFlowReference } from "../engine/flow-reference.js";
import { type GuardrailsEvent, startTimer } from "../engine/events.js";
import { isPromise, type MaybePromise, type Cancellation, untilAborted } from "../engine/async.js";
import { type RailDecision, type RailStatus, isToolStage, fedEvents } from "../turn/decision.js";
import {
  baseDecision,
  decisionStage,
  errorDecision,
  failedOutcome,
  raisedRedactor,
  redactError,
  REWRITTEN,
  type RailRecord,
  checkRewritten,
} from "./rail-decision.js";
import { openTextsOf, reviewException, type Reviewers, reviewUtterances } from "./review-utterances.js";
import { selectRails } from "./plan.js";
import type { RailOutcome, RailRequest, StageRequest, RailRun, RailNotes } from "./rail-dialect.js";
import type { RunScope } from "../turn/run-tracker.js";
import type { RailServices } from "./services.js";
import { ActionError, GuardrailsError } from "../diagnostics/errors.js";

/**
 * Runs one rail in a state of its own over a copy of the context, with its time limit, as a traced child run.
 * A rail that fails or does not answer in time counts as a block with status `error` unless `onError` says otherwise.
 *
 * @throws the cause with `onError: "throw"`; the signal's reason when the caller aborted
 */
export async function runRail(services: RailServices, request: RailRequest): Promise<RailOutcome> {
  const reference = parseFlowReference(request.rail);
  const startedAt = request.turn.now();
  const notes: RailNotes = { details: {}, llmCalls: [], steps: [], actions: [], written: new Set() };
  const limit = new TimeLimit(request.cancellation.child(), services.timeoutMs, request.rail);
  let scope: RunScope | undefined;
  const before = request.context;
  try {
    const opened = openRun(services, request, reference.id);
    scope = isPromise(opened) ? await opened : opened;
    const { id: flow, parameters } = reference;
    const { cancellation } = limit;
    const running = limit.race(
      services.rails.run({ request, flow, parameters, config: scope.config, cancellation, notes }),
    );
    const run = isPromise(running) ? await running : running;
    // The other output rails review its utterances, unless the configuration words them or the call turns the rails off.
    const reviewed =
      run.utterances.length === 0
        ? run
        : await reviewUtterances(run, reviewersOf(services, request), (text) => notes.written.has(text));
    const passed = reviewed.exception === undefined ? reviewed : await reviewRaised(services, request, reviewed);
    const outcome = finishRun(request, flow, passed, { startedAt, notes });
    scope.end({ status: outcome.decision.status });
    review(request, before, passed.context[REWRITTEN[request.stage]]);
    decide(request, outcome.decision, { startedAt, notes });
    return outcome;
  } catch (error) {
    if (request.cancellation.aborted) {
      const { reason } = request.cancellation;
      // INVARIANT: a superseded rail has decided nothing: it is neither an error nor a block.
      if (GuardrailsError.isInstance(reason) && reason.code === SUPERSEDED) scope?.end({ status: "cancelled" });
      else scope?.fail(error);
      throw error;
    }
    scope?.fail(error);
    review(request, before, undefined);
    const decision = await errorDecision(services, request, reference.id, error, { startedAt, notes });
    decide(request, decision, { startedAt, notes });
    if (services.onError === "throw") {
      const rejection = { error: redactError(error, request).cause };
      request.turn.rejection ??= rejection;
      throw rejection.error;
    }
    return failedOutcome(services, request, reference.id, decision);
  } finally {
    limit.clear();
  }
}

/** Notes the review, except for tool calls and reasoning, which no conversation keeps. */
function review({ turn, stage, about }: RailRequest, before: Readonly<Record<string, unknown>>, after: unknown): void {
  if (!isToolStage(stage) && about !== "reasoning") turn.review(stage, before[REWRITTEN[stage]], after);
}

function reviewersOf(services: RailServices, request: RailRequest): Reviewers {
  const speakers = [...(request.speakers ?? []), request.rail];
  const reviewing = services.stages ?? services;
  return {
    rails: selectRails(reviewing, request.turn.options, "output").filter((rail) => !speakers.includes(rail)),
    review: (rail, text) => {
      const context = { ...request.context, bot_message: text };
      return runRail(reviewing, { ...request, stage: "output", rail, context, about: "refusal", speakers });
    },
  };
}

/** Exceptions that the rail raises, as they may leave. */
async function reviewRaised(services: RailServices, request: RailRequest, run: RailRun): Promise<RailRun> {
  const reviewers = reviewersOf(services, request);
  const redactor = raisedRedactor(request);
  const isWritten = (text: string): boolean => services.rails.isWritten(text);
  const reviewed = new Map<unknown, GuardrailsEvent>();
  const sent = fedEvents(run.entries).filter(({ type }) => type.endsWith("Exception"));
  for (const event of [...sent, run.exception]) {
    if (event === undefined || reviewed.has(event)) continue;
    const passed = await reviewException(event, reviewers, isWritten, redactor);
    reviewed.set(event, passed);
    for (const text of openTextsOf(passed, isWritten)) request.turn.passedTexts.push(text);
  }
  return {
    ...run,
    exception: reviewed.get(run.exception) ?? run.exception,
    entries: run.entries.map((entry) => reviewed.get(entry) ?? entry),
  };
}

/**
 * Reviews the exceptions that flows outside of rails have created, with the output rails that the call has on; those of rails
 * were reviewed there.
 *
 * @param context - returns the variables at this moment
 * @param output - further events of the turn, in which the reviewed exceptions replace the others too
 */
export async function reviewExceptions(
  services: RailServices,
  run: Omit<StageRequest, "stage" | "context"> & { readonly events: GuardrailsEvent[] },
  context: () => StageRequest["context"],
  output: GuardrailsEvent[] = [],
): Promise<void> {
  const { turn, config, cancellation, past, events } = run;
  const isWritten = (text: string): boolean => turn.passedTexts.includes(text) || services.rails.isWritten(text);
  for (const [index, event] of events.entries()) {
    if (!event.type.endsWith("Exception")) continue;
    const request = { turn, stage: "output", rail: "", context: context(), config, cancellation, past } as const;
    const reviewed = await reviewException(event, reviewersOf(services, request), isWritten, undefined);
    events[index] = reviewed;
    const at = output.indexOf(event);
    if (at !== -1) output[at] = reviewed;
  }
}

function decide(request: RailRequest, decision: RailDecision, { startedAt, notes }: RailRecord): void {
  const { turn } = request;
  turn.decide(decision);
  turn.activity?.rail(decision, { steps: notes.steps, actions: notes.actions, startedAt, finishedAt: turn.now() });
}

function openRun(services: RailServices, request: RailRequest, flow: string): Promise<RunScope> | RunScope {
  if (!services.tracker.listens(request.config)) {
    return { config: request.config, end: () => undefined, fail: () => undefined };
  }
  return services.tracker.start(request.config, {
    name: `rail:${flow}`,
    tags: [`guardrails:${decisionStage(request.stage)}`],
    metadata: { guardrails_stage: decisionStage(request.stage), guardrails_rail: request.rail, guardrails_flow: flow },
    input: { [REWRITTEN[request.stage]]: request.context[REWRITTEN[request.stage]] },
  });
}

function finishRun(request: RailRequest, flow: string, run: RailRun, record: RailRecord): RailOutcome {
  const { isBlocked: blocked, utterances, exception, entries } = run;
  const contextUpdates = changes(request.context, run.context);
  if (!blocked) checkRewritten(flow, request.context, contextUpdates);
  if (request.stage === "retrieval") separateChunks(contextUpdates);
  const rewritten = Object.hasOwn(contextUpdates, REWRITTEN[request.stage]);
  const status: RailStatus = blocked ? "blocked" : rewritten ? "modified" : "passed";
  const refusal = blocked && utterances.length > 0 ? utterances.join("\n") : undefined;
  const base = baseDecision(request, flow, status, record);
  const metadata = exception === undefined ? base.metadata : { ...base.metadata, exception };
  const decision = omitUndefined({ ...base, refusal, metadata });
  return omitUndefined({
    reference: request.rail,
    flow,
    blocked,
    contextUpdates,
    entries,
    refusal,
    exception,
    decision,
  });
}

/** INVARIANT: chunks that a rail has rewritten as a whole are one chunk. */
function separateChunks(updates: Record<string, unknown>): void {
  if (!Object.hasOwn(updates, "relevant_chunks") || Object.hasOwn(updates, "relevant_chunks_sep")) return;
  const { relevant_chunks: text } = updates;
  updates["relevant_chunks_sep"] = typeof text === "string" && text !== "" ? [text] : [];
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

/** Ends a rail after a time; waiting for it ends then even if its work does not. */
class TimeLimit {
  readonly cancellation: Cancellation;
  readonly #timeoutMs: number;
  readonly #rail: string;
  #stopTimer: (() => void) | undefined;

  constructor(cancellation: Cancellation, timeoutMs: number, rail: string) {
    this.cancellation = cancellation;
    this.#timeoutMs = timeoutMs;
    this.#rail = rail;
  }

  /** The time counts from here; work that is done already needs none. */
  race<Result>(work: MaybePromise<Result>): MaybePromise<Result> {
    const { cancellation } = this;
    if (!isPromise(work)) {
      cancellation.throwIfAborted();
      return work;
    }
    this.#stopTimer = startTimer(this.#timeoutMs, () => {
      const message = `rail \`${this.#rail}\` did not answer within ${this.#timeoutMs} ms`;
      cancellation.abort(new ActionError(message, { action: this.#rail, code: "RL-103", timeoutMs: this.#timeoutMs }));
    });
    return untilAborted(work, cancellation);
  }

  clear(): void {
    this.#stopTimer?.();
    this.cancellation.release();
  }
}

const SUPERSEDED = "RL-105";

/** Why a rail is ended without which the outcome of its stage is certain. */
export function superseded(rail: string): ActionError {
  return new ActionError("another rail settled the verdict first", { action: rail, code: SUPERSEDED });
}
