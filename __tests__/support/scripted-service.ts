import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a scripted service received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON, or the text. */
  readonly body: unknown;
  /** Number of the connection that it came on. */
  readonly connection: number;
}

/** A response of a scripted service: a status with a text, or a value that is sent as JSON. */
export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Returns the value to send for the body of a request. */
  readonly jsonFor?: (body: unknown) => unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** The connection is closed before the end of the response. */
  readonly breaks?: true;
  /** There is no response. */
  readonly hangs?: true;
}

export interface ScriptedService extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Responses to come, each used once; the last one is used for all further requests. */
  respond(...responses: readonly ScriptedResponse[]): void;
}

/** An HTTP service on the loopback interface with scripted responses. */
export async function scriptedService(): Promise<ScriptedService> {
  const requests: ReceivedRequest[] = [];
  const connections = new WeakMap<object, number>();
  let opened = 0;
  let script: readonly ScriptedResponse[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url: path = "", headers, socket } = request;
      const connection = connections.get(socket) ?? (opened += 1);
      connections.set(socket, connection);
      const body = parse(Buffer.concat(parts).toString("utf8"));
      requests.push({ method, path, headers, body, connection });
      const { jsonFor, ...next } = script[0] ?? { status: 404 };
      send(response, jsonFor === undefined ? next : { ...next, json: jsonFor(body) });
      if (script.length > 1) script = script.slice(1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    respond: (...responses) => {
      requests.length = 0;
      script = responses;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function send(
  response: ServerResponse,
  { status = 200, headers = {}, json, text, bytes, breaks, hangs }: ScriptedResponse,
): void {
  if (hangs === true) return;
  const type = json === undefined ? "text/html" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  const body = bytes ?? (json === undefined ? (text ?? "") : JSON.stringify(json));
  if (breaks !== true) {
    response.end(body);
    return;
  }
  response.write(body, () => response.destroy());
}
