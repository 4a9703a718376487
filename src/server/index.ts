// Entry point `langchain-guardrails/server`.
export { createGuardrailsApp, type GuardrailsServer } from "./app.js";
export {
  nodeListener,
  serve,
  type NodeListener,
  type RunningServer,
  type ServedApp,
  type ServeOptions,
} from "./serve.js";
export type { GuardrailsAppOptions, ServedConfig, ServedFolder, ServerLimits } from "./options.js";
export type { ApiKey, Authenticate, Caller, Permission } from "./access.js";
export { type ActionsAppOptions, type ActionsLimits, type ActionsServer, createActionsApp } from "./actions/app.js";
export { prometheusMetrics, type PrometheusMetrics, type PrometheusOptions } from "./metrics/prometheus.js";
export type { MetricsPage, RequestRecord, ServerLoad, ServerObserver } from "./observer.js";
export type { PlaygroundOptions } from "./playground/options.js";
export type { VerdictDetails } from "./openai-format/verdict.js";
export type { RateLimitStore } from "./rate-limits/caller-limits.js";
export { RedisRateLimits, type RedisRateLimitsOptions } from "./rate-limits/redis-rate-limits.js";
