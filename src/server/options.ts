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

/** A configuration for the server to load, with its own options. */
export interface ServedFolder {
  /** Folder or file of the configuration. */
  readonly path: string | URL;
  /** Options of `Guardrails.fromPath`. Code of the folder is not loaded unless `allowCode` is true. */
  readonly options?: GuardrailsOptions;
  /** Model to call instead of the main model of the configuration. */
  readonly model?: Runnable;
}

/** A configuration to serve: a folder, or a guardrails object that the application has created. */
export type ServedConfig = string | URL | ServedFolder | Guardrails;

/** Limits of a server. */
export interface ServerLimits extends AdmissionLimits {
  /** Maximum size of a body in bytes. Default: 4,194,304. */
  readonly bodyBytes: number;
  /** Time limit for receiving a body, in milliseconds. Default: 10,000. */
  readonly bodyMs: number;
  /** Time limit of a request, streams included, in milliseconds. Default: 600,000. */
  readonly requestMs: number;
  /** Time limit of a call to the thread store, in milliseconds. Default: 5,000. */
  readonly threadMs: number;
  /** Milliseconds without a chunk after which a stream sends a keep-alive comment. Default: 15,000. */
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
  /** Configurations by id. An id contains letters, digits, `.`, `_` and `-`, and starts with a letter or digit. */
  readonly configs: Readonly<Record<string, ServedConfig>>;
  /** Id of the configuration for requests that name none. Default: the first one. */
  readonly defaultConfig?: string;
  /**
   * Names of upstream models that callers may request in addition to the main model of the default configuration; `any` allows
   * all. Default: none.
   */
  readonly models?: readonly string[] | "any";
  /** Keys of callers. Default: none; the server then listens only on the loopback interface. */
  readonly keys?: readonly ApiKey[];
  /** Returns the caller of a request. Replaces `keys`. */
  readonly authenticate?: Authenticate;
  /**
   * Treatment of texts that callers send as system messages, earlier assistant messages, tool definitions and schemas: `check`
   * runs the input rails over each text and hides what they block; `refuse` accepts only user messages; `trust` passes the texts
   * on unchecked, for callers that are the application itself. Default: `check`.
   */
  readonly history?: "check" | "refuse" | "trust";
  /**
   * Stores conversations by `thread_id`, separately for each caller; `false` refuses requests with a `thread_id`. Default: 10,000
   * conversations in memory, each kept for one day after its last turn.
   */
  readonly threads?: ThreadStore | false;
  /** Parts of the verdict that callers see. Default: `decisions`. */
  readonly verdicts?: VerdictDetails;
  /** Limits of the server; omitted ones have their defaults. */
  readonly limits?: Partial<ServerLimits>;
  /** Counts requests of callers with `perMinute` across several servers. Default: each server counts separately. */
  readonly rateLimits?: RateLimitStore;
  /** Origins of pages that may call the server from a browser. Default: none. */
  readonly corsOrigins?: readonly string[];
  /** Receives errors and warnings, never conversation texts. Default: `console`; `false` logs nothing. */
  readonly logger?: Logger | false;
  /** Receives the events of the server. */
  readonly observer?: ServerObserver;
  /** Page for `/metrics`. Default: none. */
  readonly metrics?: () => MetricsPage | Promise<MetricsPage>;
  /**
   * Serves the playground at `/`: a page for developers of the configurations that shows all decisions and prompts of a
   * conversation, and lets them change configurations in memory. Default: false.
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

/** Returns the body limits of a server. */
export function bodyLimits({ bodyBytes, bodyMs }: ServerLimits): BodyLimits {
  return { maxBytes: bodyBytes, timeoutMs: bodyMs };
}
