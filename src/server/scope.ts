import { type Cancellation, onAbortOf } from "../engine/async.js";
import { type Clock, type IdSource, startTimer } from "../engine/events.js";
import type { GuardrailsMetadata } from "../turn/decision.js";
import type { Caller } from "./access.js";
import { type Connection, ClientGone, headerOf, NodeConnection } from "./body.js";
import { timedOut } from "./errors.js";
import type { RequestRecord, ServerObserver } from "./observer.js";

/** Facts that become known while a request runs. */
export interface RequestFacts {
  caller?: Caller;
  config?: string;
  model?: string;
  isStream?: boolean;
  queuedMs?: number;
  firstTokenMs?: number;
  errorCode?: string | undefined;
  verdict?: GuardrailsMetadata | undefined;
}

/** Pattern of request ids that callers may choose. */
const REQUEST_ID = /^[\w-]{1,128}$/;

/** Returns the id of a request: the one that the caller sent, or a new one. */
export function requestIdOf(sent: string | undefined, ids: IdSource): string {
  return sent !== undefined && REQUEST_ID.test(sent) ? sent : `req_${ids.next().replaceAll("-", "")}`;
}

/** Returns the headers of every response. */
export function requestHeaders(requestId: string, elapsedMs: number): Record<string, string> {
  return {
    "x-request-id": requestId,
    "openai-processing-ms": String(Math.round(elapsedMs)),
    "openai-version": "2020-10-01",
  };
}

/** A request from its arrival to the end of its response. */
export class RequestScope {
  readonly request: Request;
  readonly connection: Connection;
  readonly route: string;
  readonly requestId: string;
  readonly facts: RequestFacts = {};
  /** True if the response continues after its route has returned. */
  isStreaming = false;
  /** Cancels the work of the request if its caller disconnects, its time is over, or the server stops. */
  readonly cancellation: Cancellation;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #observer: ServerObserver | undefined;
  readonly #onEnd: (() => void)[] = [];
  #isOver = false;

  constructor(
    given: { readonly request: Request; readonly connection: Connection; readonly route: string },
    server: {
      readonly clock: Clock;
      readonly ids: IdSource;
      readonly observer: ServerObserver | undefined;
      readonly requestMs: number;
      readonly shutdown: Cancellation;
    },
  ) {
    this.request = given.request;
    this.connection = given.connection;
    this.route = given.route;
    this.#clock = server.clock;
    this.#startedAt = server.clock.now();
    this.#observer = server.observer;
    const sent = this.header("x-request-id");
    this.requestId =
      sent !== undefined && REQUEST_ID.test(sent) ? sent : `req_${server.ids.next().replaceAll("-", "")}`;
    this.cancellation = server.shutdown.child();
    this.onEnd(onClientGone(given, () => this.cancellation.abort(new ClientGone())));
    this.onEnd(startTimer(server.requestMs, () => this.cancellation.abort(timedOut(server.requestMs / 1000))));
    observe(() =>
      this.#observer?.requestStarted?.({ requestId: this.requestId, route: given.route, method: given.request.method }),
    );
  }

  /** Reads a header of the request. */
  header(name: string): string | undefined {
    return headerOf(this.request, this.connection, name);
  }

  get caller(): Caller {
    return this.facts.caller ?? { id: "anonymous" };
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  /** Milliseconds since the request arrived. */
  get elapsedMs(): number {
    return this.#clock.now() - this.#startedAt;
  }

  /** The time at which the request arrived, in seconds since 1970, as OpenAI reports it. */
  get created(): number {
    return Math.floor(this.#startedAt / 1000);
  }

  /** Runs `work` when the response has ended, in any way. */
  onEnd(work: () => void): void {
    this.#onEnd.push(work);
  }

  /** Headers of every response. */
  get headers(): Record<string, string> {
    return requestHeaders(this.requestId, this.elapsedMs);
  }

  /** Ends the request; later calls do nothing. */
  end(status: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const work of this.#onEnd) work();
    this.cancellation.release();
    const { caller, config, model, isStream = false, queuedMs = 0, firstTokenMs, errorCode, verdict } = this.facts;
    const record: RequestRecord = {
      requestId: this.requestId,
      route: this.route,
      method: this.request.method,
      status,
      caller: caller?.id,
      config,
      model,
      isStream,
      durationMs: this.elapsedMs,
      queuedMs,
      firstTokenMs,
      errorCode,
      verdict,
    };
    observe(() => this.#observer?.requestFinished?.(record));
  }
}

/** Calls the listener when the caller disconnects; returns a function that removes the listener. */
function onClientGone(
  { request, connection }: { readonly request: Request; readonly connection: Connection },
  listener: () => void,
): () => void {
  if (!(connection instanceof NodeConnection)) {
    const { signal } = request;
    if (!signal.aborted) return onAbortOf(signal, listener);
    listener();
    return () => undefined;
  }
  // The signal of the request provides the same at the cost of an `AbortController`.
  const { outgoing } = connection;
  const onClose = (): void => {
    if (!outgoing.writableFinished) listener();
  };
  if (outgoing.destroyed) listener();
  outgoing.once("close", onClose);
  return () => outgoing.off("close", onClose);
}

/** Creates a JSON response. */
export function jsonResponse(value: unknown, headers: Readonly<Record<string, string>>, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...headers, "content-type": "application/json" } });
}

/** INVARIANT: a failing observer does not change a response. */
export function observe(notify: () => void): void {
  try {
    const notified: unknown = notify();
    if (notified instanceof Promise) notified.catch(() => undefined);
  } catch {
    // Not reported: the observer itself is the reporter.
  }
}
