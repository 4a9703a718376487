import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DatabaseServer } from "./database-server.js";
import { freePort } from "./free-port.js";

/** True if the machine has Redis. */
export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

/** Starts a Redis server with an empty database, which keeps its data while it is down. */
export async function startRedis(port?: number): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  const chosen = port ?? (await freePort());
  let end = await startProcess(chosen, folder);
  return {
    url: `redis://127.0.0.1:${chosen}`,
    port: chosen,
    goDown: () => end(),
    comeBack: async () => {
      end = await startProcess(chosen, folder);
    },
    stop: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a server with data in a folder; returns a function that kills it. */
async function startProcess(port: number, folder: string): Promise<() => Promise<void>> {
  const network = ["--port", String(port), "--bind", "127.0.0.1"];
  // Each write is in the file before its reply; flushing it to the disk is not under test.
  const data = ["--dir", folder, "--save", "", "--appendonly", "yes", "--appendfsync", "no"];
  const server = spawn("redis-server", [...network, ...data], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(server, "exit");
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes("Ready to accept connections")) break;
  }
  server.stdout.resume();
  return async () => {
    server.kill("SIGKILL");
    await exited;
  };
}
