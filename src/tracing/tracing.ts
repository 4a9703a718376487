import { formatDiagnostic } from "../diagnostics/code-frame.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { type Logger, logOnce } from "../diagnostics/logger.js";
import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import { type Clock, type StartTimer, startTimer, systemClock } from "../engine/events.js";
import { isPromise } from "../engine/async.js";
import type { CallSpan, CallTracer } from "../engine/span.js";
import type { CallFollower, Interaction, TraceSink } from "./interaction.js";
import { CallRecorder, type TraceContent } from "./recorder.js";

/** Options of `createTracing`. */
export interface TracingOptions {
  /** Destinations of traces. */
  readonly sinks: readonly TraceSink[];
  /**
   * Include texts in traces: messages, completions, prompts and action parameters. Rewritten text is redacted, and a
   * call in which a rail blocked or failed has no texts. Default: false, unless the environment variable
   * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is `true`.
   */
  readonly content?: boolean | undefined;
  /** Receives each distinct error of a destination once. Default: `console`; `false` disables logging. */
  readonly logger?: Logger | false | undefined;
}

const TRACING_OPTIONS: OptionTable<TracingOptions> = { sinks: "any", content: "boolean", logger: "any" };

/** Sources of times and ids. */
export interface TracingSources {
  readonly clock?: Clock;
  /** Creates an id with this number of hexadecimal digits. */
  readonly newId?: (digits: number) => string;
  /** Starts the timer of a write. */
  readonly timers?: StartTimer;
  /** Include all texts in traces, even those that rails blocked. Default: false. */
  readonly isUnreviewed?: boolean;
}

/** Traces of guarded calls, for the option `tracing`. */
export interface Tracing extends CallTracer {
  /** Returns a tracer with the same destinations that never includes texts. */
  withoutContent(): CallTracer;
  /** Resolves when all traces so far have been written. */
  flush(): Promise<void>;
}

/** Maximum number of traces waiting for a destination; further ones are dropped. */
const MAX_WAITING = 1_000;

/** Time limit of a write in milliseconds. Until a slower write finishes, further traces are dropped. */
const WRITE_MS = 10_000;

/** Writes in progress in this process. */
const writing = new Set<Promise<unknown>>();

/**
 * Traces every guarded call: a span for the call and for each rail, action and model call.
 *
 * @example
 * ```ts
 * const tracing = createTracing({ sinks: [jsonLines("traces.jsonl"), await openTelemetry()] });
 * const guardrails = await Guardrails.fromPath("config", { tracing });
 * ```
 */
export function createTracing(options: TracingOptions, sources: TracingSources = {}): Tracing {
  checkOptions("createTracing", options, TRACING_OPTIONS);
  const { clock = systemClock, newId = randomHex, timers = startTimer } = sources;
  const logger = options.logger === undefined ? console : options.logger === false ? undefined : options.logger;
  const failed = (sink: string, cause: unknown): void => logFailure(logger, sink, cause);
  const writers = options.sinks.flatMap((sink) => (sink.write === undefined ? [] : [new Writer(sink, failed, timers)]));
  const tracer = (content: TraceContent): CallTracer => ({
    open: (thread?: string): CallSpan => {
      const followers = options.sinks.flatMap((sink) => follow(sink, failed));
      const onError = (cause: unknown): void => failed("trace", cause);
      const onEnd = (build: () => Interaction): void => {
        if (writers.length > 0) defer(() => writers.forEach((writer) => writer.add(build)));
      };
      return new CallRecorder({ clock, newId, content, followers, onError, onEnd }, thread);
    },
  });
  return {
    ...tracer(sources.isUnreviewed === true ? "all" : (options.content ?? capturesContent()) ? "passed" : "none"),
    withoutContent: () => tracer("none"),
    flush: flushTraces,
  };
}

/**
 * Resolves when all traces of this process have been written, for processes that end or freeze after a response.
 *
 * @example
 * ```ts
 * process.once("beforeExit", () => void flushTraces());
 * ```
 */
export async function flushTraces(): Promise<void> {
  while (writing.size > 0) await Promise.allSettled(writing);
}

/** Starts following a call. A failing follower is ignored from then on. */
function follow(sink: TraceSink, failed: (sink: string, cause: unknown) => void): CallFollower[] {
  try {
    const follower = sink.follow?.();
    return follower === undefined ? [] : [guarded(follower, (cause) => failed(sink.name, cause))];
  } catch (cause) {
    failed(sink.name, cause);
    return [];
  }
}

