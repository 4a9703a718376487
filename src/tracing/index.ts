export type {
  AttributeValue,
  CallFollower,
  Interaction,
  StartedSpan,
  TraceSink,
  TraceSpan,
  TraceStatus,
} from "./interaction.js";
export { createTracing, flushTraces, type Tracing, type TracingOptions } from "./tracing.js";
export { consoleTraces, formatInteraction } from "./sinks/console.js";
export { jsonLines, type JsonLinesOptions, toJsonLine } from "./sinks/json-lines.js";
export { openTelemetry, type OpenTelemetryOptions } from "./sinks/open-telemetry.js";
export { openTelemetryMetrics, type OpenTelemetryMetricsOptions } from "./sinks/open-telemetry-metrics.js";
