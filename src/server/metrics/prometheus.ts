import type * as PrometheusClient from "prom-client";
import type { Counter, Gauge, Histogram, PrometheusContentType, Registry } from "prom-client";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { RailDecision } from "../../turn/decision.js";
import type { MetricsPage, RequestRecord, ServerLoad, ServerObserver } from "../observer.js";

/** Options of `prometheusMetrics`. */
export interface PrometheusOptions {
  /** Prefix of the names of all metrics. Default: `guardrails_`. */
  readonly prefix?: string;
  /** Add metrics of the process: memory, CPU time, event loop. Default: false. */
  readonly process?: boolean;
  /** Receives the same events, for an observer of your own in addition to the metrics. */
  readonly observer?: ServerObserver;
}

const OPTIONS: OptionTable<PrometheusOptions> = { prefix: "text", process: "boolean", observer: "object" };

/** The two options of `createGuardrailsApp` that metrics need. */
export interface PrometheusMetrics {
  readonly observer: ServerObserver;
  readonly metrics: () => Promise<MetricsPage>;
}

/**
 * Creates server metrics in the Prometheus format: requests, blocks by rail, errors, durations, time to the first token and the
 * queue. Labels are names of the configuration, routes and codes; never callers, models or texts.
 *
 * @example
 * ```ts
 * const app = await createGuardrailsApp({ configs: { bakery: "./config" }, ...(await prometheusMetrics()) });
 * ```
 */
export async function prometheusMetrics(options: PrometheusOptions = {}): Promise<PrometheusMetrics> {
  const { observer, metrics } = await measureServer(options);
  return { observer, metrics };
}

/** A metric with its values, as sent between processes. */
export interface MetricSnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly values: readonly { readonly value: number; readonly labels: Readonly<Record<string, string | number>> }[];
  /** Method to combine values of several processes. */
  readonly aggregator: string;
}

/** Metrics of one process that can be merged with those of others. */
export interface ServerMeasures extends PrometheusMetrics {
  readonly snapshot: () => Promise<MetricSnapshot[]>;
}

/** Same as `prometheusMetrics`, for a server with several processes. */
export async function measureServer(options: PrometheusOptions = {}): Promise<ServerMeasures> {
  checkOptions("prometheusMetrics", options, OPTIONS);
  const { prefix = "guardrails_", process = false, observer } = options;
  const prometheus = await import("prom-client");
  const registry = new prometheus.Registry();
  if (process) prometheus.collectDefaultMetrics({ register: registry, prefix });
  const metrics = new ServerMetrics(prometheus, registry, prefix);
  return {
    observer: observer === undefined ? metrics : both(metrics, observer),
    metrics: () => pageOf(registry),
    snapshot: () => snapshotOf(registry),
  };
}

/** Merged metrics of several processes. */
export interface MergedMetrics {
  readonly snapshot: MetricSnapshot[];
  readonly page: MetricsPage;
}

/** Merges metrics of several processes. */
export async function mergeMetrics(snapshots: readonly MetricSnapshot[][]): Promise<MergedMetrics> {
  const { AggregatorRegistry } = await import("prom-client");
  const registry = AggregatorRegistry.aggregate<PrometheusContentType>(snapshots.filter(({ length }) => length > 0));
  return { snapshot: await snapshotOf(registry), page: await pageOf(registry) };
}

async function pageOf(registry: Registry): Promise<MetricsPage> {
  return { contentType: registry.contentType, body: await registry.metrics() };
}

/** The client declares metric types as numbers, but uses strings at run time. */
async function snapshotOf(registry: Registry): Promise<MetricSnapshot[]> {
  return (await registry.getMetricsAsJSON()) as unknown as MetricSnapshot[];
}

/** Bucket bounds of durations in seconds: local rails take milliseconds, long responses minutes. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const RAIL_SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const MILLISECONDS = 1_000;

/** Maximum number of values of a label. Further values count as `other`, so that no caller can grow the page. */
const MAX_VALUES = 200;

const NAME = /^[\w .:/$=&()-]{1,120}$/;

type Prometheus = typeof PrometheusClient;

class ServerMetrics implements ServerObserver {
  readonly #requests: Counter;
  readonly #blocked: Counter;
  readonly #errors: Counter;
  readonly #decisions: Counter;
  readonly #seconds: Histogram;
  readonly #firstToken: Histogram;
  readonly #queue: Histogram;
  readonly #rails: Histogram;
  readonly #values = new Map<string, Set<string>>();
  #load: (() => ServerLoad) | undefined;

