import type { ResponseCuts, ResponsePart, ResponseReview, PartVerdict } from "../../turn/response.js";
import type { StageOutcome } from "../../turn/decision.js";
import { type Cancellation, isPromise, type MaybePromise } from "../../engine/async.js";
import { REWRITTEN } from "../rail-decision.js";
import { withMarkers, withoutNotes } from "../stage-outcome.js";
import { selectVerdictRails } from "../plan.js";
import { superseded } from "../run-rail.js";
import type { RailServices } from "../services.js";
import type { StageRequest } from "../rail-dialect.js";
import type { TurnCounts } from "../../engine/limits.js";
import type { Turn } from "../../turn/turn.js";
import { type LanePart, type LaneVerdict, ReviewLane } from "./review-lane.js";
import { mergeDecisions } from "./merge-decisions.js";
import { WindowCounts } from "./window-counts.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import type { WindowUnit } from "./window-buffer.js";

/** A part under review. */
interface Window {
  readonly reasoning: LanePart;
  readonly text: LanePart;
  readonly hasReasoning: boolean;
  /** The turn itself, or a fork that joins it in order. */
  readonly turn: Turn;
  readonly base: TurnCounts;
  readonly cancellation: Cancellation;
  readonly startedAt: number;
  readonly verdict: Promise<WindowVerdict>;
}

type WindowInput = Pick<Window, "reasoning" | "text" | "hasReasoning"> & Pick<ResponsePart, "relevantChunks">;
type Passed = LaneVerdict & { readonly kind: "passed" };
type WindowVerdict =
  | { readonly kind: "passed"; readonly reasoning: Passed; readonly text: Passed }
  | { readonly kind: "held" }
  | { readonly kind: "blocked"; readonly outcome: StageOutcome };

/** Rails that review the windows of a stream, its settings, and the findings that a window may not cut. */
interface SessionPlan {
  readonly rails: readonly string[];
  readonly plan: StreamPlan;
  readonly cuts?: ResponseCuts;
}

/**
 * Runs the output rails over one response, part by part: over the model's text and, if configured, over its reasoning,
 * which is a separate text.
 *
 * If all rails only judge, parts may be under review concurrently. INVARIANT: verdicts, decisions and the turn's
 * records are those of sequential reviews. A part that does not pass cancels later reviews and discards their results.
 */
export class ReviewSession implements ResponseReview {
  readonly unit: WindowUnit;
  readonly cuts: ResponseCuts | undefined;
  readonly guarded: boolean;
  readonly readsReasoning: boolean;
  readonly concurrency: number;
  readonly #services: RailServices;
  readonly #request: StageRequest;
  readonly #response: ReviewLane;
  readonly #reasoning: ReviewLane;
  /** Number of decisions before this response. */
  readonly #from: number;
  readonly #counts = new WindowCounts();
  /** Parts under review, in order. */
  readonly #open: Window[] = [];
  /** Fulfilled once all parts so far have their verdict. */
  #earlier: Promise<unknown> = Promise.resolve();
  /** Time of the last verdict. */
  #countedUntil = 0;
  /** True once a part has not passed, so that no later review starts. */
  #isEnding = false;
  #end: PartVerdict | undefined;
  #blocked: StageOutcome | undefined;

  private constructor(services: RailServices, request: StageRequest, { rails, plan, cuts }: SessionPlan) {
    const scopes = new Set(rails.map((rail) => services.rails.scopeOf(rail)));
    this.unit = scopes.has("line") ? "line" : scopes.has("word") ? "word" : "chunk";
    this.cuts = cuts;
    this.guarded = rails.length > 0;
    this.readsReasoning = services.config.settings.rails.output.apply_to_reasoning_traces;
    this.concurrency = mayOverlap(services, rails, plan) ? plan.parallelWindows : 1;
    this.#services = services;
    this.#request = request;
    this.#response = new ReviewLane(services, rails, plan.contextSize, cuts);
    this.#reasoning = new ReviewLane(services, rails, plan.contextSize);
    this.#from = request.turn.decisions.length;
  }

  /** Returns undefined if the response must be reviewed whole before anything is released. */
  static open(services: RailServices, request: StageRequest, plan: StreamPlan): ReviewSession | undefined {
    if (plan.mode === "buffer" || !services.rails.emitsReviewedText()) return undefined;
    if (plan.mode === "passthrough") return new ReviewSession(services, request, { rails: [], plan });
    const checksAll = services.config.settings.rails.output.check_predefined;
    const skips = Boolean(request.context["skip_output_rails"]) && !checksAll;
    const rails = skips ? [] : selectVerdictRails(services, request.turn.options, "output");
    const scopes = rails.map((rail) => services.rails.scopeOf(rail));
    if (scopes.includes("answer")) return undefined;
    // Released text cannot be rewritten.
    if (plan.streamFirst && scopes.some((scope) => scope !== "window")) return undefined;
    if (!scopes.includes("findings")) return new ReviewSession(services, request, { rails, plan });
    const cuts = openCuts(services, rails);
    return cuts === undefined ? undefined : new ReviewSession(services, request, { rails, plan, cuts });
  }

