import type { AnswerReview } from "../../turn/options.js";
import { type AnswerOptions } from "../values/answer.js";
import { readAnswer } from "../values/read-answer.js";
import { applyBlock, type OnBlocked } from "../blocked.js";
import { closing, type GuardedCall, rethrowError } from "../call.js";
import { reviewAnswer } from "../review/review.js";
import { reviewWithEvidence, mayHoldEvidence, reviewEvidenceIn } from "../review/evidence-review.js";
import { streamFrom } from "./sink.js";
import { StreamedAnswer } from "./streamed-answer.js";
import { Upstream } from "./upstream.js";
import { formatOfValue } from "./value-format.js";

/** For answers that can only be reviewed when complete. */
const HELD: AnswerReview = { unit: "chunk", guarded: true, check: async () => ({ kind: "held" }) };

/**
 * Reviews a streamed answer in a pipe, window by window. A pipe passes no signal upstream, so a block cancels the rest
 * by closing the stream.
 *
 * @param chunks - the answer, not yet read
 */
export async function* streamThroughRails<T>(
  chunks: AsyncGenerator<unknown>,
  call: GuardedCall,
  options: AnswerOptions & { readonly onBlocked?: OnBlocked },
): AsyncGenerator<T> {
  const read = (value: unknown) => readAnswer(value, { ...options, evidence: call.conversation.evidenceReader });
  const plan = call.host.streaming;
  yield* streamFrom<T>(call.config.signal, 0, (sink, signal) =>
    closing(call.with({ signal }), async (own) => {
      const session = own.conversation.openOutput(plan);
      const streamed = new StreamedAnswer({
        plan,
        sink,
        formatOf: (chunk, review) =>
          session?.review === undefined || mayHoldEvidence(chunk, own)
            ? undefined
            : formatOfValue(chunk, review, options),
        read,
        prepare: (whole) => {
          rethrowError(whole);
          return reviewEvidenceIn(whole, own, options);
        },
        // A pipe waits for its steps without a limit.
        stallMs: 0,
      });
      const review = await reviewWithEvidence(
        async () => {
          const answer = await streamed.ask(async () => new Upstream(chunks), session?.review ?? HELD);
          return reviewAnswer(answer, own, { session });
        },
        () => (session?.close(), read(streamed.whole())),
      );
      const { block } = review;
      if (block === undefined) {
        const text = review.texts[0] ?? review.answer.text;
        return streamed.end({ kind: "answer", answer: review.answer, text, verdict: review.verdict });
      }
      const onBlocked = options.onBlocked ?? call.host.onBlocked ?? "refuse";
      const refuse = (refusal: string): unknown => streamed.refuse(refusal, block.verdict);
      await sink.put([await applyBlock(block, streamed.whole(), onBlocked, refuse)]);
    }),
  );
}
