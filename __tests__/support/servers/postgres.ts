import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DatabaseServer } from "./database-server.js";
import { freePort } from "./free-port.js";

const SCRIPT = fileURLToPath(new URL("postgres-process.mjs", import.meta.url));

/** Starts a PostgreSQL server with an empty database. */
export async function startPostgres(): Promise<DatabaseServer> {
  // The server makes the folder itself: as root, it runs under another user, which must own it.
  const folder = join(tmpdir(), `postgres-${randomUUID()}`);
  const port = await freePort();
  const server = spawn(process.execPath, [SCRIPT, folder, String(port)], { stdio: ["pipe", "pipe", "pipe"] });
  const exited = once(server, "exit");
  let problems = "";
  server.stderr.on("data", (chunk) => (problems += String(chunk)));
  const isReady = await Promise.race([once(server.stdout, "data").then(() => true), exited.then(() => false)]);
  if (!isReady) throw new Error(`PostgreSQL did not start: ${problems}`);
  const order = async (line: string): Promise<void> => {
    const done = once(server.stdout, "data");
    server.stdin.write(`${line}\n`);
    await done;
  };
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    port,
    goDown: () => order("down"),
    comeBack: () => order("up"),
    stop: async () => {
      server.stdin.end();
      await exited;
    },
  };
}
