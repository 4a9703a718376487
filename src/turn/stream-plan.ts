import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import type { RailsConfig } from "../config/rails-config.js";
import { InputShapeError } from "../diagnostics/errors.js";

/** Delivery of a streamed response. Sizes are counted in model chunks with text. */
export interface StreamingOptions {
  /**
   * `window` (default) releases text in windows that have passed the output rails. `buffer` releases the whole response after
   * they have passed it. `passthrough` releases every chunk at once, unreviewed, and the verdict on the whole response at the end.
   */
  readonly mode?: "buffer" | "window" | "passthrough" | undefined;
  /** Size of a window, in chunks. Default: 64. */
  readonly chunkSize?: number | undefined;
  /** Chunks before a window that judging rails see again. Default: 32. */
  readonly contextSize?: number | undefined;
  /** Windows that may be under review at once, if all output rails only judge. Default: 4. */
  readonly parallelWindows?: number | undefined;
  /** Release a window before it is reviewed, even though it may be blocked afterwards. Default: false. */
  readonly streamFirst?: boolean | undefined;
}

const OPTIONS: OptionTable<StreamingOptions> = {
  mode: { oneOf: ["buffer", "window", "passthrough"] },
  chunkSize: "any",
  contextSize: "any",
  parallelWindows: "any",
  streamFirst: "boolean",
};

/** Options of a stream with defaults from the configuration. */
export type StreamPlan = { readonly [Key in keyof StreamingOptions]-?: NonNullable<StreamingOptions[Key]> };

export const DEFAULT_STREAM_PLAN: StreamPlan = {
  mode: "window",
  chunkSize: 64,
  contextSize: 32,
  parallelWindows: 4,
  streamFirst: false,
};

/**
 * Returns the plan from a configuration and the caller's options. `enabled: false` in a configuration means that
 * nothing is released before the whole response was reviewed; calls can still be streamed.
 */
export function streamPlan({ settings }: RailsConfig, options: StreamingOptions = {}): StreamPlan {
  checkOptions("streaming", options, OPTIONS);
  const { enabled, mode, chunk_size, context_size, parallel_windows, stream_first } = settings.rails.output.streaming;
  return {
    mode: options.mode ?? (enabled === false ? "buffer" : mode),
    chunkSize: countOf("chunkSize", options.chunkSize, 1) ?? chunk_size,
    contextSize: countOf("contextSize", options.contextSize, 0) ?? context_size,
    parallelWindows: countOf("parallelWindows", options.parallelWindows, 1) ?? parallel_windows,
    streamFirst: options.streamFirst ?? stream_first,
  };
}

function countOf(name: string, count: number | undefined, least: number): number | undefined {
  if (count === undefined || (Number.isInteger(count) && count >= least)) return count;
  throw new InputShapeError(
    `expected \`streaming.${name}\` to be a whole number of at least ${least}, got ${String(count)}`,
  );
}
