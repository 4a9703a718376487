import type { IncomingMessage, ServerResponse } from "node:http";
import { startTimer } from "../engine/events.js";
import { type ApiError, overloaded } from "./errors.js";
import { observe, requestHeaders, requestIdOf } from "./scope.js";
import type { ServerContext } from "./server-context.js";

/** Routes whose requests need a slot. */
export interface PlacedRoutes {
  /** Paths of routes with a body. */
  readonly paths: ReadonlySet<string>;
  /** True if responses to pages of other origins need their own headers. */
  readonly hasOrigins: boolean;
}

/** A prepared refusal. Creating an error per request would be half of its cost. */
interface Refusal {
  readonly error: ApiError;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Refuses requests on Node.js while the server is full, before a `Request` is created and before the body is read. A refusal
 * costs a tenth of a guarded request, so a flood of requests leaves processor time for accepted ones. INVARIANT: the response
 * does not depend on the request, because its caller is not authenticated yet.
 */
export class EarlyRefusal {
  readonly #server: ServerContext;
  readonly #routes: PlacedRoutes;
  /** Refusals by their `Retry-After` in seconds. */
  readonly #refusals = new Map<number, Refusal>();

  constructor(server: ServerContext, routes: PlacedRoutes) {
    this.#server = server;
    this.#routes = routes;
  }

  /** Refuses the request if the server is full; returns false if it may enter. */
  refuse(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { admission, isDraining } = this.#server;
    if (!admission.isFull || isDraining || incoming.method !== "POST") return false;
    const { paths, hasOrigins } = this.#routes;
    const [route = ""] = (incoming.url ?? "").split("?", 1);
    if (!paths.has(route) || (hasOrigins && incoming.headers.origin !== undefined)) return false;
    const { error, headers, body } = this.#refusalAfter(admission.refuse());
    const sent = incoming.headers["x-request-id"];
    const requestId = requestIdOf(typeof sent === "string" ? sent : undefined, this.#server.ids);
    this.#notify(requestId, route, error);
    outgoing.once("finish", () => this.#discard(incoming));
    outgoing.writeHead(error.status, { ...requestHeaders(requestId, 0), ...headers }).end(body);
    return true;
  }

  #refusalAfter(seconds: number): Refusal {
    const known = this.#refusals.get(seconds);
    if (known !== undefined) return known;
    const error = overloaded(seconds);
    const body = JSON.stringify({ error: error.object });
    const length = String(Buffer.byteLength(body));
    const headers = { "content-type": "application/json", "content-length": length, ...error.headers };
    const made = { error, headers, body };
    this.#refusals.set(seconds, made);
    return made;
  }

  #notify(requestId: string, route: string, { status, object }: ApiError): void {
    const { observer } = this.#server;
    if (observer === undefined) return;
    const begun = { requestId, route, method: "POST" };
    observe(() => observer.requestStarted?.(begun));
    const unknown = {
      caller: undefined,
      config: undefined,
      model: undefined,
      firstTokenMs: undefined,
      verdict: undefined,
    };
    const errorCode = object.code ?? undefined;
    const record = { ...begun, ...unknown, status, isStream: false, durationMs: 0, queuedMs: 0, errorCode };
    observe(() => observer.requestFinished?.(record));
  }

  /** Reads the rest of the body to reuse the connection; closes it if that takes too long or the body is too large. */
  #discard(incoming: IncomingMessage): void {
    if (incoming.complete || incoming.socket.destroyed) return;
    const { bodyBytes, bodyMs } = this.#server.limits;
    const { socket } = incoming;
    let left = bodyBytes;
    const end = (): void => {
      stopTimer();
      incoming.off("data", onData).off("end", end).off("error", end);
      socket.off("close", end);
    };
    const giveUp = (): void => {
      end();
      socket.destroy();
    };
    const onData = (part: Buffer): void => {
      left -= part.length;
      if (left < 0) giveUp();
    };
    const stopTimer = startTimer(bodyMs, giveUp);
    incoming.on("data", onData).on("end", end).on("error", end);
    // After the response, the request is not notified when its connection closes.
    socket.on("close", end);
  }
}
