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

/** Starts a Redis server with an empty database. */
export async function startRedis(port?: number): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  const chosen = port ?? (await freePort());
  const options = [
    "--port",
    String(chosen),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--save",
    "",
    "--appendonly",
    "no",
  ];
  const server = spawn("redis-server", options, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(server, "exit");
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes("Ready to accept connections")) break;
  }
  server.stdout.resume();
  return {
    url: `redis://127.0.0.1:${chosen}`,
    port: chosen,
    stop: async () => {
      server.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
