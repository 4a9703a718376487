import type { RunnableConfig } from "@langchain/core/runnables";
import type { AnswerReview } from "../../turn/answer.js";
import { Cancellation } from "../../engine/async.js";
import type { GuardedAnswer, OpenedStream, Responder } from "../answer-request.js";

/** An answer started before the input verdict: a whole one, or its stream. */
export type BegunAnswer<Answer> = { readonly answer: Promise<Answer> } | { readonly stream: Promise<OpenedStream> };

interface Beginning {
  readonly config: RunnableConfig;
  /** True if the answer will be read as a stream. */
  readonly streams: boolean;
}

/** Starts an answer. Its rejection is handled here, since the answer may never be taken over. */
export function beginAsking<Answer extends GuardedAnswer>(
  responder: Responder<Answer>,
  texts: readonly string[],
  { config, streams }: Beginning,
): BegunAnswer<Answer> {
  if (!streams || responder.open === undefined) {
    const answer = responder.ask(texts, config);
    answer.catch(() => undefined);
    return { answer };
  }
  // An unread stream notices its end only when it is left; one not yet started, by its own signal.
  const own = new Cancellation();
  let opened: OpenedStream | undefined;
  const stream = responder.open(texts, { ...config, signal: own.signal }).then((each) => {
    // The stream may have started although its signal had fired.
    if (own.aborted) each.leave();
    return (opened = each);
  });
  stream.catch(() => undefined);
  // The signal belongs to this request and ends with it.
  const outer = Cancellation.following(config.signal);
  outer.onAbort(() => (opened === undefined ? own.abort(outer.reason) : opened.leave()));
  return { stream };
}

/** The responder's call with the original texts, started while their rails still run. */
export class SpeculativeAnswer<Answer extends GuardedAnswer> {
  readonly #responder: Responder<Answer>;
  readonly #texts: readonly string[];
  readonly #config: RunnableConfig;
  readonly #cancellation: Cancellation;
  readonly #begun: BegunAnswer<Answer>;

  constructor(
    responder: Responder<Answer>,
    texts: readonly string[],
    { config, streams }: Beginning,
    cancellation: Cancellation,
  ) {
    this.#responder = responder;
    this.#texts = [...texts];
    this.#cancellation = cancellation;
    this.#config = { ...config, signal: cancellation.signal };
    this.#begun = beginAsking(responder, this.#texts, { config: this.#config, streams });
  }

  /** Returns the answer if it was started with these texts; otherwise undefined. */
  take(texts: readonly string[], review: AnswerReview | undefined): Promise<Answer> | undefined {
    const begun = this.#begun;
    if (texts.length === this.#texts.length && texts.every((text, index) => text === this.#texts[index])) {
      if ("answer" in begun) return begun.answer;
      if (review !== undefined) return this.#responder.ask(texts, this.#config, review, begun.stream);
    }
    this.discard();
    return undefined;
  }

  /** Cancels the call. */
  discard(): void {
    this.#cancellation.abort(new DOMException("the answer is not needed", "AbortError"));
    this.release();
  }

  release(): void {
    this.#cancellation.release();
  }
}
