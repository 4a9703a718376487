import type { RunnableConfig } from "@langchain/core/runnables";
import type { ResponseReview } from "../../turn/response.js";
import { Cancellation } from "../../engine/async.js";
import type { GuardedResponse, OpenedStream, Responder } from "../responder.js";

/** A response started before the input verdict: a whole one, or its stream. */
export type StartedResponse<BotResponse> =
  | { readonly response: Promise<BotResponse> }
  | { readonly stream: Promise<OpenedStream> };

interface StartOptions {
  readonly config: RunnableConfig;
  /** True if the response will be read as a stream. */
  readonly streams: boolean;
}

/** Starts a response. Its rejection is handled here, since the response may never be taken over. */
export function startResponse<BotResponse extends GuardedResponse>(
  responder: Responder<BotResponse>,
  texts: readonly string[],
  { config, streams }: StartOptions,
): StartedResponse<BotResponse> {
  if (!streams || responder.open === undefined) {
    const response = responder.ask(texts, config);
    response.catch(() => undefined);
    return { response };
  }
  // An unread stream notices its end only when it is left; one not yet started, by its own signal.
  const cancellation = new Cancellation();
  let opened: OpenedStream | undefined;
  const stream = responder.open(texts, { ...config, signal: cancellation.signal }).then((upstream) => {
    // The stream may have started although its signal had fired.
    if (cancellation.aborted) upstream.leave();
    return (opened = upstream);
  });
  stream.catch(() => undefined);
  // The signal belongs to this request and ends with it.
  const outer = Cancellation.following(config.signal);
  outer.onAbort(() => (opened === undefined ? cancellation.abort(outer.reason) : opened.leave()));
  return { stream };
}

/** The responder's call with the original texts, started while their rails still run. */
export class SpeculativeResponse<BotResponse extends GuardedResponse> {
  readonly #responder: Responder<BotResponse>;
  readonly #texts: readonly string[];
  readonly #config: RunnableConfig;
  readonly #cancellation: Cancellation;
  readonly #started: StartedResponse<BotResponse>;

  constructor(
    responder: Responder<BotResponse>,
    texts: readonly string[],
    { config, streams }: StartOptions,
    cancellation: Cancellation,
  ) {
    this.#responder = responder;
    this.#texts = [...texts];
    this.#cancellation = cancellation;
    this.#config = { ...config, signal: cancellation.signal };
    this.#started = startResponse(responder, this.#texts, { config: this.#config, streams });
  }

  /** Returns the response if it was started with these texts; otherwise undefined. */
  take(texts: readonly string[], review: ResponseReview | undefined): Promise<BotResponse> | undefined {
    const started = this.#started;
    if (texts.length === this.#texts.length && texts.every((text, index) => text === this.#texts[index])) {
      if ("response" in started) return started.response;
      if (review !== undefined) return this.#responder.ask(texts, this.#config, review, started.stream);
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
