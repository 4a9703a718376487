import { AIMessageChunk, type AIMessageChunkFields } from "@langchain/core/messages";
import { isObject, type PlainObject } from "../../langchain/values/message-kinds.js";
import { UpstreamError } from "./errors.js";
import type { EventStream } from "./event-stream.js";
import type { Exchange } from "./exchange.js";
import { callId, extrasOf, factsOf, textOf, usageMetadata, usageOf } from "./response-parts.js";

interface ChunkStreamOptions {
  readonly exchange?: Exchange | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Step = IteratorResult<AIMessageChunk, undefined>;

/** A reader that waits for a chunk. */
interface Waiting {
  readonly resolve: (step: Step) => void;
  readonly reject: (error: unknown) => void;
}

/** The chunks of a streamed upstream response, read on demand. */
export class ChunkStream implements AsyncGenerator<AIMessageChunk, undefined> {
  readonly #open: () => Promise<EventStream>;
  readonly #exchange: Exchange | undefined;
  readonly #signal: AbortSignal | undefined;
  #opening: Promise<EventStream> | undefined;
  #events: EventStream | undefined;
  /** Waiting readers in order; if the upstream server pauses, there is one. */
  readonly #waiting: Waiting[] = [];
  readonly #facts: FactsReader;
  /** True once a chunk contained a finish reason. */
  #isFinished = false;
  #isOver = false;

