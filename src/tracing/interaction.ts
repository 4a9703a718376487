import type { SpanKind } from "../engine/span.js";

/** A value of an attribute. */
export type AttributeValue = string | number | boolean | readonly string[];

export type TraceStatus = "ok" | "passed" | "modified" | "blocked" | "error" | "cancelled";

/** A span that has begun. Times are milliseconds since 1970, with fractions. */
export interface StartedSpan {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** Absent for the span of the call. */
  readonly parentId?: string;
  readonly kind: SpanKind;
  /** As OpenTelemetry names it: `guardrails.request`, `guardrails.rail`, `guardrails.action`, `chat gpt-4o-mini`. */
  readonly name: string;
  readonly startedAt: number;
  /** Names, numbers and switches; never a text of the conversation. */
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

/** A span that has ended. */
export interface TraceSpan extends StartedSpan {
  readonly finishedAt: number;
  /** In milliseconds. */
  readonly durationMs: number;
  /** Of a rail: its status. Others are `ok`, `error`, or `cancelled` if the call ended before them. */
  readonly status: TraceStatus;
  /**
   * Texts by name, such as `prompt` and `completion`. Absent unless the application asks for content, and from calls in which a
   * rail blocked or failed.
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
  /** True if a rail blocked; rails in shadow do not count. */
  readonly blocked: boolean;
  /** The call first, then all others in the order in which they began. */
  readonly spans: readonly TraceSpan[];
}

/** Follows a call while it runs, for a destination whose spans have to be open meanwhile. */
export interface CallFollower {
  started(span: StartedSpan): void;
  /** Runs work with a span active. It must call `work` once; whatever it does, the work runs once and its result stays. */
  run?<Result>(spanId: string, work: () => Result): Result;
  /** Called when the call is over, with the end of each span. */
  finished(interaction: Interaction): void;
}

/**
 * A destination of traces. INVARIANT: an error, a delay or a result of it changes nothing for the guarded call: it is logged once.
 *
 * @example
 * ```ts
 * const counting: TraceSink = { name: "counting", write: ({ spans }) => void (total += spans.length) };
 * ```
 */
export interface TraceSink {
  /** Name for the log. */
  readonly name: string;
  /** Receives a call that is over, after its result has left. The next one waits until this one is written. */
  write?(interaction: Interaction): void | Promise<void>;
  /** Follows calls while they run. */
  follow?(): CallFollower;
}
