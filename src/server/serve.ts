import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import type { GuardrailsServer } from "./app.js";
import { type Connection, NodeConnection } from "./body.js";
import { eventLoopShare } from "./event-loop-share.js";
import { boundHeapGrowth } from "./heap-growth.js";

/** A server that handles requests: one for guarded configurations, or one for actions. */
export interface ServedApp {
  fetch(request: Request, connection?: Connection): Response | Promise<Response>;
  /** Receives a request before it is read: refuses it, or calls `take` immediately or shortly after. */
  receive?(incoming: IncomingMessage, outgoing: ServerResponse, take: () => void): void;
  /** True if callers need a key. */
  readonly isClosed: boolean;
  /** @param graceMs - milliseconds to wait for requests */
  close(graceMs?: number): Promise<void>;
}

/** A listener for `node:http`, Express and other frameworks on Node.js. */
export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * Creates a listener for `node:http` from a server; in Express: `express().use(nodeListener(app))`.
 *
 * @example
 * ```ts
 * createServer(nodeListener(app)).listen(8000, "127.0.0.1");
 * ```
 */
export function nodeListener(app: ServedApp, options: { readonly overrideGlobalObjects?: boolean } = {}): NodeListener {
  const { overrideGlobalObjects = false } = options;
  const errorHandler = (): Response => {
    const error = { message: "The request cannot be read.", type: "invalid_request_error", param: null, code: null };
    return new Response(JSON.stringify({ error }), { status: 400, headers: { "content-type": "application/json" } });
  };
  const listener = getRequestListener(
    (request, { incoming, outgoing }) =>
      app.fetch(request, new NodeConnection(incoming as IncomingMessage, outgoing as ServerResponse)),
    // Health checks of load balancers use HTTP/1.0, which does not require a `Host` header.
    { overrideGlobalObjects, errorHandler, hostname: "localhost" },
  );
  // Express passes `next` as a third argument, which must not reach the listener.
  return (incoming, outgoing) => {
    const take = (): void => void listener(incoming, outgoing);
    if (app.receive === undefined) take();
    else app.receive(incoming, outgoing, take);
  };
}

/** Options of `serve`. */
export interface ServeOptions {
  /** Default: 8000. */
  readonly port?: number;
  /** Address to listen on. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Milliseconds that active requests have to finish when the server closes. Default: 10,000. */
  readonly graceMs?: number;
}

/** A listening server. */
export interface RunningServer<App extends ServedApp = GuardrailsServer> extends AsyncDisposable {
  /** Address of the server without a path, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly app: App;
  readonly server: Server;
  /** Stops the server; active requests may finish first. */
  close(): Promise<void>;
}

/** Connections that may wait to be accepted; the default of Node.js refuses some of 1,000 streams that start at the same time. */
const BACKLOG = 4096;

/** Limits of connections in milliseconds. */
const CONNECTION_LIMITS = {
  /** Time limit for the headers of a request; checked once per interval. */
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  /** The body has its own limit. */
  requestTimeout: 0,
  /** Idle time of a connection. Proxies keep connections for 60 s, and would send requests into connections that are closing. */
  keepAliveTimeout: 75_000,
};

/**
 * Listens for requests. Beyond the loopback interface, callers must need a key.
 *
 * The process is configured as a server: it uses Hono's lightweight `Request` and `Response`, and V8 collects garbage earlier,
 * unless the process was started with `--heap-growing-percent`. `nodeListener` changes neither.
 *
 * @throws ConfigError for an address that others can reach, if the server has no keys, and for one where it cannot listen
 *
 * @example
 * ```ts
 * const running = await serve(app, { port: 8000 });
 * process.once("SIGTERM", () => void running.close());
 * ```
 */
export async function serve<App extends ServedApp>(app: App, options: ServeOptions = {}): Promise<RunningServer<App>> {
  const { port = 8000, host = "127.0.0.1", graceMs = 10_000 } = options;
  if (!app.isClosed && !isLoopback(host)) {
    const message = `refuse to listen on \`${host.slice(0, 60)}\` without keys: anybody who reaches the server could use its models`;
    const hint = "set `keys` or `authenticate` (see `--help` for the command line), or listen on `127.0.0.1`";
    throw new ConfigError([createDiagnostic("CF-104", message, { path: "options.host", hint })]);
  }
  boundHeapGrowth();
  // In the process's own server, the lightweight `Request` and `Response` save a third of the time of a request.
  const listener = nodeListener(app, { overrideGlobalObjects: true });
  // Node.js would refuse both without an error object.
  const server = createServer(
    { ...CONNECTION_LIMITS, noDelay: true, requireHostHeader: false },
    (request, response) => {
      if (request.headers.host === undefined && request.httpVersion === "1.1") refuseRequest(response, 400, UNREADABLE);
      else listener(request, response);
    },
  );
  server.on("checkExpectation", (_request, response: ServerResponse) => {
    refuseRequest(response, 417, "The header 'Expect' takes '100-continue' only.");
  });
  server.on("connection", () => eventLoopShare.accepted());
  server.on("clientError", refuseConnection);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(error, host, port)));
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  const { port: bound, family, address } = server.address() as AddressInfo;
  const close = closing(app, server, graceMs);
  const shown = family === "IPv6" ? `[${address}]` : address;
  return { url: `http://${shown}:${bound}`, app, server, close, [Symbol.asyncDispose]: close };
}

/** Error codes of the platform, each with its reason, option and hint. */
const LISTEN_PROBLEMS: Readonly<Record<string, readonly [reason: string, option: "host" | "port", hint: string]>> = {
  EADDRINUSE: ["another program listens there", "port", "end that program, or choose another port; 0 takes any"],
  EACCES: ["this user may not use the port", "port", "choose a port from 1024 on"],
  EADDRNOTAVAIL: ["this machine does not have the address", "host", "listen on `127.0.0.1`, or on `0.0.0.0` for all"],
  ENOTFOUND: ["the name has no address", "host", "listen on `127.0.0.1`, or on `0.0.0.0` for all"],
};

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const known = LISTEN_PROBLEMS[error.code ?? ""];
  if (known === undefined) return error;
  const [reason, option, hint] = known;
  const message = `cannot listen on \`${host.slice(0, 60)}:${port}\`: ${reason}`;
  const problem = new ConfigError([createDiagnostic("CF-104", message, { path: `options.${option}`, hint })]);
  problem.cause = error;
  return problem;
}

function closing(app: ServedApp, server: Server, graceMs: number): () => Promise<void> {
  let closed: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    const stopped = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    server.closeIdleConnections();
    await app.close(graceMs);
    server.closeAllConnections();
    await stopped;
  };
  return () => (closed ??= end());
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Responds to a request that is not HTTP, without repeating any of it. */
function refuseConnection(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const isLarge = error.code === "HPE_HEADER_OVERFLOW";
  const status = isLate ? "408 Request Timeout" : isLarge ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const body = isLate
    ? errorBody("The request took too long.", "timeout_error", "request_timeout")
    : errorBody(UNREADABLE, "invalid_request_error", null);
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

const UNREADABLE = "The request cannot be read.";

/** Refuses a request that no route may see, and closes its connection. */
function refuseRequest(response: ServerResponse, status: number, message: string): void {
  const body = errorBody(message, "invalid_request_error", null);
  response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(body);
}

function errorBody(message: string, type: string, code: string | null): string {
  return JSON.stringify({ error: { message, type, param: null, code } });
}
