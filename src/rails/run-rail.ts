import { readOwn, writeOwn } from "../engine/plain-data.js";
import { type FlowReference, parseFlowReference } from "../engine/flow-reference.js";
import { type GuardrailsEvent, startTimer } from "../engine/events.js";
import { andThen, isPromise, type MaybePromise, type Cancellation, untilAborted } from "../engine/async.js";
import { type Entry, type RailDecision, type RailStatus, isToolStage, fedEvents } from "../turn/decision.js";
import {
  baseDecision,
  decisionStage,
  errorDecision,
  failedOutcome,
  policyFor,
  raisedRedactor,
  redactError,
  REWRITTEN,
  type RailRecord,
  reworded,
  checkRewritten,
} from "./rail-decision.js";
import { openTextsOf, reviewException, type Reviewers, reviewUtterances } from "./review-utterances.js";
import { followChunks } from "./chunk-places.js";
import { selectVerdictRails } from "./plan.js";
import type { RailOutcome, RailRequest, StageRequest, RailRun, RailNotes } from "./rail-dialect.js";
import { exhausted } from "../engine/limits.js";
import type { SpanStart } from "../engine/span.js";
import type { RunScope } from "../turn/run-tracker.js";
import type { RailServices } from "./services.js";
import { ActionError, GuardrailsError } from "../diagnostics/errors.js";

/**
 * Runs one rail with its own state over a copy of the context, with its time limit, as a traced child run. A rail that
 * fails or times out counts as a block with status `error`, unless `onError` says otherwise.
 *
 * @throws the cause with `onError: "throw"`; the signal's reason if the caller aborted
 */
export function runRail(services: RailServices, request: RailRequest): MaybePromise<RailOutcome> {
  return new RailExecution(services, request).run();
}

