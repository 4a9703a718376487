import type { AnswerPart, AnswerReview, PartVerdict } from "../../turn/answer.js";
import { type RailDecision, type StageOutcome, addUsage } from "../../turn/decision.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { REWRITTEN } from "../rail-decision.js";
import { withMarkers, withoutNotes } from "../stage-outcome.js";
import { selectRails } from "../plan.js";
import type { RailServices } from "../services.js";
import type { StageRequest } from "../rail-dialect.js";
import type { Turn, TurnCounts } from "../../turn/turn.js";
import { type LaneVerdict, ReviewLane } from "./review-lane.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import type { WindowUnit } from "./window-buffer.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { createDiagnostic } from "../../diagnostics/diagnostic.js";

/**
 * The output rails over one answer, part by part: over what the model says and, where the configuration wants that, over
 * what it thinks. Each of the two is a text of its own.
 */
export class ReviewSession implements AnswerReview {
  readonly unit: WindowUnit;
  readonly guarded: boolean;
  readonly readsReasoning: boolean;
  readonly #services: RailServices;
  readonly #request: StageRequest;
  readonly #answer: ReviewLane;
  readonly #reasoning: ReviewLane;
  /** Number of decisions before this answer. */
  readonly #from: number;
  #blocked: StageOutcome | undefined;
  #isHeld = false;
  readonly #windows = new WindowCounts();

  private constructor(services: RailServices, request: StageRequest, rails: readonly string[], plan: StreamPlan) {
    const scopes = new Set(rails.map((rail) => services.rails.scopeOf(rail)));
    this.unit = scopes.has("line") ? "line" : scopes.has("word") ? "word" : "chunk";
    this.guarded = rails.length > 0;
    this.readsReasoning = services.config.settings.rails.output.apply_to_reasoning_traces;
    this.#services = services;
    this.#request = request;
    this.#answer = new ReviewLane(services, request, rails, plan.contextSize);
    this.#reasoning = new ReviewLane(services, { ...request, about: "reasoning" }, rails, plan.contextSize);
    this.#from = request.turn.decisions.length;
  }

  /** Undefined when the answer has to be seen as a whole before anything of it leaves. */
  static open(services: RailServices, request: StageRequest, plan: StreamPlan): ReviewSession | undefined {
    if (plan.mode === "buffer" || !services.rails.saysWhatPassed()) return undefined;
    if (plan.mode === "passthrough") return new ReviewSession(services, request, [], plan);
    const checksAll = services.config.settings.rails.output.check_predefined;
    const skips = Boolean(request.context["skip_output_rails"]) && !checksAll;
    const rails = skips ? [] : selectRails(services, request.turn.options, "output");
    const scopes = rails.map((rail) => services.rails.scopeOf(rail));
    if (scopes.includes("answer")) return undefined;
    // Text that has left cannot be rewritten.
    if (plan.streamFirst && scopes.some((scope) => scope !== "window")) return undefined;
    return new ReviewSession(services, request, rails, plan);
  }