function guarded(follower: CallFollower, failed: (cause: unknown) => void): CallFollower {
  let isBroken = false;
  const attempt = (work: () => void): void => {
    if (isBroken) return;
    try {
      work();
    } catch (cause) {
      isBroken = true;
      failed(cause);
    }
  };
  return {
    started: (span) => attempt(() => follower.started(span)),
    finished: (interaction) => attempt(() => follower.finished(interaction)),
    ...(follower.run === undefined
      ? {}
      : {
          run: <Result>(id: string, work: () => Result): Result => {
            if (isBroken) return work();
            let result: Result | undefined;
            attempt(() => (result = follower.run?.(id, work)));
            // The recorder has the result, and runs work that the follower skipped.
            return result as Result;
          },
        }),
  };
}

/** Writes to one destination in order, and drops traces that it cannot keep up with. */
class Writer {
  readonly #sink: TraceSink;
  readonly #failed: (sink: string, cause: unknown) => void;
  readonly #timers: StartTimer;
  #waiting = 0;
  /** True while a write exceeds its time limit. */
  #isStalled = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(sink: TraceSink, failed: (sink: string, cause: unknown) => void, timers: StartTimer) {
    this.#sink = sink;
    this.#failed = failed;
    this.#timers = timers;
  }

  add(build: () => Interaction): void {
    if (this.#waiting >= MAX_WAITING) {
      this.#failed(this.#sink.name, new TraceLimitError(`more than ${MAX_WAITING} traces wait for it`));
      return;
    }
    this.#waiting += 1;
    const write = async (): Promise<void> => {
      try {
        if (!this.#isStalled) await this.#within(this.#sink.write?.(build()));
      } catch (cause) {
        this.#failed(this.#sink.name, cause);
      } finally {
        this.#waiting -= 1;
      }
    };
    this.#last = track(this.#last.then(write));
  }

  /** Waits for a write up to its time limit, so that a process waiting for its traces can exit. */
  async #within(writing: unknown): Promise<void> {
    if (!isPromise(writing)) return;
    let stopTimer = (): void => undefined;
    const late = new Promise<void>((_, reject) => {
      stopTimer = this.#timers(WRITE_MS, () => {
        this.#isStalled = true;
        const goOn = (): void => void (this.#isStalled = false);
        writing.then(goOn, goOn);
        reject(new TraceLimitError(`a write took longer than ${WRITE_MS / 1000} s`));
      });
    });
    await Promise.race([writing, late]).finally(stopTimer);
  }
}

/** Defers work to a later turn of the event loop. */
function defer(work: () => void): void {
  void track(
    new Promise<void>((resolve) => {
      const { setImmediate: later = (run: () => void) => setTimeout(run, 0) } = globalThis as {
        setImmediate?: (run: () => void) => unknown;
      };
      later(() => {
        work();
        resolve();
      });
    }),
  );
}

function track<Result>(work: Promise<Result>): Promise<Result> {
  writing.add(work);
  work.finally(() => writing.delete(work)).catch(() => undefined);
  return work;
}

/** A limit of this file, whose message quotes no trace. */
class TraceLimitError extends RangeError {}

const ERROR_CLASS = /^[A-Za-z]\w{0,60}$/;

/** INVARIANT: only limits show their message. Texts of the cause may quote the trace, so they are omitted unless they are one word. */
function logFailure(logger: Logger | undefined, sink: string, cause: unknown): void {
  const { name, code } = (cause ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  const words = [name, code].filter((word): word is string => typeof word === "string" && ERROR_CLASS.test(word));
  const known = words.length > 0 ? words.join(", ") : typeof cause;
  const why = cause instanceof TraceLimitError ? cause.message : known;
  const message = `traces to \`${sink}\` are lost (${why}); guarded calls continue without them`;
  const diagnostic = createDiagnostic("RL-405", message, { hint: "check the destination of the traces" });
  logOnce(logger, "warn", `RL-405|${sink}|${why}`, formatDiagnostic(diagnostic));
}

function capturesContent(): boolean {
  const { env = {} } =
    (globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }).process ?? {};
  return env["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"]?.toLowerCase() === "true";
}

/** Random bytes for ids: generating 16 bytes takes about as long as generating thousands. */
const pool = new Uint8Array(4096);
let poolAt = pool.length;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function randomHex(digits: number): string {
  if (poolAt + digits / 2 > pool.length) {
    globalThis.crypto.getRandomValues(pool);
    poolAt = 0;
  }
  let hex = "";
  for (const end = poolAt + digits / 2; poolAt < end; poolAt += 1) hex += HEX[pool[poolAt] ?? 0];
  return hex;
}
