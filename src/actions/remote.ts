import { isMap } from "../engine/plain-data.js";
import { ActionError } from "../diagnostics/errors.js";
import { untilAborted } from "../engine/async.js";
import { type EventDraft, startTimer as platformTimer, type StartTimer } from "../engine/events.js";
import type { ActionDefinition } from "./action.js";
import { readBoundedText } from "./bounded-text.js";
import { actionResult, runLimited } from "./dispatcher.js";

export interface ActionServerOptions {
  /** Base URL; `/v1/actions/run` and `/v1/actions/list` are appended. */
  readonly url: string;
  /** Sent as a bearer token; never included in errors. */
  readonly token?: string | undefined;
  /** Time limit per attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Further attempts if the server was unreachable or busy. A call that ran is never repeated. */
  readonly retries: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly startTimer?: StartTimer;
}

/** The client of an action server. */
interface ActionServer {
  /** Returns the names of the offered actions. */
  list(signal: AbortSignal): Promise<readonly string[]>;
  /** Runs one action; events and context updates in the response become an action result. */
  run(name: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
}

const MAX_RESPONSE_BYTES = 10_000_000;
const FIRST_DELAY_MS = 100;

/** Statuses of servers that did not process the call, so it can be retried. */
const BUSY = new Set([429, 502, 503, 504]);

/**
 * Connects to an action server through the platform's `fetch`.
 *
 * @example
 * ```ts
 * const server = createActionServer({ url: "http://localhost:8001", timeoutMs: 10_000, retries: 2 });
 * builder.registerRemote(remoteActions(server, await server.list(signal)));
 * ```
 */
export function createActionServer(options: ActionServerOptions): ActionServer {
  return {
    async list(signal) {
      const names = await request(options, { path: "list", action: "", signal });
      if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
      throw problem("", { text: "expected a list of action names", hint: NOT_A_SERVER });
    },
    async run(name, params, signal) {
      const body = JSON.stringify({ action_name: name, action_parameters: params });
      return readResponse(name, await request(options, { path: "run", action: name, body, signal }));
    },
  };
}

/** Definitions that run the named actions on the server. */
export function remoteActions(server: ActionServer, names: readonly string[]): readonly ActionDefinition[] {
  return names.map((name) => ({
    kind: "action",
    name,
    system: false,
    verdict: false,
    run: (params, context) => server.run(name, params, context.signal),
  }));
}

interface ServerRequest {
  readonly path: "run" | "list";
  readonly action: string;
  readonly body?: string;
  readonly signal: AbortSignal;
}

async function request(options: ActionServerOptions, call: ServerRequest): Promise<unknown> {
  const startTimer = options.startTimer ?? platformTimer;
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await runLimited({
      run: ({ signal }) => attemptRequest(options, call, signal),
      timeoutMs: options.timeoutMs,
      signal: call.signal,
      startTimer,
      timeoutReason: () => problem(call.action, { text: "the response took too long", hint: SLOW }),
    });
    if (outcome.kind === "returned") return outcome.value;
    if (outcome.kind === "timeout") {
      throw problem(call.action, { text: `no response within ${options.timeoutMs} ms`, hint: SLOW });
    }
    if (!(outcome.error instanceof NotTaken)) throw outcome.error;
    const { message: text, cause, hint } = outcome.error;
    if (attempt >= options.retries) throw problem(call.action, { text, hint, cause });
    let stopTimer: (() => void) | undefined;
    const pause = new Promise<void>((resolve) => (stopTimer = startTimer(FIRST_DELAY_MS * 2 ** attempt, resolve)));
    await untilAborted(pause, call.signal).finally(() => stopTimer?.());
  }
}

/** The server has not processed the call. */
class NotTaken extends Error {
  readonly hint: string;

  constructor(message: string, { hint, cause }: { readonly hint: string; readonly cause?: unknown }) {
    super(message, { cause });
    this.hint = hint;
  }
}

