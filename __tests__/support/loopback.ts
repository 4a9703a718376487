import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** A request as a loopback server received it. */
export interface LoopbackRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Reply of a loopback server; `hangs` never ends it. */
export interface LoopbackReply {
  readonly status?: number;
  readonly type?: string;
  /** A text as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly hangs?: boolean;
}

export interface Loopback extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly LoopbackRequest[];
}

/** Starts a server of this process that replies by a function of the request. */
export async function loopback(reply: (request: LoopbackRequest) => LoopbackReply): Promise<Loopback> {
  const requests: LoopbackRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, path: url, headers, body: Buffer.concat(chunks).toString("utf8") };
      requests.push(request);
      const { status = 200, type = "application/json", body = "", hangs = false } = reply(request);
      outgoing.writeHead(status, { "content-type": type });
      const text = typeof body === "string" ? body : JSON.stringify(body);
      if (hangs) outgoing.write(text);
      else outgoing.end(text);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
