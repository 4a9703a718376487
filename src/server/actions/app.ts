import { Cancellation } from "../../engine/async.js";
import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError, GuardrailsError } from "../../diagnostics/errors.js";
import { isLogger, type Logger } from "../../diagnostics/logger.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { dispatch, type DispatchResult } from "../../actions/dispatcher.js";
import { randomIds, systemClock } from "../../engine/events.js";
import { isMap } from "../../engine/plain-data.js";
import type { GuardrailsOptions } from "../../langchain/load.js";
import { loadActions } from "../../langchain/load.js";
import { type ApiKey, type Authenticate, checkAccess, Gate } from "../access.js";
import { Admission, type AdmissionLimits } from "../admission.js";
import { errorResponse } from "../app.js";
import { type BodyLimits, type Connection, readJson } from "../body.js";
import { ApiError, badRequest, overloaded } from "../errors.js";
import type { ServerObserver } from "../observer.js";
import { RequestScope } from "../scope.js";
import { describeError, warningOfRefusals } from "../server-context.js";
import { RemoteContext } from "./remote-context.js";

/** Limits of an action server. */
export interface ActionsLimits extends AdmissionLimits {
  /** Maximum size of a request body in bytes. Default: 4,194,304. */
  readonly bodyBytes: number;
  /** Time limit for receiving a body, in milliseconds. Default: 10,000. */
  readonly bodyMs: number;
  /** Time limit of an action in milliseconds. Default: 60,000. */
  readonly actionMs: number;
}

const DEFAULT_LIMITS: ActionsLimits = {
  concurrent: 64,
  queued: 256,
  queueMs: 5_000,
  bodyBytes: 4_194_304,
  bodyMs: 10_000,
  actionMs: 60_000,
};

/** Options of `createActionsApp`. */
export interface ActionsAppOptions extends Pick<GuardrailsOptions, "actions" | "tools" | "actionParams"> {
  /** Folder of a configuration with the actions to serve. Its code is loaded; its models and rails are not. Default: none. */
  readonly path?: string | URL;
  /** Keys of callers. Default: none; the server then listens only on the loopback interface. */
  readonly keys?: readonly ApiKey[];
  /** Returns the caller of a request. Replaces `keys`. */
  readonly authenticate?: Authenticate;
  /** Limits of the server; omitted ones have their defaults. */
  readonly limits?: Partial<ActionsLimits>;
  /** Receives errors, never parameters or results. Default: `console`; `false` logs nothing. */
  readonly logger?: Logger | false;
  /** Receives the events of the server. */
  readonly observer?: ServerObserver;
}

const OPTIONS: OptionTable<ActionsAppOptions> = {
  path: "any",
  actions: "object",
  tools: "object",
  actionParams: "object",
  keys: "object",
  authenticate: "function",
  limits: {
    options: {
      concurrent: "number",
      queued: "number",
      queueMs: "number",
      bodyBytes: "number",
      bodyMs: "number",
      actionMs: "number",
    },
  },
  logger: "any",
  observer: "object",
};

type OwnActions = Awaited<ReturnType<typeof loadActions>>;

/**
 * Creates a server that runs actions for guardrails on other machines. Their configurations name it as `actions_server_url`. Its
 * `fetch` handles requests; `serve` listens.
 *
 * @throws ConfigError for invalid options, and for code that cannot be loaded
 *
 * @example
 * ```ts
 * const app = await createActionsApp({ path: "./config", keys: [{ id: "bakery", key: process.env.ACTIONS_KEY }] });
 * await serve(app, { port: 8001, host: "0.0.0.0" });
 * ```
 */
export async function createActionsApp(options: ActionsAppOptions): Promise<ActionsServer> {
  checkOptions("createActionsApp", options, OPTIONS);
  checkAccess(options.keys, options.authenticate);
  checkLogger(options.logger);
  const { path, logger, limits, keys, authenticate, observer } = options;
  const ownActions = await loadActions(path, options);
  return new ActionsServer(ownActions, {
    limits: { ...DEFAULT_LIMITS, ...limits },
    gate: new Gate(keys, authenticate),
    logger: logger === undefined ? console : logger === false ? undefined : logger,
    observer,
  });
}

interface ActionsServerParts {
  readonly limits: ActionsLimits;
  readonly gate: Gate;
  readonly logger: Logger | undefined;
  readonly observer: ServerObserver | undefined;
}

/** Maximum length of an action's result, in characters of its JSON. Clients read no more. */
const MAX_RESULT = 9_000_000;

/** Action server as a Fetch handler. Created by `createActionsApp`. */
export class ActionsServer {
  readonly #own: OwnActions;
  readonly #parts: ActionsServerParts;
  readonly #admission: Admission;
  readonly #shutdown = new Cancellation();
  #isDraining = false;

  constructor(ownActions: OwnActions, parts: ActionsServerParts) {
    this.#own = ownActions;
    this.#parts = parts;
    this.#admission = new Admission(parts.limits, warningOfRefusals(parts.logger));
  }

  /** True if callers need a key. */
  get isClosed(): boolean {
    return this.#parts.gate.isClosed;
  }

  /** Names of the actions. */
  get names(): readonly string[] {
    return this.#own.registry.names;
  }

