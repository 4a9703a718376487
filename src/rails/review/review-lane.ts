import { REWRITTEN } from "../rail-decision.js";
import { runOver } from "../run-stage.js";
import type { KnownFindings } from "../../actions/known-findings.js";
import type { ResponseCuts } from "../../turn/response.js";
import type { StageOutcome } from "../../turn/decision.js";
import type { RailServices } from "../services.js";
import type { StageRequest } from "../rail-dialect.js";

/** Rails that review a part together, and the preceding text they have seen. */
interface Group {
  readonly rails: readonly string[];
  readonly rewrites: boolean;
  /** Last pieces of the preceding text, as these rails saw it. */
  context: readonly string[];
}

/** A part of the text, and the first rails' view of it. */
export interface LanePart {
  readonly pieces: readonly string[];
  readonly whole: string;
  readonly shown: string;
  /** Known findings in it, for a rail that rewrites them. */
  readonly known?: KnownFindings | undefined;
}

/** Verdict on a part; `held` if a judging rail has rewritten it. */
export type LaneVerdict =
  | { readonly kind: "passed"; readonly text: string; readonly outcome: StageOutcome | undefined }
  | { readonly kind: "held" }
  | { readonly kind: "blocked"; readonly outcome: StageOutcome };

/**
 * One text of a streamed response under review: the model's response or its reasoning. Rails that rewrite see a part alone,
 * since the rewritten text before it was released; rails that judge also see the end of the preceding text.
 *
 * Parts are taken and noted in order. If all rails only judge, reviews may overlap, since the view of a part then
 * depends on no verdict.
 *
 * INVARIANT: every part starts from the variables of the turn rather than from notes on the previous part: a rail that
 * disables itself after one text would skip the rest.
 */
export class ReviewLane {
  readonly #services: RailServices;
  readonly #groups: readonly Group[];
  readonly #contextSize: number;
  readonly #cuts: ResponseCuts | undefined;
  /** Total length of all parts taken. */
  #taken = 0;
  /** All parts so far, as received. */
  seen = "";
  /** All parts so far, as the rails left them. */
  passed = "";
  /** Outcome of the last part; undefined before the first. */
  last: StageOutcome | undefined;

  /** @param cuts - positions where the parts are cut, for a rail that rewrites its findings */
  constructor(services: RailServices, rails: readonly string[], contextSize: number, cuts?: ResponseCuts) {
    this.#cuts = cuts;
    this.#services = services;
    this.#groups = groupsOf(services, rails);
    this.#contextSize = contextSize;
  }

  /** Takes the next part of the text. */
  take(pieces: readonly string[]): LanePart {
    const whole = pieces.join("");
    const [first] = this.#groups;
    if (this.#cuts !== undefined) {
      const from = this.#taken;
      this.#taken += whole.length;
      const findings = this.#cuts.findingsIn(from, this.#taken);
      return { pieces, whole, shown: whole, known: { text: whole, from, findings, isLast: this.#cuts.isFinished } };
    }
    return { pieces, whole, shown: first === undefined || whole === "" ? whole : this.#show(first, pieces) };
  }

  /** Runs the rails over a part. */
  async review(part: LanePart, request: StageRequest): Promise<LaneVerdict> {
    const { whole } = part;
    if (whole === "" || this.#groups.length === 0) return { kind: "passed", text: whole, outcome: undefined };
    let joined: StageOutcome | undefined;
    let { pieces, shown } = part;
    for (const [index, group] of this.#groups.entries()) {
      if (index > 0) shown = this.#show(group, pieces);
      const context = { ...request.context, [REWRITTEN.output]: shown };
      const known = group.rewrites ? part.known : undefined;
      const outcome = await runOver(this.#services, { ...request, context, known }, group.rails);
      joined = join(joined, outcome);
      if (outcome.blocked) return { kind: "blocked", outcome: joined };
      const rewritten = outcome.contextUpdates?.[REWRITTEN.output];
      if (!group.rewrites && rewritten !== undefined) return { kind: "held" };
      if (typeof rewritten === "string" && rewritten !== shown) pieces = slices(rewritten, pieces.length);
    }
    return { kind: "passed", text: pieces.join(""), outcome: joined };
  }

  /** Records the verdict on a part that passed. */
  note({ whole }: LanePart, { text, outcome }: Omit<LaneVerdict & { readonly kind: "passed" }, "kind">): void {
    this.seen += whole;
    this.passed += text;
    this.last = outcome ?? this.last;
  }

  /** Returns the view of a group's rails on these pieces, and adds the pieces to it. */
  #show(group: Group, pieces: readonly string[]): string {
    const text = pieces.join("");
    if (group.rewrites) return text;
    const shown = `${group.context.join("")}${text}`;
    const size = this.#contextSize;
    // Chunks without text, such as those of reasoning, take no part of the overlap.
    group.context = size === 0 ? [] : [...group.context, ...pieces.filter((piece) => piece !== "")].slice(-size);
    return shown;
  }
}

/** Groups adjacent rails of one kind, in the order in which they run over a whole response. */
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

/** Splits a rewritten text into as many pieces as before, so that the overlap keeps its length. */
function slices(text: string, count: number): readonly string[] {
  const length = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: count }, (_, index) => text.slice(index * length, (index + 1) * length));
}

/** Joins the outcomes of two groups on one part; the later one decides. */
function join(earlier: StageOutcome | undefined, later: StageOutcome): StageOutcome {
  if (earlier === undefined) return later;
  return {
    ...later,
    entries: [...earlier.entries, ...later.entries],
    contextUpdates: { ...earlier.contextUpdates, ...later.contextUpdates },
  };
}
