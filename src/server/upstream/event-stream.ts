import type { Dispatcher } from "undici";
import { onAbortOf } from "../../engine/async.js";
import { startIdleTimer } from "../../engine/events.js";
import { errorObjectIn, passedHeaders, UpstreamError } from "./errors.js";
import { EventParser } from "./event-parser.js";

/** Maximum number of unread events before the stream applies backpressure to the upstream server. */
const MAX_WAITING = 256;
/** Maximum size of an upstream error to read, in bytes. */
const MAX_ERROR = 65_536;
/** Time limit for the end of a response after its last event, in milliseconds; its end frees the connection. */
const END_MS = 1000;

/**
 * The events of one streamed upstream response. They are read directly from the connection, without intermediate streams and
 * iterators, because a call has hundreds of them.
 */
export class EventStream implements Dispatcher.DispatchHandler {
  /** Called when an event has arrived, or the response has ended. */
  onChange: (() => void) | undefined;
  readonly #parser = new EventParser();
  readonly #events: string[] = [];
  readonly #opened: (failure?: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #headers: Readonly<Record<string, string>> = {};
  /** Status and body parts of an error response. */
  #refusal: { readonly status: number; readonly parts: Buffer[]; size: number } | undefined;
  #end: { readonly error?: Error } | undefined;
  #isFinished = false;
  #stopListening: (() => void) | undefined;

  private constructor(opened: (failure?: Error) => void, signal: AbortSignal | undefined) {
    this.#opened = opened;
    if (signal !== undefined) this.#stopListening = onAbortOf(signal, () => this.#abort(signal.reason as Error));
  }

  /**
   * Sends a request, and waits for the first line of its response.
   *
   * @throws UpstreamError for an error response, the reason of the signal, and errors of the connection
   */
  static open(
    pool: Dispatcher,
    request: Dispatcher.DispatchOptions,
    signal: AbortSignal | undefined,
  ): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const stream: EventStream = new EventStream(
        (failure) => (failure === undefined ? resolve(stream) : reject(failure)),
        signal,
      );
      pool.dispatch(request, stream);
    });
  }

  /** Response headers to pass on to the caller. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  /** Returns the data of the next event; undefined if none has arrived. */
  take(): string | undefined {
    const event = this.#events.shift();
    if (event !== undefined && this.#events.length === 0 && this.#controller?.paused === true)
      this.#controller.resume();
    return event;
  }

  /**
   * True once all events have been read and no more will arrive.
   *
   * @throws the error that interrupted the response, after the events before it have been read
   */
  get isOver(): boolean {
    if (this.#end === undefined || this.#events.length > 0) return false;
    if (this.#end.error !== undefined) throw this.#end.error;
    return true;
  }

  /** Stops reading after the last event; later data is dropped. */
  finish(): void {
    if (this.#end !== undefined || this.#isFinished) return;
    this.#isFinished = true;
    this.#events.length = 0;
    this.#controller?.resume();
    const stop = startIdleTimer(END_MS, () => this.close());
    const stopListening = this.#stopListening;
    this.#stopListening = () => (stop(), stopListening?.());
  }

  /** Cancels the request. */
  close(): void {
    this.#abort(new DOMException("the response is not read to its end", "AbortError"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#end === undefined) this.#controller = controller;
    else controller.abort(this.#end.error ?? new Error("aborted"));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: object): void {
    // Informational responses that precede the final one, such as early hints.
    if (status < 200) return;
    this.#headers = passedHeaders(headers);
    if (status < 400) this.#opened();
    else this.#refusal = { status, parts: [], size: 0 };
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#isFinished) return;
    const refusal = this.#refusal;
    if (refusal !== undefined) {
      refusal.size += bytes.length;
      if (refusal.size <= MAX_ERROR) refusal.parts.push(bytes);
      else this.#finish(refused(refusal, this.#headers), true);
      return;
    }
    try {
      this.#parser.push(bytes, this.#events);
    } catch (error) {
      return this.#finish(error as Error, true);
    }
    if (this.#events.length === 0) return;
    if (this.#events.length >= MAX_WAITING) controller.pause();
    this.onChange?.();
  }

  onResponseEnd(): void {
    const refusal = this.#refusal;
    this.#finish(refusal === undefined ? undefined : refused(refusal, this.#headers));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(error);
  }

  #abort(reason: Error): void {
    if (this.#end === undefined) this.#finish(reason, true);
  }

  #finish(error: Error | undefined, cancels = false): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    this.#stopListening?.();
    this.#stopListening = undefined;
    if (error !== undefined) this.#opened(error);
    if (cancels) {
      this.#events.length = 0;
      this.#controller?.abort(error ?? new Error("aborted"));
    }
    this.#controller = undefined;
    this.onChange?.();
  }
}

function refused(
  { status, parts, size }: { readonly status: number; readonly parts: readonly Buffer[]; readonly size: number },
  headers: Readonly<Record<string, string>>,
): UpstreamError {
  const body = size > MAX_ERROR ? undefined : errorObjectIn(Buffer.concat(parts).toString("utf8"));
  return new UpstreamError(status, `upstream status ${status}`, { headers, body });
}