  async check(part: AnswerPart): Promise<PartVerdict> {
    if (this.#isHeld) return { kind: "held" };
    const { turn } = this.#request;
    const startedAt = turn.now();
    const begun = this.#windows.begin(turn);
    try {
      const reasoning = await this.#reasoning.check(part.reasoningParts ?? [], part.relevantChunks);
      if (reasoning.kind !== "passed") return this.#end(reasoning, withoutNotes);
      const text = await this.#answer.check(part.texts, part.relevantChunks);
      if (text.kind !== "passed") return this.#end(text, withoutText);
      return {
        kind: "passed",
        text: text.text,
        ...(part.reasoningParts === undefined ? {} : { reasoning: reasoning.text }),
      };
    } finally {
      this.#windows.end(turn, begun);
      turn.spent.output += turn.now() - startedAt;
      mergeDecisions(turn.decisions, this.#from);
    }
  }

  /**
   * Returns the outcome for the whole answer, if the rails have seen it part by part. A block stays one, whatever the answer
   * turned into.
   */
  outcomeFor(text: unknown): StageOutcome | undefined {
    if (this.#blocked !== undefined) return withMarkers(this.#services, "output", this.#blocked);
    const { seen, passed, last } = this.#answer;
    const { turn } = this.#request;
    if (this.#isHeld || last === undefined || text !== seen) return undefined;
    if (turn.reasoning !== undefined && !this.finishReasoning()) return undefined;
    const { [REWRITTEN.output]: _part, ...kept } = last.contextUpdates ?? {};
    const updates: Record<string, unknown> = kept;
    if (passed !== seen) updates[REWRITTEN.output] = passed;
    turn.review("output", seen, passed);
    const { contextUpdates: _old, ...outcome } = last;
    const changed = Object.keys(updates).length === 0 ? {} : { contextUpdates: updates };
    return withMarkers(this.#services, "output", { ...outcome, ...changed });
  }

  /** Takes over the reviewed reasoning of the turn; returns false if the rails have not seen all of it. */
  finishReasoning(): boolean {
    const { reasoning } = this.#request.turn;
    const { seen, passed, last } = this.#reasoning;
    if (this.#isHeld || last === undefined || reasoning?.text !== seen) return false;
    reasoning.reviewed = passed;
    return true;
  }

  #end(verdict: Exclude<LaneVerdict, { kind: "passed" }>, strip: (outcome: StageOutcome) => StageOutcome): PartVerdict {
    if (verdict.kind === "held") return this.#hold();
    this.#blocked = strip(verdict.outcome);
    return { kind: "blocked" };
  }

  /** A rail that should only judge has rewritten: what it makes of the whole answer is known at its end. */
  #hold(): PartVerdict {
    const { decisions } = this.#request.turn;
    decisions.push(...decisions.splice(this.#from).filter(({ stage }) => stage !== "output"));
    this.#isHeld = true;
    return { kind: "held" };
  }
}

/**
 * Counts of the windows of one answer. INVARIANT: a window may use what the limits left when the review began, as the whole
 * answer may in `invoke`, and all windows count as the most expensive one: limits do not depend on an answer's length.
 */
class WindowCounts {
  #most: TurnCounts = NOTHING;

  /** @returns the counts without earlier windows, for `end` */
  begin(turn: Turn): TurnCounts {
    const { events, modelCalls } = turn.counts;
    const base = { events: events - this.#most.events, modelCalls: modelCalls - this.#most.modelCalls };
    turn.recount(base);
    return base;
  }

  end(turn: Turn, base: TurnCounts): void {
    const { events, modelCalls } = turn.counts;
    this.#most = {
      events: Math.max(this.#most.events, events - base.events),
      modelCalls: Math.max(this.#most.modelCalls, modelCalls - base.modelCalls),
    };
    turn.recount({ events: base.events + this.#most.events, modelCalls: base.modelCalls + this.#most.modelCalls });
  }
}

const NOTHING: TurnCounts = { events: 0, modelCalls: 0 };

function withoutText(outcome: StageOutcome): StageOutcome {
  const { [REWRITTEN.output]: _part, ...contextUpdates } = outcome.contextUpdates ?? {};
  return { ...outcome, contextUpdates };
}

/** One decision for each rail, however many parts it saw, with the time and the cost of all. */
function mergeDecisions(decisions: RailDecision[], from: number): void {
  for (const decision of decisions.splice(from)) {
    const { stage, rail, about } = decision;
    const index = decisions.findIndex(
      (known, at) => at >= from && known.stage === stage && known.rail === rail && known.about === about,
    );
    const earlier = decisions[index];
    if (earlier === undefined || decision.stage !== "output") decisions.push(decision);
    else decisions[index] = mergeTwo(earlier, decision);
  }
}

const SEVERITY = { passed: 0, modified: 1, error: 2, blocked: 3 } as const;

function mergeTwo(earlier: RailDecision, later: RailDecision): RailDecision {
  const worse = SEVERITY[later.status] >= SEVERITY[earlier.status] ? later : earlier;
  const usage = addUsage(earlier.usage, later.usage);
  return { ...worse, durationMs: earlier.durationMs + later.durationMs, ...omitUndefined({ usage }) };
}

/**
 * Refuses streams of which the text leaves before a rail that rewrites it has run: what has left cannot be rewritten.
 *
 * @throws ConfigError `CF-106` with the place of the rail
 */
export function checkStreaming(services: RailServices, { mode, streamFirst }: StreamPlan): void {
  const leavesFirst = mode === "passthrough" ? "passthrough" : streamFirst && mode === "window" ? "first" : undefined;
  if (leavesFirst === undefined) return;
  const { config } = services;
  const { flows } = config.settings.rails.output;
  const problems = flows.flatMap((rail, index) => {
    if (!services.rails.rewritesAnswer(rail)) return [];
    const option = leavesFirst === "first" ? "`stream_first`" : '`mode: "passthrough"`';
    const message = `${option} sends an answer before \`${rail}\` has rewritten it`;
    const span = config.spanOf(["rails", "output", "flows", index]);
    const hint = 'stream in windows that leave after their review (`mode: "window"`), or take the rail out';
    return [createDiagnostic("CF-106", message, { span, path: `rails.output.flows[${index}]`, hint })];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}
