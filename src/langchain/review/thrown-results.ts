import { joinLines } from "../../turn/extra-text.js";
import { runAndClose, type GuardedCall } from "../call.js";
import { reviewThrown } from "../tools/tool-output.js";
import { type Decided, readingEscapes, type ReviewText } from "../tools/tool-review.js";
import { isBubble, reviewBubble } from "./bubbles.js";

/** Reviews texts by the output rails of a call. */
export function outputReview({ conversation }: GuardedCall, userMessage: string | undefined): ReviewText {
  return readingEscapes(async ({ text: own, extra = "" }) => {
    const botMessage = joinLines(own, extra);
    const { texts, verdict, block } = await conversation.output({ botMessage, userMessage });
    return { text: texts[0] ?? botMessage, decisions: verdict.decisions, ...(block === undefined ? {} : { block }) };
  });
}

/** Reviews texts by the retrieval rails of a call. */
function evidenceReview({ conversation }: GuardedCall, userMessage: string | undefined): ReviewText {
  return async ({ text: own, extra = "" }) => {
    const { relevantChunks, verdict, block } = await conversation.retrieval({
      relevantChunks: [joinLines(own, extra)],
      userMessage,
    });
    return { text: relevantChunks, decisions: verdict.decisions, ...(block === undefined ? {} : { block }) };
  };
}

const REVIEWS = { output: outputReview, retrieval: evidenceReview } as const;

/**
 * Reviews an error by which a graph behind the rails interrupts, or commands the graph around it.
 *
 * @param stage - the rails that review it
 * @throws the error itself, unless rails block it
 */
export async function reviewThrownResult(
  error: unknown,
  call: GuardedCall,
  userMessage: string | undefined,
  stage: keyof typeof REVIEWS = "output",
): Promise<Required<Decided>> {
  if (!isBubble(error) || call.config.signal?.aborted === true) throw error;
  // The turn in which it was thrown is over.
  return runAndClose(call.with({}), async (reviewCall) => {
    if (!reviewCall.conversation.guards(stage)) throw error;
    const review = REVIEWS[stage](reviewCall, userMessage);
    const { block, decisions } = await reviewBubble(error, (value) => reviewThrown(value, review));
    if (block === undefined) throw error;
    return { block, decisions };
  });
}
