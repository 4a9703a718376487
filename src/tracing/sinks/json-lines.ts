import type { Interaction, TraceSink, TraceSpan } from "../interaction.js";

/** Options of `jsonLines`. */
export interface JsonLinesOptions {
  /**
   * `opentelemetry`: spans with kind, status and attributes; times in seconds since 1970. `legacy`: spans with metrics, in the
   * format of older releases of NeMo Guardrails; times in seconds since the start of the call. Default: `opentelemetry`.
   */
  readonly format?: "opentelemetry" | "legacy" | undefined;
}

const MILLISECONDS = 1_000;

/**
 * Appends a line of JSON per call to a file; creates its folder if missing.
 *
 * @param path - path of the file, relative to the working directory
 *
 * @example
 * ```ts
 * const tracing = createTracing({ sinks: [jsonLines("./.traces/trace.jsonl")] });
 * ```
 */
export function jsonLines(path: string, options: JsonLinesOptions = {}): TraceSink {
  let isReady = false;
  return {
    name: "json lines",
    async write(interaction) {
      const { appendFile, mkdir } = await import("node:fs/promises");
      if (!isReady) {
        const { dirname } = await import("node:path");
        await mkdir(dirname(path), { recursive: true });
        isReady = true;
      }
      await appendFile(path, `${toJsonLine(interaction, options)}\n`, { mode: 0o600 });
    },
  };
}

/**
 * Returns a call as one line of JSON.
 *
 * @example
 * ```ts
 * const sink: TraceSink = { name: "queue", write: (interaction) => queue.send(toJsonLine(interaction)) };
 * ```
 */
export function toJsonLine(interaction: Interaction, { format = "opentelemetry" }: JsonLinesOptions = {}): string {
  const { traceId: trace_id, startedAt } = interaction;
  const spans = interaction.spans.map((span) => {
    const { name, id: span_id, parentId, durationMs } = span;
    const since = format === "legacy" ? startedAt : 0;
    const times = {
      start_time: (span.startedAt - since) / MILLISECONDS,
      end_time: (span.finishedAt - since) / MILLISECONDS,
      duration: durationMs / MILLISECONDS,
    };
    const ids = { span_id, parent_id: parentId ?? null, trace_id };
    if (format === "legacy") return { name: legacyName(span), ...ids, ...times, metrics: metricsOf(span) };
    const { kind, status, attributes, content } = span;
    return { name, ...ids, ...times, kind, status, attributes, ...(content === undefined ? {} : { content }) };
  });
  return JSON.stringify({ trace_id, blocked: interaction.blocked, spans });
}

function legacyName({ kind, attributes }: TraceSpan): string {
  if (kind === "turn") return "interaction";
  if (kind === "rail") return `rail: ${String(attributes["rail.name"])}`;
  return kind === "action" ? `action: ${String(attributes["action.name"])}` : `LLM: ${modelOf(attributes)}`;
}

function modelOf(attributes: TraceSpan["attributes"]): string {
  return String(attributes["gen_ai.response.model"] ?? attributes["gen_ai.request.model"] ?? "unknown");
}

/** Returns the metrics of a span under the names of NeMo Guardrails. */
function metricsOf({ kind, attributes, durationMs }: TraceSpan): Readonly<Record<string, number>> {
  if (kind === "rail") return {};
  const base =
    kind === "turn"
      ? "interaction"
      : kind === "action"
        ? `action_${String(attributes["action.name"])}`
        : `llm_call_${modelOf(attributes).replaceAll("/", "_")}`;
  const seconds = durationMs / MILLISECONDS;
  const metrics: Record<string, number> = {
    [`${base}_total`]: 1,
    [`${base}_seconds_avg`]: seconds,
    [`${base}_seconds_total`]: seconds,
  };
  if (kind !== "model") return metrics;
  const { "gen_ai.usage.input_tokens": input = 0, "gen_ai.usage.output_tokens": output = 0 } = attributes;
  metrics[`${base}_prompt_tokens_total`] = Number(input);
  metrics[`${base}_completion_tokens_total`] = Number(output);
  metrics[`${base}_tokens_total`] = Number(input) + Number(output);
  return metrics;
}