  /** @param open - sends the request; called on the first `next` */
  constructor(open: () => Promise<EventStream>, { exchange, signal }: ChunkStreamOptions) {
    this.#open = open;
    this.#exchange = exchange;
    this.#signal = signal;
    this.#facts = new FactsReader(exchange);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#events !== undefined) this.#serve();
      else this.#begin();
    });
  }

  async return(): Promise<Step> {
    this.#isOver = true;
    const opened = this.#opening;
    if (opened !== undefined) (await opened.catch(() => undefined))?.close();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<AIMessageChunk, undefined>> {
    await this.return();
    throw error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #begin(): void {
    if (this.#isOver) return this.#serve();
    if (this.#opening !== undefined) return;
    this.#opening = this.#open();
    this.#opening.then(
      (events) => {
        this.#events = events;
        this.#exchange?.learn({ headers: events.headers });
        events.onChange = () => this.#serve();
        this.#serve();
      },
      (error: unknown) => {
        this.#isOver = true;
        this.#waiting.shift()?.reject(error);
        this.#serve();
      },
    );
  }

  /** Resolves waiting readers with the available chunks. */
  #serve(): void {
    for (let reader = this.#waiting[0]; reader !== undefined; reader = this.#waiting[0]) {
      try {
        const step = this.#step();
        if (step === undefined) return;
        this.#waiting.shift();
        reader.resolve(step);
      } catch (error) {
        this.#waiting.shift();
        reader.reject(this.#failure(error));
      }
    }
  }

  /** Returns the next step; undefined if its chunk has not arrived yet. */
  #step(): Step | undefined {
    const events = this.#events;
    if (this.#isOver || events === undefined) return { done: true, value: undefined };
    for (let data = events.take(); data !== undefined; data = events.take()) {
      if (data === "[DONE]") return this.#end(events);
      const chunk = this.#read(data);
      if (chunk !== undefined) return { done: false, value: chunk };
    }
    return events.isOver ? this.#end(events) : undefined;
  }

  #read(data: string): AIMessageChunk | undefined {
    const event = parseEvent(data);
    if (event["error"] !== undefined)
      throw new UpstreamError(0, "the upstream stream failed", { body: event["error"] });
    const choice = Array.isArray(event["choices"]) ? (event["choices"][0] as unknown) : undefined;
    const reason = this.#facts.read(event, isObject(choice) ? choice : NO_CHOICE);
    this.#isFinished ||= reason !== undefined;
    return readChunk(event, choice, reason, this.#exchange);
  }

  #end(events: EventStream): Step {
    this.#isOver = true;
    events.finish();
    this.#signal?.throwIfAborted();
    if (!this.#isFinished) throw new UpstreamError(0, "the upstream stream ended before its last chunk");
    return { done: true, value: undefined };
  }

  #failure(error: unknown): unknown {
    this.#isOver = true;
    this.#events?.close();
    if (this.#signal?.aborted === true) return this.#signal.reason;
    return error instanceof UpstreamError
      ? error
      : new UpstreamError(0, "the upstream stream broke off", { cause: error });
  }
}

const NO_CHOICE: PlainObject = {};

/** Facts of chunks. Nearly all chunks of a stream repeat the same facts; they are read only when they change. */
class FactsReader {
  readonly #exchange: Exchange | undefined;
  #model: unknown;
  #created: unknown;
  #fingerprint: unknown;
  #tier: unknown;

  constructor(exchange: Exchange | undefined) {
    this.#exchange = exchange;
  }

  /** Reads the facts of a chunk, and returns the finish reason if the chunk contains one. */
  read(event: PlainObject, choice: PlainObject): string | undefined {
    const { model, created, system_fingerprint: fingerprint, service_tier: tier } = event;
    const reason = choice["finish_reason"];
    const isKnown = model === this.#model && created === this.#created && fingerprint === this.#fingerprint;
    if (isKnown && tier === this.#tier && (reason === null || reason === undefined)) return undefined;
    [this.#model, this.#created, this.#fingerprint, this.#tier] = [model, created, fingerprint, tier];
    const facts = factsOf(event, choice);
    this.#exchange?.learn(facts);
    return facts.finishReason;
  }
}

function parseEvent(data: string): PlainObject {
  try {
    const event: unknown = JSON.parse(data);
    if (isObject(event)) return event;
  } catch {
    // Reported below.
  }
  throw new UpstreamError(0, "an event of the upstream stream is not a JSON object");
}

/** Reads a chunk; undefined for a chunk that contains only facts. */
function readChunk(
  event: PlainObject,
  choice: unknown,
  finishReason: string | undefined,
  exchange: Exchange | undefined,
): AIMessageChunk | undefined {
  const usage = event["usage"] === undefined ? undefined : usageOf(event["usage"]);
  if (usage !== undefined) exchange?.learn({ usage });
  const delta = isObject(choice) && isObject(choice["delta"]) ? choice["delta"] : NO_CHOICE;
  const calls = Array.isArray(delta["tool_calls"]) ? delta["tool_calls"].filter(isObject) : [];
  const content = textOf(delta["content"]);
  const extras = extrasOf(delta);
  if (content === "" && calls.length === 0 && extras === undefined && usage === undefined && finishReason === undefined)
    return undefined;
  const fields = {
    content,
    additional_kwargs: extras ?? {},
    response_metadata: finishReason === undefined ? {} : { finish_reason: finishReason },
    tool_calls: [],
    invalid_tool_calls: [],
    tool_call_chunks: calls.map(readCallChunk),
    usage_metadata: usage === undefined ? undefined : usageMetadata(usage),
  };
  const chunk = new AIMessageChunk(fields as object as AIMessageChunkFields);
  if (isObject(choice) && isObject(choice["logprobs"])) exchange?.attach(chunk, { logprobs: choice["logprobs"] });
  return chunk;
}

/** Maximum number of tool calls in one response. */
const MAX_CALLS = 1024;

function readCallChunk({ index, id, function: called }: PlainObject) {
  const { name, arguments: args } = isObject(called) ? called : {};
  const at = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < MAX_CALLS ? index : 0;
  return {
    type: "tool_call_chunk" as const,
    index: at,
    ...(typeof id === "string" ? { id: callId(id, at) } : {}),
    ...(typeof name === "string" ? { name } : {}),
    args: typeof args === "string" ? args : "",
  };
}
