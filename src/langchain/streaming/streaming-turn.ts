import { AIMessageChunk } from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { TurnOptions, WriteReviewedText } from "../../turn/options.js";
import type { BotResponse } from "../values/response.js";
import { readResponse } from "../values/read-response.js";
import type { Host } from "../host.js";
import { utteranceMessage } from "../verdict.js";
import { textChunk } from "../values/plain-message.js";
import { MessageFormat } from "./message-format.js";
import type { Sink } from "./sink.js";
import { StreamedResponse } from "./streamed-response.js";
import { Upstream } from "./upstream.js";

/** Outputs of a turn that streams while it is generated. */
export interface StreamingTurn {
  /** The model's text. */
  readonly streamed: StreamedResponse;
  /** Bot utterances of flows. */
  readonly emitted: EmittedTexts;
  /** Options of the turn. */
  readonly options: Pick<TurnOptions, "stream" | "writeText" | "emitText">;
  /** Opens the stream of a wrapped model. */
  readonly open: typeof Upstream.open;
  /** Builds the message of a refusal without a response. Its verdict marks whether it replaces released text. */
  readonly refusal: (refusal: string, verdict: GuardrailsMetadata) => ReturnType<typeof utteranceMessage>;
}

/** Opens the writers of a turn whose text is emitted while it is generated. */
export function streamingTurn(host: Host, sink: Sink, streamed: StreamedResponse): StreamingTurn {
  const emitted = new EmittedTexts(sink);
  return {
    streamed,
    emitted,
    options: { stream: host.streaming, writeText: writeThrough(streamed), emitText: emitted.emitText },
    open: (...opened) => Upstream.open(...opened),
    refusal: (refusal, verdict) => {
      const replaces = streamed.hasLeft || emitted.isReplacedBy(refusal);
      return utteranceMessage(emitted.restOf(refusal), replaces ? { ...verdict, replaces } : verdict);
    },
  };
}

/** Settings for reading the messages of a stream. */
interface MessageReading {
  /** Reads a complete message. */
  readonly read: (whole: unknown) => BotResponse;
  /** True if the model may call tools. */
  readonly mayAskForTools: boolean;
}

/** Opens the message stream of a wrapped model. */
export function messageStream(host: Host, sink: Sink, { read, mayAskForTools }: MessageReading): StreamedResponse {
  return new StreamedResponse({
    plan: host.streaming,
    sink,
    formatOf: (chunk, { guarded, readsReasoning = false }) =>
      AIMessageChunk.isInstance(chunk) ? new MessageFormat({ guarded, readsReasoning, mayAskForTools }) : undefined,
    read,
    stallMs: host.stallMs,
  });
}

/** Opens the stream of a turn answered by the configuration's own prompts. */
export function textStream(host: Host, sink: Sink): StreamedResponse {
  return new StreamedResponse({
    plan: host.streaming,
    sink,
    // Only the raw output of `generate` includes the reasoning of these models.
    formatOf: (_chunk, { guarded }) => new MessageFormat({ guarded, readsReasoning: false, mayAskForTools: false }),
    read: (whole) => readResponse(whole),
    stallMs: host.stallMs,
  });
}

/** Sends a text through a stream, in windows like a wrapped model's. */
function writeThrough(streamed: StreamedResponse): WriteReviewedText {
  return async (pieces, review) => {
    const chunks: AsyncIterator<AIMessageChunk> = {
      next: async () => {
        const next = await pieces.next();
        return next.done === true ? next : { done: false, value: textChunk(next.value) };
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
 * The stream of a turn's bot utterances, each released as soon as a flow emits it. INVARIANT: joined, the chunks are
 * the text of the turn; a different final text follows them.
 */
export class EmittedTexts {
  readonly #sink: Sink;
  #emitted: string | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Waits until the text is taken, so flows continue no faster than they are read. */
  readonly emitText = async (text: string): Promise<void> => {
    const content = this.#emitted === undefined ? text : `\n${text}`;
    this.#emitted = (this.#emitted ?? "") + content;
    await this.#sink.put([textChunk(content)]);
  };

  /** True if released texts are not a prefix of the text. */
  isReplacedBy(text: string): boolean {
    return this.#emitted !== undefined && !text.startsWith(this.#emitted);
  }

  /** Returns the unreleased part of the turn's text. */
  restOf(text: string): string {
    if (this.#emitted === undefined) return text;
    return text.startsWith(this.#emitted) ? text.slice(this.#emitted.length) : `\n${text}`;
  }
}
