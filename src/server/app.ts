import type { IncomingMessage, ServerResponse } from "node:http";
import { Cancellation } from "../engine/async.js";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { isLogger, type Logger } from "../diagnostics/logger.js";
import { checkOptions } from "../diagnostics/options.js";
import { didYouMeanOrTakes } from "../diagnostics/suggestion.js";
import { randomIds, systemClock } from "../engine/events.js";
import { checkAccess, Gate } from "./access.js";
import { Admission } from "./admission.js";
import { type Connection, NodeConnection } from "./body.js";
import { ServedConfigs } from "./configs.js";
import { EarlyRefusal } from "./early-refusal.js";
import { ApiError, overloaded, serverError } from "./errors.js";
import { eventLoopShare } from "./event-loop-share.js";
import { MemoryThreadStore, type ThreadStore } from "../threads/thread-store.js";
import { ConversationThreads } from "./threads/conversation-threads.js";
import { APP_OPTIONS, DEFAULT_LIMITS, type GuardrailsAppOptions } from "./options.js";
import { CallerLimits, type RateLimitStore } from "./rate-limits/caller-limits.js";
import type { Route } from "./routes/route.js";
import { createRoutes } from "./routes/table.js";
import { observe, RequestScope } from "./scope.js";
import { CLIENT_GONE, describeError, type ServerContext, warningOfRefusals } from "./server-context.js";

/** Response headers that pages of other origins may read. */
const EXPOSED_HEADERS = [
  ..."x-request-id retry-after openai-processing-ms".split(" "),
  ..."x-guardrails-status x-guardrails-rail x-guardrails-stage x-guardrails-config idempotent-replayed".split(" "),
];

/** A guarded OpenAI-compatible server as a Fetch handler. Created by `createGuardrailsApp`. */
export class GuardrailsServer {
  readonly #server: ServerContext;
  readonly #hono: Hono<{ Bindings: Connection }>;
  readonly #earlyRefusal: EarlyRefusal;
  /** Routes by method and path, if no path has parameters and no origin needs headers. */
  readonly #exact: ReadonlyMap<string, Route>;

  constructor(server: ServerContext, options: GuardrailsAppOptions, more: readonly Route[] = []) {
    const routes = [...createRoutes(options), ...more];
    const placed = routes.filter(({ method, isOpen }) => method === "POST" && isOpen !== true);
    const hasOrigins = (options.corsOrigins ?? []).length > 0;
    this.#server = server;
    this.#hono = honoOf(server, routes, options);
    this.#exact = new Map(hasOrigins ? [] : routes.map((route) => [`${route.method} ${route.path}`, route]));
    this.#earlyRefusal = new EarlyRefusal(server, { paths: new Set(placed.map(({ path }) => path)), hasOrigins });
    observe(() =>
      server.observer?.serverStarted?.(() => ({ active: server.admission.active, queued: server.admission.queued })),
    );
  }

  /**
   * Handles a request. It does not use `this`, so it can be passed to a framework directly.
   *
   * @param connection - on Node.js, the `incoming` request; bodies are read from it directly
   */
  readonly fetch = (request: Request, connection?: Connection): Response | Promise<Response> => {
    // Most requests on Node.js match a route exactly; this skips the cost of the router and its context.
    const route = connection instanceof NodeConnection ? this.#exactRoute(connection.incoming) : undefined;
    if (route === undefined || connection === undefined) return this.#hono.fetch(request, connection ?? {});
    return handle({ request, connection, route }, this.#server);
  };

  #exactRoute({ method = "", url = "" }: IncomingMessage): Route | undefined {
    return this.#exact.get(`${method} ${url}`);
  }

