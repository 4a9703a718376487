import type { BaseMessage } from "@langchain/core/messages";

/** Token usage in OpenAI's format. */
export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly [details: string]: unknown;
}

/** Facts of an upstream response that LangChain messages do not contain. */
export interface UpstreamFacts {
  readonly model?: string | undefined;
  readonly created?: number | undefined;
  readonly systemFingerprint?: string | undefined;
  readonly serviceTier?: string | undefined;
  readonly finishReason?: string | undefined;
  readonly usage?: WireUsage | undefined;
  /** Headers to pass on, such as those of rate limits. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Details of a response that are valid while it is unchanged. */
export interface UnchangedDetails {
  readonly logprobs?: unknown;
  /** Arguments of tool calls as the model wrote them, by the parsed object. */
  readonly argumentTexts?: ReadonlyMap<unknown, string>;
}

const NO_FACTS: UpstreamFacts = {};

/** No headers other than those of the configuration. */
export const NO_HEADERS: Readonly<Record<string, string>> = {};

/**
 * One call to the upstream model: request parameters and response facts. It is passed with the options of the call, bypassing the
 * rails, and contains no text that rails would have to read.
 */
export class Exchange {
  /** Parameters of the request except messages and stream. */
  parameters: Readonly<Record<string, unknown>>;
  /** Headers for the upstream server. */
  readonly headers: Readonly<Record<string, string>>;
  facts: UpstreamFacts = NO_FACTS;
  /** Messages of the last call to the upstream server, as rails left them. */
  sent: readonly object[] | undefined;
  /** Messages as the caller wrote them. INVARIANT: a message that rails change is another object. */
  readonly #originals = new Map<BaseMessage, object>();
  #answered: BaseMessage | undefined;
  #details: UnchangedDetails = {};
  /** Details of earlier messages, such as chunks of a stream. Created on demand, since a `WeakMap` slows each collection. */
  #earlier: WeakMap<BaseMessage, UnchangedDetails> | undefined;

  constructor(parameters: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = NO_HEADERS) {
    this.parameters = parameters;
    this.headers = headers;
  }

  remember<Message extends BaseMessage>(message: Message, original: object): Message {
    this.#originals.set(message, original);
    return message;
  }

  originalOf(message: BaseMessage): object | undefined {
    return this.#originals.get(message);
  }

  /** Adds facts; undefined ones keep their earlier value. The object is replaced only if a value changes. */
  learn(facts: UpstreamFacts): void {
    if (this.facts === NO_FACTS) {
      this.facts = facts;
      return;
    }
    const known = this.facts as Record<string, unknown>;
    const added = facts as Record<string, unknown>;
    let changed: Record<string, unknown> | undefined;
    for (const name in added) {
      const value = added[name];
      if (value !== undefined && value !== known[name]) (changed ??= { ...known })[name] = value;
    }
    if (changed !== undefined) this.facts = changed;
  }

  /** The last response of the upstream server, unmodified. */
  get answered(): BaseMessage | undefined {
    return this.#answered;
  }

  attach(message: BaseMessage, details: UnchangedDetails): void {
    if (this.#answered !== undefined) (this.#earlier ??= new WeakMap()).set(this.#answered, this.#details);
    this.#answered = message;
    this.#details = details;
  }

  detailsOf(message: BaseMessage): UnchangedDetails {
    return message === this.#answered ? this.#details : (this.#earlier?.get(message) ?? {});
  }
}
