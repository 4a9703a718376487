import type { SpanKind } from "../engine/span.js";

/** A value of an attribute. */
export type AttributeValue = string | number | boolean | readonly string[];

export type TraceStatus = "ok" | "passed" | "modified" | "blocked" | "error" | "cancelled";

/** A started span. Times are milliseconds since 1970, with fractions. */
export interface StartedSpan {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** Absent for the root span of the call. */
  readonly parentId?: string;
  readonly kind: SpanKind;
  /** OpenTelemetry name: `guardrails.request`, `guardrails.rail`, `guardrails.action`, `chat gpt-4o-mini`. */
  readonly name: string;
  readonly startedAt: number;
  /** Names, numbers and booleans; never conversation text. */
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

/** A finished span. */
export interface TraceSpan extends StartedSpan {
  readonly finishedAt: number;
  /** In milliseconds. */
  readonly durationMs: number;
  /** The status of a rail; `ok`, `error`, or `cancelled` (the call ended first) for all other spans. */
  readonly status: TraceStatus;
  /**
   * Texts by name, such as `prompt` and `completion`. Absent unless the application enables content, and for calls in
   * which a rail blocked or failed.
   */
  readonly content?: Readonly<Record<string, string>>;
}

/**
 * Trace of one guarded call.
 *
 * @example
 * ```ts
 * const slowest = (trace: Interaction) => trace.spans.filter(({ kind }) => kind === "model").map(({ durationMs }) => durationMs);
 * ```
 */
export interface Interaction {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  /** True if a rail blocked; shadow rails do not count. */
  readonly blocked: boolean;
  /** The root span first, then all others in start order. */
  readonly spans: readonly TraceSpan[];
}

/** Follows a running call, for a destination with open spans. */
export interface CallFollower {
  started(span: StartedSpan): void;
  /** Runs work with a span active. It must call `work` once; in any case the work runs once and its result is kept. */
  run?<Result>(spanId: string, work: () => Result): Result;
  /** Called at the end of the call, with the end of each span. */
  finished(interaction: Interaction): void;
}

/**
 * A destination of traces. INVARIANT: its errors, delays and results never affect the guarded call; errors are logged
 * once.
 *
 * @example
 * ```ts
 * const counting: TraceSink = { name: "counting", write: ({ spans }) => void (total += spans.length) };
 * ```
 */
export interface TraceSink {
  /** Name for the log. */
  readonly name: string;
  /** Receives a finished call after its result was returned. The next call is passed once this one is written. */
  write?(interaction: Interaction): void | Promise<void>;
  /** Follows running calls. */
  follow?(): CallFollower;
}
