import { REWRITTEN } from "../rail-decision.js";
import { runOver } from "../run-stage.js";
import type { StageOutcome } from "../../turn/decision.js";
import type { RailServices } from "../services.js";
import type { StageRequest } from "../rail-dialect.js";

/** Rails that look at a part together, and what they have seen of the text before it. */
interface Group {
  readonly rails: readonly string[];
  readonly rewrites: boolean;
  /** The last pieces of the text before, as these rails saw it. */
  context: readonly string[];
}

/** Verdict on a part; `held` if a rail that should only judge has rewritten it. */
export type LaneVerdict =
  | { readonly kind: "passed"; readonly text: string }
  | { readonly kind: "held" }
  | { readonly kind: "blocked"; readonly outcome: StageOutcome };

/**
 * One text of a streamed answer under review: what the model says, or what it thinks. Rails that rewrite see a part alone,
 * since what they made of the text before has left; rails that judge see it behind the end of the text before.
 *
 * INVARIANT: every part starts from the variables of the turn and not from what rails noted about the part before: a rail
 * that switches itself off after one text would not look at the rest.
 */
export class ReviewLane {
  readonly #services: RailServices;
  readonly #request: StageRequest;
  readonly #groups: readonly Group[];
  readonly #contextSize: number;
  /** All parts so far, as they came. */
  seen = "";
  /** All parts so far, as the rails left them. */
  passed = "";
  /** Outcome for the last part; undefined before the first. */
  last: StageOutcome | undefined;

  constructor(services: RailServices, request: StageRequest, rails: readonly string[], contextSize: number) {
    this.#services = services;
    this.#request = request;
    this.#groups = groupsOf(services, rails);
    this.#contextSize = contextSize;
  }

  async check(given: readonly string[], relevantChunks: readonly string[] | undefined): Promise<LaneVerdict> {
    const whole = given.join("");
    this.seen += whole;
    if (whole === "" || this.#groups.length === 0) {
      this.passed += whole;
      return { kind: "passed", text: whole };
    }
    let joined: StageOutcome | undefined;
    let pieces = given;
    for (const group of this.#groups) {
      const text = pieces.join("");
      const outcome = await this.#run(group, text, relevantChunks);
      joined = join(joined, outcome);
      if (outcome.blocked) return { kind: "blocked", outcome: joined };
      const rewritten = outcome.contextUpdates?.[REWRITTEN.output];
      if (!group.rewrites && rewritten !== undefined) return { kind: "held" };
      const size = this.#contextSize;
      if (!group.rewrites) group.context = size === 0 ? [] : [...group.context, ...pieces].slice(-size);
      else if (typeof rewritten === "string" && rewritten !== text) pieces = slices(rewritten, pieces.length);
    }
    const text = pieces.join("");
    this.passed += text;
    this.last = joined;
    return { kind: "passed", text };
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

/** A rewritten text in as many pieces as before, so that the overlap stays as long as it was. */
function slices(text: string, count: number): readonly string[] {
  const length = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: count }, (_, index) => text.slice(index * length, (index + 1) * length));
}

/** Joins the outcomes of two groups for one part: the later one decides. */
function join(earlier: StageOutcome | undefined, later: StageOutcome): StageOutcome {
  if (earlier === undefined) return later;
  return {
    ...later,
    entries: [...earlier.entries, ...later.entries],
    contextUpdates: { ...earlier.contextUpdates, ...later.contextUpdates },
  };
}
