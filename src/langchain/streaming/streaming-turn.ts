import { AIMessageChunk } from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { WriteReviewedText } from "../../turn/options.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import { readAnswer } from "../values/read-answer.js";
import type { Host } from "../host.js";
import { spokenMessage } from "../models/chat-generation.js";
import { messageFormat } from "./message-format.js";
import type { Sink } from "./sink.js";
import { planOf, stallMsOf } from "./stream-settings.js";
import { replacing, StreamedAnswer } from "./streamed-answer.js";
import { Upstream } from "./upstream.js";

/** How the words of a turn leave while they are made. */
export interface StreamingTurn {
  /** Words that a model writes. */
  readonly streamed: StreamedAnswer;
  /** Texts that flows say. */
  readonly said: EmittedTexts;
  /** Options of the turn. */
  readonly options: {
    readonly stream: StreamPlan;
    readonly writeText: WriteReviewedText;
    readonly emitText: EmittedTexts["emitText"];
  };
}

export function streamingTurn(host: Host, sink: Sink, streamed: StreamedAnswer): StreamingTurn {
  const said = new EmittedTexts(sink);
  return {
    streamed,
    said,
    options: { stream: planOf(host), writeText: writeThrough(streamed), emitText: said.emitText },
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
  told: StreamingTurn | undefined,
  refusal: string,
  verdict: GuardrailsMetadata,
): ReturnType<typeof spokenMessage> {
  if (told === undefined) return spokenMessage(refusal, verdict);
  const replaces = told.streamed.hasLeft || told.said.isReplacedBy(refusal);
  return spokenMessage(told.said.restOf(refusal), replaces ? replacing(verdict) : verdict);
}

/** Sends words through a stream, window by window as a wrapped model's. */
function writeThrough(streamed: StreamedAnswer): WriteReviewedText {
  return async (words, review) => {
    const chunks: AsyncIterator<AIMessageChunk> = {
      next: async () => {
        const next = await words.next();
        return next.done === true ? next : { done: false, value: new AIMessageChunk({ content: next.value }) };
      },
      return: async () => {
        await words.return?.();
        return { done: true, value: undefined };
      },
    };
    const { text } = await streamed.ask(async () => new Upstream(chunks), review);
    return text;
  };
}

/**
 * The stream of a turn in which flows speak: each text leaves as soon as it is said. INVARIANT: joined, the chunks are what
 * the turn says in the end; where it says something else after all, that comes behind them.
 */
export class EmittedTexts {
  readonly #outlet: Sink;
  #said: string | undefined;

  constructor(sink: Sink) {
    this.#outlet = sink;
  }

  /** True if a text has left. */
  get hasBegun(): boolean {
    return this.#said !== undefined;
  }

  /** Waits until the text is taken, so that flows go on no faster than they are read. */
  readonly emitText = async (text: string): Promise<void> => {
    const content = this.#said === undefined ? text : `\n${text}`;
    this.#said = (this.#said ?? "") + content;
    await this.#outlet.put(new AIMessageChunk({ content }));
  };

  /** True if texts have left with which the text does not begin. */
  isReplacedBy(text: string): boolean {
    return this.#said !== undefined && !text.startsWith(this.#said);
  }

  /** Returns the part of the turn's text that has not left. */
  restOf(text: string): string {
    if (this.#said === undefined) return text;
    return text.startsWith(this.#said) ? text.slice(this.#said.length) : `\n${text}`;
  }
}
