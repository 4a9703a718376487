#!/usr/bin/env node
// The program `langchain-guardrails`: process-level code; commands are in `program.ts`.
import { createRequire } from "node:module";
import { type CommandLine, EXIT, Printer } from "./command-line.js";
import { runCommandLine } from "./program.js";

const { version } = createRequire(import.meta.url)("langchain-guardrails/package.json") as { version: string };
const { stdin, stdout, stderr, env, argv } = process;
const controller = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort(new Error("interrupted")));
// A reader such as `head` may close the pipe.
stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.problems));
// A report that cannot be written must not end the command with an error of its own.
stderr.on("error", () => undefined);

const commandLine: CommandLine = {
  stdin,
  stdout: new Printer(stdout, env),
  stderr: new Printer(stderr, env),
  terminal: stdin.isTTY && stdout.isTTY ? stdout : undefined,
  env,
  signal: controller.signal,
};
process.exitCode = await runCommandLine(argv.slice(2), commandLine, version);
