import type { ResponseReview } from "../../turn/options.js";
import { type ResponseOptions } from "../values/response.js";
import { readResponse } from "../values/read-response.js";
import { applyBlock, type OnBlocked } from "../blocked.js";
import { runAndClose, type GuardedCall, rethrowError } from "../call.js";
import { reviewResponse } from "../review/review.js";
import { reviewWithEvidence, mayHoldEvidence, reviewEvidenceIn } from "../review/evidence-review.js";
import { streamFrom } from "./sink.js";
import { StreamedResponse } from "./streamed-response.js";
import { Upstream } from "./upstream.js";
import { formatOfValue } from "./value-format.js";

/** For answers that can only be reviewed when complete. */
const HELD: ResponseReview = { unit: "chunk", guarded: true, check: async () => ({ kind: "held" }) };

/**
 * Reviews a streamed response in a pipe, window by window. A pipe passes no signal upstream, so a block cancels the rest
 * by closing the stream.
 *
 * @param chunks - the response, not yet read
 */
export async function* streamThroughRails<T>(
  chunks: AsyncGenerator<unknown>,
  call: GuardedCall,
  options: ResponseOptions & { readonly onBlocked?: OnBlocked },
): AsyncGenerator<T> {
  const plan = call.host.streaming;
  yield* streamFrom<T>(call.config.signal, 0, (sink, signal) =>
    runAndClose(call.with({ signal }), async (streamCall) => {
      const { evidenceReader: evidence } = streamCall.conversation;
      const read = (value: unknown) => readResponse(value, { ...options, evidence });
      const session = streamCall.conversation.openOutput(plan);
      const streamed = new StreamedResponse({
        plan,
        sink,
        formatOf: (chunk, review) =>
          session?.review === undefined || mayHoldEvidence(chunk, streamCall)
            ? undefined
            : formatOfValue(chunk, review, options),
        read,
        prepare: (whole) => {
          rethrowError(whole);
          return reviewEvidenceIn(whole, streamCall, options);
        },
        // A pipe waits for its steps without a limit.
        stallMs: 0,
      });
      const review = await reviewWithEvidence(
        streamCall,
        async () => {
          const response = await streamed.ask(async () => new Upstream(chunks), session?.review ?? HELD);
          return reviewResponse(response, streamCall, { session });
        },
        () => (session?.close(), read(streamed.whole())),
      );
      const { block } = review;
      if (block === undefined) {
        const text = review.texts[0] ?? review.response.text;
        return streamed.end({ kind: "response", response: review.response, text, verdict: review.verdict });
      }
      const onBlocked = options.onBlocked ?? call.host.onBlocked ?? "refuse";
      const refuse = (refusal: string): unknown => streamed.refuse(refusal, block.verdict);
      await sink.put([await applyBlock(block, streamed.whole(), onBlocked, refuse)]);
    }),
  );
}
