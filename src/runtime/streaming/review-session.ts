import type { AnswerPart, AnswerReview, PartVerdict } from "../../generation/services.js";
import type { RailDecision } from "../decision.js";
import { REWRITTEN } from "../rail-decision.js";
import { runOver } from "../run-stage.js";
import { type StageOutcome, withMarkers } from "../stage-outcome.js";
import { selectRails } from "../select-rails.js";
import type { RailServices } from "../services.js";
import type { StageRequest } from "../stage-request.js";
import { addUsage } from "../usage.js";
import type { StreamPlan } from "./stream-plan.js";
import type { WindowUnit } from "./window-buffer.js";

/** Rails that look at a part together, and what they have seen of the answer before it. */
interface Group {
  readonly rails: readonly string[];
  readonly rewrites: boolean;
  /** The last pieces of the text before, as these rails saw it. */
  context: readonly string[];
}

/**
 * The output rails over one answer, part by part. Rails that rewrite see the part alone, since what they made of the text
 * before has left; rails that judge see it behind the end of the text before.
 *
 * INVARIANT: every part starts from the variables of the turn and not from what rails noted about the part before: a rail
 * that switches itself off after one text would not look at the rest.
 */
export class ReviewSession implements AnswerReview {
  readonly unit: WindowUnit;
  readonly #services: RailServices;
  readonly #request: StageRequest;
  readonly #groups: readonly Group[];
  readonly #contextSize: number;
  /** Where the decisions of this answer begin. */
  readonly #from: number;
  #seen = "";
  #passed = "";
  #last: StageOutcome | undefined;
  #blocked: StageOutcome | undefined;
  #isHeld = false;

  private constructor(services: RailServices, request: StageRequest, groups: readonly Group[], plan: StreamPlan) {
    const scopes = new Set(groups.flatMap(({ rails }) => rails).map((rail) => services.rails.scopeOf(rail)));
    this.unit = scopes.has("line") ? "line" : scopes.has("word") ? "word" : "chunk";
    this.#services = services;
    this.#request = request;
    this.#groups = groups;
    this.#contextSize = plan.contextSize;
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
    // What has left cannot be rewritten.
    if (plan.streamFirst && scopes.some((scope) => scope !== "window")) return undefined;
    return new ReviewSession(services, request, groupsOf(services, rails), plan);
  }

  get guarded(): boolean {
    return this.#groups.length > 0;
  }