/** One run of a rail. Synchronous if all of its actions are. */
class RailExecution {
  readonly #services: RailServices;
  readonly #request: RailRequest;
  readonly #reference: FlowReference;
  readonly #startedAt: number;
  readonly #notes: RailNotes = {
    details: NO_DETAILS,
    llmCalls: [],
    steps: [],
    actions: [],
    span: undefined,
    known: undefined,
    written: new Set(),
  };
  readonly #limit: TimeLimit;
  #scope: RunScope | undefined;

  constructor(services: RailServices, request: RailRequest) {
    this.#services = services;
    this.#request = request;
    this.#notes.known = request.known;
    this.#reference = parseFlowReference(request.rail);
    this.#startedAt = request.turn.now();
    const { railBudget } = request.turn.limits;
    const timeoutMs =
      railBudget === undefined ? services.timeoutMs : Math.min(services.timeoutMs, request.turn.railTimeLeft);
    this.#limit = new TimeLimit(request.cancellation.child(), timeoutMs, request.rail);
  }

  run(): MaybePromise<RailOutcome> {
    const { turn } = this.#request;
    if (turn.span !== undefined) this.#notes.span = turn.span.start(spanOf(this.#request, this.#reference.id));
    let running: MaybePromise<RailOutcome>;
    try {
      running = andThen(openRun(this.#services, this.#request, this.#reference.id), (scope) => this.#start(scope));
    } catch (error) {
      return this.#finishLater(Promise.reject(error as Error));
    }
    if (isPromise(running)) return this.#finishLater(running);
    this.#limit.clear();
    return running;
  }

  async #finishLater(running: Promise<RailOutcome>): Promise<RailOutcome> {
    try {
      return await running;
    } catch (error) {
      return await this.#fail(error);
    } finally {
      this.#limit.clear();
    }
  }

  #start(scope: RunScope): MaybePromise<RailOutcome> {
    this.#scope = scope;
    const { turn } = this.#request;
    if (turn.limits.railBudget !== undefined && turn.railTimeLeft <= 0) {
      throw exhausted("milliseconds", turn.limits.railBudget);
    }
    const { id: flow, parameters } = this.#reference;
    const { cancellation } = this.#limit;
    const notes = this.#notes;
    const start = { request: this.#request, flow, parameters, config: scope.config, cancellation, notes };
    return andThen(this.#limit.race(this.#services.rails.run(start)), (run) =>
      andThen(this.#reviewEmitted(run), (reviewed) => this.#end(reviewed)),
    );
  }

  /**
   * The other output rails review its utterances, unless they are written in the configuration or the call disables the
   * rails.
   */
  #reviewEmitted(run: RailRun): MaybePromise<RailRun> {
    if (run.utterances.length === 0 && run.exception === undefined) return run;
    const reviewed =
      run.utterances.length === 0
        ? run
        : reviewUtterances(run, reviewersOf(this.#services, this.#request), (text) => this.#notes.written.has(text));
    return andThen(reviewed, (passed) =>
      passed.exception === undefined ? passed : reviewRaised(this.#services, this.#request, passed),
    );
  }

  #end(reviewed: RailRun): RailOutcome {
    const request = this.#request;
    const run =
      reviewed.isBlocked && this.#services.refusals !== undefined
        ? rewordRefusals(this.#services, request, reviewed, this.#notes.details.categories)
        : reviewed;
    const record = { startedAt: this.#startedAt, notes: this.#notes };
    const outcome = finishRun(request, this.#reference.id, run, record);
    const { status, metadata } = outcome.decision;
    const isCached = metadata?.["cached"] === true;
    this.#scope?.end(isCached ? { status, cached: true } : { status });
    this.#notes.span?.end({ ...outcome.decision, subject: run.context[REWRITTEN[request.stage]], isCached });
    review(request, request.context, run.context[REWRITTEN[request.stage]]);
    decide(request, outcome.decision, record);
    return outcome;
  }

  async #fail(error: unknown): Promise<RailOutcome> {
    const services = this.#services;
    const request = this.#request;
    const { id: flow } = this.#reference;
    const record = { startedAt: this.#startedAt, notes: this.#notes };
    if (request.cancellation.aborted) {
      const { reason } = request.cancellation;
      this.#notes.span?.end({ status: "cancelled" });
      // INVARIANT: a superseded rail has decided nothing, so it is neither an error nor a block.
      if (GuardrailsError.isInstance(reason) && reason.code === SUPERSEDED) this.#scope?.end({ status: "cancelled" });
      else this.#scope?.fail(error);
      throw error;
    }
    this.#scope?.fail(error);
    review(request, request.context, undefined);
    const onError = policyFor(services, error);
    const decision = await errorDecision(services, request, { flow, error, onError }, record);
    decide(request, decision, record);
    this.#notes.span?.end(decision);
    // A timer may fire slightly before the clock shows its time.
    request.turn.spend({ milliseconds: Math.max(0, this.#limit.elapsedMs - decision.durationMs) });
    if (onError === "throw") {
      const rejection = { error: redactError(error, request).cause };
      request.turn.rejection ??= rejection;
      throw rejection.error;
    }
    return failedOutcome(services, request, { flow, onError }, decision);
  }
}

const NO_DETAILS = {};

/** Fields of events that carry an utterance. */
const UTTERED = ["script", "final_script"] as const;

/** Returns the run with the configured refusals for the rail, which need no review. */
function rewordRefusals(
  services: RailServices,
  request: RailRequest,
  run: RailRun,
  categories: readonly string[] | undefined,
): RailRun {
  const made = new Map(run.utterances.map((text) => [text, reworded(services, request, text, categories)] as const));
  if ([...made].every(([text, refusal]) => text === refusal)) return run;
  const reword = (entry: Entry): Entry => {
    if (entry.type === undefined) return entry;
    const changed = UTTERED.flatMap((name) => {
      const refusal = made.get(String(entry[name]));
      return refusal === undefined ? [] : [[name, refusal] as const];
    });
    return changed.length === 0 ? entry : { ...entry, ...Object.fromEntries(changed) };
  };
  return { ...run, utterances: [...made.values()], entries: run.entries.map(reword) };
}

/** Records the review, except for tool calls and reasoning, which no conversation stores. */
function review({ turn, stage, about }: RailRequest, before: Readonly<Record<string, unknown>>, after: unknown): void {
  if (!isToolStage(stage) && about !== "reasoning") turn.recordReview(stage, before[REWRITTEN[stage]], after);
}

function reviewersOf(services: RailServices, request: RailRequest): Reviewers {
  const utteringRails = [...(request.utteringRails ?? []), request.rail];
  const reviewing = services.stages ?? services;
  // Utterances of a shadow rail are dropped.
  const rails = request.isShadow === true ? [] : selectVerdictRails(reviewing, request.turn.options, "output");
  return {
    rails: rails.filter((rail) => !utteringRails.includes(rail)),
    review: async (rail, text) => {
      const context = { ...request.context, bot_message: text };
      return runRail(reviewing, {
        ...request,
        stage: "output",
        rail,
        context,
        about: "refusal",
        utteringRails,
        known: undefined,
      });
    },
  };
}

/** Returns the exceptions of the rail in releasable form. */
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
 * Reviews exceptions created by flows outside of rails with the output rails enabled in the call; those of rails were
 * already reviewed.
 *
 * @param context - returns the current variables
 * @param output - further events of the turn in which exceptions are also replaced by reviewed ones
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
  turn.recordDecision(decision);
  if (turn.limits.railBudget !== undefined) turn.spend({ milliseconds: decision.durationMs });
  turn.activity?.rail(decision, { steps: notes.steps, actions: notes.actions, startedAt, finishedAt: turn.now() });
}

function spanOf({ turn, rail, stage, about, isShadow, context }: RailRequest, flow: string): SpanStart {
  const subject = context[REWRITTEN[stage]];
  const shown = { rail, flow, stage: decisionStage(stage), subject, isShadow };
  return { kind: "rail", about: about ?? turn.about, ...shown };
}

function openRun(services: RailServices, request: RailRequest, flow: string): MaybePromise<RunScope> {
  if (!services.tracker.listens(request.config)) {
    return { config: request.config, end: () => undefined, fail: () => undefined };
  }
  return services.tracker.start(request.config, {
    name: `rail:${flow}`,
    tags: [`guardrails:${decisionStage(request.stage)}`],
    metadata: {
      guardrails_stage: decisionStage(request.stage),
      guardrails_rail: request.rail,
      guardrails_flow: flow,
      ...(request.isShadow === true ? { guardrails_shadow: true } : {}),
    },
    input: { [REWRITTEN[request.stage]]: request.context[REWRITTEN[request.stage]] },
  });
}

function finishRun(request: RailRequest, flow: string, run: RailRun, record: RailRecord): RailOutcome {
  const { isBlocked: blocked, utterances, exception, entries } = run;
  const contextUpdates = changes(request.context, run.context);
  if (!blocked) checkRewritten(flow, request.context, contextUpdates);
  if (request.stage === "retrieval") {
    separateChunks(contextUpdates);
    followChunks(request.context, contextUpdates);
  }
  const rewritten = isRewritten(request, contextUpdates);
  const status: RailStatus = blocked ? "blocked" : rewritten ? "modified" : "passed";
  const refusal = blocked && utterances.length > 0 ? utterances.join("\n") : undefined;
  const decision = baseDecision(request, flow, status, record);
  if (refusal !== undefined) decision.refusal = refusal;
  if (exception !== undefined) decision.metadata = { ...decision.metadata, exception };
  return { reference: request.rail, flow, blocked, contextUpdates, entries, refusal, exception, decision };
}

/** Returns true if a rail has changed its text; a missing text that became empty is unchanged. */
function isRewritten({ stage, context }: RailRequest, updates: Readonly<Record<string, unknown>>): boolean {
  const name = REWRITTEN[stage];
  return Object.hasOwn(updates, name) && (updates[name] !== "" || (readOwn(context, name) ?? "") !== "");
}

/** INVARIANT: chunks that a rail rewrote as a whole become one chunk. */
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
  for (const name of Object.keys(after)) {
    if (name.startsWith("triggered_") || name === "last_bot_message") continue;
    const value = after[name];
    if (!Object.hasOwn(before, name) || !Object.is(before[name], value)) writeOwn(changed, name, value);
  }
  return changed;
}

/** Ends a rail after a time limit; stops waiting even if its work does not end. */
class TimeLimit {
  readonly cancellation: Cancellation;
  /** The limit, once it has ended the rail; 0 before. */
  elapsedMs = 0;
  readonly #timeoutMs: number;
  readonly #rail: string;
  #stopTimer: (() => void) | undefined;

  constructor(cancellation: Cancellation, timeoutMs: number, rail: string) {
    this.cancellation = cancellation;
    this.#timeoutMs = timeoutMs;
    this.#rail = rail;
  }

  /** Starts the time limit; synchronous work needs none. */
  race<Result>(work: MaybePromise<Result>): MaybePromise<Result> {
    const { cancellation } = this;
    if (!isPromise(work)) {
      cancellation.throwIfAborted();
      return work;
    }
    this.#stopTimer = startTimer(this.#timeoutMs, () => {
      this.elapsedMs = this.#timeoutMs;
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

/** Reason for cancelling a rail whose result no longer affects its stage. */
export function superseded(rail: string): ActionError {
  return new ActionError("another rail settled the verdict first", { action: rail, code: SUPERSEDED });
}
