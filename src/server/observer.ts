import type { GuardrailsMetadata } from "../turn/decision.js";

/** A finished request, for metrics and logs. It holds no text of a conversation and no key. */
export interface RequestRecord {
  readonly requestId: string;
  /** Pattern of the route, such as `/v1/chat/completions`. */
  readonly route: string;
  readonly method: string;
  /** HTTP status; 499 for a caller who went away. */
  readonly status: number;
  readonly caller: string | undefined;
  readonly config: string | undefined;
  readonly model: string | undefined;
  readonly isStream: boolean;
  /** Milliseconds from the arrival of the request to the end of the response. */
  readonly durationMs: number;
  /** Milliseconds in the queue. */
  readonly queuedMs: number;
  /** Milliseconds to the first byte of a stream's text. */
  readonly firstTokenMs: number | undefined;
  /** Code of the error object. */
  readonly errorCode: string | undefined;
  readonly verdict: GuardrailsMetadata | undefined;
}

/** Numbers of the server at this moment. */
export interface ServerLoad {
  readonly active: number;
  readonly queued: number;
}

/**
 * Receiver of what happens on the server; metrics plug in here. INVARIANT: an observer that fails changes no response.
 *
 * @example
 * ```ts
 * const app = await createGuardrailsApp({ configs, observer: { requestFinished: ({ status }) => count(status) } });
 * ```
 */
export interface ServerObserver {
  /** Called once with the means to read the load, before the first request. */
  readonly serverStarted?: (load: () => ServerLoad) => void;
  readonly requestStarted?: (record: Pick<RequestRecord, "requestId" | "route" | "method">) => void;
  readonly requestFinished?: (record: RequestRecord) => void;
}

/** Page of metrics in the format of Prometheus. */
export interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}