const UNREACHABLE = "start the server with `langchain-guardrails actions-server`, or correct `actions_server_url`";
const SLOW = "raise `actions.server.timeout_ms`, or make the action faster";
const BUSY_HINT = "try again later, or raise `actions.server.retries`";
const NOT_A_SERVER = "check that `actions_server_url` is the base URL of an action server";
const SEE_ITS_LOG = "the log of the action server has the reason";

/** Hints by status of a response. */
const STATUS_HINTS: Readonly<Record<number, string>> = {
  401: "set `actions.server.token_env_var` to the environment variable with the key of the action server",
  403: "check the key in the environment variable that `actions.server.token_env_var` names",
  404: NOT_A_SERVER,
};

/** Codes of failed connection attempts: the server has not received the call. */
const UNSENT = /^(?:ECONNREFUSED|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

const MAX_CAUSES = 5;

/**
 * Returns the code of a connection error. INVARIANT: a call whose connection broke may have run, so it is not repeated.
 */
function codeOf(error: unknown): string | undefined {
  let at: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof at === "object" && at !== null; depth += 1) {
    const { code, cause, errors } = at as { code?: unknown; cause?: unknown; errors?: readonly unknown[] };
    if (typeof code === "string") return code;
    at = cause ?? errors?.[0];
  }
  return undefined;
}

async function attemptRequest(
  options: ActionServerOptions,
  call: ServerRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const send = options.fetch ?? globalThis.fetch;
  const url = `${options.url.replace(/\/+$/, "")}/v1/actions/${call.path}`;
  const response = await send(url, {
    method: call.path === "run" ? "POST" : "GET",
    headers: {
      accept: "application/json",
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    },
    // A redirect would send the parameters to a server that is not configured.
    redirect: "error",
    signal,
    ...(call.body === undefined ? {} : { body: call.body }),
  }).catch((cause: unknown) => {
    const code = codeOf(cause);
    const isUnsent = code !== undefined && UNSENT.test(code);
    if (isUnsent || call.path === "list") throw new NotTaken("it cannot be reached", { hint: UNREACHABLE, cause });
    if (code === undefined) throw problem(call.action, { text: "it cannot be reached", hint: UNREACHABLE, cause });
    throw problem(call.action, { text: "the connection broke", hint: SEE_ITS_LOG, cause });
  });
  const text = `it responded with status ${response.status}`;
  if (BUSY.has(response.status)) throw new NotTaken(text, { hint: BUSY_HINT });
  if (!response.ok) throw problem(call.action, { text, hint: STATUS_HINTS[response.status] ?? SEE_ITS_LOG });
  const body = await readBoundedText(response, MAX_RESPONSE_BYTES);
  if (body === undefined) {
    const tooLong = `its response is longer than ${MAX_RESPONSE_BYTES} bytes`;
    throw problem(call.action, { text: tooLong, hint: "return less from the action" });
  }
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw problem(call.action, { text: "its response is not JSON", hint: NOT_A_SERVER, cause });
  }
}

function readResponse(action: string, response: unknown): unknown {
  if (!isMap(response)) throw problem(action, { text: "its response is not a map", hint: NOT_A_SERVER });
  if (response["status"] === "failed") throw problem(action, { text: "the action failed there", hint: SEE_ITS_LOG });
  if (response["status"] !== "success")
    throw problem(action, { text: "its response has no status", hint: NOT_A_SERVER });
  const returnValue = response["result"] ?? null;
  const contextUpdates = response["context_updates"] ?? {};
  const events = response["events"] ?? [];
  if (!isMap(contextUpdates))
    throw problem(action, { text: "`context_updates` of its response is not a map", hint: NOT_A_SERVER });
  if (!Array.isArray(events))
    throw problem(action, { text: "`events` of its response is not a list", hint: NOT_A_SERVER });
  return actionResult({ returnValue, contextUpdates, events: events as readonly EventDraft[] });
}

interface Problem {
  readonly text: string;
  readonly hint: string;
  readonly cause?: unknown;
}

function problem(action: string, { text, hint, cause }: Problem): ActionError {
  const what = action === "" ? "the action server" : `the action server, asked for \`${action}\``;
  return new ActionError(`${what}: ${text}`, { action, cause, hint });
}
