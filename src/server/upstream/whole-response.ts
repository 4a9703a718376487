import type { Dispatcher, Pool } from "undici";
import { onAbortOf } from "../../engine/async.js";
import { eventLoopShare } from "../event-loop-share.js";

/** A response with its complete body. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined if the body is too large or incomplete. */
  readonly text: string | undefined;
}

interface WholeRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Posts a request and reads the complete response. `pool.request` would create a stream for each body, an `AbortSignal` listener
 * and an async resource, which together cost a quarter of the whole call.
 * and an async resource, which together cost a quarter of the whole call.
 *
 * @param maxBytes - maximum size of the body by the status of the response
 * @throws the reason of the signal, or the error of the pool for a request without a response
 */
export function requestWhole(
  pool: Pool,
  { path, headers, body }: WholeRequest,
  signal: AbortSignal | undefined,
  maxBytes: (status: number) => number,
): Promise<WholeResponse> {
  // A signal that was aborted earlier fires no event.
  if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
  return new Promise((resolve, reject) => {
    const reader = new WholeReader({ resolve, reject, maxBytes }, signal);
    pool.dispatch({ path, method: "POST", headers, body }, reader);
  });
}

interface Settle {
  readonly resolve: (response: WholeResponse) => void;
  readonly reject: (error: unknown) => void;
  readonly maxBytes: (status: number) => number;
}

class WholeReader implements Dispatcher.DispatchHandler {
  readonly #settle: Settle;
  readonly #signal: AbortSignal | undefined;
  readonly #removeListener: (() => void) | undefined;
  readonly #parts: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Readonly<Record<string, unknown>> = {};
  #size = 0;
  #isOver = false;

  constructor(settle: Settle, signal: AbortSignal | undefined) {
    this.#settle = settle;
    this.#signal = signal;
    if (signal !== undefined) this.#removeListener = onAbortOf(signal, () => this.#fail(signal.reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Cancelled while waiting for a connection.
    if (this.#isOver) controller.abort(this.#signal?.reason as Error);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: WholeResponse["headers"]): void {
    // Informational responses precede the final one.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    if (this.#isOver) return;
    this.#size += part.length;
    this.#parts.push(part);
    if (this.#size <= this.#settle.maxBytes(this.#status)) return;
    this.#finish(undefined);
    controller.abort(new Error("the response is too large"));
  }

  onResponseEnd(): void {
    const [only] = this.#parts;
    const bytes = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#finish(bytes.toString("utf8"));
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#status === 0) this.#fail(error);
    else this.#finish(undefined);
  }

  #finish(text: string | undefined): void {
    // The remaining work of the request follows: output rails and the response.
    eventLoopShare.resume(() => {
      if (this.#end()) this.#settle.resolve({ status: this.#status, headers: this.#headers, text });
    });
  }

  #fail(reason: unknown): void {
    if (!this.#end()) return;
    this.#settle.reject(reason);
    this.#controller?.abort(reason as Error);
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#removeListener?.();
    return true;
  }
}