  /**
   * Receives a request of `nodeListener`. If no slot is free, the request is refused immediately; otherwise requests start in
   * order, spread over turns of the event loop.
   *
   * @param take - passes the request to `fetch`
   */
  receive(incoming: IncomingMessage, outgoing: ServerResponse, take: () => void): void {
    if (this.#earlyRefusal.refuse(incoming, outgoing)) return;
    const begin = this.#server.admission.arrive();
    eventLoopShare.begin(() => {
      begin();
      take();
    });
  }

  /** True if callers need a key. */
  get isClosed(): boolean {
    return this.#server.gate.isClosed;
  }

  /** Ids of the configurations. */
  get configs(): readonly string[] {
    return this.#server.choice.configs.ids;
  }

  /**
   * Reloads configurations. Active requests keep the configuration that they started with.
   *
   * @param id - default: all configurations
   * @throws ConfigError for a configuration that cannot be loaded; the loaded version stays in use
   */
  reload(id?: string): Promise<void> {
    return this.#server.choice.configs.reload(id);
  }

  /**
   * Stops the server: it refuses new requests, lets active ones finish, and cancels the rest after the grace period.
   *
   * @param graceMs - milliseconds to wait for requests; default: 10,000
   */
  async close(graceMs = 10_000): Promise<void> {
    const server = this.#server;
    server.isDraining = true;
    server.admission.clear();
    await server.admission.idle(graceMs);
    server.shutdown.abort(overloaded(1, "server_stopping"));
    await server.choice.configs.close();
  }
}

/**
 * Creates a server for guarded configurations that implements OpenAI's API: changing the base URL of an OpenAI client guards it.
 * Its `fetch` handles requests on Node.js, Next.js, Bun and workers; `nodeListener` turns it into a listener for `node:http` and
 * Express.
 *
 * @throws ConfigError for invalid options and configurations
 *
 * @example
 * ```ts
 * const app = await createGuardrailsApp({ configs: { bakery: "./config" } });
 * const response = await app.fetch(new Request("http://localhost/v1/models"));
 * ```
 */
export async function createGuardrailsApp(options: GuardrailsAppOptions): Promise<GuardrailsServer> {
  checkOptions("createGuardrailsApp", options, APP_OPTIONS, ["configs"]);
  const { defaultConfig = Object.keys(options.configs)[0] ?? "", models = [], keys, authenticate } = options;
  checkAccess(options.keys, options.authenticate);
  checkOrigins(options);
  const logger = readLogger(options.logger);
  const threads = readThreads(options.threads);
  const configs = await ServedConfigs.load(options.configs, { logger: logger ?? false });
  if (configs.get(defaultConfig) === undefined) {
    const message = `\`${defaultConfig.slice(0, 60)}\` is not one of the configurations`;
    throw optionError("defaultConfig", message, didYouMeanOrTakes(defaultConfig, configs.ids));
  }
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  return new GuardrailsServer(
    {
      limits,
      history: options.history ?? "check",
      verdicts: options.verdicts ?? "decisions",
      choice: { configs, defaultConfig, models },
      threads: new ConversationThreads(threads, {
        timeoutMs: limits.threadMs,
        clock: systemClock,
        logger,
      }),
      gate: new Gate(keys, authenticate),
      admission: new Admission(limits, warningOfRefusals(logger)),
      callerLimits: new CallerLimits({ shared: readRateLimits(options.rateLimits), logger }),
      clock: systemClock,
      ids: randomIds,
      observer: options.observer,
      logger,
      shutdown: new Cancellation(),
      isDraining: false,
    },
    options,
    await openPlayground(options),
  );
}

/**
 * Returns the routes of the playground and loads its page.
 *
 * @throws ConfigError for a remote playground without keys: a host name that points at the server would open it to any page
 */
async function openPlayground(options: GuardrailsAppOptions): Promise<readonly Route[]> {
  const { playground = false, keys = [], authenticate } = options;
  if (playground === false) return [];
  if (playground !== true && playground.remote === true && keys.length === 0 && authenticate === undefined) {
    throw optionError("playground.remote", "expected `keys` or `authenticate`, since others reach the playground");
  }
  const { playgroundRoutes } = await import("./playground/routes.js");
  return playgroundRoutes(playground === true ? {} : playground);
}

/** Conversations in memory: at most this many, and not longer than a day without a turn. */
const MAX_THREADS = 10_000;
const THREAD_MS = 86_400_000;

/** @throws ConfigError for what no browser sends as the origin of a page */
function checkOrigins({ corsOrigins = [] }: GuardrailsAppOptions): void {
  const wrong = corsOrigins.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  if (wrong === undefined) return;
  const shown = wrong.slice(0, 100);
  throw optionError("corsOrigins", `\`${shown}\` is not the origin of a page, such as \`https://shop.example\``);
}

/** @throws ConfigError for a value that is not a thread store */
function readThreads(given: GuardrailsAppOptions["threads"]): ThreadStore | undefined {
  if (given === undefined) return new MemoryThreadStore({ max: MAX_THREADS, ttlMs: THREAD_MS });
  if (given === false) return undefined;
  if (typeof given?.get === "function" && typeof given.set === "function") return given;
  throw optionError("threads", "expected a thread store with the methods `get`, `set` and `delete`, or `false`");
}

function readRateLimits(given: RateLimitStore | undefined): RateLimitStore | undefined {
  if (given === undefined || typeof given.take === "function") return given;
  throw optionError("rateLimits", "expected a store of limits with the method `take`");
}

function readLogger(logger: Logger | false | undefined): Logger | undefined {
  if (logger === undefined) return console;
  if (logger === false) return undefined;
  if (isLogger(logger)) return logger;
  throw optionError("logger", "expected a logger with the methods `warn` and `error`, or `false`");
}

function optionError(option: string, message: string, hint?: string): ConfigError {
  return new ConfigError([createDiagnostic("CF-104", message, { path: `options.${option}`, hint })]);
}

function honoOf(
  server: ServerContext,
  routes: readonly Route[],
  { corsOrigins = [] }: GuardrailsAppOptions,
): Hono<{ Bindings: Connection }> {
  const hono = new Hono<{ Bindings: Connection }>();
  if (corsOrigins.length > 0) hono.use(cors({ origin: [...corsOrigins], exposeHeaders: EXPOSED_HEADERS, maxAge: 600 }));
  for (const route of routes) {
    hono.on(route.method, route.path, ({ req, env }) => handle({ request: req.raw, connection: env, route }, server));
  }
  const methods = new Map<string, string>();
  for (const { path, method } of routes) methods.set(path, method === "GET" ? "GET, HEAD" : method);
  hono.notFound(({ req, env }) => {
    const endpoint = (): never => {
      throw unknownRoute(req.method, req.path, methods);
    };
    return handle({ request: req.raw, connection: env, route: { method: "GET", path: "unknown", endpoint } }, server);
  });
  // Routes handle their own errors.
  hono.onError((error) => errorResponse(serverError(error)));
  return hono;
}

function scopeOptions({ clock, ids, observer, limits, shutdown }: ServerContext) {
  return { clock, ids, observer, requestMs: limits.requestMs, shutdown };
}

/** Runs a route. Access, limits and a slot are checked before the body is read. */
async function handle(
  { request, connection, route }: { readonly request: Request; readonly connection: Connection; readonly route: Route },
  server: ServerContext,
): Promise<Response> {
  const scope = new RequestScope({ request, connection, route: route.path }, scopeOptions(server));
  try {
    if (route.isOpen === true) {
      const answered = await route.endpoint(scope, server);
      scope.end(answered.status);
      return answered;
    }
    if (server.isDraining) throw overloaded(1, "server_stopping");
    // The body of most requests arrives with their headers and is available after this await.
    scope.facts.caller = await server.gate.callerOf(scope);
    const counted = server.callerLimits.enter(scope.caller);
    scope.onEnd(counted instanceof Promise ? await counted : counted);
    const entered = server.admission.enter(scope.cancellation);
    if (entered instanceof Promise) {
      scope.onEnd(await entered);
      scope.facts.queuedMs = scope.elapsedMs;
    } else scope.onEnd(entered);
    const response = await route.endpoint(scope, server);
    if (!scope.isStreaming) scope.end(response.status);
    return response;
  } catch (error) {
    const shown = describeError(error, scope, server.logger);
    const headers = scope.headers;
    scope.end(shown.status);
    return errorResponse(shown, headers);
  }
}

/** Writes an error as a response. */
export function errorResponse(
  { status, object, headers }: ApiError,
  more: Readonly<Record<string, string>> = {},
): Response {
  const body = JSON.stringify({ error: object });
  return new Response(body, {
    status: status === CLIENT_GONE ? 400 : status,
    headers: { ...more, "content-type": "application/json", ...headers },
  });
}

/** @param methods - the methods of each path */
function unknownRoute(method: string, path: string, methods: ReadonlyMap<string, string>): ApiError {
  const shown = path.slice(0, 200);
  const allow = methods.get(/^\/v1\/models\/[^/]+$/.test(path) ? "/v1/models" : path);
  if (allow !== undefined) {
    const message = `Not allowed to ${method} on ${shown}. (HINT: Perhaps you meant to use a different HTTP method?)`;
    return new ApiError(405, message, { code: "method_not_supported", headers: { allow } });
  }
  const message = `Unknown request URL: ${method} ${shown}. Please check the URL for typos.`;
  return new ApiError(404, message, { code: "unknown_url" });
}