  /**
   * Handles a request. It does not use `this`, so it can be passed to a framework directly.
   *
   * @param connection - on Node.js, the `incoming` request; bodies are read from it directly
   */
  readonly fetch = async (request: Request, connection: Connection = {}): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const route = ROUTES.get(pathname);
    const { limits, gate, logger, observer } = this.#parts;
    const requestMs = limits.bodyMs + limits.queueMs + limits.actionMs;
    const scope = new RequestScope(
      { request, connection, route: route === undefined ? "unknown" : pathname },
      { clock: systemClock, ids: randomIds, observer, requestMs, shutdown: this.#shutdown },
    );
    try {
      if (this.#isDraining) throw overloaded(1, "server_stopping");
      if (route === undefined) throw new ApiError(404, "Unknown request URL.", { code: "unknown_url" });
      if (request.method !== route.method) {
        const headers = { allow: route.method };
        throw new ApiError(405, "Not allowed with this method.", { code: "method_not_supported", headers });
      }
      const body = await this.#answer(route, scope, gate);
      scope.end(200);
      return new Response(body, { headers: { ...scope.headers, "content-type": "application/json" } });
    } catch (error) {
      const shown = describeError(error, scope, logger);
      const { headers } = scope;
      scope.end(shown.status);
      return errorResponse(shown, headers);
    }
  };

  /**
   * Stops the server: it refuses new requests, and cancels actions that are still running after the grace period.
   *
   * @param graceMs - milliseconds to wait for actions; default: 10,000
   */
  async close(graceMs = 10_000): Promise<void> {
    this.#isDraining = true;
    this.#admission.clear();
    await this.#admission.idle(graceMs);
    // INVARIANT: a status that invites a retry is sent only for an action that has not started.
    this.#shutdown.abort(new ApiError(500, "The server stopped before the action ended.", { code: "server_stopping" }));
  }

  async #answer(route: Route, scope: RequestScope, gate: Gate): Promise<string> {
    if (route.name === "health") return '{"status":"pass"}';
    scope.facts.caller = await gate.callerOf(scope);
    if (route.name === "list") return JSON.stringify(this.#own.registry.names);
    scope.onEnd(await this.#admission.enter(scope.cancellation));
    const { bodyBytes: maxBytes, bodyMs: timeoutMs } = this.#parts.limits;
    const call = readCall(
      await readJson(scope.request, scope.connection, { maxBytes, timeoutMs } satisfies BodyLimits),
    );
    return this.#run(call, scope);
  }

  async #run({ name, params }: ActionCall, scope: RequestScope): Promise<string> {
    const { registry, actionParams, config } = this.#own;
    const resolution = registry.resolve(name);
    if (!resolution.found || resolution.note !== undefined) {
      throw new ApiError(404, "There is no action of this name.", { param: "action_name", code: "unknown_action" });
    }
    const outcome = await dispatch({
      registry,
      name,
      params,
      context: ({ signal }) => new RemoteContext(config.settings, actionParams, signal),
      timeoutMs: this.#parts.limits.actionMs,
      signal: scope.cancellation,
    });
    return toJson(outcome, (code) => this.#report(resolution.definition.name, code, outcome, scope));
  }

  /** INVARIANT: error messages may quote parameters, so they are neither logged nor sent. */
  #report(action: string, code: string, outcome: DispatchResult, { requestId, facts }: RequestScope): void {
    facts.errorCode = code;
    const cause = outcome.ok ? undefined : outcome.error.cause;
    const name = cause instanceof Error ? ` ${cause.name}` : "";
    try {
      this.#parts.logger?.error(`action \`${action}\` failed: ${code}${name} (request ${requestId})`);
    } catch {
      // A failing logger must not change a response.
    }
  }
}

interface Route {
  readonly name: "run" | "list" | "health";
  readonly method: "GET" | "POST";
}

const ROUTES: ReadonlyMap<string, Route> = new Map([
  ["/v1/actions/run", { name: "run", method: "POST" }],
  ["/v1/actions/list", { name: "list", method: "GET" }],
  ["/healthz", { name: "health", method: "GET" }],
] as const);

interface ActionCall {
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const MAX_NAME = 200;

function readCall(body: unknown): ActionCall {
  if (!isMap(body)) throw badRequest("Expected a JSON object with 'action_name' and 'action_parameters'.");
  const { action_name: name, action_parameters: params = {} } = body;
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME) {
    throw badRequest(`Invalid 'action_name': expected a text of 1 to ${MAX_NAME} characters.`, "action_name");
  }
  if (!isMap(params)) throw badRequest("Invalid 'action_parameters': expected an object.", "action_parameters");
  return { name, params };
}

/**
 * Returns the JSON response for an outcome. A failure has status 200, as in NeMo Guardrails, because clients retry calls that a
 * server refused.
 */
function toJson(outcome: DispatchResult, report: (code: string) => void): string {
  const failed = (code: string, message: string): string => {
    report(code);
    return JSON.stringify({ status: "failed", result: null, error: { code, message } });
  };
  if (!outcome.ok) {
    if (outcome.kind === "timeout") return failed("action_timeout", "The action took too long.");
    const code = GuardrailsError.isInstance(outcome.error) ? outcome.error.code : "action_failed";
    return failed(code, "The action failed.");
  }
  const { returnValue, contextUpdates, events } = outcome.result;
  const body = JSON.stringify({
    status: "success",
    result: returnValue ?? null,
    ...(Object.keys(contextUpdates).length === 0 ? {} : { context_updates: contextUpdates }),
    ...(events.length === 0 ? {} : { events }),
  });
  if (body.length > MAX_RESULT) return failed("result_too_large", "The result of the action is too large.");
  return body;
}

function checkLogger(logger: ActionsAppOptions["logger"]): void {
  if (logger === undefined || logger === false || isLogger(logger)) return;
  const message = "expected a logger with the methods `warn` and `error`, or `false`";
  throw new ConfigError([createDiagnostic("CF-104", message, { path: "options.logger" })]);
}
