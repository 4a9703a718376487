import { LRUCache } from "lru-cache";
import type { RailTraits } from "../rails/plan.js";
import type { RailServices } from "../rails/services.js";
import { checkStage } from "../rails/stage-check.js";
import type { RailDecision } from "../turn/decision.js";
import type { Turn } from "../turn/turn.js";

/** Review of a user message answered in an earlier turn. */
export interface EarlierReview {
  /** The reviewed text; undefined if it must be hidden. */
  readonly left: string | undefined;
  readonly decisions: readonly RailDecision[];
  /** Refusal of the rail that blocked it. */
  readonly refusal?: string | undefined;
}

/** Runs input rails over an earlier user message, without affecting limits and variables of the call. */
export async function reviewEarlier(
  services: RailServices,
  call: Turn,
  rails: readonly string[],
  text: string,
): Promise<EarlierReview> {
  const turn = call.apart({ ...call.options, rails: { ...call.options.rails, input: rails } });
  turn.about = "history";
  const result = await checkStage(services, turn, "input", { userMessage: text }).finally(() => turn.close());
  const isHidden = result.verdict.blocked || result.exception !== undefined;
  const { refusal, decisions } = result;
  return isHidden ? { left: undefined, decisions, refusal } : { left: result.userMessage, decisions };
}

/** Reviews of earlier user messages, by text. */
type ReviewsByText = LRUCache<string, EarlierReview>;

const MAX_SELECTIONS = 8;

const MAX_REVIEWS = 10_000;

/** Maximum total size of the texts, in characters. */
const MAX_SIZE = 4_194_304;

/**
 * Cached reviews of earlier user messages. Applications send a conversation again with each call, and rails that only
 * depend on the text would reach the same result. Keys are the texts themselves: an attacker could choose two texts
 * with the same hash.
 *
 * INVARIANT: contains no review in which a rail failed, and none by a rail that reads more than the text.
 */
export class EarlierReviews {
  readonly #selections = new LRUCache<string, ReviewsByText>({ max: MAX_SELECTIONS });

  /** Returns the cache for these rails; undefined if one of them may judge the same text differently next time. */
  of(rails: readonly string[], traits: ReadonlyMap<string, RailTraits>): ReviewsByText | undefined {
    if (!rails.every((rail) => traits.get(rail)?.judgesByText === true)) return undefined;
    const key = JSON.stringify(rails);
    let reviews = this.#selections.get(key);
    if (reviews === undefined) {
      const sizeCalculation = (review: EarlierReview, text: string): number =>
        1 + text.length + (review.left === text ? 0 : (review.left?.length ?? 0));
      reviews = new LRUCache({ max: MAX_REVIEWS, maxSize: MAX_SIZE, sizeCalculation });
      this.#selections.set(key, reviews);
    }
    return reviews;
  }
}

/** Returns true for a repeatable review: no rail failed, and only these rails decided. */
export function isRepeatable({ decisions }: EarlierReview): boolean {
  return decisions.every(({ status, about }) => status !== "error" && about === undefined);
}

/**
 * Returns the decisions about an earlier message for the verdict of the call, except those that passed it: a block hides the message
 * and not the call, so it is a change.
 */
export function historyDecisions(decisions: readonly RailDecision[]): RailDecision[] {
  const status = "modified" as const;
  return decisions
    .filter((decision) => decision.status !== "passed")
    .map(({ refusal: _refusal, ...rest }) => ({ ...rest, status, metadata: { ...rest.metadata, history: true } }));
}
