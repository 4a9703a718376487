import cluster from "node:cluster";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { messageIn, asMessage, type ToPool } from "./messages.js";
import type { WorkerEvents, WorkerProcess } from "./worker-pool.js";

/** Environment variable of workers: the port to listen on. */
export const WORKER_VARIABLE = "LANGCHAIN_GUARDRAILS_WORKER";

/** Starts this program again as a worker that shares its port with the others. */
export function forkWorker(events: WorkerEvents, port: number): WorkerProcess {
  const worker = cluster.fork({ [WORKER_VARIABLE]: String(port) });
  worker.on("message", (given: unknown) => {
    const message = messageIn<ToPool>(given);
    if (message !== undefined) events.message(message);
  });
  let isGone = false;
  const end = (how: number | string): void => {
    if (isGone) return;
    isGone = true;
    events.exit(how);
  };
  worker.on("exit", (code: number | null, signal: string | null) => end(signal ?? code ?? 0));
  // A process that cannot start has no exit event.
  worker.on("error", ({ message }) => {
    if (worker.process.pid === undefined) end(message);
  });
  return {
    pid: worker.process.pid,
    // A worker that has just exited cannot receive the message; its exit is a separate event.
    send: (message) => void worker.send(asMessage(message), undefined, () => undefined),
    kill: () => void worker.process.kill("SIGKILL"),
  };
}

/** Returns a free port for workers without a fixed one: they would get another port if all of them exited at once. */
export async function findPort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