  check(part: ResponsePart): Promise<PartVerdict> {
    const input = {
      reasoning: this.#reasoning.take(part.reasoningParts ?? []),
      text: this.#response.take(part.texts),
      hasReasoning: part.reasoningParts !== undefined,
      relevantChunks: part.relevantChunks,
    };
    if (!this.guarded || input.text.whole + input.reasoning.whole === "") return this.#letPass(input);
    const started = this.concurrency > 1 && !this.#isEnding ? this.#begin(input) : undefined;
    const verdict = this.#finish(this.#earlier, input, started);
    this.#earlier = verdict.catch(ignore);
    return verdict;
  }

  cancel(): void {
    this.#isEnding = true;
    this.#end ??= { kind: "blocked" };
    for (const { cancellation } of this.#open) cancellation.abort(superseded("the review"));
  }

  /** An unreviewed part keeps its position among the others. */
  async #letPass({ reasoning, text, hasReasoning }: WindowInput): Promise<PartVerdict> {
    if (this.#open.length > 0) await this.#earlier;
    if (this.#end !== undefined) return this.#end;
    this.#reasoning.note(reasoning, { text: reasoning.whole, outcome: undefined });
    this.#response.note(text, { text: text.whole, outcome: undefined });
    const own = { kind: "passed", text: text.whole } as const;
    return hasReasoning ? { ...own, reasoning: reasoning.whole } : own;
  }

  /** Starts the review of a part. */
  #begin(input: WindowInput): Window {
    const { turn, cancellation } = this.#request;
    const base = this.#counts.base(turn);
    const windowTurn = this.concurrency > 1 ? turn.fork(base) : turn;
    if (windowTurn === turn) turn.recount(base);
    const branch = cancellation.child();
    const verdict = this.#review(input, { ...this.#request, turn: windowTurn, cancellation: branch });
    const { reasoning, text, hasReasoning } = input;
    // Written out: after a spread, new keys give each object its own hidden class.
    const startedAt = turn.now();
    const window = { reasoning, text, hasReasoning, turn: windowTurn, base, cancellation: branch, startedAt, verdict };
    this.#open.push(window);
    verdict.then(
      ({ kind }) => (kind === "passed" ? undefined : this.#cancelLater(window)),
      () => this.#cancelLater(window),
    );
    return window;
  }

  async #review({ reasoning, text, relevantChunks }: WindowInput, own: StageRequest): Promise<WindowVerdict> {
    const request = relevantChunks === undefined ? own : { ...own, context: withEvidence(own.context, relevantChunks) };
    const reviewed = this.#reviewReasoning(reasoning, request);
    const reasoned = isPromise(reviewed) ? await reviewed : reviewed;
    if (reasoned.kind !== "passed") return reasoned;
    const answered = await this.#response.review(text, request);
    if (answered.kind === "blocked") return { kind: "blocked", outcome: withoutText(answered.outcome) };
    return answered.kind === "held" ? answered : { kind: "passed", reasoning: reasoned, text: answered };
  }

  #reviewReasoning(reasoning: LanePart, request: StageRequest): MaybePromise<LaneVerdict> {
    if (reasoning.whole === "") return NO_REASONING;
    return this.#reasoning
      .review(reasoning, { about: "reasoning", ...request })
      .then((verdict) =>
        verdict.kind === "blocked" ? { ...verdict, outcome: withoutNotes(verdict.outcome) } : verdict,
      );
  }

