import type { GuardrailsMetadata } from "../turn/decision.js";

/** A finished request, for metrics and logs. It contains no conversation text and no key. */
export interface RequestRecord {
  readonly requestId: string;
  /** Pattern of the route, such as `/v1/chat/completions`. */
  readonly route: string;
  readonly method: string;
  /** HTTP status; 499 for a caller that disconnected. */
  readonly status: number;
  readonly caller: string | undefined;
  readonly config: string | undefined;
  readonly model: string | undefined;
  readonly isStream: boolean;
  /** Milliseconds from the arrival of the request to the end of the response. */
  readonly durationMs: number;
  /** Milliseconds in the queue. */
  readonly queuedMs: number;
  /** Milliseconds to the first byte of streamed text. */
  readonly firstTokenMs: number | undefined;
  /** Code of the error object. */
  readonly errorCode: string | undefined;
  readonly verdict: GuardrailsMetadata | undefined;
}

/** Current load of the server. */
export interface ServerLoad {
  readonly active: number;
  readonly queued: number;
}

/**
 * Receives the events of the server, for metrics. INVARIANT: a failing observer does not change a response.
 *
 * @example
 * ```ts
 * const app = await createGuardrailsApp({ configs, observer: { requestFinished: ({ status }) => count(status) } });
 * ```
 */
export interface ServerObserver {
  /** Called once before the first request, with a function that returns the current load. */
  readonly serverStarted?: (load: () => ServerLoad) => void;
  readonly requestStarted?: (record: Pick<RequestRecord, "requestId" | "route" | "method">) => void;
  readonly requestFinished?: (record: RequestRecord) => void;
}

/** Metrics page in the Prometheus format. */
export interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}
