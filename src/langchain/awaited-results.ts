import type { RailDecision } from "../turn/decision.js";
import type { Block } from "./blocked.js";
import type { GuardedTurn } from "./guarded-turn.js";
import { roleOf } from "./values/message-kinds.js";
import { reviewInput } from "./review.js";
import { pendingTexts, settleMessages, toolCallIdOf, type UserInput } from "./values/user-input.js";

/** Input for flows that wait for results of tools, or the input as it was where none do. */
export interface AwaitedInput {
  readonly input: UserInput;
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
  readonly blockedAt?: number;
}

/**
 * Finds out whether flows wait for results of tools in the input. Then only what came after the message that asked for them
 * is new to the flows; what the user said before it is reviewed once more, since a model may get to see it again.
 *
 * @param knowsResults - rails have looked at the results when the tools had run
 */
export async function readAwaited(
  { host, input, call }: Pick<GuardedTurn, "host" | "input" | "call">,
  knowsResults: boolean,
): Promise<AwaitedInput> {
  const ids = input.messages.flatMap((message, index) => {
    const isNew = input.pending.includes(index) || input.settled?.has(index) === true;
    const id = isNew && roleOf(message) === "tool" ? toolCallIdOf(message) : undefined;
    return id === undefined ? [] : [id];
  });
  if (ids.length === 0 || !(await host.runtime.awaitsResult(ids, call.options))) return { input, decisions: [] };
  const texts = pendingTexts(input);
  const answered = input.messages.findLastIndex((message) => roleOf(message) === "assistant");
  const isHeard = (index: number): boolean => index < answered;
  const isKnown = (index: number): boolean => {
    const message = input.messages[index];
    return knowsResults && message !== undefined && roleOf(message) === "tool";
  };
  const settled = new Map<number, string>();
  for (const [position, index] of input.pending.entries()) {
    if (!isHeard(index) || isKnown(index)) settled.set(index, texts[position] ?? "");
  }
  const decisions: RailDecision[] = [];
  if (input.pending.some(isHeard)) {
    const review = await reviewInput(host, settleMessages(input, settled), call);
    if (review.block !== undefined) {
      const { block, blockedAt = 0 } = review;
      return { input, decisions: [], block, blockedAt };
    }
    decisions.push(...review.verdict.decisions);
    const heard = input.pending.filter((index) => isHeard(index) && !settled.has(index));
    for (const [position, index] of heard.entries()) settled.set(index, review.texts[position] ?? "");
  }
  for (const index of input.pending) if (!isHeard(index) && !isKnown(index)) settled.delete(index);
  return { input: { ...(settled.size === 0 ? input : settleMessages(input, settled)), hasAwaited: true }, decisions };
}
