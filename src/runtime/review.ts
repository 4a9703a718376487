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

/** Prepares decisions for the caller and passes them on, as soon as a stage has decided. */
export interface CallObserver {
  /** Returns the decisions without quotations of the texts that the rails checked. */
  redact(decisions: readonly RailDecision[], texts: readonly (string | undefined)[]): readonly RailDecision[];
  notify(decisions: readonly RailDecision[]): MaybePromise<void>;
  /** Receives each turn of a dialog when it ends. */
  readonly onTurn?: ((result: TurnResult) => unknown) | undefined;
  /** Traces this call in place of the traces of the configuration. */
  readonly tracer?: CallTracer | undefined;
}

/** A text of the user's side without an answer so far. */
export interface PendingText {
  readonly text: string;
  /** Lines that input rails read with it. */
  readonly extra?: ExtraText | undefined;
  /** Set for the result of a tool, with the call it belongs to. */
  readonly tool?: ToolSubject | undefined;
  /** True if rails have checked it already. */
  readonly reviewed?: boolean;
}

/** Texts of the user's side while rails check them: `texts` as they are left, with the decisions so far. */
export type OpenInput = Pick<RailSubject, "history"> &
  Readonly<{ pending: readonly PendingText[]; texts: string[]; decisions: RailDecision[] }>;

/** Result of the rails of one side. */
export interface Review {
  readonly status: RailStatus;
  /** The texts afterwards: one per pending text with the lines beside it, or the one answer. */
  readonly texts: readonly string[];
  /** Reasoning of the model after the rails; absent where they did not review it. */
  readonly reasoning?: string;
  readonly verdict: GuardrailsMetadata;
  readonly block?: Block;
  /** Index of the pending text that was blocked; the texts after it were not checked. */
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

/** The status is `error` if rails only failed, and none of them decided to block. */
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

/** Names and ids of a call are not the text that was blocked, so they stay. */
export function withCallNames(redacted: RailDecision, original: RailDecision | undefined): RailDecision {
  const names = original?.metadata;
  if (names === undefined || redacted === original) return redacted;
  const { checked, tool, toolCallId } = names;
  const kept = Object.entries({ checked, tool, toolCallId }).filter(([, value]) => value !== undefined);
  return { ...redacted, metadata: { ...redacted.metadata, ...Object.fromEntries(kept) } };
}

const MAX_REFUSALS = 500;

/**
 * Refusals of input rails that a runtime has emitted. Applications send conversations again as plain texts, and the user
 * message before a refusal was blocked. Holds texts of the configuration only, and a bounded number of them.
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