  constructor(prometheus: Prometheus, registry: Registry, prefix: string) {
    const common = (name: string, help: string, labelNames: string[]) => ({
      name: `${prefix}${name}`,
      help,
      labelNames,
      registers: [registry],
    });
    const counter = (...given: Parameters<typeof common>): Counter => new prometheus.Counter(common(...given));
    const histogram = (buckets: number[], ...given: Parameters<typeof common>): Histogram =>
      new prometheus.Histogram({ ...common(...given), buckets });
    const gauge = (name: string, help: string, read: (load: ServerLoad) => number): Gauge => {
      const load = (): number => (this.#load === undefined ? 0 : read(this.#load()));
      return new prometheus.Gauge({
        ...common(name, help, []),
        collect() {
          this.set(load());
        },
      });
    };
    this.#requests = counter("requests_total", "Finished requests.", ["route", "config", "status"]);
    this.#blocked = counter("blocked_total", "Requests that a rail blocked.", ["config", "rail", "stage"]);
    this.#errors = counter("errors_total", "Requests that ended with an error.", ["route", "code"]);
    this.#decisions = counter("rail_decisions_total", "Decisions of rails.", ["config", "rail", "stage", "status"]);
    this.#seconds = histogram(REQUEST_SECONDS, "request_duration_seconds", "Time to the end of the response.", [
      "route",
      "config",
      "stream",
    ]);
    this.#firstToken = histogram(
      REQUEST_SECONDS,
      "time_to_first_token_seconds",
      "Time to the first text of a stream.",
      ["config"],
    );
    this.#queue = histogram(REQUEST_SECONDS, "queue_seconds", "Time in the queue.", []);
    this.#rails = histogram(RAIL_SECONDS, "rail_duration_seconds", "Time of a rail.", ["rail", "stage"]);
    gauge("requests_active", "Requests in progress, streams included.", ({ active }) => active);
    gauge("requests_queued", "Requests that wait in the queue.", ({ queued }) => queued);
  }

  serverStarted(load: () => ServerLoad): void {
    this.#load = load;
  }

  requestFinished(record: RequestRecord): void {
    const { status, isStream, durationMs, queuedMs, firstTokenMs, errorCode, verdict } = record;
    const route = this.#value("route", record.route);
    const config = this.#value("config", record.config ?? "none");
    this.#requests.inc({ route, config, status });
    this.#seconds.observe({ route, config, stream: String(isStream) }, durationMs / MILLISECONDS);
    if (firstTokenMs !== undefined) this.#firstToken.observe({ config }, firstTokenMs / MILLISECONDS);
    if (queuedMs > 0) this.#queue.observe(queuedMs / MILLISECONDS);
    if (errorCode !== undefined || status >= 400) {
      this.#errors.inc({ route, code: this.#value("code", errorCode ?? String(status)) });
    }
    if (verdict === undefined) return;
    if (verdict.blocked) {
      this.#blocked.inc({
        config,
        rail: this.#value("rail", verdict.rail ?? "unknown"),
        stage: verdict.stage ?? "unknown",
      });
    }
    for (const decision of verdict.decisions) this.#decided(config, decision);
  }

  #decided(config: string, { rail: name, stage, status, durationMs, shadow }: RailDecision): void {
    const rail = this.#value("rail", name);
    this.#decisions.inc({ config, rail, stage, status: shadow === true ? `shadow_${status}` : status });
    this.#rails.observe({ rail, stage }, durationMs / MILLISECONDS);
  }

  #value(label: string, value: string): string {
    let known = this.#values.get(label);
    if (known === undefined) this.#values.set(label, (known = new Set()));
    if (known.has(value)) return value;
    if (known.size >= MAX_VALUES || !NAME.test(value)) return "other";
    known.add(value);
    return value;
  }
}

/** INVARIANT: a failing observer of the application does not prevent a request from being counted. */
function both(metrics: ServerMetrics, observer: ServerObserver): ServerObserver {
  return {
    serverStarted: (load) => {
      metrics.serverStarted(load);
      observer.serverStarted?.(load);
    },
    requestStarted: (record) => observer.requestStarted?.(record),
    requestFinished: (record) => {
      metrics.requestFinished(record);
      observer.requestFinished?.(record);
    },
  };
}
