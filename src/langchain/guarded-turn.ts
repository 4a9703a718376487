import type { RunnableConfig } from "@langchain/core/runnables";
import type { LanguageModel } from "../llm/model.js";
import type { GuardrailsMetadata, RailDecision } from "../runtime/decision.js";
import type { GeneratorRequest } from "../runtime/options.js";
import type { TurnResult } from "../runtime/result.js";
import type { Answer } from "./answer.js";
import type { Block } from "./blocked.js";
import type { GuardedCall } from "./call.js";
import type { Host } from "./host.js";
import { reviewAnswer, reviewInput } from "./review.js";
import { endsWithToolResult, pendingTexts, toTurnMessages, type UserInput } from "./user-input.js";
import { announceDecisions, withoutQuotes } from "./verdict.js";

/** Asks the guarded thing, with the user's texts as the input rails left them. */
export type Ask = (texts: readonly string[], config: RunnableConfig) => Promise<Answer>;

/** How a turn ended: the guarded thing's answer, a text of a flow, or a block. */
export type TurnOutcome =
  | { readonly kind: "answer"; readonly answer: Answer; readonly text: string; readonly verdict: GuardrailsMetadata }
  | { readonly kind: "spoken"; readonly text: string; readonly verdict: GuardrailsMetadata }
  | { readonly kind: "blocked"; readonly block: Block; readonly answer?: Answer | undefined };

export interface GuardedTurn {
  readonly host: Host;
  readonly input: UserInput;
  readonly call: GuardedCall;
  readonly main?: LanguageModel | undefined;
  /** Absent when the configuration's own prompts answer. */
  readonly ask?: Ask | undefined;
}

/** One turn around something that answers: input rails, flows, the answer, output rails. */
export function takeGuardedTurn(turn: GuardedTurn): Promise<TurnOutcome> {
  // A tool's result is content to check but no utterance, so no flow may answer it.
  if (turn.ask !== undefined && endsWithToolResult(turn.input)) return takeToolTurn({ ...turn, ask: turn.ask });
  return takeFullTurn(turn);
}

async function takeFullTurn({ host, input, call, main, ask }: GuardedTurn): Promise<TurnOutcome> {
  let answer: Answer | undefined;
  let failure: { readonly error: unknown } | undefined;
  const generator = async (request: GeneratorRequest) => {
    if (ask === undefined) throw new TypeError("there is nothing to ask");
    try {
      answer = await ask(textsOf(input, request), { ...request.config, signal: request.signal });
      return { text: answer.text, value: answer.value, relevantChunks: answer.relevantChunks };
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const result = await settle(
    host.runtime.turn(toTurnMessages(input), {
      ...call.options,
      ...(main === undefined ? {} : { main }),
      ...(ask === undefined ? {} : { generator }),
    }),
    () => failure,
  );
  const decisions = withoutQuotes(result.decisions, [...pendingTexts(input), answer?.text]);
  await announceDecisions(decisions, call.announce);
  return conclude(result, decisions, answer);
}

/** INVARIANT: what the guarded thing threw reaches the caller as it is, and never as an answer. */
async function settle<Result>(
  running: Promise<Result>,
  failure: () => { readonly error: unknown } | undefined,
): Promise<Result> {
  try {
    const result = await running;
    const failed = failure();
    if (failed !== undefined) throw failed.error;
    return result;
  } catch (error) {
    const failed = failure();
    throw failed === undefined ? error : failed.error;
  }
}

function conclude(result: TurnResult, decisions: readonly RailDecision[], answer: Answer | undefined): TurnOutcome {
  const verdict: GuardrailsMetadata = { ...result.verdict, decisions };
  if (result.status === "blocked" || result.status === "exception") {
    const block = { refusal: result.text, exception: result.exception, verdict: { ...verdict, blocked: true } };
    return { kind: "blocked", block, answer };
  }
  if (result.generated !== undefined && answer !== undefined && result.generated.value === answer.value) {
    return { kind: "answer", answer, text: result.text, verdict };
  }
  return { kind: "spoken", text: result.text, verdict };
}

async function takeToolTurn({ host, input, call, ask }: GuardedTurn & { readonly ask: Ask }): Promise<TurnOutcome> {
  const before = await reviewInput(host, input, call);
  if (before.block) return { kind: "blocked", block: before.block };
  const answer = await ask(before.texts, call.config);
  const after = await reviewAnswer(host, answer, call);
  const decisions = [...before.verdict.decisions, ...after.verdict.decisions];
  if (after.block) {
    return { kind: "blocked", block: { ...after.block, verdict: { ...after.block.verdict, decisions } }, answer };
  }
  return { kind: "answer", answer, text: after.texts[0] ?? "", verdict: { ...after.verdict, decisions } };
}

function textsOf(input: UserInput, request: GeneratorRequest): readonly string[] {
  const pending = pendingTexts(input);
  if (request.userMessages?.length === pending.length) return request.userMessages;
  return request.rewritten ? [...pending.slice(0, -1), request.userMessage] : pending;
}
