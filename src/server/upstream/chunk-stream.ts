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

/** The chunks of a streamed upstream response, read when they are asked for. */
export class ChunkStream implements AsyncGenerator<AIMessageChunk, undefined> {
  readonly #open: () => Promise<EventStream>;
  readonly #exchange: Exchange | undefined;
  readonly #signal: AbortSignal | undefined;
  #events: Promise<EventStream> | undefined;
  /** True once a chunk has stated why the answer ends. */
  #isFinished = false;
  #isOver = false;

  /** @param open - sends the request; called with the first step */
  constructor(open: () => Promise<EventStream>, { exchange, signal }: ChunkStreamOptions) {
    this.#open = open;
    this.#exchange = exchange;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<AIMessageChunk, undefined>> {
    if (this.#isOver) return { done: true, value: undefined };
    const isFirst = this.#events === undefined;
    const events = await (this.#events ??= this.#open());
    if (isFirst) this.#exchange?.learn({ headers: events.headers });
    try {
      do {
        for (let data = events.take(); data !== undefined; data = events.take()) {
          if (data === "[DONE]") return this.#end(events);
          const chunk = this.#read(data);
          if (chunk !== undefined) return { done: false, value: chunk };
        }
      } while (await events.more());
      return this.#end(events);
    } catch (error) {
      this.#isOver = true;
      events.close();
      this.#signal?.throwIfAborted();
      throw error instanceof UpstreamError
        ? error
        : new UpstreamError(0, "the upstream stream broke off", { cause: error });
    }
  }

  async return(): Promise<IteratorResult<AIMessageChunk, undefined>> {
    this.#isOver = true;
    const opened = this.#events;
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

  #read(data: string): AIMessageChunk | undefined {
    const event = parseEvent(data);
    if (event["error"] !== undefined)
      throw new UpstreamError(0, "the upstream stream failed", { body: event["error"] });
    const choice = Array.isArray(event["choices"]) ? (event["choices"][0] as unknown) : undefined;
    this.#isFinished ||= isObject(choice) && typeof choice["finish_reason"] === "string";
    return readChunk(event, this.#exchange);
  }

  #end(events: EventStream): IteratorResult<AIMessageChunk, undefined> {
    this.#isOver = true;
    events.finish();
    this.#signal?.throwIfAborted();
    if (!this.#isFinished) throw new UpstreamError(0, "the upstream stream ended before its last chunk");
    return { done: true, value: undefined };
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

/** Reads a chunk; undefined for one that only brings facts. */
function readChunk(event: PlainObject, exchange: Exchange | undefined): AIMessageChunk | undefined {
  const usage = usageOf(event["usage"]);
  const choice = Array.isArray(event["choices"]) ? (event["choices"][0] as unknown) : undefined;
  const facts = factsOf(event, isObject(choice) ? choice : {});
  exchange?.learn({ ...facts, usage });
  const delta = isObject(choice) && isObject(choice["delta"]) ? choice["delta"] : {};
  const calls = Array.isArray(delta["tool_calls"]) ? delta["tool_calls"].filter(isObject) : [];
  const content = textOf(delta["content"]);
  const additional_kwargs = extrasOf(delta);
  const hasExtras = Object.keys(additional_kwargs).length > 0;
  if (content === "" && calls.length === 0 && !hasExtras && usage === undefined && facts.finishReason === undefined) {
    return undefined;
  }
  const fields = {
    content,
    additional_kwargs,
    response_metadata: facts.finishReason === undefined ? {} : { finish_reason: facts.finishReason },
    tool_calls: [],
    invalid_tool_calls: [],
    tool_call_chunks: calls.map(readCallChunk),
    usage_metadata: usage === undefined ? undefined : usageMetadata(usage),
  };
  const chunk = new AIMessageChunk(fields as object as AIMessageChunkFields);
  if (isObject(choice) && isObject(choice["logprobs"])) exchange?.attach(chunk, { logprobs: choice["logprobs"] });
  return chunk;
}

function readCallChunk({ index, id, function: called }: PlainObject) {
  const { name, arguments: args } = isObject(called) ? called : {};
  const at = typeof index === "number" ? index : 0;
  return {
    type: "tool_call_chunk" as const,
    index: at,
    ...(typeof id === "string" ? { id: callId(id, at) } : {}),
    ...(typeof name === "string" ? { name } : {}),
    args: typeof args === "string" ? args : "",
  };
}