  async check(part: AnswerPart): Promise<PartVerdict> {
    const whole = part.texts.join("");
    if (this.#isHeld) return { kind: "held" };
    this.#seen += whole;
    if (whole === "" || !this.guarded) {
      this.#passed += whole;
      return { kind: "passed", text: whole };
    }
    const { turn } = this.#request;
    const startedAt = turn.now();
    const outcomes: StageOutcome[] = [];
    let pieces = part.texts;
    try {
      for (const group of this.#groups) {
        const text = pieces.join("");
        const outcome = await this.#run(group, text, part.relevantChunks);
        outcomes.push(outcome);
        if (outcome.blocked) return this.#block(outcomes);
        const rewritten = outcome.contextUpdates?.[REWRITTEN.output];
        if (!group.rewrites && rewritten !== undefined) return this.#hold();
        if (!group.rewrites) group.context = lastPieces([...group.context, ...pieces], this.#contextSize);
        else if (typeof rewritten === "string" && rewritten !== text) pieces = slices(rewritten, pieces.length);
      }
    } finally {
      turn.spent.output += turn.now() - startedAt;
      mergeDecisions(turn.decisions, this.#from);
    }
    const text = pieces.join("");
    this.#passed += text;
    this.#last = joined(outcomes);
    return { kind: "passed", text };
  }

  /**
   * What the rails made of the whole answer, if they have seen it part by part. A block stays one, whatever the answer
   * turned into.
   */
  outcomeFor(text: unknown): StageOutcome | undefined {
    if (this.#blocked !== undefined) return withMarkers(this.#services, "output", this.#blocked);
    if (this.#isHeld || this.#last === undefined || text !== this.#seen) return undefined;
    const { [REWRITTEN.output]: _part, ...kept } = this.#last.contextUpdates ?? {};
    const updates: Record<string, unknown> = kept;
    if (this.#passed !== this.#seen) updates[REWRITTEN.output] = this.#passed;
    this.#request.turn.review("output", this.#seen, this.#passed);
    const { contextUpdates: _old, ...outcome } = this.#last;
    const changed = Object.keys(updates).length === 0 ? {} : { contextUpdates: updates };
    return withMarkers(this.#services, "output", { ...outcome, ...changed });
  }

  #run(group: Group, text: string, relevantChunks: readonly string[] | undefined): Promise<StageOutcome> {
    const shown = group.rewrites ? text : `${group.context.join("")}${text}`;
    const context = {
      ...this.#request.context,
      ...(relevantChunks === undefined
        ? {}
        : { relevant_chunks: relevantChunks.join("\n"), relevant_chunks_sep: [...relevantChunks] }),
      [REWRITTEN.output]: shown,
    };
    return runOver(this.#services, { ...this.#request, context }, group.rails);
  }

  #block(outcomes: readonly StageOutcome[]): PartVerdict {
    const { [REWRITTEN.output]: _part, ...updates } = joined(outcomes).contextUpdates ?? {};
    this.#blocked = { ...joined(outcomes), contextUpdates: updates };
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

/** Neighbours of one kind, in the order in which the rails run over a whole answer. */
function groupsOf(services: RailServices, rails: readonly string[]): readonly Group[] {
  const groups: { rails: string[]; rewrites: boolean; context: readonly string[] }[] = [];
  for (const { rail } of services.railPlans.of("output", rails).flatMap((group) => group.rails)) {
    const rewrites = services.rails.scopeOf(rail) !== "window";
    const last = groups.at(-1);
    if (last?.rewrites === rewrites) last.rails.push(rail);
    else groups.push({ rails: [rail], rewrites, context: [] });
  }
  return groups;
}

function lastPieces(pieces: readonly string[], count: number): readonly string[] {
  return count === 0 ? [] : pieces.slice(-count);
}

/** A rewritten text in as many pieces as before, so that the overlap stays as long as it was. */
function slices(text: string, count: number): readonly string[] {
  const length = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: count }, (_, index) => text.slice(index * length, (index + 1) * length));
}

function joined(outcomes: readonly StageOutcome[]): StageOutcome {
  const updates = Object.assign({}, ...outcomes.map(({ contextUpdates }) => contextUpdates)) as Record<string, unknown>;
  const last = outcomes.at(-1);
  return {
    blocked: last?.blocked ?? false,
    entries: outcomes.flatMap(({ entries }) => entries),
    contextUpdates: updates,
    ...(last?.refusal === undefined ? {} : { refusal: last.refusal }),
    ...(last?.exception === undefined ? {} : { exception: last.exception }),
  };
}

/** One decision for each rail, however many parts it saw, with the time and the cost of all. */
function mergeDecisions(decisions: RailDecision[], from: number): void {
  for (const decision of decisions.splice(from)) {
    const index = decisions.findIndex((known, at) => at >= from && isSame(known, decision));
    const earlier = decisions[index];
    if (earlier === undefined || decision.stage !== "output") decisions.push(decision);
    else decisions[index] = mergeTwo(earlier, decision);
  }
}

function isSame(left: RailDecision, right: RailDecision): boolean {
  return left.stage === right.stage && left.rail === right.rail;
}

const SEVERITY = { passed: 0, modified: 1, error: 2, blocked: 3 } as const;

function mergeTwo(earlier: RailDecision, later: RailDecision): RailDecision {
  const worse = SEVERITY[later.status] >= SEVERITY[earlier.status] ? later : earlier;
  const usage = addUsage(earlier.usage, later.usage);
  return {
    ...worse,
    durationMs: earlier.durationMs + later.durationMs,
    ...(usage === undefined ? {} : { usage }),
  };
}
