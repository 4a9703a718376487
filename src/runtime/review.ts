import type { MaybePromise } from "../engine/async.js";
import type { CallTracer } from "../engine/span.js";
import type { ToolSubject } from "../rails/tools/tool-subject.js";
import type { ToolCheck } from "../rails/tools/tool-check.js";
import {
  type Block,
  type GuardrailsMetadata,
  hasStatus,
  type RailDecision,
  type RailStatus,
  summarizeDecisions,
} from "../turn/decision.js";
import type { ExtraText } from "../turn/extra-text.js";
import type { RailSubject, StageResult, TurnResult } from "../turn/result.js";
import { LRUCache } from "lru-cache";

/** Prepares decisions for the caller and reports them as soon as a stage has decided. */
export interface CallObserver {
  /** Returns the decisions without quotes of the checked texts. */
  redact(decisions: readonly RailDecision[], texts: readonly (string | undefined)[]): readonly RailDecision[];
  notify(decisions: readonly RailDecision[]): MaybePromise<void>;
  /** Receives each dialog turn when it ends. */
  readonly onTurn?: ((result: TurnResult) => unknown) | undefined;
  /** Traces this call instead of the configured tracing. */
  readonly tracer?: CallTracer | undefined;
}

/** An unanswered text of the user's side. */
export interface PendingText {
  readonly text: string;
  /** Lines that input rails read with it. */
  readonly extra?: ExtraText | undefined;
  /** The tool call, if the text is a tool result. */
  readonly tool?: ToolSubject | undefined;
  /** True if rails have already checked it. */
  readonly reviewed?: boolean;
}

/** User-side texts under review: `texts` as the rails have left them, with the decisions so far. */
export type OpenInput = Pick<RailSubject, "history"> &
  Readonly<{ pending: readonly PendingText[]; texts: string[]; decisions: RailDecision[] }>;

/** Result of the rails of one side. */
export interface Review {
  readonly status: RailStatus;
  /** The reviewed texts: one per pending text with its extra lines, or the single response. */
  readonly texts: readonly string[];
  /** The model's reasoning after the rails; absent if they did not review it. */
  readonly reasoning?: string;
  readonly verdict: GuardrailsMetadata;
  readonly block?: Block;
  /** Index of the blocked text among the pending ones; later texts were not checked. */
  readonly blockedAt?: number;
}

export interface ToolReview {
  readonly check: ToolCheck;
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
}

export function passed(texts: readonly string[], decisions: readonly RailDecision[]): Review {
  const modified = hasStatus(decisions, "modified");
  return { status: modified ? "modified" : "passed", texts, verdict: summarizeDecisions(decisions, false) };
}

/** Returns a blocked review; its status is `error` if rails failed and none decided to block. */
export function blocked(texts: readonly string[], block: Block, blockedAt?: number): Review {
  const at = blockedAt === undefined ? {} : { blockedAt };
  const { decisions } = block.verdict;
  const status = hasStatus(decisions, "error") && !hasStatus(decisions, "blocked") ? "error" : "blocked";
  return { status, texts, verdict: block.verdict, block, ...at };
}

export function blockOf(result: StageResult, decisions: readonly RailDecision[]): Block | undefined {
  if (!result.verdict.blocked && result.exception === undefined) return undefined;
  const verdict = { ...result.verdict, blocked: true, decisions };
  return { refusal: result.refusal ?? "", exception: result.exception, verdict };
}

/** Restores names and ids of a call, which are not the blocked text. */
export function withCallNames(redacted: RailDecision, original: RailDecision | undefined): RailDecision {
  const names = original?.metadata;
  if (names === undefined || redacted === original) return redacted;
  const { checked, tool, toolCallId } = names;
  const kept = Object.entries({ checked, tool, toolCallId }).filter(([, value]) => value !== undefined);
  return { ...redacted, metadata: { ...redacted.metadata, ...Object.fromEntries(kept) } };
}

const MAX_REFUSALS = 500;

/**
 * Refusals emitted by input rails of a runtime. Applications send conversations again as plain texts, and the user
 * message before a refusal was blocked. Holds a bounded number of configured texts only.
 */
export class Refusals {
  readonly #texts = new LRUCache<string, true>({ max: MAX_REFUSALS });

  add(text: string): void {
    const known = text.trim();
    if (known !== "") this.#texts.set(known, true);
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  has(text: string): boolean {
    return this.#texts.has(text.trim());
  }
}
