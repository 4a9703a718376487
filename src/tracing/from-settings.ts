import type { Logger } from "../diagnostics/logger.js";
import type { TraceSink } from "./interaction.js";
import { consoleTraces } from "./sinks/console.js";
import { jsonLines, type JsonLinesOptions } from "./sinks/json-lines.js";
import { openTelemetryMetrics } from "./sinks/open-telemetry-metrics.js";
import { openTelemetry } from "./sinks/open-telemetry.js";
import { createTracing, type Tracing } from "./tracing.js";

/** The section `tracing` of a configuration. */
export interface TracingSettings {
  readonly enabled: boolean;
  readonly adapters: readonly ({ readonly name: string } & Readonly<Record<string, unknown>>)[];
  readonly span_format: string | null;
  readonly enable_content_capture: boolean;
}

const DEFAULT_PATH = "./.traces/trace.jsonl";

/** Configuration sections that require traces. */
interface TracedSettings {
  readonly tracing: TracingSettings;
  readonly metrics: { readonly enabled: boolean };
}

/** Creates the traces and metrics of a configuration. Its adapters were validated with the other settings. */
export async function tracingFromSettings(
  { tracing, metrics }: TracedSettings,
  logger: Logger | undefined,
): Promise<Tracing> {
  const { enabled, adapters, enable_content_capture: content, span_format: spanFormat } = tracing;
  const format = spanFormat === "legacy" ? "legacy" : "opentelemetry";
  const listed = !enabled ? [] : adapters.length === 0 ? [{ name: "FileSystem" }] : adapters;
  const sinks = await Promise.all([
    ...listed.map((adapter) => sinkOf(adapter, { format })),
    ...(metrics.enabled ? [openTelemetryMetrics()] : []),
  ]);
  return createTracing({ sinks, content: content || undefined, logger: logger ?? false });
}

function sinkOf(adapter: Readonly<Record<string, unknown>>, options: JsonLinesOptions): TraceSink | Promise<TraceSink> {
  if (adapter["name"] === "OpenTelemetry") return openTelemetry();
  if (adapter["name"] === "Console") return consoleTraces();
  const { filepath } = adapter;
  return jsonLines(typeof filepath === "string" ? filepath : DEFAULT_PATH, options);
}
