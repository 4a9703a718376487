import { AIMessageChunk } from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { WriteReviewedText } from "../../turn/options.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import { readAnswer } from "../values/read-answer.js";
import type { Host } from "../host.js";
import { spokenMessage } from "../verdict.js";
import { messageFormat } from "./message-format.js";
import type { Sink } from "./sink.js";
import { planOf, stallMsOf } from "./stream-settings.js";
import { replacing, StreamedAnswer } from "./streamed-answer.js";
import { Upstream } from "./upstream.js";

/** Outputs of a turn that streams while it is generated. */
export interface StreamingTurn {
  /** Words that a model writes. */
  readonly streamed: StreamedAnswer;
  /** Texts that flows say. */
  readonly emitted: EmittedTexts;
  /** Options of the turn. */
  readonly options: {
    readonly stream: StreamPlan;
    readonly writeText: WriteReviewedText;
    readonly emitText: EmittedTexts["emitText"];
  };
}

export function streamingTurn(host: Host, sink: Sink, streamed: StreamedAnswer): StreamingTurn {
  const emitted = new EmittedTexts(sink);
  return {
    streamed,
    emitted,
    options: { stream: planOf(host), writeText: writeThrough(streamed), emitText: emitted.emitText },
  };
}

/** The stream of a turn in which the configuration's own prompts speak. */
export function textStream(host: Host, sink: Sink): StreamedAnswer {
  return new StreamedAnswer({
    plan: planOf(host),
    sink,
    // What these models think is in the raw output of `generate` only.
    formatOf: (_chunk, { guarded }) => messageFormat({ guarded, readsReasoning: false, mayAskForTools: false }),
    read: (whole) => readAnswer(whole),
    stallMs: stallMsOf(host),
  });
}

/** Message of a refusal that no answer was made for; in a stream its verdict says if it replaces what has left. */
export function refusalMessage(
  turn: StreamingTurn | undefined,
  refusal: string,
  verdict: GuardrailsMetadata,
): ReturnType<typeof spokenMessage> {
  if (turn === undefined) return spokenMessage(refusal, verdict);
  const replaces = turn.streamed.hasLeft || turn.emitted.isReplacedBy(refusal);
  return spokenMessage(turn.emitted.restOf(refusal), replaces ? replacing(verdict) : verdict);
}

/** Sends a text through a stream, window by window as a wrapped model's. */
function writeThrough(streamed: StreamedAnswer): WriteReviewedText {
  return async (pieces, review) => {
    const chunks: AsyncIterator<AIMessageChunk> = {
      next: async () => {
        const next = await pieces.next();
        return next.done === true ? next : { done: false, value: new AIMessageChunk({ content: next.value }) };
      },
      return: async () => {
        await pieces.return?.();
        return { done: true, value: undefined };
      },
    };
    const { text } = await streamed.ask(async () => new Upstream(chunks), review);
    return text;
  };
}

/**
 * The stream of bot utterances of a turn: each leaves as soon as a flow emits it. INVARIANT: joined, the chunks are what
 * the turn says in the end; where it says something else after all, that comes behind them.
 */
export class EmittedTexts {
  readonly #sink: Sink;
  #emitted: string | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** True if a text has left. */
  get hasBegun(): boolean {
    return this.#emitted !== undefined;
  }

  /** Waits until the text is taken, so that flows continue no faster than they are read. */
  readonly emitText = async (text: string): Promise<void> => {
    const content = this.#emitted === undefined ? text : `\n${text}`;
    this.#emitted = (this.#emitted ?? "") + content;
    await this.#sink.put(new AIMessageChunk({ content }));
  };

  /** True if texts have left with which the text does not begin. */
  isReplacedBy(text: string): boolean {
    return this.#emitted !== undefined && !text.startsWith(this.#emitted);
  }

  /** Returns the part of the turn's text that has not left. */
  restOf(text: string): string {
    if (this.#emitted === undefined) return text;
    return text.startsWith(this.#emitted) ? text.slice(this.#emitted.length) : `\n${text}`;
  }
}
