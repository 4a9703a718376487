import type { Runnable } from "@langchain/core/runnables";
import type { Logger } from "../diagnostics/logger.js";
import type { OptionTable } from "../diagnostics/options.js";
import type { Guardrails } from "../langchain/guardrails.js";
import type { GuardrailsOptions } from "../langchain/load.js";
import type { ThreadStore } from "../threads/thread-store.js";
import type { ApiKey, Authenticate } from "./access.js";
import type { AdmissionLimits } from "./admission.js";
import type { BodyLimits } from "./body.js";
import type { VerdictDetails } from "./openai-format/verdict.js";
import type { PlaygroundOptions } from "./playground/options.js";
import type { MetricsPage, ServerObserver } from "./observer.js";
import type { RateLimitStore } from "./rate-limits/caller-limits.js";

/** A configuration that the server loads, with options of its own. */
export interface ServedFolder {
  /** Folder or file of the configuration. */
  readonly path: string | URL;
  /** Options of `Guardrails.fromPath`. Code of the folder is not loaded unless `allowCode` is true. */
  readonly options?: GuardrailsOptions;
  /** Model that answers instead of the main model of the configuration. */
  readonly model?: Runnable;
}

/** A configuration to serve: a folder, or a guardrails object that the application has made. */
export type ServedConfig = string | URL | ServedFolder | Guardrails;

/** Limits of a server. */
export interface ServerLimits extends AdmissionLimits {
  /** Largest body in bytes. Default: 4,194,304. */
  readonly bodyBytes: number;
  /** Longest time until a body is complete, in milliseconds. Default: 10,000. */
  readonly bodyMs: number;
  /** Longest time of a request, streams included, in milliseconds. Default: 600,000. */
  readonly requestMs: number;
  /** Longest time of a call to the store of threads, in milliseconds. Default: 5,000. */
  readonly threadMs: number;
  /** Time without a chunk after which a stream gets a comment that keeps its connection open, in milliseconds. Default: 15,000. */
  readonly heartbeatMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  concurrent: 1024,
  queued: 256,
  queueMs: 5_000,
  bodyBytes: 4_194_304,
  bodyMs: 10_000,
  requestMs: 600_000,
  threadMs: 5_000,
  heartbeatMs: 15_000,
};

/** Options of `createGuardrailsApp`. */
export interface GuardrailsAppOptions {
  /** Configurations by id. An id has letters, digits, `.`, `_` and `-`, and begins with a letter or digit. */
  readonly configs: Readonly<Record<string, ServedConfig>>;
  /** Id of the configuration for requests that name none. Default: the first one. */
  readonly defaultConfig?: string;
  /**
   * Names of upstream models that callers may ask for, besides the main model of the default configuration; `any` allows all.
   * Default: none.
   */
  readonly models?: readonly string[] | "any";
  /** Keys of callers. Default: none, and then the server only listens on the loopback interface. */
  readonly keys?: readonly ApiKey[];
  /** Finds the caller of a request instead of `keys`. */
  readonly authenticate?: Authenticate;
  /**
   * Treatment of what callers send as system messages, earlier answers, definitions of tools and schemas: `check` runs the input
   * rails over each text, and hides what they block; `refuse` takes messages of users only; `trust` passes them on unread, for
   * callers that are the application itself. Default: `check`.
   */
  readonly history?: "check" | "refuse" | "trust";
  /**
   * Keeps conversations by `thread_id`, apart for each caller; `false` refuses requests with one. Default: 10,000 in memory,
   * each for a day after its last turn.
   */
  readonly threads?: ThreadStore | false;
  /** Parts of the verdict that callers see. Default: `decisions`. */
  readonly verdicts?: VerdictDetails;
  /** Limits of the server; those that are left out have their defaults. */
  readonly limits?: Partial<ServerLimits>;
  /** Counts the requests of callers with `perMinute` together with other servers. Default: each server counts by itself. */
  readonly rateLimits?: RateLimitStore;
  /** Origins of pages that may call the server from a browser. Default: none. */
  readonly corsOrigins?: readonly string[];
  /** Receives errors and warnings; never texts of a conversation. Default: `console`; `false` logs nothing. */
  readonly logger?: Logger | false;
  /** Receives what happens on the server. */
  readonly observer?: ServerObserver;
  /** Page for `/metrics`; without it there is none. */
  readonly metrics?: () => MetricsPage | Promise<MetricsPage>;
  /**
   * Serves the playground at `/`: a page for the developer of the configurations, with all decisions and prompts of a
   * conversation, on which configurations can be changed in memory. Default: false.
   */
  readonly playground?: boolean | PlaygroundOptions;
}

export const APP_OPTIONS: OptionTable<GuardrailsAppOptions> = {
  configs: "object",
  defaultConfig: "text",
  models: "any",
  keys: "object",
  authenticate: "function",
  history: { oneOf: ["check", "refuse", "trust"] },
  threads: "any",
  verdicts: { oneOf: ["none", "outcome", "decisions", "reasons"] },
  limits: {
    options: {
      concurrent: "number",
      queued: "number",
      queueMs: "number",
      bodyBytes: "number",
      bodyMs: "number",
      requestMs: "number",
      threadMs: "number",
      heartbeatMs: "number",
    },
  },
  rateLimits: "object",
  corsOrigins: "names",
  logger: "any",
  observer: "object",
  metrics: "function",
  playground: { options: { unreviewed: "boolean", remote: "boolean" }, orSwitch: true },
};

/** The limits of a body among those of a server. */
export function bodyLimits({ bodyBytes, bodyMs }: ServerLimits): BodyLimits {
  return { maxBytes: bodyBytes, timeoutMs: bodyMs };
}
