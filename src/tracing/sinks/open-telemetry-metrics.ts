import type { Attributes, Counter, Histogram, Meter, UpDownCounter } from "@opentelemetry/api";
import type { CallFollower, Interaction, StartedSpan, TraceSink, TraceSpan } from "../interaction.js";
import { loadOpenTelemetry } from "./open-telemetry.js";

/** Options of `openTelemetryMetrics`. */
export interface OpenTelemetryMetricsOptions {
  /** Provider of the meter. Default: the one registered by the application. */
  readonly meterProvider?: { getMeter(name: string): unknown } | undefined;
}

const METER = "langchain-guardrails";

/** Attributes of model calls in the metrics; all of them are names. */
const OF_MODELS = [
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "gen_ai.response.model",
  "error.type",
] as const;

interface Instruments {
  readonly requests: Counter;
  readonly errors: Counter;
  readonly blocked: Counter;
  readonly active: UpDownCounter;
  readonly duration: Histogram;
  readonly tokens: Histogram;
  readonly modelDuration: Histogram;
}

/**
 * Records calls as OpenTelemetry metrics, with the application's provider: calls, blocks by rail, errors and durations,
 * and the durations and tokens of model calls. Metrics contain names and numbers, never texts.
 *
 * @throws ConfigError `CF-114` if `@opentelemetry/api` is not installed
 *
 * @example
 * ```ts
 * const tracing = createTracing({ sinks: [await openTelemetryMetrics()] });
 * ```
 */
export async function openTelemetryMetrics({ meterProvider }: OpenTelemetryMetricsOptions = {}): Promise<TraceSink> {
  const { metrics } = await loadOpenTelemetry("metrics of OpenTelemetry", "metrics");
  let made: { readonly meter: Meter; readonly instruments: Instruments } | undefined;
  return {
    name: "OpenTelemetry metrics",
    follow: () => {
      // A provider may be registered after the sink is created.
      const meter = (meterProvider ?? metrics).getMeter(METER) as Meter;
      if (made?.meter !== meter) made = { meter, instruments: createInstruments(meter) };
      return new CountedCall(made.instruments);
    },
  };
}

function createInstruments(meter: Meter): Instruments {
  const seconds = { unit: "s" };
  return {
    requests: meter.createCounter("guardrails.requests", { description: "Guarded calls." }),
    errors: meter.createCounter("guardrails.errors", { description: "Guarded calls that failed." }),
    blocked: meter.createCounter("guardrails.blocked", { description: "Guarded calls that a rail blocked." }),
    active: meter.createUpDownCounter("guardrails.active", { description: "Guarded calls at work." }),
    duration: meter.createHistogram("guardrails.request.duration", seconds),
    tokens: meter.createHistogram("gen_ai.client.token.usage", { unit: "{token}" }),
    modelDuration: meter.createHistogram("gen_ai.client.operation.duration", seconds),
  };
}

/** A call being counted. */
class CountedCall implements CallFollower {
  readonly #instruments: Instruments;
  #isActive = false;

  constructor(instruments: Instruments) {
    this.#instruments = instruments;
  }

  started({ parentId }: StartedSpan): void {
    if (parentId !== undefined || this.#isActive) return;
    this.#isActive = true;
    this.#instruments.active.add(1);
  }

  finished({ blocked, spans }: Interaction): void {
    const { requests, errors, blocked: blocks, active, duration } = this.#instruments;
    if (this.#isActive) active.add(-1);
    this.#isActive = false;
    requests.add(1);
    const [root] = spans;
    if (root === undefined) return;
    const outcome = pick(root, ["error.type"]);
    duration.record(root.durationMs / 1000, { "guardrails.blocked": blocked, ...outcome });
    if (root.status === "error") errors.add(1, outcome);
    if (blocked) {
      const { "guardrails.blocked.rail": rail, "guardrails.blocked.stage": stage } = root.attributes;
      blocks.add(1, defined({ "rail.name": rail, "rail.type": stage }));
    }
    for (const span of spans) if (span.kind === "model") this.#countModel(span);
  }

  #countModel(span: TraceSpan): void {
    const { tokens, modelDuration } = this.#instruments;
    const attributes = pick(span, OF_MODELS);
    modelDuration.record(span.durationMs / 1000, attributes);
    for (const type of ["input", "output"] as const) {
      const count = span.attributes[`gen_ai.usage.${type}_tokens`];
      if (typeof count === "number") tokens.record(count, { ...attributes, "gen_ai.token.type": type });
    }
  }
}

function pick({ attributes }: TraceSpan, names: readonly string[]): Attributes {
  return defined(Object.fromEntries(names.map((name) => [name, attributes[name]])));
}

function defined(attributes: Readonly<Record<string, unknown>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes;
}
