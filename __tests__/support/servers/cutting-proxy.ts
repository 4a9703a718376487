import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy on the loopback interface that can lose replies of its server. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** Lets the next request reach the server, and ends the connection instead of passing on its reply. */
  loseNextReply(): void;
}

/** Opens a proxy in front of a server of the loopback interface. */
export async function openCuttingProxy(port: number): Promise<CuttingProxy> {
  let isLosing = false;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    let isCut = false;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on("data", (data) => {
      isCut ||= isLosing;
      isLosing = false;
      server.write(data);
    });
    server.on("data", (data) => {
      if (isCut) client.destroy();
      else client.write(data);
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    port: (proxy.address() as AddressInfo).port,
    loseNextReply: () => {
      isLosing = true;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, "close");
    },
  };
}
