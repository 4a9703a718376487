import type { GuardrailsMetadata, RailDecision, RailStatus } from "../turn/decision.js";
import { summarizeDecisions } from "../turn/decision.js";
import type { StageResult } from "../turn/result.js";
import type { StageReview } from "../runtime/port.js";
import type { StreamPlan } from "../turn/stream-plan.js";
import type { GuardedCall } from "./call.js";
import type { Answer } from "./values/answer.js";
import type { Block } from "./blocked.js";
import type { Host } from "./host.js";
import { reviewsReasoning } from "./values/reasoning.js";
import { pendingTexts, toHistory, type UserInput } from "./values/user-input.js";
import { announceDecisions, withoutQuotes } from "./verdict.js";

/** What the rails of one side made of a value. */
export interface Review {
  readonly status: RailStatus;
  /** The texts afterwards: one per pending message, or the one answer. */
  readonly texts: readonly string[];
  /** What the model thought, as the rails left it; absent where they did not look at it. */
  readonly reasoning?: string;
  readonly verdict: GuardrailsMetadata;
  readonly block?: Block;
  /** Which of the pending messages was blocked; those after it were not looked at. */
  readonly blockedAt?: number;
}

/** Runs the input rails over everything the user said since the last answer, oldest first; the first block ends it. */
export async function reviewInput(host: Host, input: UserInput, call: GuardedCall): Promise<Review> {
  const texts = [...pendingTexts(input)];
  const checked = host.runtime.config.settings.security.check_all_user_messages ? texts : texts.slice(-1);
  const offset = texts.length - checked.length;
  const history = toHistory(input);
  const decisions: RailDecision[] = [];
  for (const [index, text] of checked.entries()) {
    if (text === "") continue;
    const subject = { userMessage: text, context: input.context, history };
    const result = await host.runtime.runStage("input", subject, call.options);
    decisions.push(...withoutQuotes(result.decisions, [text]));
    const block = blockOf(result, decisions);
    if (block) return { ...(await finish(texts, decisions, call, block)), blockedAt: offset + index };
    texts[offset + index] = result.userMessage;
  }
  return finish(texts, decisions, call);
}

/** Begins the review of an answer that streams outside of a turn of the runtime. */
export function openReview(host: Host, call: GuardedCall, stream: StreamPlan | undefined): StageReview | undefined {
  return stream === undefined ? undefined : host.runtime.openReview({}, { ...call.options, stream });
}

/**
 * Runs the output rails over an answer, with the question and the evidence it came with.
 *
 * @param session - the review that has seen it part by part, if one has
 */
export async function reviewAnswer(
  host: Host,
  answer: Answer,
  call: GuardedCall,
  session?: StageReview,
): Promise<Review> {
  const reasoning = reviewsReasoning(host) ? answer.reasoning() : "";
  // A message that only asks for tools says nothing yet; its arguments are the business of execution rails.
  if (answer.text === "" && reasoning === "") {
    session?.close();
    return finish([""], [], call);
  }
  const { text: botMessage, userText: userMessage, relevantChunks } = answer;
  const subject = { botMessage, userMessage, relevantChunks, ...(reasoning === "" ? {} : { reasoning }) };
  const result = await (session === undefined
    ? host.runtime.runStage("output", subject, call.options)
    : session.finish(subject));
  const looked = [answer.text, reasoning, answer.userText, ...(answer.parts ?? [])];
  const decisions = withoutQuotes(result.decisions, looked);
  const review = await finish([result.botMessage], decisions, call, blockOf(result, decisions));
  return result.reasoning === undefined ? review : { ...review, reasoning: result.reasoning };
}

/** The answer with the thoughts that the rails left; as it was where they did not look at them. */
export function rethink(answer: Answer, reasoning: string | undefined): Answer {
  return reasoning === undefined || reasoning === answer.reasoning() ? answer : answer.think(reasoning);
}

export function blockOf(result: StageResult, decisions: readonly RailDecision[]): Block | undefined {
  if (!result.verdict.blocked && result.exception === undefined) return undefined;
  const verdict = { ...result.verdict, blocked: true, decisions };
  return { refusal: result.refusal ?? "", exception: result.exception, verdict };
}

async function finish(
  texts: readonly string[],
  decisions: readonly RailDecision[],
  call: GuardedCall,
  block?: Block,
): Promise<Review> {
  await announceDecisions(decisions, call.announce);
  if (block) return { status: "blocked", texts, verdict: block.verdict, block };
  const modified = decisions.some((decision) => decision.status === "modified");
  return { status: modified ? "modified" : "passed", texts, verdict: summarizeDecisions(decisions, false) };
}