  /** Cancels the reviews after a part that has not passed. */
  #cancelLater(window: Window): void {
    this.#isEnding = true;
    for (const { cancellation } of this.#open.slice(this.#open.indexOf(window) + 1)) {
      cancellation.abort(superseded("the review of an earlier part"));
    }
  }

  /** Returns the verdict on a part, once earlier parts have theirs. */
  async #finish(earlier: Promise<unknown>, input: WindowInput, started: Window | undefined): Promise<PartVerdict> {
    await earlier;
    if (this.#end !== undefined) {
      if (started !== undefined) await this.#drop(started);
      return this.#end;
    }
    const window = started ?? this.#begin(input);
    try {
      const verdict = await window.verdict;
      return this.#conclude(window, verdict);
    } catch (error) {
      this.#end = { kind: "blocked" };
      throw error;
    } finally {
      this.#close(window);
      if (this.#end !== undefined) await Promise.allSettled(this.#open.map((behind) => behind.verdict));
    }
  }

  #conclude({ reasoning, text, hasReasoning }: Window, verdict: WindowVerdict): PartVerdict {
    if (verdict.kind !== "passed") {
      if (verdict.kind === "blocked") this.#blocked = verdict.outcome;
      return (this.#end = { kind: verdict.kind });
    }
    this.#reasoning.note(reasoning, verdict.reasoning);
    this.#response.note(text, verdict.text);
    const own = { kind: "passed", text: verdict.text.text } as const;
    return hasReasoning ? { ...own, reasoning: verdict.reasoning.text } : own;
  }

  /** Adds a part's costs and decisions to the turn. */
  #close(window: Window): void {
    const { turn } = this.#request;
    this.#open.shift();
    window.cancellation.release();
    this.#counts.add(turn, window.turn, window.base);
    const now = turn.now();
    turn.spent.output += now - Math.max(window.startedAt, this.#countedUntil);
    this.#countedUntil = now;
    if (window.turn !== turn) {
      turn.join(window.turn);
      window.turn.close();
    }
    mergeDecisions(turn.decisions, this.#from);
    // A judging rail has rewritten: its result for the whole response is known at the end.
    if (this.#end?.kind === "held") {
      turn.decisions.push(...turn.decisions.splice(this.#from).filter(({ stage }) => stage !== "output"));
    }
  }

  /** Drops a part after the end. */
  async #drop(window: Window): Promise<void> {
    await window.verdict.catch(ignore);
    this.#open.splice(this.#open.indexOf(window), 1);
    window.cancellation.release();
    window.turn.close();
  }

  /**
   * Returns the outcome for the whole response if the rails have seen it in parts. A block stays a block, whatever the
   * final response.
   */
  outcomeFor(text: unknown): StageOutcome | undefined {
    if (this.#blocked !== undefined) return withMarkers(this.#services, "output", this.#blocked);
    const { seen, passed, last } = this.#response;
    const { turn } = this.#request;
    if (this.#end !== undefined || last === undefined || text !== seen) return undefined;
    if (turn.reasoning !== undefined && !this.finishReasoning()) return undefined;
    const { [REWRITTEN.output]: _part, ...kept } = last.contextUpdates ?? {};
    const updates: Record<string, unknown> = kept;
    if (passed !== seen) updates[REWRITTEN.output] = passed;
    turn.recordReview("output", seen, passed);
    const { contextUpdates: _old, ...outcome } = last;
    const changed = Object.keys(updates).length === 0 ? {} : { contextUpdates: updates };
    return withMarkers(this.#services, "output", { ...outcome, ...changed });
  }

  /** Applies the reviewed reasoning to the turn; returns false if the rails have not seen all of it. */
  finishReasoning(): boolean {
    const { reasoning } = this.#request.turn;
    const { seen, passed, last } = this.#reasoning;
    if (this.#end !== undefined || last === undefined || reasoning?.text !== seen) return false;
    reasoning.reviewed = passed;
    return true;
  }
}

/**
 * Returns true if parts may be reviewed concurrently: every rail only judges, so none changes the view of a later part
 * or has other effects. With `streamFirst`, a part is released before its review, but never before the verdict on the
 * previous part.
 */
function mayOverlap({ rails, railPlans }: RailServices, selected: readonly string[], plan: StreamPlan): boolean {
  if (plan.streamFirst || selected.length === 0) return false;
  return selected.every((rail) => rails.scopeOf(rail) === "window" && railPlans.traits.get(rail)?.rewrites === false);
}

/**
 * Opens the cut points of a response; undefined if it must be read whole. INVARIANT: the only rewriting rail reads the
 * model's original text, and no reasoning, which is a separate text.
 */
function openCuts(services: RailServices, rails: readonly string[]): ResponseCuts | undefined {
  const { config, cutsOf, rails: dialect, railPlans } = services;
  const rewriting = rails.filter((rail) => dialect.scopeOf(rail) !== "window");
  const [first] = railPlans.of("output", rails).flatMap((group) => group.rails);
  const [only, ...others] = rewriting;
  if (only === undefined || others.length > 0 || first?.rail !== only) return undefined;
  return config.settings.rails.output.apply_to_reasoning_traces ? undefined : cutsOf?.(only);
}

const NO_REASONING: Passed = { kind: "passed", text: "", outcome: undefined };

function withEvidence(context: StageRequest["context"], chunks: readonly string[]): StageRequest["context"] {
  return { ...context, relevant_chunks: chunks.join("\n"), relevant_chunks_sep: [...chunks], _own_evidence: true };
}

function ignore(): void {
  // A part after the end is ignored, including errors of its review.
}

function withoutText(outcome: StageOutcome): StageOutcome {
  const { [REWRITTEN.output]: _part, ...contextUpdates } = outcome.contextUpdates ?? {};
  return { ...outcome, contextUpdates };
}
